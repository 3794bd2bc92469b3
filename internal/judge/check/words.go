package check

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// SeverityWords are the words for the severities that a person reads.
var SeverityWords = map[Severity]say.Message{
	Critical: say.M("critical"),
	Warning:  say.M("warning"),
	Notice:   say.M("notice"),
	Info:     say.M("info"),
}

// SeverityWord is the word for a severity that a history or a series has by its name; the name itself if it is none of
// ours.
func SeverityWord(name string) say.Message {
	s, err := ParseSeverity(name)
	if err != nil {
		return say.Text(name)
	}
	return SeverityWords[s]
}

// PercentOf spells part as a percentage of whole: "0.4%", "37%".
func PercentOf(part, whole unit.Bytes) say.Message {
	if whole <= 0 {
		return say.M("an unknown percentage")
	}
	p := 100 * float64(part) / float64(whole)
	if p < 9.95 {
		return say.M("{percent}", "percent", say.Number(fmt.Sprintf("%.1f%%", p)))
	}
	return say.M("{percent}", "percent", say.Number(fmt.Sprintf("%.0f%%", p)))
}

// AtLeast reports whether part is at least percent of whole.
func AtLeast(part unit.Bytes, percent int64, whole unit.Bytes) bool {
	return float64(part)*100 >= float64(percent)*float64(whole)
}

// Count spells large numbers of transactions: "312 million", "1.31 billion".
func Count(n int64) say.Message {
	switch {
	case n >= 1e9:
		return say.M("{n} billion", "n", say.Number(fmt.Sprintf("%.2f", float64(n)/1e9)))
	case n >= 1e6:
		return say.M("{n} million", "n", say.Number(fmt.Sprintf("%.0f", float64(n)/1e6)))
	}
	return say.M("{n}", "n", n)
}
