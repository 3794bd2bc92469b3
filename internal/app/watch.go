package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/monitor"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// WatchLevel is how much a line of a watch weighs, as syslog numbers it.
type WatchLevel = monitor.Level

// The limits of a watch, and its defaults.
const (
	WatchInterval, WatchIntervalLeast, WatchIntervalMost = monitor.DefaultInterval, monitor.LeastInterval,
		monitor.MostInterval
	WatchLook, WatchLookLeast, WatchLookMost = monitor.DefaultLook, monitor.LeastLook, monitor.MostLook
)

// WatchOptions say what is watched, and who is notified.
type WatchOptions struct {
	Target     string
	Interval   time.Duration // between samples
	Look       time.Duration // between looks at the whole evidence
	Once       bool          // one look and one sample
	History    string        // the file that is written; "": the usual one
	Notify     []string      // exec:CMD, webhook:URL, or webhook:@FILE
	NotifyFrom check.Severity
	Policy     PolicyChoice
	Journals   func() (string, error) // the directory of the journals
	Reload     <-chan struct{}        // reread the policy and look again; may be nil
	Tell       func(level WatchLevel, text say.Message)
}

// Watch samples a target until ctx ends, keeps the numbers and what happens in a
// history, and sends notices of what changes.
func (h *Host) Watch(ctx context.Context, o WatchOptions) error {
	sinks, err := h.sinks(o.Notify)
	if err != nil {
		return err
	}
	req, file, err := h.Resolve(o.Target)
	switch {
	case err != nil:
		return err
	case file != "":
		return say.Usage(say.M("pgfettle watch requires a live host, but {target} is a file", "target",
			say.Quoted(o.Target)),
			say.M("Name a data directory or a conninfo. For this host, omit TARGET."))
	}
	rules := &policyNow{host: h, choice: o.Policy}
	if err := rules.read(); err != nil {
		return err
	}
	journals, err := o.Journals()
	if err != nil {
		return err
	}
	store, err := h.openToWatch(o)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := h.closedJournals(journals); err != nil {
		o.Tell(monitor.Plain, say.OfError(err))
	}
	var notices *monitor.Notifier
	if len(sinks) > 0 {
		notices = monitor.NewNotifier(h.Tool(), h.Hostname(), o.NotifyFrom, h.Target.Now, o.Tell, sinks...)
	}
	err = monitor.Run(ctx, monitor.Options{
		Target: h.Target, Interval: o.Interval, Look: o.Look, Once: o.Once, Store: store, Notices: notices,
		Tell: o.Tell,
		Collect: func(ctx context.Context) (*snapshot.Snapshot, error) {
			r := *req
			if err := h.Complete(&r, rules.now()); err != nil {
				return nil, err
			}
			a, err := collect.Run(ctx, h.Target, r)
			if err != nil {
				return nil, err
			}
			return snapshot.Read(a)
		},
		Dial: func(ctx context.Context, in *snapshot.Instance) (sample.Asker, error) {
			return h.dialWatched(ctx, req, in)
		},
		Checks:  rules.checks,
		Rules:   rules.rules,
		Applied: func() *journal.Journal { return monitor.LastApplied(h.Target, journals) },
		Reload:  o.Reload,
		Reread:  rules.read,
		Manager: monitor.NewManager(h.Getenv, os.Getpid()),
	})
	if notices != nil {
		// A requested end waits a little, a run from cron as long as systemd allows.
		flush := 5 * time.Second
		if o.Once {
			flush = time.Minute
		}
		notices.Close(flush)
	}
	return err
}

// closedJournals reports that root's journals are closed to the watching user, and what is missing because of that. If
// root has applied nothing, there is nothing to report.
func (h *Host) closedJournals(own string) error {
	if h.Target.UID() == 0 || own == journalfile.Dir {
		return nil
	}
	if _, err := h.Target.ReadDir(journalfile.Dir); !errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return say.Err("cannot read {dir}: changes applied by root are unknown, and plans are compared with the first "+
		"check; to include them, run as root", "dir", journalfile.Dir)
}

// openToWatch opens what is written. A run of cron says nothing of gaps: they are
// its nature.
func (h *Host) openToWatch(o WatchOptions) (*store.Store, error) {
	file := o.History
	if file == "" {
		var err error
		if file, err = store.DefaultPath(h.Target.UID(), h.Getenv); err != nil {
			return nil, say.Usage(say.OfError(err), say.M("Name the file with --history FILE."))
		}
	}
	ho := store.Options{Interval: o.Interval}
	if o.Once {
		ho.Interval = monitor.MostLook
	}
	s, err := store.Open(file, ho)
	if err == nil {
		return s, nil
	}
	p := &say.Problem{Message: gapwords.OfError(err), Code: say.CodeError}
	switch {
	case errors.Is(err, store.ErrLocked):
		p.Hint,
			p.Code = say.M("Another pgfettle watch writes this history. Stop it, or name another file with --history."),
			say.CodeRefused
	case errors.Is(err, store.ErrReadOnly):
		p.Hint, p.Code = say.M("Run pgfettle as the owner of the file, or name another one with --history."),
			say.CodeNoAccess
	case errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrDamaged):
		p.Hint = say.M("Move the file, or name another one with --history.")
	case errors.Is(err, store.ErrFull):
		p.Hint = say.M("Free space, or name a file on another filesystem with --history.")
	default:
		return nil, err
	}
	return nil, p
}

// dialWatched opens the connection for the samples of an instance.
func (h *Host) dialWatched(ctx context.Context, req *collect.Request, in *snapshot.Instance) (sample.Asker, error) {
	if req.Kind == collect.Conninfo {
		return sample.Dial(ctx, pgclient.Connect{Conninfo: req.Value, Peer: -1})
	}
	if how, err := h.closedServer(in); how != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return sample.Dial(ctx, *how)
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		g := in.DataDirectory.Gap()
		return nil, &say.Problem{Message: say.M("data directory unknown"), Detail: gapwords.Of(g.Reason),
			Hint: gapwords.Of(g.Reveal),
			Code: say.CodeNoAccess}
	}
	how, err := collect.ConnectLocal(h.Target, dir)
	if err != nil {
		return nil, err
	}
	return sample.Dial(ctx, how)
}

// closedServer says how an account that the data directory is closed to reaches its server: by a socket that the
// server's own settings name, if that server is behind it, because a world-writable directory may contain the socket of
// another user. Both results are nil if the directory is open to us.
func (h *Host) closedServer(in *snapshot.Instance) (*pgclient.Connect, error) {
	if dir, ok := in.DataDirectory.Get(); ok {
		if _, err := collect.ReadLock(h.Target, dir); !errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
	}
	set, ok := in.Server.Settings.Get()
	if !ok { // it was asked at the look, and did not let us in
		g := in.Server.Settings.Gap()
		return nil, &say.Problem{Message: say.M("{reason} ({reveal})", "reason", gapwords.Arg(g.Reason),
			"reveal", gapwords.Arg(g.Reveal)),
			Hint: gapwords.Of(g.Reveal),
			Code: say.CodeNoAccess}
	}
	dirs, _ := set.Text("unix_socket_directories")
	port, _ := in.Port.Get()
	processes, _ := in.Processes.Get()
	for _, dir := range conf.SplitList(dirs) {
		if !filepath.IsAbs(dir) || len(processes) == 0 {
			continue
		}
		pid, err := h.Target.Peer(filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port)))
		if err == nil && pid == processes[0].PID {
			return &pgclient.Connect{SocketDir: dir, Port: port, Found: true, Peer: processes[0].UID,
				Secrets: h.Target.UID() != 0}, nil
		}
	}
	return nil, &say.Problem{Message: say.M("could not reach the server through any of its sockets"),
		Hint: say.M("Run pgfettle as root or as the owner of the data directory."), Code: say.CodeNoAccess}
}

// policyNow is the policy as it was last read.
type policyNow struct {
	host   *Host
	choice PolicyChoice

	mu  sync.Mutex
	pol *policy.Policy
}

func (p *policyNow) read() error {
	pol, err := p.host.Policy(p.choice, true)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pol = pol
	return nil
}

func (p *policyNow) checks() check.Options {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.host.CheckOptions(p.pol)
}

func (p *policyNow) rules(s *snapshot.Snapshot) rule.Options {
	p.mu.Lock()
	defer p.mu.Unlock()
	return rules.OptionsOn(p.host.ByPolicy(p.pol), s)
}

// now is the policy.
func (p *policyNow) now() *policy.Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pol
}
