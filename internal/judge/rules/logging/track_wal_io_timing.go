package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackWALIOTiming = rule.Rule{
	Address: knob.PG("track_wal_io_timing"),
	Title:   "whether the time of each write and flush of WAL is taken",
	Why: "Every commit waits for a flush of the WAL. The time of it (in pg_stat_wal up to 17, in pg_stat_io " +
		"from 18 on) tells a slow disk from everything else.",
	Formula: "As track_io_timing: on with a clock that was measured to be cheap, or a clock source that is known to " +
		"be.",
	Sources: []string{"pg-config-statistics", "pg-test-timing"},
	Decide:  decideTiming("how long commits wait for the WAL's disk becomes visible"),
}
