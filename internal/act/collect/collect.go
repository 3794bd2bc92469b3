// Package collect brings together the evidence of a host and of the instances
// on it: it finds the servers, copies the files that the readers of fact/host
// want, and asks each server over SQL. It interprets no more than it needs to
// find its way, and a part that fails costs that part only.
package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Kind says how a person named what to inspect.
type Kind int

// The kinds of request.
const (
	Here     Kind = iota // this host and every instance that runs on it
	DataDir              // the instance of one data directory, running or not
	Conninfo             // the server of a connection string, or of PG* variables
)

// Request says what to collect.
type Request struct {
	Kind     Kind
	Value    string       // of DataDir a path; of Conninfo a connection string or URI, "" for PG* variables alone
	Deep     bool         // also what grows with the number of tables
	Owners   trust.Owners // whose instances count
	Killable bool         // also which process of the host the OOM killer would consider first
	PSS      bool         // also the proportional set size of the processes of the instances, which costs them time
	Why      bool         // also of a data directory as which nothing can be done: why its server does not start
	Packages bool         // also what the host's package manager has of the packages of the servers
	// only what shows the memory of the host and of the instances: nothing is run, few questions are asked
	Memory   bool
	Servers  bool     // also which server programs are installed, and what they find: where an upgrade is of interest
	Alone    bool     // nothing of the other instances of the host, where one was named
	Measured []string // folders that probes are kept in, the first before the others; none: no probe is looked for
	// History returns the peaks of a history of this host; nil, or no peaks, if there is none.
	History  func(context.Context) (*history.Peaks, error)
	Tool     string       // name and version of the program, for evidence.json; "" is "pgfettle"
	Progress func(string) // called with what is being done, one clause each; may be nil
}

// Run collects. An error is a *say.Problem if the request itself cannot be met (no such data directory, the named
// server refuses), or the context's. Whatever else is unavailable is in the archive, with the reason.
func Run(ctx context.Context, t target.Target, r Request) (*evidence.Archive, error) {
	return newCollector(t, r).run(ctx)
}

func newCollector(t target.Target, r Request) *collector {
	return &collector{t: t, a: evidence.New(), req: r, root: t.UID() == 0, query: pgclient.Ask}
}

func (c *collector) run(ctx context.Context) (*evidence.Archive, error) {
	var err error
	switch c.req.Kind {
	case Here:
		err = c.here(ctx)
	case DataDir:
		err = c.dataDir(ctx)
	case Conninfo:
		err = c.conninfo(ctx)
	default:
		err = fmt.Errorf("request: unknown kind %d", c.req.Kind)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return c.a, nil
}

// collector is one run. Only its own goroutine writes to the archive.
type collector struct {
	t      target.Target
	a      *evidence.Archive
	req    Request
	root   bool // we are root
	mounts mountTable
	census census
	found  []*instance // what discover found last
	query  func(ctx context.Context, a *evidence.Archive, key string, how pgclient.Connect,
		deep bool) (pgclient.Session, error)
}

func (c *collector) say(format string, args ...any) {
	if c.req.Progress != nil {
		c.req.Progress(fmt.Sprintf(format, args...))
	}
}

// here collects the host and all instances that run on it. None running is no
// error: the host alone can be judged.
func (c *collector) here(ctx context.Context) error {
	found := c.discover()
	found = c.part(append(found, c.down(found)...))
	if len(found) == 0 {
		c.say("no running instance found; collecting the host alone")
	}
	if !c.req.Memory && !c.req.Alone {
		found = append(found, c.stopped(append(slices.Clone(c.found), found...))...)
	}
	c.everything(ctx, found)
	return nil
}

// everything collects the host and the given instances. The servers and
// systemd are asked while the files of the host are read: each takes about as
// long as the other.
func (c *collector) everything(ctx context.Context, found []*instance) {
	c.header(true)
	number(found)
	for _, in := range found {
		c.safely(in.name("start"), func() { c.offline(ctx, in) })
	}
	replies := c.askServers(ctx, found)
	var units, packages <-chan *evidence.Archive
	if !c.req.Memory {
		units = c.askSystemd(ctx, found)
		packages = c.askPackageManagers(ctx, found)
	}
	c.safely("host", c.hostFiles)
	c.safely("programs.json", c.programs)
	c.safely(host.ServersFile, func() { c.installations(ctx) })
	if !c.req.Memory {
		c.safely(host.ResidentsFile, func() { c.residents(found) })
	}
	for _, in := range found {
		c.safely(in.name("processes"), func() { c.processFiles(in) })
	}
	c.safely(host.KillableFile, c.killable)
	c.merge(replies)
	for _, in := range found {
		c.safely(in.name("processes"), func() { c.rollups(in) })
	}
	if c.req.Memory {
		for _, in := range found {
			c.tellGaps(in)
		}
		c.json("instances.json", listed(found))
		return
	}
	for _, in := range found {
		c.tellGaps(in)
		if in.neighbour {
			continue
		}
		c.safely(pg.ControlDataFile(in.key), func() { c.controlData(ctx, in) })
		c.safely(in.name("manager"), func() { c.findManager(in) })
		c.safely(in.name("places.json"), func() { c.placesOf(in) })
	}
	own := ours(found)
	var chain []block
	c.safely("statfs.json", func() { c.spaces(own) })
	c.safely("blocks.json", func() { chain = c.blocks(own) })
	c.safely("cmd", func() { c.volumes(ctx, own, chain) })
	c.safely(measured.File, func() { c.measured(own) })
	c.safely(history.File, func() { c.history(ctx) })
	c.json("instances.json", listed(found))
	c.takeOver(<-units)
	c.takeOver(<-packages)
}

// history adds the peaks of a history. Having none is not reported.
func (c *collector) history(ctx context.Context) {
	if c.req.History == nil {
		return
	}
	switch p, err := c.req.History(ctx); {
	case err != nil:
		c.a.AddMissing(evidence.Missing{Name: history.File, State: known.Unread, Reason: err.Error()})
	case p != nil:
		c.json(history.File, p)
	}
}

// header writes evidence.json.
func (c *collector) header(hostSeen bool) {
	tool := c.req.Tool
	if tool == "" {
		tool = "pgfettle"
	}
	c.json("evidence.json", map[string]any{"tool": tool, "taken_at": c.t.Now().Unix(), "host_seen": hostSeen,
		"root": c.root})
}

// json adds a document of the collector's own making.
func (c *collector) json(name string, v any) {
	b, err := json.MarshalIndent(v, "", " ")
	if err == nil {
		err = c.a.Add(name, append(b, '\n'))
	}
	if err != nil {
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: err.Error()})
	}
}

// safely runs one part; a panic in it costs that part only.
func (c *collector) safely(name string, part func()) {
	defer func() {
		if p := recover(); p != nil {
			c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread,
				Reason: fmt.Sprintf("the collector stopped: %v", p)})
		}
	}()
	part()
}
