package creation

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// firstOID is FirstNormalObjectId of src/include/access/transam.h: every object that a user makes, a role and a table
// too, takes an OID from there on.
const firstOID = 16384

// remove removes a cluster that was made here and that nobody has used.
func (c cluster) remove(ctx context.Context, s newcluster.Spec) error {
	// What gives it a password is over soon. A server is stopped by a step of its own, or refused by used.
	if pid, alone, err := c.holder(s); err == nil && (pid == "" || alone) {
		if err := c.idle(ctx, s); err != nil {
			return err
		}
	}
	if err := c.used(ctx, s); err != nil {
		return kept(s.Data, err)
	}
	return c.clear(ctx, s)
}

// clear takes away what initdb or pg_createcluster has left, the directories excepted, which are steps of their own.
func (c cluster) clear(ctx context.Context, s newcluster.Spec) error {
	if err := c.end(ctx, s); err != nil {
		return err
	}
	if err := errors.Join(c.elsewhere(s), c.strange(s)); err != nil {
		return kept(s.Data, err)
	}
	folders := c.folders(s)
	// From here on it is unfinished, so that whatever a kill leaves of it is taken away. What says that a server has
	// run there goes first: without the marker, it would be another's.
	for _, n := range []string{"postmaster.opts", newcluster.Marker} {
		if err := folders.Drop(path.Join(s.Data, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if s.Hand == newcluster.Debian {
		if _, err := c.Target.Lstat(path.Join(s.Config, "postgresql.conf")); err == nil {
			_, err := c.run(ctx, target.Command{Argv: []string{dropCluster, strconv.Itoa(s.Major),
				s.Name}})
			if err != nil {
				return err
			}
		}
		// what it leaves of a directory that is not only its own
		if err := errors.Join(folders.Empty(s.Config), folders.Unmake(s.Config)); err != nil {
			return err
		}
		// and the one of the version, which pg_dropcluster has left because of that
		above := path.Dir(s.Config)
		if names, err := c.Target.ReadDir(above); err == nil && len(names) == 0 {
			if err := folders.Unmake(above); err != nil {
				return err
			}
		}
	}
	// before the data directory, by which it shows that something is left
	for _, dir := range append(s.Standby.Spaces(), s.WAL) {
		if dir == "" {
			continue
		}
		if err := folders.Empty(dir); err != nil {
			return err
		}
	}
	if err := folders.Empty(s.Data); err != nil {
		return err
	}
	if s.Hand == newcluster.Debian && s.Standby == nil { // whose directory is a step of its own
		return folders.Unmake(s.Data)
	}
	return nil
}

// Unused says why a cluster that was made is more than that by now, as far as that shows while its server runs. Of one
// that was not finished, or is gone, there is nothing to say.
func (h Host) Unused(ctx context.Context, s newcluster.Spec) error {
	c := cluster{Host: h}
	if made, err := c.marker(s); err != nil || made.Token != s.Token || made.Data != s.Data {
		return nil
	}
	return c.looksUsed(ctx, s)
}

// used says why a cluster is more than what was made: whatever is in doubt counts as used.
func (c cluster) used(ctx context.Context, s newcluster.Spec) error {
	if err := c.looksUsed(ctx, s); err != nil {
		return err
	}
	return c.stopped(s)
}

func (c cluster) looksUsed(ctx context.Context, s newcluster.Spec) error {
	if err := c.strange(s); err != nil {
		return err
	}
	if err := c.edited(s); err != nil {
		return err
	}
	if s.Standby != nil {
		return c.promoted(s)
	}
	program := path.Join(s.Bin, "pg_controldata")
	if _, err := c.Target.Stat(program); errors.Is(err, fs.ErrNotExist) {
		if c.stopped(s) != nil {
			return nil // it is asked once its server is stopped
		}
		return c.askedAlone(ctx, s)
	}
	said, err := c.run(ctx, target.Command{Argv: []string{program, "-D", s.Data}, As: c.as(s.Owner)})
	if err != nil {
		return err
	}
	if stopped := c.stopped(s) == nil; stopped && !strings.Contains(said, stoppedCleanly) {
		return say.Err("its server did not shut down, so that what was made in it is not known: start it, and try " +
			"again")
	}
	oid, ok := controlled(said, "Latest checkpoint's NextOID:")
	if !ok {
		return say.Err("pg_controldata does not say whether objects were made")
	}
	if oid > firstOID {
		return errUsed
	}
	return nil
}

// stoppedCleanly is how pg_controldata says that the last checkpoint has all.
const stoppedCleanly = " shut down\n"

// errUsed is a cluster with something of a user in it.
var errUsed = say.Err("something was made in it: a role, a table, an extension")

// ownObjects counts what users have made in a database, and in the cluster.
const ownObjects = "SELECT 'own=' || ((SELECT count(*) FROM pg_class WHERE oid >= 16384) + (SELECT count(*) FROM " +
	"pg_proc " +
	"WHERE oid >= 16384) + (SELECT count(*) FROM pg_type WHERE oid >= 16384) + (SELECT count(*) FROM pg_namespace " +
	"WHERE " +
	"oid >= 16384) + (SELECT count(*) FROM pg_extension WHERE oid >= 16384) + (SELECT count(*) FROM pg_authid WHERE " +
	"oid " +
	">= 16384) + (SELECT count(*) FROM pg_database WHERE oid >= 16384)) || ';'"

// askedAlone asks the databases that initdb makes, in single-user mode: of an installation without pg_controldata.
func (c cluster) askedAlone(ctx context.Context, s newcluster.Spec) error {
	m := newcluster.Made{Bin: s.Bin, Data: s.Data, Sums: map[string]string{path.Join(s.Config, "postgresql.conf"): ""}}
	for _, database := range []string{"postgres", "template1"} {
		said, err := c.single(ctx, m, s.Owner, database, ownObjects)
		if err != nil {
			return err
		}
		if !strings.Contains(said, `"own=0;"`) {
			return errUsed
		}
	}
	return nil
}

// edited says which file of the configuration is another one by now.
func (c cluster) edited(s newcluster.Spec) error {
	made, err := c.marker(s)
	if err != nil {
		return err
	}
	now, err := c.sums(s)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(made.Sums)) {
		if now[name] != made.Sums[name] {
			return say.Err("{file} was edited", "file", name)
		}
	}
	return nil
}

// controlled is a number of pg_controldata's output.
func controlled(text, label string) (int64, bool) {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, label); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
