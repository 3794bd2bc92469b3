package check

// ArchiveModeWithoutCommand cannot see whether the command does what it should; failures of it are
// archive_failing.
var ArchiveModeWithoutCommand = Check{
	ID:       "archive_mode_without_command",
	Area:     WAL,
	Severity: Warning,
	Scope:    PerInstance,
	Title:    "Archiving is on and nothing archives",
	Why: "With archive_mode on and neither a command nor a library the server keeps every WAL segment for an archiver that never comes. pg_wal " +
		"grows until its filesystem is full, and then the server stops.",
	Do: "Set archive_command (ALTER SYSTEM SET archive_command = '…'; SELECT pg_reload_conf();) or archive_library (15+). Where no archive is " +
		"wanted, ALTER SYSTEM SET archive_mode = off; and restart; until then archive_command = '/bin/true' lets the segments go.",
	Sources: []string{"pg-config-wal"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		mode, ok := set.Text("archive_mode")
		if !ok || mode == "off" {
			return
		}
		command, ok := set.Text("archive_command")
		library, _ := set.Text("archive_library")
		if ok && library == "" && (command == "" || command == "(disabled)") {
			c.Found("archive_mode = {mode}, archive_command and archive_library are empty.", "mode", mode)
		}
	},
}
