package rule

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Age is for how long something was counted, for people.
type Age float64 // seconds

// In returns it in the language of a catalog.
func (a Age) In(c *say.Catalogue) string {
	if a < 2*24*3600 {
		return say.N(int64(a/3600), "{n} hour", "{n} hours").In(c)
	}
	return say.N(int64(a/(24*3600)), "{n} day", "{n} days").In(c)
}

// String returns it in English.
func (a Age) String() string { return a.In(nil) }

// DayOf is the day of a time of a history, UTC, for people.
func DayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02") }

// Processors is so many CPUs.
func Processors(n int) say.Message { return say.N(n, "{n} CPU", "{n} CPUs") }
