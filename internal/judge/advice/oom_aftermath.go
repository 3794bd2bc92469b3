package advice

// OomAftermath: the order of log lines was seen on a live 15 after a backend was killed.
var OomAftermath = Page{
	ID:    "oom-aftermath",
	Kind:  Advice,
	Title: "What happens when a backend is killed for memory",
	Names: []string{"oom_killer", "oom_crash", "restart_after_crash", "sigkill"},
	Text: []string{
		"One child that dies by signal 9 makes the postmaster end all others, as shared memory may be damaged, and start recovery: every " +
			"session is lost and every open transaction is rolled back. Committed data is safe, unless synchronous_commit or fsync is off. " +
			"With restart_after_crash = off the server stays down; when the postmaster itself is killed nothing starts again, and systemd may " +
			"stop the unit although the server recovered.",
		"Before that the kernel throws away its file cache and swaps, so the server is slow first, and slow again after the restart.",
	},
	Verify:  "pgfettle demo oom shows it on a throwaway server.",
	Sources: []string{"pg-overcommit", "linux-oom", "dalibo-j1"},
	See:     []string{"oom_kills", "oom_policy_stop", "oom_score", "unit:OOMPolicy"},
}
