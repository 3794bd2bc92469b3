package oomdemo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
)

// round starts the server in the group, starts the load, runs the greedy query, and returns the outcome. Strict rounds
// follow the lenient one, whose sessions show how much address space a session needs.
func (d *exercise) round(ctx context.Context, strict bool) (r oomresult.Round, err error) {
	c := scratch.Confinement{Enter: d.enter}
	name := "default overcommit"
	if strict {
		name = "strict overcommit"
		if d.o.Overcommit == oomresult.StandIn {
			c.AddressSpace = d.res.Rounds[0].Setting.Session + Budget
		}
	}
	d.o.Tell("round " + strconv.Itoa(len(d.res.Rounds)+1) + ", " + name + ": starting the server…")
	kernel, gap := openKernelLog()
	if kernel != nil {
		defer kernel.close()
	}
	r.KernelGap = gap
	kills, err := d.group.Kills()
	if err != nil {
		return r, err
	}
	if err := d.inst.StartConfined(ctx, c); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, d.inst.Stop()) }()
	postmaster := d.inst.PID()
	if len(d.res.Rounds) == 0 {
		if err := d.inst.Exec(ctx, schema...); err != nil {
			return r, err
		}
	}
	l, err := begin(ctx, d.inst.ConnString(), sessions)
	if err != nil {
		return r, err
	}
	ended := false
	defer func() {
		if !ended {
			l.end(context.WithoutCancel(ctx))
		}
	}()
	if err := wait(ctx, before); err != nil {
		return r, err
	}
	d.o.Tell(fmt.Sprintf("round %d, %s: %d sessions under load, and a query that requests too much memory…",
		len(d.res.Rounds)+1, name, sessions))

	unset := func() error { return nil }
	defer func() { err = errors.Join(err, unset()) }()
	r.Query, err = greedy(ctx, d.inst.ConnString(), func() (err error) {
		r.Load.Before = l.soFar()
		if r.Setting.Session, err = size(l.pid()); err != nil {
			return err
		}
		if r.Setting.Used, err = d.group.Used(); err != nil {
			return err
		}
		if d.o.Overcommit == oomresult.Real {
			if unset, err = d.overcommit(strict); err != nil {
				unset = func() error { return nil }
				return err
			}
		}
		r.Setting.AddressSpace = c.AddressSpace
		return readSetting(&r.Setting, d.trail.kernel)
	})
	if err != nil {
		return r, err
	}
	if r.Query.Outcome != oomresult.Refused && r.Query.Outcome != oomresult.Completed {
		if err := d.recovered(ctx); err != nil {
			return r, err
		}
	}
	if err := l.back(ctx, time.Now()); err != nil {
		return r, say.Named(err, d.lastWords())
	}
	d.o.Tell(fmt.Sprintf("round %d, %s: the query has ended; the load continues…", len(d.res.Rounds)+1, name))
	if err := wait(ctx, after); err != nil {
		return r, err
	}
	undo := unset
	unset = func() error { return nil }
	if err := undo(); err != nil {
		return r, err
	}
	begun := r.Load.Before
	r.Load, ended = l.end(ctx), true
	r.Load.Before = begun
	return r, d.look(&r, kernel, kills, postmaster)
}

// recovered waits until the server has noticed the death of a process and has
// recovered from it. One that never notices is left to what the load sees.
func (d *exercise) recovered(ctx context.Context) error {
	for end := time.Now().Add(backTimeout); time.Now().Before(end); {
		text, err := d.inst.ReadLog(maxLog)
		if err != nil {
			return err
		}
		if readServerLog(text).ready {
			return nil
		}
		if err := wait(ctx, knock); err != nil {
			return err
		}
	}
	return nil
}

// look fills in what the kernel and the server say of a round.
func (d *exercise) look(r *oomresult.Round, kernel *kernelLog, kills int64, postmaster int) error {
	now, err := d.group.Kills()
	if err != nil {
		return err
	}
	r.OOMKills = now - kills
	r.SamePostmaster = d.inst.PID() == postmaster
	text, err := d.inst.ReadLog(maxLog)
	if err != nil {
		return err
	}
	s := readServerLog(text)
	r.Log, r.Restarted = s.lines(r.Query.Outcome == oomresult.Refused), s.restarted
	if r.Query.Outcome == oomresult.Killed && !s.killed(r.Query.PID) {
		r.Query.Outcome = oomresult.Failed // its connection broke, but not by that
	}
	r.Kernel = []string{}
	said := ""
	if kernel != nil {
		if said, err = kernel.since(); err != nil {
			r.KernelGap = err.Error()
		}
		r.Kernel = killLines(said, d.group.Dir)
	}
	r.Readings = readings(said, text, d.group.Dir)
	return nil
}

// overcommit sets the kernel's own value for a round.
func (d *exercise) overcommit(strict bool) (unset func() error, err error) {
	if !strict {
		return d.trail.lenient()
	}
	m, err := memory()
	if err != nil {
		return nil, err
	}
	return d.trail.strict(m, Budget)
}

func memory() (host.Memory, error) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return host.Memory{}, err
	}
	m, err := host.ParseMemory(b)
	if err != nil {
		return m, say.Named("/proc/meminfo", err)
	}
	return m, nil
}

// read notes the values that are in force.
func readSetting(s *oomresult.Setting, k values) error {
	v, err := k.get(mode)
	if err != nil {
		return err
	}
	if s.Mode, err = strconv.ParseInt(v, 10, 64); err != nil {
		return say.Named(mode, err)
	}
	m, err := memory()
	s.CommitLimit, s.CommittedAS = m.CommitLimit, m.CommittedAS
	return err
}

// size is the address space of a process.
func size(pid int) (unit.Bytes, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	p, err := host.ParseStatus(b)
	if err != nil {
		return 0, say.Named("/proc/"+strconv.Itoa(pid)+"/status", err)
	}
	return p.Size, nil
}

func (d *exercise) lastWords() error {
	text, err := d.inst.ReadLog(maxLog)
	if err != nil {
		return err
	}
	return errors.New(lastLine(text))
}
