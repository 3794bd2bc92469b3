package sample

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

const (
	// Sparing is the pause between looks, as a multiple of the duration of a look: watching may cost two percent of one
	// CPU, ours or the server's.
	Sparing = 50
	// rarest is how long a census is put off at most, however long it takes: a view
	// that is older shows another day.
	rarest = time.Minute
	// within bounds one answer of the server: the statements have two seconds each,
	// and a healthy server needs a hundredth of one for all.
	within = 5 * time.Second
	// enough is how long our own CPU time is counted before it says anything: a hundred ticks, so that one is a
	// percent.
	enough = 100 * tick
	// key is what the answers are under in the archive of one look.
	key = "1"
)

// hostFiles is what is read of the host at each look.
var hostFiles = []string{"proc/meminfo", "proc/loadavg", "proc/stat", "proc/pressure/cpu", "proc/pressure/memory",
	"proc/pressure/io",
	host.SysctlPath("vm.overcommit_memory"), "proc/sys/kernel/hostname"}

// TopOptions say what to watch.
type TopOptions struct {
	Target target.Target
	// Connect says how the server is reached; asked for each connection, as a server
	// that was restarted may have moved. nil: there is none.
	Connect func() (pgclient.Connect, error)
	// Postmaster returns the process ID of the instance's postmaster on this host. nil: the instance is elsewhere, or
	// there is none.
	Postmaster func() (int, error)
}

// Top looks. Host and Server may be called at the same time, each by one
// goroutine.
type Top struct {
	o       TopOptions
	t       target.Target
	within  time.Duration
	began   time.Time
	ownAt   int64 // our own CPU time when we began
	ownSeen bool

	census struct { // Host alone touches it
		processes known.Fact[[]host.Process]
		at        time.Time
		took      time.Duration
		next      time.Duration
		done      bool
	}
	due atomic.Bool // the next look takes the census, whatever the last one cost

	mu   sync.Mutex // held by Server while it asks, and by Close
	conn *pgconn.PgConn
}

// NewTop returns a Looker. Nothing is read or dialled yet but our own CPU time.
func NewTop(o TopOptions) *Top {
	l := &Top{o: o, t: o.Target, within: within, began: o.Target.Now()}
	l.ownAt, l.ownSeen = l.own()
	return l
}

// own reads the CPU time that this program has used.
func (l *Top) own() (int64, bool) {
	b, err := l.t.ReadFile("proc/self/stat", maxFile)
	if err != nil {
		return 0, false
	}
	p, err := host.ParseProcessStat(b)
	return p.Ticks, err == nil
}

// Host samples the host. every is the interval: the census is taken as often, unless it is too expensive.
func (l *Top) Host(every time.Duration) (h *now.HostLook) {
	began := l.t.Now()
	h = &now.HostLook{At: began}
	defer func() {
		if p := recover(); p != nil { // one reader's fault is not the end of the view
			h.Memory = known.Missed[host.Memory](stopped(p))
		}
	}()
	a := evidence.New()
	for _, name := range hostFiles {
		l.take(a, name)
	}
	h.Name = host.ReadName(a)
	h.Memory = host.ReadMemory(a)
	h.Overcommit = evidence.Read(a, host.SysctlPath("vm.overcommit_memory"), host.ParseCount)
	h.Pressure = host.ReadPressure(a)
	h.Load = host.ReadLoad(a)
	h.CPU = host.ReadCPUTime(a)
	if n, ok := l.own(); ok && l.ownSeen && n >= l.ownAt && began.Sub(l.began) >= enough {
		h.Own = known.Is(now.Ticked{CPU: time.Duration(n-l.ownAt) * tick, Over: began.Sub(l.began)})
	}
	h.Took = l.t.Now().Sub(began)
	c := &l.census
	if !c.done || l.due.Swap(false) || !l.t.Now().Before(c.at.Add(max(every, c.next))) {
		l.count(every)
	}
	h.Processes, h.CensusAt, h.CensusTook, h.CensusNext = c.processes, c.at, c.took, c.next
	return h
}

// Recount makes the next look at the host take the census.
func (l *Top) Recount() { l.due.Store(true) }

// take reads a file into an archive, or notes why not.
func (l *Top) take(a *evidence.Archive, name string) {
	b, err := l.t.ReadFile(name, maxFile)
	if err == nil {
		err = a.Add(name, b)
	}
	if err == nil {
		return
	}
	state, g := fileGap(err)
	a.AddMissing(evidence.Missing{Name: name, State: state, Reason: g.Reason, Reveal: g.Reveal})
}

// count takes the census: the memory of the instance's processes.
func (l *Top) count(every time.Duration) {
	c := &l.census
	began := l.t.Now()
	c.processes, c.at, c.done = l.processes(), began, true
	c.took = l.t.Now().Sub(began)
	c.next = max(every, min(Sparing*c.took, rarest))
}

func (l *Top) processes() (out known.Fact[[]host.Process]) {
	defer func() {
		if p := recover(); p != nil {
			out = known.Missed[[]host.Process](stopped(p))
		}
	}()
	if l.o.Postmaster == nil {
		return known.None[[]host.Process](known.Gap{Reason: "no instance runs here"})
	}
	pid, err := l.o.Postmaster()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return known.None[[]host.Process](known.Gap{Reason: "the server does not run"})
	case errors.Is(err, fs.ErrPermission):
		return known.Barred[[]host.Process](problemGap(err))
	case err != nil:
		return known.Missed[[]host.Process](problemGap(err))
	}
	pids := collect.Family(l.t, pid)
	if pids == nil {
		return known.None[[]host.Process](known.Gap{Reason: fmt.Sprintf("process %d does not run, or is no server",
			pid)})
	}
	a := collect.Processes(l.t, pids)
	list := []host.Process{}
	var gap known.Gap
	state := known.Unread
	for _, pid := range pids {
		f := host.ReadProcess(a, pid)
		if p, ok := f.Get(); ok {
			list = append(list, p)
		} else if _, err := a.ReadFile("proc/" + strconv.Itoa(pid) + "/status"); err == nil ||
			f.State() == known.Forbidden {
			state, gap = f.State(), f.Gap() // it is no process that ended meanwhile
		}
	}
	if len(list) == 0 && gap.Reason != "" {
		return known.Without[[]host.Process](state, gap)
	}
	return known.Is(list)
}

// Server asks the server, and connects first if there is no connection. A connection that was lost since the last time
// is reopened at once, so that a restart costs one look at most.
func (l *Top) Server(ctx context.Context) (s *now.ServerLook) {
	began := l.t.Now()
	defer func() {
		if p := recover(); p != nil {
			g := stopped(p)
			s = &now.ServerLook{At: began, Problem: &g}
		}
		s.Took = l.t.Now().Sub(began)
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	kept := l.conn != nil
	s, err := l.ask(ctx)
	if err != nil && kept && ctx.Err() == nil {
		s, err = l.ask(ctx)
	}
	if err != nil {
		g := problemGap(err)
		switch {
		case whole.Err() != nil:
			g = known.Gap{Reason: "interrupted"}
		case ctx.Err() != nil:
			g = known.Gap{Reason: fmt.Sprintf("no answer within %s", l.within)}
		}
		s = &now.ServerLook{Problem: &g}
	}
	s.At = began
	return s
}

// ask asks once. If it fails no connection is left.
func (l *Top) ask(ctx context.Context) (*now.ServerLook, error) {
	if l.conn == nil {
		how, err := l.o.Connect()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &say.Problem{Message: say.M("the server does not run")}
		}
		if err != nil {
			return nil, err
		}
		if l.conn, err = pgclient.Open(ctx, how); err != nil {
			l.conn = nil
			return nil, err
		}
	}
	major, err := pgclient.Major(l.conn)
	if err != nil {
		l.drop()
		return nil, err
	}
	queries, err := pg.LiveQueries(major)
	if err != nil {
		return nil, err
	}
	a, err := pgclient.AskAgain(ctx, l.conn, key, queries)
	if err != nil {
		l.drop()
		return nil, err
	}
	return &now.ServerLook{Version: l.conn.ParameterStatus("server_version"),
		Sessions: pg.ReadLiveSessions(a, key), Locks: pg.ReadLiveLocks(a, key), Position: pg.ReadLivePosition(a, key),
		Checkpoints: pg.ReadCheckpoints(a, key), Databases: pg.ReadDatabases(a, key), IO: pg.ReadIO(a, key)}, nil
}

// drop hangs up, without waiting for a server that may hang.
func (l *Top) drop() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond) // to say goodbye in
	defer cancel()
	l.conn.Close(ctx) // it hangs up whatever it returns
	l.conn = nil
}

// Close hangs up. A look that is under way ends with its context.
func (l *Top) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
}

func stopped(p any) known.Gap {
	return known.Gap{Reason: fmt.Sprintf("the reader stopped: %v", p)}
}

// problemGap is an error as the reason why something is not known.
func problemGap(err error) known.Gap {
	if p, ok := errors.AsType[*say.Problem](err); ok {
		return known.Gap{Reason: p.Message.English(), Reveal: p.Hint.English()}
	}
	if errors.Is(err, fs.ErrPermission) {
		return known.Gap{Reason: "permission denied",
			Reveal: "run pgfettle as root or as the owner of the data directory"}
	}
	return known.Gap{Reason: err.Error()}
}
