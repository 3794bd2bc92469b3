package rule

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// DayOf is the day of a time of a history, UTC, for people.
func DayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02") }

// Processors is so many CPUs.
func Processors(n int) say.Message { return say.N(n, "{n} CPU", "{n} CPUs") }
