package now

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.top/1"

// HostLook is one sample of a host.
type HostLook struct {
	At         time.Time
	Took       time.Duration // without the census
	Name       known.Fact[string]
	Memory     known.Fact[host.Memory]
	Overcommit known.Fact[int64] // vm.overcommit_memory
	Pressure   host.Pressure
	Load       known.Fact[host.Load]
	CPU        known.Fact[host.CPUTime]
	Processes  known.Fact[[]host.Process] // of the instance, its postmaster first
	CensusAt   time.Time                  // when these were read: not at every look
	CensusTook time.Duration
	CensusNext time.Duration      // how long after it the next one comes at the earliest
	Own        known.Fact[Ticked] // this program itself
}

// Ticked is CPU time that was used between two moments.
type Ticked struct {
	CPU  time.Duration
	Over time.Duration
}

// ServerLook is one sample of a server. If Problem is set, the server did not answer, and nothing else is known.
type ServerLook struct {
	At          time.Time
	Took        time.Duration
	Problem     *known.Gap
	Version     string
	Sessions    known.Fact[[]pg.LiveSession]
	Locks       known.Fact[[]pg.LiveLock]
	Position    known.Fact[pg.LivePosition]
	Checkpoints known.Fact[pg.Checkpoints]
	Databases   known.Fact[[]pg.Database]
	IO          known.Fact[[]pg.IO]
}

// Input is what a live view has seen: the last samples that had data, and the ones before them, from which rates are
// computed. All may be nil.
type Input struct {
	At           time.Time  // the present
	Label        string     // of the instance; "" if there is none
	CPUs         int        // 0: not known
	Connections  int        // max_connections; 0: not known
	Limit        unit.Bytes // of the instance's memory, by a cgroup; 0: none
	HostUnseen   *known.Gap
	ServerUnseen *known.Gap // why no server is asked at all
	Host         *HostLook
	HostBefore   *HostLook
	Server       *ServerLook
	ServerBefore *ServerLook
	Failed       *known.Gap // why the server has reported nothing since; nil if it has
	FailedSince  time.Time
}

// Report is what a host and one instance do at this moment. What is unknown is omitted, and Unknown says why.
type Report struct {
	Schema      string       `json:"schema"`
	TakenAt     int64        `json:"taken_at"`          // seconds since the epoch
	Seconds     float64      `json:"seconds,omitempty"` // between the two samples of the server behind the rates
	Host        Host         `json:"host"`
	Memory      *Memory      `json:"memory,omitempty"`
	Server      Server       `json:"server"`
	Processes   []Process    `json:"processes"`
	Waits       []Wait       `json:"waits"`
	Locks       []Lock       `json:"locks"` // sessions that block others, each followed by those that wait for it
	Checkpoints *Checkpoints `json:"checkpoints,omitempty"`
	Databases   []Database   `json:"databases"`
	Cost        Cost         `json:"cost"`
	Unknown     []gap.Gap    `json:"unknown"`
}

// Host is the host except for its memory.
type Host struct {
	Name     string     `json:"name,omitempty"`
	Age      *float64   `json:"age_seconds,omitempty"` // of the host's data; omitted if there is none
	Uptime   *int64     `json:"uptime_seconds,omitempty"`
	CPUs     int        `json:"cpus,omitempty"`
	Load     *host.Load `json:"load,omitempty"`
	Busy     *float64   `json:"cpu_busy_percent,omitempty"` // since the look before
	Steal    *float64   `json:"cpu_steal_percent,omitempty"`
	Pressure Pressure   `json:"pressure"`
}

// Pressure is the percentage of the last ten seconds that some task stalled.
type Pressure struct {
	CPU    *float64 `json:"cpu,omitempty"`
	Memory *float64 `json:"memory,omitempty"`
	IO     *float64 `json:"io,omitempty"`
}

// Memory is the memory of the host, and how much of it is promised.
type Memory struct {
	memory.Host
	CommitLimit unit.Bytes `json:"commit_limit_bytes"`
	Committed   unit.Bytes `json:"committed_bytes"`           // Committed_AS
	Overcommit  *int64     `json:"overcommit_mode,omitempty"` // vm.overcommit_memory; with 2 the limit is kept
}

// The parts of the memory if nothing is known of the processes of the instance.
const (
	PartAll       = "private memory of all programs"
	PartAllTables = "page tables of all programs"
)

// Server is the server.
type Server struct {
	Label       string     `json:"label,omitempty"` // data directory, else port
	Version     string     `json:"version,omitempty"`
	Age         *float64   `json:"age_seconds,omitempty"` // of the server's data; omitted if there is none
	Problem     *known.Gap `json:"problem,omitempty"`     // why it reports nothing now
	Silent      *float64   `json:"silent_seconds,omitempty"`
	Uptime      *int64     `json:"uptime_seconds,omitempty"`
	InRecovery  *bool      `json:"in_recovery,omitempty"`
	Connections *int       `json:"connections,omitempty"` // of clients, without ours
	Active      *int       `json:"active,omitempty"`
	InXact      *int       `json:"idle_in_transaction,omitempty"`
	Most        int        `json:"max_connections,omitempty"`
	// of its cgroup, if that is less than the host's memory
	Limit unit.Bytes `json:"memory_limit_bytes,omitempty"`
}

// Process is one process of the instance: its memory by the host, what it does by
// the server.
type Process struct {
	PID         int         `json:"pid"`                // as the server sees it
	HostPID     int         `json:"host_pid,omitempty"` // as the host sees it, if that differs: in a container
	Type        string      `json:"type,omitempty"`     // backend_type, or what its title shows
	Role        string      `json:"role,omitempty"`
	Database    string      `json:"database,omitempty"`
	Application string      `json:"application,omitempty"`
	Title       string      `json:"title,omitempty"` // of the process, if the server does not report its owner
	State       string      `json:"state,omitempty"`
	WaitType    string      `json:"wait_event_type,omitempty"`
	WaitEvent   string      `json:"wait_event,omitempty"`
	PageTables  *unit.Bytes `json:"page_tables_bytes,omitempty"` // VmPTE
	Private     *unit.Bytes `json:"private_bytes,omitempty"`     // RssAnon
	Shared      *unit.Bytes `json:"shared_bytes,omitempty"`      // RssShmem, without huge pages
	Swap        *unit.Bytes `json:"swap_bytes,omitempty"`
	QueryAge    *float64    `json:"query_seconds,omitempty"`       // since its last query began
	XactAge     *float64    `json:"transaction_seconds,omitempty"` // since its transaction began
	Query       string      `json:"query,omitempty"`               // the beginning of its last query
	Hidden      bool        `json:"hidden,omitempty"`              // the role may not see what it does
}

// Wait is a wait event and how many processes are in it.
type Wait struct {
	Type      string `json:"wait_event_type,omitempty"` // "": they wait for nothing
	Event     string `json:"wait_event,omitempty"`
	Processes int    `json:"processes"`
	// they have nothing to do: a client that says nothing, the main loop of a background process
	Idle bool `json:"idle"`
}

// Lock is a process that blocks others or is blocked. Depth is 0 for one that
// waits for none of those shown, and one more for each that waits for the one above.
type Lock struct {
	PID         int      `json:"pid"` // 0: a prepared transaction
	Depth       int      `json:"depth"`
	Waiters     int      `json:"waiters"` // behind it, directly or not
	Role        string   `json:"role,omitempty"`
	Database    string   `json:"database,omitempty"`
	Application string   `json:"application,omitempty"`
	State       string   `json:"state,omitempty"`
	WaitEvent   string   `json:"wait_event,omitempty"`
	XactAge     *float64 `json:"transaction_seconds,omitempty"`
	QueryAge    *float64 `json:"query_seconds,omitempty"`
	Query       string   `json:"query,omitempty"`
}

// Count is a counter and how fast it grows.
type Count struct {
	Total int64    `json:"total"`                // since the statistics were reset
	Rate  *float64 `json:"per_second,omitempty"` // since the look before
}

// Checkpoints is checkpoints, and which process writes what.
type Checkpoints struct {
	Timed     Count `json:"timed"`
	Requested Count `json:"requested"`
	// since the statistics were reset; omitted if they never were
	Since   float64  `json:"counted_seconds,omitempty"`
	WriteMS float64  `json:"write_ms"`
	SyncMS  float64  `json:"sync_ms"`
	LastAge *float64 `json:"last_seconds,omitempty"` // since the last one began
	// written, in recovery replayed; total: since the cluster was made
	WAL          *Count `json:"wal_bytes,omitempty"`
	Checkpointer Count  `json:"buffers_checkpointer"`       // buffers written
	Background   Count  `json:"buffers_background_writer"`  //
	Backends     *Count `json:"buffers_backends,omitempty"` // by backends themselves; 13 to 16
	BackendCalls *Count `json:"writes_backends,omitempty"`  // calls, each of one block or more; 17 and later
	BackendSyncs *Count `json:"backend_fsyncs,omitempty"`   // by backends themselves; 13 to 16
	Allocated    Count  `json:"buffers_allocated"`          //
	MaxWritten   Count  `json:"background_writer_stops"`    // at bgwriter_lru_maxpages
}

// Database is one database.
type Database struct {
	Name        string   `json:"name"`
	Connections int64    `json:"connections"`
	Xacts       Count    `json:"transactions"` // committed and rolled back
	Rollbacks   Count    `json:"rollbacks"`
	Reads       Count    `json:"blocks_read"`               // not found in shared_buffers
	HitNow      *float64 `json:"hit_percent_now,omitempty"` // since the look before; omitted if nothing was read
	HitAll      *float64 `json:"hit_percent,omitempty"`
	Temp        Count    `json:"temp_bytes"`
	TempFiles   int64    `json:"temp_files"`
	Deadlocks   int64    `json:"deadlocks"`
}

// Cost is what the looking costs.
type Cost struct {
	CPU         *float64 `json:"cpu_percent,omitempty"` // of one CPU, of this program
	HostMS      *float64 `json:"host_ms,omitempty"`     // of one look, without the census
	CensusMS    *float64 `json:"census_ms,omitempty"`   // of one census of the processes
	CensusEvery *float64 `json:"census_every_seconds,omitempty"`
	CensusAge   *float64 `json:"census_age_seconds,omitempty"`
	ServerMS    *float64 `json:"server_ms,omitempty"` // of one answer of the server
}

// The facts that a report may miss, by the names of its gaps.
const (
	GapMemory      say.Template = "memory of the host"
	GapPressure    say.Template = "pressure"
	GapProcesses   say.Template = "memory of processes"
	GapServer      say.Template = "server"
	GapSessions    say.Template = "sessions"
	GapLocks       say.Template = "locks"
	GapCheckpoints say.Template = "checkpoints"
	GapPosition    say.Template = "position in the WAL"
	GapDatabases   say.Template = "databases"
)

// Diagnose makes the report.
func Diagnose(in Input) *Report {
	r := &Report{Schema: Schema, TakenAt: in.At.Unix(), Processes: []Process{}, Waits: []Wait{}, Locks: []Lock{},
		Databases: []Database{}, Unknown: []gap.Gap{}}
	r.Host.CPUs, r.Server.Label, r.Server.Most = in.CPUs, in.Label, in.Connections
	r.Server.Limit = in.Limit
	switch {
	case in.HostUnseen != nil:
		r.gap(GapMemory, *in.HostUnseen)
	case in.Host != nil:
		r.host(in)
	}
	switch {
	case in.ServerUnseen != nil:
		r.Server.Problem = in.ServerUnseen
		r.gap(GapServer, *in.ServerUnseen)
	case in.Failed != nil:
		r.Server.Problem = in.Failed
		r.Server.Silent = seconds(in.At.Sub(in.FailedSince))
		r.gap(GapServer, *in.Failed)
	}
	if in.Server != nil {
		r.server(in)
	}
	r.processes(in)
	return r
}

// gap notes why something is not known, by its plain name.
func (r *Report) gap(fact say.Template, g known.Gap) {
	r.miss(fact, gapwords.Of(g.Reason), gapwords.Of(g.Reveal))
}

func (r *Report) miss(fact say.Template, reason, reveal say.Message) {
	r.Unknown = gap.Add(r.Unknown, gap.Gap{Fact: say.M(fact), Reason: reason, Reveal: reveal})
}

// In returns the report in the language of a catalog, each text that it does not have in English.
func (r *Report) In(c *say.Catalogue) *Report {
	if c == nil {
		return r
	}
	out := *r
	out.Unknown = gap.In(r.Unknown, c)
	return &out
}

func (r *Report) host(in Input) {
	h := in.Host
	r.Host.Age = seconds(in.At.Sub(h.At))
	r.Host.Name, _ = h.Name.Get()
	if l, ok := h.Load.Get(); ok {
		r.Host.Load = &l
	}
	if c, ok := h.CPU.Get(); ok {
		if up := h.At.Unix() - c.BootTime; up >= 0 && c.BootTime > 0 {
			r.Host.Uptime = &up
		}
		if in.HostBefore != nil {
			if b, ok := in.HostBefore.CPU.Get(); ok {
				r.Host.Busy, r.Host.Steal = busy(b, c)
			}
		}
	}
	p := &r.Host.Pressure
	for _, x := range []struct {
		from known.Fact[host.PSI]
		to   **float64
	}{{h.Pressure.CPU, &p.CPU}, {h.Pressure.Memory, &p.Memory}, {h.Pressure.IO, &p.IO}} {
		if v, ok := x.from.Get(); ok {
			*x.to = &v.Some10
		} else {
			r.gap(GapPressure, x.from.Gap())
		}
	}
	ps, counted := h.Processes.Get()
	if m, ok := h.Memory.Get(); ok {
		r.memory(m, ps, counted, h.Overcommit)
	} else {
		r.gap(GapMemory, h.Memory.Gap())
	}
	r.Cost.HostMS = milliseconds(h.Took)
	if counted {
		r.Cost.CensusMS, r.Cost.CensusEvery, r.Cost.CensusAge = milliseconds(h.CensusTook), seconds(h.CensusNext),
			seconds(in.At.Sub(h.CensusAt))
	}
	if own, ok := h.Own.Get(); ok && own.Over > 0 {
		share := 100 * own.CPU.Seconds() / own.Over.Seconds()
		r.Cost.CPU = &share
	}
}

func (r *Report) memory(m host.Memory, ps []host.Process, counted bool, mode known.Fact[int64]) {
	var tables, private unit.Bytes
	for _, p := range ps {
		tables += p.PageTables
		private += p.Anon
	}
	out := &Memory{Host: *memory.LayOut(m, tables, private), CommitLimit: m.CommitLimit, Committed: m.CommittedAS}
	if v, ok := mode.Get(); ok {
		out.Overcommit = &v
	}
	if !counted { // unknown owner
		var parts []memory.Part
		for _, p := range out.Parts {
			switch p.Name {
			case memory.PartTables, memory.PartPrivate:
				continue
			case memory.PartOthers:
				p.Name = PartAll
			case memory.PartTables2:
				p.Name = PartAllTables
			}
			parts = append(parts, p)
		}
		out.Parts = parts
	}
	r.Memory = out
}

// busy returns the percentage of the CPUs' time that was not idle, and that was stolen, between two looks.
func busy(b, c host.CPUTime) (all, steal *float64) {
	sum := func(t host.CPUTime) int64 {
		return t.User + t.Nice + t.System + t.Idle + t.IOWait + t.IRQ + t.SoftIRQ + t.Steal
	}
	total := sum(c) - sum(b)
	rest := c.Idle + c.IOWait - b.Idle - b.IOWait
	if total <= 0 || rest < 0 || rest > total || c.Steal < b.Steal {
		return nil, nil
	}
	u := 100 * float64(total-rest) / float64(total)
	s := min(100*float64(c.Steal-b.Steal)/float64(total), u)
	return &u, &s
}

func seconds(d time.Duration) *float64 {
	v := max(d.Seconds(), 0) // a clock may be set back
	return &v
}

func milliseconds(d time.Duration) *float64 {
	v := float64(d.Microseconds()) / 1000
	return &v
}
