package advice

// VirusScanners: a scanner that opens files under the server can hold, delay or quarantine them.
var VirusScanners = Page{
	ID:    "virus-scanners",
	Kind:  Advice,
	Title: "No virus scanner in the data directory",
	Names: []string{"antivirus", "on-access", "clamav", "fanotify"},
	Text: []string{
		"Leave it out, or exclude the data directory, the WAL, tablespaces and the server's processes from on-access scanning. A scanner " +
			"adds its time to every open, and one that moves a file away destroys the cluster.",
	},
	Verify:  "ps and systemctl list-units for scanners; on Linux, /proc/PID/fdinfo of a scanner shows fanotify marks.",
	Sources: []string{"dalibo-j1"},
}
