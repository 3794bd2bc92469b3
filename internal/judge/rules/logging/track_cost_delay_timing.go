package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackCostDelayTiming = rule.Rule{
	Address: knob.PG("track_cost_delay_timing"),
	Title:   "whether the pauses of VACUUM are timed",
	Why: "With it pg_stat_progress_vacuum and the log say how long a VACUUM slept by its cost limit: a table that " +
		"lags for want of work from one that was held back. " +
		"It reads the clock twice for each pause.",
	Formula: "on where the kernel's clock source is cheap to read, as for track_io_timing.",
	Sources: []string{"pg-config-statistics", "pg-test-timing"},
	From:    18,
	Decide:  decideTiming("a VACUUM that is held back by its limit can be told from one that has much to do"),
}
