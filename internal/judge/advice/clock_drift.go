package advice

// ClockDrift: the lost-tick arithmetic is that of kernels with a fixed tick.
var ClockDrift = Page{
	ID:    "clock-drift",
	Kind:  NotSo,
	Title: "Guests do not lose ticks, but a slow clock source costs",
	Names: []string{"clocksource", "tsc", "kvm-clock", "hpet", "acpi_pm", "ntp", "lost_ticks", "tickless"},
	Read: "the clock of a guest drifts because it loses timer ticks (1,000 expected, 1,100 given), so that host and guest need the same NTP " +
		"source",
	Since: "tickless kernels with a paravirtual or invariant clock",
	Text: []string{
		"With tsc, kvm-clock, hyperv_clocksource or arch_sys_counter no tick is counted. Run chrony in the guest, as on any machine.",
		"Which clock source is used matters for something else: hpet, acpi_pm and jiffies make each look at the clock slow, and EXPLAIN " +
			"ANALYZE and track_io_timing look twice for every row or read.",
	},
	Verify:  "cat /sys/devices/system/clocksource/clocksource0/current_clocksource; chronyc tracking; pg_test_timing.",
	Sources: []string{"pg-test-timing", "dalibo-j1"},
	See:     []string{"pg:track_io_timing", "pg-test-timing"},
}
