// Package oomdemo runs exercises on throwaway servers: a fault of a database host
// is made to happen on purpose, at a small scale and inside limits that keep it
// from everything else, and what it does to the sessions of the server is
// measured, without the cure and with it.
package oomdemo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
)

// The scale of the exercise.
const (
	// Limit is the memory of the cgroup. The server with its sessions takes 15 to 30 MB of it, so it is the query that
	// fills it, in half a second; and any host that could run PostgreSQL has as much to spare.
	Limit = 256 * unit.MB
	// Budget is what a query may take under strict overcommit before it is refused.
	// Half of the limit: with the 30 MB of the others it ends well below it.
	Budget = 128 * unit.MB
	// spare is what the host must keep beside the group: the least that the rules
	// of pgfettle reserve is 256 MB.
	spare = 256 * unit.MB
	// sessions at work beside the greedy one: more than one, to see that all share its fate; few, as the smallest hosts
	// have one or two CPUs.
	sessions = 4
	// before and after are how long they work around the query: enough for hundreds
	// of transactions, and to see that the load goes on.
	before, after = time.Second, time.Second
)

// The query that wants too much. A sort of 10 million numbers takes 500 MB for
// the rows of generate_series and 240 MB for the sort; the limits of work_mem
// would let it take twice the group's memory for each of both, and what is
// beyond goes to files: even unlimited it would end.
const (
	workMem = "512MB"
	query   = "explain (analyze, timing off) select i from generate_series(1, 10000000) i order by i desc"
)

// Options say how an exercise is run.
type Options struct {
	// Binaries finds the server's programs, or fetches them. It is asked when it is
	// sure that the exercise can be run.
	Binaries   func(context.Context) (scratch.Binaries, error)
	Overcommit string       // StandIn or Real
	StateDir   string       // where it is written down what would be left behind by a crash; made and removed
	Tell       func(string) // what is being done, for who waits
}

// RunOOM runs the exercise «out of memory» and leaves nothing behind, however it
// ends; what a run that was killed itself has left, the next one removes. The
// result is there with the error too, as far as it got.
func RunOOM(ctx context.Context, o Options) (res *oomresult.OOM, err error) {
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	res = &oomresult.OOM{Overcommit: o.Overcommit, Limit: Limit, Sessions: sessions,
		WorkMem: workMem, Query: query, Rounds: []oomresult.Round{}, Swept: []string{}, Removed: []string{}}
	trail, err := claim(o.StateDir)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, trail.release()) }()
	if res.Swept, err = trail.sweep(); err != nil {
		return res, say.Err("what an earlier run left behind: {reason}", "reason", err)
	}
	d := &exercise{o: o, trail: trail, res: res}
	defer func() { err = errors.Join(err, d.clear()) }()
	if err := d.prepare(ctx); err != nil {
		return res, err
	}
	for _, strict := range []bool{false, true} {
		r, err := d.round(ctx, strict)
		if err != nil {
			return res, say.Err("round {n}: {reason}", "n", strconv.Itoa(len(res.Rounds)+1), "reason", err)
		}
		res.Rounds = append(res.Rounds, r)
	}
	return res, nil
}

// exercise is an exercise at work.
type exercise struct {
	o     Options
	trail *trail
	res   *oomresult.OOM
	group *cgroup.Group
	inst  *scratch.Instance
}

// prepare makes the cgroup and the cluster. Whatever it makes is written down before.
func (d *exercise) prepare(ctx context.Context) error {
	at, err := cgroup.Places()
	if err != nil {
		return cgroup.NoHierarchy(err)
	}
	if err := enough(at[0]); err != nil {
		return err
	}
	name := fmt.Sprintf("%s%d-%x", groupPrefix, os.Getpid(), time.Now().UnixNano())
	if err := d.trail.note(func(r *record) { r.Groups = cgroup.Candidates(at, name) }); err != nil {
		return err
	}
	if d.group, err = cgroup.New(at, name, Limit); err != nil {
		return err
	}
	d.res.Version = d.group.Version
	if err := d.trail.note(func(r *record) { r.Groups = []cgroup.Group{*d.group} }); err != nil {
		return err
	}
	bin, err := d.o.Binaries(ctx)
	if err != nil {
		return err
	}
	d.res.Server = bin.Version.String()
	d.o.Tell("creating a throwaway cluster…")
	// Made outside the group: the pages of its files that initdb leaves in the page cache are not charged to it.
	d.inst, err = scratch.New(ctx, bin, scratch.Options{
		Settings: map[string]string{
			"shared_buffers":  "16MB", // charged to the group that touches a page first: a small part of it
			"max_connections": "20",
			"huge_pages":      "off", // a pool of huge pages is no part of the group's memory
			"jit":             "off", // its library would be half of a session's address space
		},
		Made: func(folder string) error {
			return d.trail.note(func(r *record) { r.Folder = folder })
		},
	})
	return err
}

// clear takes everything away and notes what it was. The context may be over.
func (d *exercise) clear() error {
	if d.inst != nil {
		if err := d.inst.Remove(); err != nil {
			return err // the record stays, for the next run
		}
		d.res.Removed = append(d.res.Removed, "throwaway server in "+d.inst.Folder)
	}
	swept, err := d.trail.sweep()
	d.res.Removed = append(d.res.Removed, swept...)
	return err
}

// enough reports whether the host, and the groups above ours, have the memory.
func enough(at cgroup.Place) error {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return err
	}
	m, err := host.ParseMemory(b)
	if err != nil {
		return say.Named("/proc/meminfo", err)
	}
	free, where := m.Available, "this host has"
	if room, ok := at.Room(); ok && room < free {
		free, where = room, "the cgroup that this runs in leaves"
	}
	if free < Limit+spare {
		return &say.Problem{Message: say.M("{where} {free} of memory to spare, and the exercise requires {value}",
			"where",
			where, "free", free, "value", Limit+spare),
			Hint: say.M("it takes {limit} for some seconds, and would push others out: run it where there is more",
				"limit", Limit.String()), Code: say.CodeRefused}
	}
	return nil
}

// enter puts the postmaster into the group.
func (d *exercise) enter(pid int) error {
	if err := d.group.Add(pid); err != nil {
		return err
	}
	// Should we be protected from the OOM killer ourselves (a unit with
	// OOMScoreAdjust), so would every process of the server be, and there would be
	// none to kill. Raising needs no right.
	name := fmt.Sprintf("/proc/%d/oom_score_adj", pid)
	if b, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(b), "-") {
		return os.WriteFile(name, []byte("0"), 0)
	}
	return nil
}
