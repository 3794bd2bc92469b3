package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackCostDelayTiming = rule.Rule{
	Address: knob.PG("track_cost_delay_timing"),
	Title:   "Timing of cost-based vacuum delay",
	Why: "With on, pg_stat_progress_vacuum and the log show how long VACUUM slept because of its cost limit. This " +
		"distinguishes a throttled VACUUM from one with much work. The clock is read twice per sleep.",
	Formula: "on if the clock source is fast, as for track_io_timing.",
	Sources: []string{"pg-config-statistics", "pg-test-timing"},
	From:    18,
	Decide:  decideTiming("shows whether VACUUM is throttled by its cost limit"),
}
