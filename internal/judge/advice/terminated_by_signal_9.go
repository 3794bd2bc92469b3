package advice

// TerminatedBySignal9: CleanupBackend names the kind of process from 18 on; 13 to 17 say server process for sessions.
var TerminatedBySignal9 = Page{
	ID:    "terminated-by-signal-9",
	Kind:  Advice,
	Title: "The log line of a killed process has changed its words",
	Names: []string{"terminated_by_signal_9", "signal_9", "server_process"},
	Text: []string{
		"Up to 17 a killed session is told as \"server process (PID n) was terminated by signal 9: Killed\", and others by their own name " +
			"(checkpointer process, background writer process). From 18 on the kind stands there: \"client backend (PID n) …\", \"autovacuum " +
			"worker (PID n) …\", \"io worker (PID n) …\".",
		"Look for (PID n) was terminated by signal 9, not for the words before it. The line may be in another language unless lc_messages " +
			"= C. The next DETAIL names the statement that ran.",
	},
	Verify:  "grep -E '\\(PID [0-9]+\\) was terminated by signal 9' in the server log.",
	Sources: []string{"pg-source-postmaster", "pgfettle-measured"},
	See:     []string{"oom_kills", "oom-report"},
}
