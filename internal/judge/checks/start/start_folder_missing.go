package start

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartFolderMissing is critical for pg_wal; without a tablespace the server starts,
// if crash recovery needs nothing in it.
var StartFolderMissing = check.Check{
	ID:       "start_folder_missing",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "pg_wal or tablespace directory is missing",
	Why: "pg_wal and the entries of pg_tblspc are often symbolic links to other filesystems. If a filesystem " +
		"is not mounted, its link is broken. Without pg_wal the server stops with \"required WAL directory " +
		"does not exist\". Without a tablespace its tables cannot be read, and crash recovery can fail.",
	Do: "1. Mount the filesystem, or restore the directory with its content, owner, and mode 0700.\n" +
		"2. Start the server.\n" +
		"Do not create an empty directory in its place: the server would treat the missing WAL or tables as " +
		"lost.",
	Sources: []string{"pg-tablespaces", "pg-wal-configuration"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		folders, ok := check.Need(c, c.Instance.Start.Folders)
		if !ok {
			return
		}
		told := map[bool][]say.Message{} // by whether it is of the WAL
		for _, f := range folders {
			if f.Fault == "" || f.What == "data" {
				continue
			}
			at := say.M("{path}: {fault}", "path", f.Path, "fault", f.Fault)
			if f.To != "" {
				at = say.M("{path} (symbolic link to {to}): {fault}", "path", f.Path, "to", f.To, "fault", f.Fault)
			}
			told[f.What == "wal"] = append(told[f.What == "wal"], at)
		}
		if wal := told[true]; len(wal) > 0 {
			c.Found("{folders}.", "folders", say.List{Items: wal, Sep: "; "})
		}
		if others := told[false]; len(others) > 0 {
			c.FoundAs(check.Warning, "{folders}.", "folders", say.List{Items: others, Sep: "; ", Most: 5})
		}
	},
}
