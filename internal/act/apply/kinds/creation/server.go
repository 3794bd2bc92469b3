package creation

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// server is a server that pg_ctl starts, or pg_ctlcluster: "started" or "absent". Its address is the data directory,
// and what is to be known of it stands in the file newcluster.Marker there.
type server struct {
	Host
	whole
}

// started is the value of a server that runs.
const started = "started"

// made reads the marker of a data directory with the rights of its owner.
func (h Host) made(dir string) (newcluster.Made, newcluster.Account, error) {
	in, err := h.Target.Lstat(dir)
	if err != nil {
		return newcluster.Made{}, newcluster.Account{}, err
	}
	owner := newcluster.Account{UID: in.UID, GID: in.GID}
	if in.UID == 0 {
		return newcluster.Made{}, owner, say.Named(dir, say.Err("it belongs to root"))
	}
	b, err := h.Folders(h.as(owner)).Load(path.Join(dir, newcluster.Marker), newcluster.MaxSpec)
	if err != nil {
		return newcluster.Made{}, owner, err
	}
	m, err := newcluster.ParseMade(b)
	if err == nil && m.Data != dir {
		err = say.Named(dir, say.Err("it was made in {other}", "other", m.Data))
	}
	return m, owner, err
}

// remade is what a cluster was made of, as far as its marker has it.
func remade(m newcluster.Made, owner newcluster.Account) newcluster.Spec {
	s := newcluster.Spec{Token: m.Token, Hand: m.Hand, Major: m.Major, Name: m.Name, Bin: m.Bin, Owner: owner,
		Data: m.Data, Config: m.Data, WAL: m.WAL}
	if m.System != "" {
		s.Standby = &newcluster.Standby{System: m.System}
		for _, dir := range m.Tablespaces {
			s.Standby.Tablespaces = append(s.Standby.Tablespaces, newcluster.Mapping{New: dir})
		}
	}
	for name := range m.Sums {
		if path.Base(name) == "postgresql.conf" {
			s.Config = path.Dir(name)
		}
	}
	for name := range m.Sums {
		if below, ok := strings.CutPrefix(name, s.Config+"/"); ok && strings.Contains(below, "/") {
			s.Files = append(s.Files, newcluster.File{Name: below})
		}
	}
	return s
}

// Look implements apply.Kind.
func (v server) Look(ctx context.Context, k apply.Knob) (journal.State, error) {
	dir := k.Address.Name()
	m, owner, err := v.made(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return live(newcluster.Absent), nil
	}
	if err != nil {
		return journal.State{}, err
	}
	up, err := v.runs(m, owner)
	if err == nil && !up {
		// a pg_ctl that outlived us may be about to start it
		err = (cluster{Host: v.Host}).until(ctx, remade(m, owner), func(worker) (e error) {
			up, e = v.runs(m, owner)
			if e == nil && up {
				e = errUp
			}
			return e
		})
	}
	switch {
	case err != nil && !errors.Is(err, errUp):
		return journal.State{}, err
	case up:
		return live(started), nil
	}
	return live(newcluster.Absent), nil
}

// errUp ends the wait for a server.
var errUp = errors.New("it runs")

// runs reports whether a server runs. One in single-user mode is a question of ours.
func (v server) runs(m newcluster.Made, owner newcluster.Account) (bool, error) {
	pid, alone, err := (cluster{Host: v.Host}).holder(remade(m, owner))
	return pid != "" && !alone, err
}

// Want implements apply.Kind.
func (v server) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	if value != started && value != newcluster.Absent {
		return journal.State{}, say.Named(k.Address, say.Err("{value} is not a state of a server", "value",
			say.Quoted(value)))
	}
	return live(value), nil
}

// Set implements apply.Kind.
func (v server) Set(ctx context.Context, k apply.Knob, s journal.State) error {
	dir := k.Address.Name()
	now, err := v.Look(ctx, k)
	if err != nil || now.SameLive(s) {
		return err
	}
	m, owner, err := v.made(dir)
	if err != nil {
		return err
	}
	if !absent(s) {
		return v.act(ctx, m, owner, "start")
	}
	// Before anything stops: a cluster that is used is kept, and so is its server.
	c := cluster{Host: v.Host}
	if err := c.looksUsed(ctx, remade(m, owner)); err != nil {
		return kept(dir, err)
	}
	if err := v.act(ctx, m, owner, "stop"); err != nil {
		return err
	}
	// A role or a function shows only now that the last checkpoint is written.
	if err := c.looksUsed(ctx, remade(m, owner)); err != nil {
		return errors.Join(kept(dir, err), v.act(ctx, m, owner, "start"))
	}
	return nil
}

// kept says why a cluster stays.
func kept(dir string, why error) error {
	return say.Err("{path} is kept: {reason}", "path", dir, "reason", why)
}

// act starts or stops a server.
func (v server) act(ctx context.Context, m newcluster.Made, owner newcluster.Account, action string) error {
	argv := []string{path.Join(m.Bin, "pg_ctl"), "-D", m.Data, "-w", "-t", strconv.Itoa(int(timeout.Seconds()))}
	as := v.as(owner)
	switch {
	case m.Hand == newcluster.Debian: // which knows its configuration, its log, and the groups of its account
		if err := (cluster{Host: v.Host}).registered(m); err != nil {
			return err
		}
		argv, as = []string{"/usr/bin/pg_ctlcluster", strconv.Itoa(m.Major), m.Name, action}, nil
	case action == "stop":
		argv = append(argv, "-m", "fast", "stop")
	default:
		argv = append(argv, "-l", path.Join(m.Data, "startup.log"), "start")
	}
	if _, err := v.run(ctx, target.Command{Argv: argv, As: as}); err != nil {
		if up, e := v.runs(m, owner); action == "stop" && e == nil && !up {
			return nil // by a stop that outlived its process
		}
		return v.because(err, m.Data, owner)
	}
	return nil
}

// because adds what the server said to why it did not start.
func (v server) because(err error, dir string, owner newcluster.Account) error {
	logs := path.Join(dir, "log") // of the logging collector
	at := path.Join(dir, "startup.log")
	if names, e := v.Target.As(*user(owner)).ReadDir(logs); e == nil && len(names) > 0 {
		at = path.Join(logs, slices.Max(names))
	}
	b, e := v.Folders(v.as(owner)).Load(at, target.MaxConfigFile)
	if e != nil || len(b) == 0 {
		return err
	}
	return say.Err("{reason}; its log ends: {text}", "reason", err, "text", last(string(b)))
}
