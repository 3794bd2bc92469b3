package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ArchivesNothing is judged of files too: it needs settings alone.
var ArchivesNothing = check.Check{
	ID: "archives_nothing", Area: check.WAL, Severity: check.Notice, Scope: check.PerInstance,
	Title: "archive_command archives nothing",
	Why: "A command that only reports success makes the server treat each WAL segment as archived and recycle it. " +
		"Base backups cannot be recovered to a point in time, and a standby that falls behind finds no archive. " +
		"It is a way to turn archiving on later without a restart, but it also hides that there is none.",
	Do:      "Set a command that copies the segment, or accept the finding if there is meant to be no archive.",
	Sources: []string{"pg-config-wal"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		mode, ok := set.Text("archive_mode")
		command, shown := set.Text("archive_command")
		if !ok || !shown || mode == "off" || !shell.OnlySucceeds(command) {
			return
		}
		if library, _ := set.Text("archive_library"); library != "" {
			return // which archives in place of the command
		}
		c.Found("archive_command = '{value}', archive_mode = {mode}.", "value", command, "mode", mode)
	},
}
