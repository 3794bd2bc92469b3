package advice

// PgTestTiming: the documentation of 13 to 18 says microsecond; the tool of 15 prints "< us".
var PgTestTiming = Page{
	ID:    "pg-test-timing",
	Kind:  NotSo,
	Title: "pg_test_timing: most calls within one microsecond",
	Names: []string{"pg_test_timing", "track_io_timing_nanosecond", "timing_overhead"},
	Read:  "track_io_timing may be switched on when pg_test_timing shows nearly all calls below one nanosecond",
	Text: []string{
		"The unit is the microsecond: more than 90 % of the calls should take less than one microsecond. No clock is read in a " +
			"nanosecond; a loop takes 20 to 100 ns on a good clock source. The histogram of 13 to 18 is in microseconds; 19 prints " +
			"nanoseconds, and tells about timing_clock_source.",
		"With tsc, kvm-clock or another fast clock source switch track_io_timing on, its cost is not measurable.",
	},
	Verify:  "pg_test_timing -d 3; the head of the histogram says < us.",
	Sources: []string{"pg-test-timing", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"pg:track_io_timing", "clock-drift"},
}
