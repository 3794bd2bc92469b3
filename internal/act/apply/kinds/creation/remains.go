package creation

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// ownNames are what initdb, a server that nobody has used and we put into a data directory of 13 to 19.
var ownNames = []string{"PG_VERSION", "base", "conf.d", "current_logfiles", "current_logfiles.tmp", "global", "log",
	"pg_commit_ts", "pg_dynshmem", "pg_hba.conf", "pg_hosts.conf", "pg_ident.conf", "pg_logical", "pg_multixact",
	"pg_notify", "pg_replslot", "pg_serial", "pg_snapshots", "pg_stat", "pg_stat_tmp", "pg_subtrans", "pg_tblspc",
	"pg_twophase", "pg_wal", "pg_xact", "postgresql.auto.conf", "postgresql.auto.conf.tmp", "postgresql.conf",
	"postmaster.opts", "postmaster.pid", "startup.log", newcluster.Marker}

// empty are directories that hold something only once a user has made it: a tablespace, a replication slot, a prepared
// transaction.
var empty = map[string]error{"pg_tblspc": say.Err("it has a tablespace"),
	"pg_replslot": say.Err("it has a replication slot"),
	"pg_twophase": say.Err("it has a prepared transaction")}

// debianNames are what pg_createcluster puts into the directory of the configuration.
var debianNames = []string{"conf.d", "environment", "pg_ctl.conf", "pg_hba.conf", "pg_hosts.conf", "pg_ident.conf",
	"postgresql.conf", "start.conf"}

// walName is what a server makes in pg_wal: segments, also as they are being made or were left by another timeline, and
// two directories.
var walName = regexp.MustCompile(`^([0-9A-F]{24}|[0-9A-F]{8}\.history|xlogtemp\.[0-9]+|archive_status|summaries)$`)

// strange says what is in the directories of a cluster, whole or unfinished, that neither initdb nor a server without
// users makes: then it is not ours to remove.
func (c cluster) strange(s newcluster.Spec) error {
	view := c.view(s)
	if s.Standby != nil {
		if m, err := c.marker(s); err == nil && m.Token == s.Token { // else its files are still those of the primary
			if err := strangeConf(view, s); err != nil {
				return err
			}
		}
		return c.strangeCopy(s)
	}
	names, err := list(view, s.Data)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !slices.Contains(ownNames, n) && !saving(n) {
			return say.Err("{path} is not of initdb", "path", path.Join(s.Data, n))
		}
	}
	for _, n := range []string{"pg_tblspc", "pg_replslot", "pg_twophase"} {
		if held, err := list(view, path.Join(s.Data, n)); err != nil {
			return err
		} else if len(held) > 0 {
			return empty[n]
		}
	}
	if err := strangeConf(view, s); err != nil {
		return err
	}
	if s.WAL != "" {
		names, err := list(view, s.WAL)
		if err != nil {
			return err
		}
		for _, n := range names {
			if !walName.MatchString(n) {
				return say.Err("{path} is not of initdb", "path", path.Join(s.WAL, n))
			}
		}
	}
	return strangeBase(view, s)
}

// strangeConf looks for files of the configuration that others have added, which the server may read.
func strangeConf(view target.Target, s newcluster.Spec) error {
	added := map[string][]string{path.Join(s.Config, "conf.d"): nil}
	for _, f := range s.Files {
		dir := path.Join(s.Config, path.Dir(f.Name))
		added[dir] = append(added[dir], path.Base(f.Name))
	}
	if s.Hand == newcluster.Debian {
		added[s.Config] = append(added[s.Config], debianNames...)
	}
	for dir, own := range added {
		if dir == s.Data {
			continue // whose names are known
		}
		names, err := list(view, dir)
		if err != nil {
			return err
		}
		for _, n := range names {
			if !slices.Contains(own, n) && !saving(n) {
				return say.Err("{file} was added", "file", path.Join(dir, n))
			}
		}
	}
	return nil
}

// strangeBase looks for databases and for files of tables that users have made: their names begin with an OID.
func strangeBase(view target.Target, s newcluster.Spec) error {
	bases, err := list(view, path.Join(s.Data, "base"))
	if err != nil {
		return err
	}
	for _, b := range bases {
		if b == "pgsql_tmp" {
			continue
		}
		if n, err := strconv.Atoi(b); err != nil || n >= firstOID {
			return say.Err("it has a database of a user: {path}", "path", path.Join(s.Data, "base", b))
		}
		files, err := list(view, path.Join(s.Data, "base", b))
		if err != nil {
			return err
		}
		for _, f := range files {
			digits := f[:len(f)-len(strings.TrimLeft(f, "0123456789"))]
			if n, err := strconv.Atoi(digits); err == nil && n >= firstOID {
				return errUsed
			}
		}
	}
	return nil
}

// saving reports whether a name is that of a file that is being saved: see target.TempOf.
func saving(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, path.Ext(target.TempOf("x")))
}

// list is what a directory holds; one that is not there holds nothing.
func list(view target.Target, dir string) ([]string, error) {
	names, err := view.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	slices.Sort(names)
	return names, err
}

// elsewhere says that the cluster that Debian's tools know by this name is another one: they would drop that one.
func (c cluster) elsewhere(s newcluster.Spec) error {
	if s.Hand != newcluster.Debian {
		return nil
	}
	for _, d := range distribution.Clusters(c.Target) {
		if d.Version == strconv.Itoa(s.Major) && d.Name == s.Name && d.Data != "" && d.Data != s.Data {
			return say.Err("the cluster {name} has the data directory {dir}", "name", d.Version+"/"+d.Name, "dir",
				d.Data)
		}
	}
	return nil
}

// registered says that Debian's tools do not know a cluster by its name in this place. The marker that says so belongs
// to the cluster's account, which must not have root stop another's.
func (c cluster) registered(m newcluster.Made) error {
	for _, d := range distribution.Clusters(c.Target) {
		if d.Version == strconv.Itoa(m.Major) && d.Name == m.Name && d.Data == m.Data {
			return nil
		}
	}
	return say.Err("no cluster {name} has the data directory {dir}", "name", strconv.Itoa(m.Major)+"/"+m.Name, "dir",
		m.Data)
}
