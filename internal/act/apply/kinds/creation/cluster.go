package creation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// cluster is a database cluster with its configuration. It counts as made once the file newcluster.Marker is in its
// data directory, which is written last.
type cluster struct {
	Host
	whole
}

// The live values of what is in the way or was not finished.
const (
	foreign    = "a database cluster that this apply did not make"
	unfinished = "a directory with something in it"
)

var _ apply.Partial = cluster{}

// Look implements apply.Kind.
func (c cluster) Look(_ context.Context, k apply.Knob) (journal.State, error) {
	s, err := spec(k)
	if err != nil {
		return journal.State{}, err
	}
	found, err := c.found(s)
	if err == nil && *found.Live == newcluster.Absent {
		// an initdb that outlived us may be about to write its first file
		if all, e := c.workers(s); len(all) > 0 || e != nil {
			return live(unfinished), e
		}
	}
	return found, err
}

// found is what the files of a cluster say.
func (c cluster) found(s newcluster.Spec) (journal.State, error) {
	view := c.view(s)
	names, err := view.ReadDir(s.Data)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		// a copy that waits for the checkpoint of the primary has not written anything yet
		if pids, err := c.copiers(s); err != nil || len(pids) > 0 {
			return live(unfinished), err
		}
		if s.Hand == newcluster.Debian {
			if c.elsewhere(s) != nil {
				return live(foreign), nil
			}
			if _, err := c.Target.Lstat(s.Config); err == nil {
				return live(unfinished), nil // pg_createcluster makes it first
			}
		}
		return live(newcluster.Absent), nil
	}
	if err != nil {
		return journal.State{}, err
	}
	made, err := c.marker(s)
	switch {
	case err == nil && c.copied(s, made):
		return live(unfinished), nil
	case err == nil && made.Data == s.Data:
		return live(made.Live()), nil
	case err == nil:
		return live(foreign), nil // a copy of one that was made elsewhere
	case !errors.Is(err, fs.ErrNotExist):
		return journal.State{}, err
	}
	if _, err := view.Stat(path.Join(s.Data, "postmaster.opts")); err == nil {
		return live(foreign), nil // a server has run there, and ours is started after the marker only
	}
	return live(unfinished), nil
}

// spec is what the cluster of a step is made of.
func spec(k apply.Knob) (newcluster.Spec, error) {
	s, err := newcluster.Parse(k.To)
	if err == nil && s.Data != k.Address.Name() {
		err = say.Err("the description is of {path}", "path", s.Data)
	}
	if err != nil {
		return s, say.Named(k.Address, err)
	}
	return s, nil
}

// view is the host with the rights of the cluster's owner.
func (c cluster) view(s newcluster.Spec) target.Target { return c.Target.As(*user(s.Owner)) }

func (c cluster) folders(s newcluster.Spec) target.Folders { return c.Folders(c.as(s.Owner)) }

func (c cluster) marker(s newcluster.Spec) (newcluster.Made, error) {
	b, err := c.folders(s).Load(path.Join(s.Data, newcluster.Marker), newcluster.MaxSpec)
	if err != nil {
		return newcluster.Made{}, err
	}
	return newcluster.ParseMade(b)
}

// Want implements apply.Kind.
func (c cluster) Want(_ journal.State, _ apply.Knob, value string) (journal.State, error) {
	if value == newcluster.Absent {
		return live(value), nil
	}
	s, err := newcluster.Parse(value)
	if err != nil {
		return journal.State{}, err
	}
	return live(s.Live()), nil
}

// Halfway implements apply.Partial.
func (c cluster) Halfway(found, _, _ journal.State, _ apply.Knob) bool {
	return found.Live != nil && *found.Live == unfinished
}

// Spell implements apply.Speller.
func (c cluster) Spell(_ apply.Knob, live string) string {
	text, _, _ := strings.Cut(live, ", made as ")
	return text
}

// Short implements apply.Shortener.
func (c cluster) Short(value string) string { return newcluster.Short(value) }

// Set implements apply.Kind.
func (c cluster) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	s, err := spec(k)
	if err != nil {
		return err
	}
	found, err := c.Look(ctx, k)
	if err != nil {
		return err
	}
	switch now := *found.Live; {
	case st.SameLive(found):
		return nil
	case now != newcluster.Absent && now != unfinished && now != s.Live():
		return say.Named(s.Data, say.Err("it holds a database cluster that was not made here"))
	case absent(st) && now != unfinished:
		return c.remove(ctx, s)
	}
	if *found.Live == unfinished {
		if err := c.clear(ctx, s); err != nil {
			return err
		}
	}
	if absent(st) {
		return nil
	}
	return c.make(ctx, s)
}

// make makes the cluster in empty directories.
func (c cluster) make(ctx context.Context, s newcluster.Spec) error {
	var err error
	if s.Standby != nil {
		err = c.baseBackup(ctx, s)
	} else if s.Hand != newcluster.Debian {
		err = c.initdb(ctx, s)
	}
	if err == nil && s.Hand == newcluster.Debian {
		err = c.createCluster(ctx, s)
	}
	if err != nil && !occupied(err) {
		err = errors.Join(err, c.clear(ctx, s))
	}
	if err != nil {
		return err
	}
	sums, err := c.configure(s)
	if err != nil {
		return errors.Join(err, c.clear(ctx, s))
	}
	m := newcluster.Made{Schema: newcluster.MadeSchema, Token: s.Token, Hand: s.Hand, Major: s.Major,
		Name: s.Name, Data: s.Data, WAL: s.WAL, Bin: s.Bin, Role: s.Owner.Name, Sums: sums}
	if s.Standby != nil {
		m.System, m.Tablespaces = s.Standby.System, s.Standby.Spaces()
	}
	return c.note(s.Owner, m)
}

// occupied reports whether initdb or pg_createcluster found another's work where the cluster was to be, since it was
// looked for: that is left alone.
func occupied(err error) bool {
	return strings.Contains(err.Error(), "exists but is not empty") || strings.Contains(err.Error(), "already exists")
}

// note writes the marker.
func (h Host) note(owner newcluster.Account, m newcluster.Made) error {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return h.Folders(h.as(owner)).Save(path.Join(m.Data, newcluster.Marker), append(b, '\n'), 0o600)
}

func (c cluster) initdb(ctx context.Context, s newcluster.Spec) error {
	argv := []string{path.Join(s.Bin, "initdb"), "-D", s.Data}
	if s.WAL != "" {
		argv = append(argv, "--waldir="+s.WAL)
	}
	_, err := c.run(ctx, target.Command{Argv: append(argv, s.InitDB...), As: c.as(s.Owner)})
	return err
}

// Debian's programs.
const createCluster, dropCluster = "/usr/bin/pg_createcluster", "/usr/bin/pg_dropcluster"

func (c cluster) createCluster(ctx context.Context, s newcluster.Spec) error {
	// With --datadir the tool makes the directory of the version as root. Without, it is the account's, which can then
	// make clusters beside this one.
	if above := path.Dir(s.Data); path.Dir(above) == "/var/lib/postgresql" {
		if err := c.folders(s).Make(above, 0o755); err != nil {
			return err
		}
	}
	argv := []string{createCluster, "--user=" + strconv.Itoa(s.Owner.UID),
		"--group=" + strconv.Itoa(s.Owner.GID), "--datadir=" + s.Data, "--port=" + strconv.Itoa(s.Port),
		"--socketdir=" + s.Socket, "--start-conf=" + s.Start, strconv.Itoa(s.Major), s.Name, "--"}
	if s.WAL != "" {
		argv = append(argv, "--waldir="+s.WAL)
	}
	_, err := c.run(ctx, target.Command{Argv: append(argv, s.InitDB...)})
	return err
}

// configure writes the files of the configuration, and returns their hashes.
func (c cluster) configure(s newcluster.Spec) (map[string]string, error) {
	folders := c.folders(s)
	main, hba := path.Join(s.Config, "postgresql.conf"), path.Join(s.Config, "pg_hba.conf")
	text, err := folders.Load(main, target.MaxConfigFile)
	if err != nil {
		return nil, err
	}
	if s.Hand != newcluster.Debian && s.Standby == nil { // whose postgresql.conf has the line
		text = append(text, "\n# Added by 'pgfettle create'.\ninclude_dir = 'conf.d'\n"...)
		if err := folders.Save(main, text, 0o600); err != nil {
			return nil, err
		}
	}
	if s.HBA != "" {
		old := []byte{}
		if s.Hand == newcluster.Debian && s.Standby == nil {
			if old, err = folders.Load(hba, target.MaxConfigFile); err != nil {
				return nil, err
			}
		}
		if err := folders.Save(hba, append(old, s.HBA...), c.perm(s)); err != nil {
			return nil, err
		}
	}
	for _, f := range s.Files {
		at := path.Join(s.Config, f.Name)
		if dir := path.Dir(at); dir != s.Config {
			if err := folders.Make(dir, 0o700); err != nil {
				return nil, err
			}
		}
		if err := folders.Save(at, []byte(f.Text), c.perm(s)); err != nil {
			return nil, err
		}
	}
	return c.sums(s)
}

// perm is the mode of configuration files: those below /etc are for who looks after the host, too.
func (c cluster) perm(s newcluster.Spec) fs.FileMode {
	if s.Hand == newcluster.Debian {
		return 0o640
	}
	return 0o600
}

// sums are the hashes of the files of the configuration, by path.
func (c cluster) sums(s newcluster.Spec) (map[string]string, error) {
	out := map[string]string{}
	names := []string{path.Join(s.Config, "postgresql.conf"), path.Join(s.Config, "pg_hba.conf"),
		path.Join(s.Config, "pg_ident.conf"), path.Join(s.Data, "postgresql.auto.conf")}
	if s.Hand == newcluster.Debian {
		for _, n := range []string{"environment", "pg_ctl.conf", "start.conf"} {
			names = append(names, path.Join(s.Config, n))
		}
	}
	for _, f := range s.Files {
		names = append(names, path.Join(s.Config, f.Name))
	}
	for _, n := range names {
		b, err := c.folders(s).Load(n, target.MaxConfigFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(b)
		out[n] = hex.EncodeToString(sum[:])
	}
	return out, nil
}
