package start

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// othersMay are the permission bits that the server rejects on its data directory:
// all of others, and write for the group (PG_MODE_MASK_GROUP of file_perm.h).
const othersMay = 0o027

// StartDataDirectory looks only at the directory itself if others may write to it: then
// nothing in it is read.
var StartDataDirectory = check.Check{
	ID:       "start_data_directory",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Data directory has wrong permissions or owner",
	Why: "The server starts only if its data directory is owned by the user that it runs as, and has mode 0700 " +
		"or 0750. A copy made as root, a restored backup, or chmod -R leaves other owners and modes.",
	Do: "1. Set the owner to the user of the server: chown -R USER: DATA_DIRECTORY\n" +
		"2. Set the mode (0750 if the group may read it): chmod 0700 DATA_DIRECTORY\n" +
		"3. Give the user search permission on all parent directories, and start the server.\n" +
		"Verify: stat -c '%U %a' DATA_DIRECTORY prints the user and 700 or 750.",
	Sources: []string{"pg-creating-cluster", "pg-server-start"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		d, ok := check.Need(c, c.Instance.Start.DataDir)
		if !ok {
			return
		}
		mode, err := strconv.ParseUint(d.Mode, 8, 32)
		pairs := []any{"dir", d.Path, "owner", d.Owner, "mode", d.Mode, "user", d.User}
		switch {
		case d.UID == 0:
			c.Found("{dir} is owned by root; the server does not run as root.", pairs...)
		case d.User != "" && d.User != d.Owner:
			c.Found("{dir} is owned by {owner}; the service starts the server as {user}.", pairs...)
		case err == nil && mode&othersMay != 0:
			c.Found("{dir} has mode {mode}; the server accepts 0700 and 0750.", pairs...)
		case d.Closed != "":
			c.Found("{owner} cannot read {dir}: {reason}.", append(pairs, "reason", d.Closed)...)
		case len(d.Unopened) > 0:
			c.Found("{owner} cannot open files in {dir}: {files}.",
				append(pairs, "files", filesOf(d.Unopened))...)
		}
	},
}

// filesOf lists files with the reasons why they cannot be opened.
func filesOf(files []string) say.List {
	l := say.Names(files, 5)
	l.Sep = "; "
	return l
}
