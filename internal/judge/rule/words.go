package rule

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Age is for how long something was counted, for people.
type Age float64 // seconds

func (a Age) String() string {
	if a < 2*24*3600 {
		return Count(int(a/3600), "hour").String()
	}
	return Count(int(a/(24*3600)), "day").String()
}

// DayOf is the day of a time of a history, UTC, for people.
func DayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02") }

// counted is a number of things for people: "1 processor", "16 processors".
type counted struct {
	n    int
	noun string // takes an s for more than one
}

func (n counted) String() string { return CountOf(n.n, n.noun, n.noun+"s") }

// CountOf is count for a noun whose plural is another word.
func CountOf(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return say.M("", "{n} "+many, "n", n).String()
}

func Processors(n int) counted { return Count(n, "processor") }

// Count is so many of a noun that takes an s for more than one.
func Count(n int, noun string) counted { return counted{n, noun} }
