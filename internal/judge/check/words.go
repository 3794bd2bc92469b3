package check

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Span spells a time given in seconds: "45 s", "12 min", "30 h", "4 days".
// Below two of the next unit the smaller one is kept, so that the rounding
// never hides more than half.
func Span(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 120*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.0f h", seconds/3600)
	}
	return fmt.Sprintf("%.0f days", seconds/86400)
}

// PercentOf spells part as a percentage of whole: "0.4 %", "37 %".
func PercentOf(part, whole unit.Bytes) string {
	if whole <= 0 {
		return "an unknown share"
	}
	p := 100 * float64(part) / float64(whole)
	if p < 9.95 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// AtLeast says whether part is at least percent of whole.
func AtLeast(part unit.Bytes, percent int64, whole unit.Bytes) bool {
	return float64(part)*100 >= float64(percent)*float64(whole)
}

// Count spells large numbers of transactions: "312 million", "1.31 billion".
func Count(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f billion", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f million", float64(n)/1e6)
	}
	return say.Spell(n)
}

// Join joins texts by sep; past most of them it says how many more there are.
func Join(texts []string, sep string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, sep)
	}
	return fmt.Sprintf("%s%sand %d more", strings.Join(texts[:most], sep), sep, len(texts)-most)
}

// Capitalize begins a sentence.
func Capitalize(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
