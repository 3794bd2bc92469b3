package advice

// WindowsServer: update_process_title is off by default there since PostgreSQL 9.6.
var WindowsServer = Page{
	ID:    "windows-server",
	Kind:  Advice,
	Title: "A server on Windows: process titles off, NTFS",
	Names: []string{"update_process_title", "ntfs"},
	Text: []string{
		"update_process_title is off by default on Windows, because setting it costs at each statement there; leave it so. Elsewhere it " +
			"is on and cheap, and ps then tells what each backend does. The filesystem of a cluster on Windows is NTFS, as tablespaces need " +
			"its junctions.",
	},
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	See:     []string{"windows-limits"},
}
