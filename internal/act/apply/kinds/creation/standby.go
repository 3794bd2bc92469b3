package creation

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// longest bounds a copy: nobody waits for one that takes longer.
const longest = 14 * 24 * time.Hour

// baseBackup copies the primary into an empty directory. The password is in a file, which the program reads itself.
func (c cluster) baseBackup(ctx context.Context, s newcluster.Spec) error {
	if s.Hand == newcluster.Debian { // whose pg_dropcluster has removed it if the copy is begun again
		if err := c.folders(s).Make(s.Data, 0o700); err != nil {
			return err
		}
	}
	out, err := c.Target.Run(ctx, target.Command{Argv: s.Copy(false), As: c.as(s.Owner),
		Env: s.Standby.Environment(), Bare: true, Timeout: longest})
	if err != nil {
		return err
	}
	if out.Code != 0 {
		return say.Named("pg_basebackup", say.Err("it failed: {text}", "text", last(string(out.Stderr))))
	}
	return c.own(s)
}

// own replaces what the primary has for itself in a copy: its configuration, and our note of how it was made.
func (c cluster) own(s newcluster.Spec) error {
	if id := c.systemOf(s); id != s.Standby.System {
		return say.Named(s.Data, say.Err("it is a copy of another server: its system identifier is {id}", "id", id))
	}
	folders := c.folders(s)
	for _, n := range newcluster.Dropped() {
		if err := folders.Drop(path.Join(s.Data, n)); err != nil {
			return err
		}
	}
	for _, f := range s.Files { // others would be read beside ours
		dir := path.Join(s.Data, path.Dir(f.Name))
		if dir == s.Data {
			continue
		}
		if err := errors.Join(folders.Empty(dir), folders.Unmake(dir)); err != nil {
			return err
		}
	}
	for _, f := range s.Own() {
		if err := folders.Save(path.Join(s.Data, f.Name), []byte(f.Text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// systemOf is the system identifier of a data directory; "" if it has none.
func (c cluster) systemOf(s newcluster.Spec) string {
	b, err := c.folders(s).Load(path.Join(s.Data, "global/pg_control"), target.MaxConfigFile)
	if err != nil {
		return ""
	}
	return newcluster.SystemOf(b)
}

// promoted says why a standby is more than a copy.
func (c cluster) promoted(s newcluster.Spec) error {
	_, err := c.view(s).Lstat(path.Join(s.Data, newcluster.Signal))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return say.Err("it is no standby any more: it was promoted")
	case err != nil:
		return err
	}
	return c.strangeCopy(s)
}

// strangeCopy says what is in the directories of a copy, whole or unfinished, that keeps it. What else lies there is
// the primary's.
func (c cluster) strangeCopy(s newcluster.Spec) error {
	view := c.view(s)
	if id := c.systemOf(s); id != "" && id != s.Standby.System {
		return say.Err("it is another cluster: its system identifier is {id}", "id", id)
	}
	held, err := list(view, path.Join(s.Data, "pg_replslot"))
	if err == nil && len(held) > 0 {
		err = empty["pg_replslot"]
	}
	return errors.Join(err, c.strangeSpaces(s))
}

// strangeSpaces says which tablespace of a copy did not come with it, and what else is in the directory of one that
// did: only the server's own directory is.
func (c cluster) strangeSpaces(s newcluster.Spec) error {
	view, spaces := c.view(s), s.Standby.Spaces()
	links, err := list(view, path.Join(s.Data, "pg_tblspc"))
	if err != nil {
		return err
	}
	for _, n := range links {
		to, err := view.Readlink(path.Join(s.Data, "pg_tblspc", n))
		if err != nil || !slices.Contains(spaces, to) {
			return empty["pg_tblspc"]
		}
	}
	for _, dir := range spaces {
		names, err := list(view, dir)
		if err != nil {
			return err
		}
		for _, n := range names {
			if !spaceName.MatchString(n) {
				return say.Err("{path} is not of the copy", "path", path.Join(dir, n))
			}
		}
	}
	return nil
}

// spaceName is the directory of a server in that of a tablespace, TABLESPACE_VERSION_DIRECTORY: its major version and
// the version of its catalogs.
var spaceName = regex.New(`^PG_[0-9]+_[0-9]{9}$`)

// copied reports whether a marker in the directory of a standby came with the copy.
func (c cluster) copied(s newcluster.Spec, m newcluster.Made) bool {
	return s.Standby != nil && m.Token != s.Token && (c.systemOf(s) == "" || c.systemOf(s) == s.Standby.System)
}

// copiers are the processes of pg_basebackup that write into a data directory: one that was killed leaves its own,
// which would copy on, for hours.
func (c cluster) copiers(s newcluster.Spec) (pids []string, err error) {
	if s.Standby == nil {
		return nil, nil
	}
	names, err := c.Target.ReadDir("/proc")
	for _, pid := range names {
		if n, err := strconv.Atoi(pid); err != nil || n < 2 {
			continue
		}
		argv, ok := c.argv(s, pid)
		if ok && path.Base(argv[0]) == "pg_basebackup" && slices.Contains(argv[1:], s.Data) {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// uncopy ends them, with the owner's rights.
func (c cluster) uncopy(ctx context.Context, s newcluster.Spec) error {
	pids, err := c.copiers(s)
	for _, pid := range pids {
		_, e := c.Target.Run(ctx, target.Command{Argv: []string{"kill", "-TERM", pid}, As: c.as(s.Owner)})
		err = errors.Join(err, e)
	}
	return err
}
