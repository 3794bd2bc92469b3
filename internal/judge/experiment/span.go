package experiment

import (
	"fmt"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Span is how long something takes, to the minute if it is hours.
type Span time.Duration

// In returns it in the language of a catalog.
func (s Span) In(c *say.Catalogue) string {
	d := time.Duration(s).Round(time.Second)
	amount := func(n int, unit string) string { return say.Number(fmt.Sprintf("%d %s", n, unit)).In(c) }
	switch {
	case d < time.Minute:
		return amount(int(d.Seconds()), "s")
	case d < time.Hour:
		if s := int(d.Seconds()) % 60; s != 0 && d < 10*time.Minute {
			return amount(int(d.Minutes()), "min") + " " + amount(s, "s")
		}
		return amount(int(d.Round(time.Minute).Minutes()), "min")
	}
	d = d.Round(time.Minute)
	if m := int(d.Minutes()) % 60; m != 0 {
		return amount(int(d.Hours()), "h") + " " + amount(m, "min")
	}
	return amount(int(d.Hours()), "h")
}

// String returns it in English.
func (s Span) String() string { return s.In(nil) }
