package advice

// WindowsLimits: the small shared_buffers were a rule up to PostgreSQL 9.6.
var WindowsLimits = Page{
	ID:    "windows-limits",
	Kind:  NotSo,
	Title: "Windows no longer needs small shared_buffers",
	Names: []string{"windows", "desktop_heap", "sharedsection"},
	Read:  "on Windows shared_buffers must stay small (512 MB) and more than 125 connections exhaust the desktop heap",
	Since: "PostgreSQL 10 and Windows Server 2016",
	Text: []string{
		"From PostgreSQL 10 on shared_buffers is sized on Windows as elsewhere. The desktop heap was a limit for services of Windows " +
			"before 2016 that had 512 kB of it. What remains is that a process costs more to create there, so a pooler earns more.",
		"pgfettle does not run on Windows, but judges a Windows server over SQL.",
	},
	Verify:  "SELECT version(); SHOW shared_buffers; SHOW max_connections;",
	Sources: []string{"pg-release-old", "dalibo-j1"},
	See:     []string{"connection-pooling", "windows-server"},
}
