package collect

import (
	"fmt"
	"path"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// needed are what a server opens for writing at its start; all belong to its
// account in any data directory that initdb made.
var needed = []string{"PG_VERSION", "global", "global/pg_control", "pg_wal", "base", "pg_tblspc", "postmaster.opts"}

// dataDirAccess reports who owns the data directory and what in it the owner cannot access.
func (c *collector) dataDirAccess(in *instance) any {
	st, err := c.t.Stat(in.dataDir)
	if err != nil {
		c.miss(pg.Path(in.key, pg.StartDataDirPart), err, asRoot)
		return nil
	}
	d := pg.StartDataDir{Path: in.dataDir, Mode: fmt.Sprintf("%04o", st.Mode.Perm()), UID: st.UID,
		Owner: trust.Of(st.UID, st.GID).Name, User: in.unitUser}
	if !c.root || st.UID == 0 || st.Mode.Perm()&0o022 != 0 { // nothing more of another user's directory is read
		return d
	}
	// what root could go around, the account cannot
	his := c.t.As(trust.Of(st.UID, st.GID).User())
	if _, err := his.ReadDir(in.dataDir); err != nil {
		d.Closed = plainly(err)
		return d
	}
	for _, name := range needed {
		f, err := his.Stat(path.Join(in.dataDir, name))
		switch {
		case closedTo(err):
			d.Unopened = append(d.Unopened, name+": permission denied")
		case err == nil && f.UID != st.UID && f.Mode.Perm()&0o006 != 0o006:
			d.Unopened = append(d.Unopened, name+": belongs to "+trust.Of(f.UID, f.GID).Name)
		}
	}
	return d
}

// startFolders looks at the directories that have to be there: the data directory, pg_wal, and the tablespaces.
func (c *collector) startFolders(in *instance) any {
	out := []pg.StartFolder{startFolder(in, "data", in.dataDir),
		startFolder(in, "wal", path.Join(in.dataDir, "pg_wal"))}
	links := path.Join(in.dataDir, "pg_tblspc")
	oids, err := in.view.ReadDir(links)
	if err != nil {
		c.miss(pg.Path(in.key, pg.StartFoldersPart), err, asOwner)
		return nil
	}
	for _, oid := range oids[:min(len(oids), maxTablespaces)] {
		if _, err := strconv.ParseUint(oid, 10, 32); err == nil {
			out = append(out, startFolder(in, "tablespace", path.Join(links, oid)))
		}
	}
	return out
}

func startFolder(in *instance, what, at string) pg.StartFolder {
	f := pg.StartFolder{What: what, Path: at, Free: -1}
	if to, err := in.view.Readlink(at); err == nil {
		f.To = to
	}
	st, err := in.view.Stat(at)
	switch {
	case gone(err):
		f.Fault = "no such directory"
	case err != nil:
		f.Fault = plainly(err)
	case !st.Mode.IsDir():
		f.Fault = "not a directory"
	}
	if f.Fault != "" {
		return f
	}
	if err := in.view.Writable(path.Join(at, "pgfettle-asks")); closedTo(err) {
		f.Fault = "permission denied"
	}
	if sp, err := in.view.Statfs(at); err == nil {
		f.Free = unit.Bytes(sp.Free)
	}
	return f
}
