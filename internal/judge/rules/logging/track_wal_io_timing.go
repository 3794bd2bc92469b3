package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackWALIOTiming = rule.Rule{
	Address: knob.PG("track_wal_io_timing"),
	Title:   "Timing of WAL writes and fsyncs",
	Why: "Every commit waits for a WAL flush. The time of these flushes (pg_stat_wal up to 17, pg_stat_io since 18) " +
		"shows whether the WAL disk is the bottleneck.",
	Formula: "As track_io_timing: on if the clock is measured or known to be fast.",
	Sources: []string{"pg-config-statistics", "pg-test-timing"},
	Decide:  decideTiming("shows how long commits wait for the WAL disk"),
}
