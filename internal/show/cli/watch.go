package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/monitor"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/spf13/cobra"
)

type watchOptions struct {
	target     string
	interval   time.Duration
	look       time.Duration
	once       bool
	history    string
	notify     []string
	notifyFrom string
	policy     policyOptions
	place      placeOptions
}

func newWatch(env *Env) *cobra.Command {
	o := &watchOptions{}
	cmd := &cobra.Command{
		Use:   "watch [TARGET]",
		Short: "Keep watching a host and its instances, and send notices of what changes",
		Long: `Sample a host and its instances for as long as it runs, and keep the numbers and
what happens in a history, for 'pgfettle history' and for plans: memory, page tables,
pressure, sessions, checkpoints, WAL, temporary files, cache hits. Every --interval six
files of the kernel are read and each server is asked one question over one connection;
every --check-interval, a tenth more or less, the whole evidence is collected and judged.

What differs between two looks is told on stderr, one line an event, and kept: a setting
or a kernel value was changed (by whom and where, as far as that can be seen), a line
was written that is not in force yet, a finding appeared or vanished, a plan went stale
because facts moved (memory, processors, major version, twice as many sessions, databases
that outgrew the memory), a server was started, the kernel killed for memory.
A plan rests on the facts of the last apply, or of the first look.

A state is told when it has held: a finding, a stale plan, and that a finding is gone when
three looks, one after the other, have seen it; what is gone in the next look is not told.
Told at once are events (a setting was changed, a server was started or crashed, the host
was booted, the kernel killed for memory), and findings that are critical, as twenty minutes
of an outage cost more than a false alarm. With --once three runs are three looks.

--notify sends a JSON document (schema pgfettle.notice/1) of each changed setting, each
stale plan, and each finding from --notify-from on that appeared, got worse or is gone;
held_since is when the first look saw it. exec:CMD runs a program with the
document on its standard input; CMD is split into words as a shell does, and no shell
runs it. webhook:URL posts it over https, and tries again where nobody answers;
webhook:@FILE reads the URL from a file, so that no list of processes shows it. One finding
sends one notice an hour, however often it comes and goes.

The history lies in /var/lib/pgfettle/history.db, for an ordinary user in
$XDG_STATE_HOME/pgfettle (~/.local/state where that is not set), or where --history says.
One watcher writes it at a time. When the disk is full it stops writing, says so once,
and tries again. SIGHUP reads the policy again and looks at once; SIGTERM ends it with 0.
--once looks and samples once, for cron: rates are those since the run before.

` + policyHelp + `
` + strings.Replace(targetHelp, "\n  an evidence file   written by 'pgfettle snapshot'; - reads it from stdin", "", 1),
		Example: `  pgfettle watch
  pgfettle watch /var/lib/postgresql/17/main --interval 5s
  pgfettle watch --notify 'exec:/usr/bin/mail -s "pgfettle on db1" dba@example.com'
  pgfettle watch --notify webhook:@/etc/pgfettle/webhook --notify-from critical
  pgfettle watch --once`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			return runWatch(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.interval, "interval", monitor.DefaultInterval, "sample every `DURATION`, from 1s to 1h")
	f.DurationVar(&o.look, "check-interval", monitor.DefaultLook, "collect and judge the whole evidence every `DURATION`, from 1m to 24h")
	f.BoolVar(&o.once, "once", false, "look and sample once, and end")
	f.StringVar(&o.history, "history", "", "write the history in `FILE`")
	f.StringArrayVar(&o.notify, "notify", nil, "send notices to `WHERE`: exec:CMD, webhook:URL or webhook:@FILE; repeat it for more")
	f.StringVar(&o.notifyFrom, "notify-from", "warning", "send a notice of a new finding of this `SEVERITY` or a worse one: critical, warning, notice, info")
	f.StringVar(&o.place.dir, "journal", "", "the folder of the journals, `DIR`")
	o.policy.flags(cmd)
	complete(cmd, "notify-from", "critical", "warning", "notice", "info")
	return cmd
}

// within refuses a time that is out of its bounds.
func within(flag string, d, least, most time.Duration, example string) error {
	if d < least || d > most {
		return usage(fmt.Sprintf("--%s: %s is out of range", flag, d), "write a time "+example)
	}
	return nil
}

func runWatch(ctx context.Context, env *Env, o *watchOptions) error {
	if err := errors.Join(within("interval", o.interval, monitor.LeastInterval, monitor.MostInterval, "from 1s to 1h"),
		within("check-interval", o.look, monitor.LeastLook, monitor.MostLook, "from 1m to 24h")); err != nil {
		return err
	}
	from, err := check.ParseSeverity(o.notifyFrom)
	if err != nil {
		return usage("--notify-from: "+err.Error(), "critical is the worst, info the mildest")
	}
	sinks, err := sinksOf(env, o.notify)
	if err != nil {
		return err
	}
	req, file, err := env.host().Resolve(o.target)
	switch {
	case err != nil:
		return err
	case file != "":
		return usage(fmt.Sprintf("%q is a file: it holds one moment", o.target), "name a data directory or a conninfo, or nothing for this host")
	}
	rules := &policyNow{env: env, o: &o.policy}
	if err := rules.read(); err != nil {
		return err
	}
	journals, err := o.place.journals(env)
	if err != nil {
		return err
	}
	store, err := openToWatch(env, o)
	if err != nil {
		return err
	}
	defer store.Close()
	out := newTalk(env)
	if err := closedJournals(env, journals); err != nil {
		out.tell(monitor.Plain, err.Error())
	}
	var notices *monitor.Notifier
	if len(sinks) > 0 {
		notices = monitor.NewNotifier("pgfettle "+Version, hostname(env), from, env.Target.Now, out.tell, sinks...)
	}
	err = monitor.Run(ctx, monitor.Options{
		Target: env.Target, Interval: o.interval, Look: o.look, Once: o.once, Store: store, Notices: notices, Tell: out.tell,
		Collect: func(ctx context.Context) (*snapshot.Snapshot, error) {
			r := *req
			if err := env.host().Complete(&r, env.site); err != nil {
				return nil, err
			}
			a, err := collect.Run(ctx, env.Target, r)
			if err != nil {
				return nil, err
			}
			return snapshot.Read(a)
		},
		Dial: func(ctx context.Context, in *snapshot.Instance) (sample.Asker, error) {
			return dialWatched(ctx, env, req, in)
		},
		Checks:  rules.checks,
		Rules:   rules.rules,
		Applied: func() *journal.Journal { return monitor.LastApplied(env.Target, journals) },
		Reload:  hangups(ctx),
		Reread:  rules.read,
		Manager: monitor.NewManager(env.Getenv, os.Getpid()),
	})
	if notices != nil {
		// An end that somebody asked for waits a little, a run of cron as long as
		// systemd lets it.
		flush := 5 * time.Second
		if o.once {
			flush = time.Minute
		}
		notices.Close(flush)
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return err
}

// closedJournals says that root's journals are closed to who watches, and what that
// costs. Where root has applied nothing there is nothing to say.
func closedJournals(env *Env, own string) error {
	if env.Target.UID() == 0 || own == journalfile.Dir {
		return nil
	}
	if _, err := env.Target.ReadDir(journalfile.Dir); !errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("%s is closed to this account: what root applied is not known, and plans are held against the first look; run as root to know it", journalfile.Dir)
}

// hangups hands on each SIGHUP.
func hangups(ctx context.Context) <-chan struct{} {
	in, out := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(in, syscall.SIGHUP)
	go func() {
		defer signal.Stop(in)
		for {
			select {
			case <-ctx.Done():
				return
			case <-in:
			}
			select {
			case <-ctx.Done():
				return
			case out <- struct{}{}:
			}
		}
	}()
	return out
}

// openToWatch opens what is written. A run of cron says nothing of gaps: they are
// its nature.
func openToWatch(env *Env, o *watchOptions) (*store.Store, error) {
	file := o.history
	if file == "" {
		var err error
		if file, err = store.DefaultPath(env.Target.UID(), env.Getenv); err != nil {
			return nil, usage(err.Error(), "name one with --history FILE")
		}
	}
	ho := store.Options{Interval: o.interval}
	if o.once {
		ho.Interval = monitor.MostLook
	}
	s, err := store.Open(file, ho)
	p := &say.Problem{Message: fmt.Sprint(err), Code: exitError}
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, store.ErrLocked):
		p.Hint, p.Code = "another 'pgfettle watch' writes it; one of them is enough, or name another file with --history", exitRefused
	case errors.Is(err, store.ErrReadOnly):
		p.Hint, p.Code = "run pgfettle as the owner of the file, or name another with --history", exitNoAccess
	case errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrDamaged):
		p.Hint = "move the file away, or name another with --history"
	case errors.Is(err, store.ErrFull):
		p.Hint = "make room, or name a file on another disk with --history"
	default:
		return nil, err
	}
	return nil, p
}

// dialWatched opens the connection for the samples of an instance.
func dialWatched(ctx context.Context, env *Env, req *collect.Request, in *snapshot.Instance) (sample.Asker, error) {
	if req.Kind == collect.Conninfo {
		return sample.Dial(ctx, collect.Connect{Conninfo: req.Value, Peer: -1})
	}
	if how, err := closedServer(env, in); how != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return sample.Dial(ctx, *how)
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		g := in.DataDirectory.Gap()
		return nil, &say.Problem{Message: "its data directory is not known", Detail: g.Reason, Hint: g.Reveal, Code: exitNoAccess}
	}
	how, err := collect.ConnectLocal(env.Target, dir)
	if err != nil {
		return nil, err
	}
	return sample.Dial(ctx, how)
}

// closedServer says how an account that the data directory is closed to reaches its
// server: by a socket that the server's own settings name, if that server is behind
// it, as a folder for everybody may hold the socket of somebody else. Both results
// are nil where the directory is open to us.
func closedServer(env *Env, in *snapshot.Instance) (*collect.Connect, error) {
	if dir, ok := in.DataDirectory.Get(); ok {
		if _, err := collect.ReadLock(env.Target, dir); !errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
	}
	set, ok := in.Server.Settings.Get()
	if !ok { // it was asked at the look, and did not let us in
		g := in.Server.Settings.Gap()
		return nil, &say.Problem{Message: fmt.Sprintf("%s (%s)", g.Reason, g.Reveal), Hint: g.Reveal, Code: exitNoAccess}
	}
	dirs, _ := set.Text("unix_socket_directories")
	port, _ := in.Port.Get()
	processes, _ := in.Processes.Get()
	for _, dir := range conf.SplitList(dirs) {
		if !filepath.IsAbs(dir) || len(processes) == 0 {
			continue
		}
		pid, err := env.Target.Peer(filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port)))
		if err == nil && pid == processes[0].PID {
			return &collect.Connect{SocketDir: dir, Port: port, Found: true, Peer: processes[0].UID, Secrets: env.Target.UID() != 0}, nil
		}
	}
	return nil, &say.Problem{Message: "none of its sockets can be reached by this account", Hint: "run pgfettle as root or as the owner of the data directory", Code: exitNoAccess}
}

// sinksOf reads what --notify says.
func sinksOf(env *Env, list []string) ([]monitor.Sink, error) {
	const hint = "write exec:CMD, webhook:URL or webhook:@FILE"
	var out []monitor.Sink
	for _, s := range list {
		kind, where, _ := strings.Cut(s, ":")
		switch kind {
		case "exec":
			argv, err := monitor.Words(where)
			if err != nil {
				return nil, usage("--notify exec: "+err.Error(), "write a program and its arguments, as in exec:/usr/local/bin/page-me")
			}
			out = append(out, &monitor.Exec{Target: env.Target, Argv: argv})
		case "webhook":
			if name, ok := strings.CutPrefix(where, "@"); ok {
				var err error
				if where, err = firstLine(name); err != nil {
					return nil, usage("--notify webhook: "+err.Error(), "the file holds the URL on its first line")
				}
			}
			h, err := monitor.NewWebhook(where)
			if err != nil {
				return nil, usage("--notify webhook: "+err.Error(), "write https://HOST/PATH")
			}
			out = append(out, h)
		default:
			return nil, usage(fmt.Sprintf("--notify: %.20q is neither exec nor webhook", kind), hint) // it may be a secret that lacks its word
		}
	}
	return out, nil
}

// longestURL is the most of a file that may be a URL.
const longestURL = 8 << 10

func firstLine(name string) (string, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, longestURL))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line), nil
}

// policyNow is the policy as it was last read.
type policyNow struct {
	env *Env
	o   *policyOptions

	mu  sync.Mutex
	pol *policy.Policy
}

func (p *policyNow) read() error {
	pol, err := p.o.load(p.env, true)
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
	return check.Options{Accept: p.pol.Accepted(), Today: today(p.env), Plan: asked(p.env, p.pol)}
}

func (p *policyNow) rules(s *snapshot.Snapshot) rule.Options {
	p.mu.Lock()
	defer p.mu.Unlock()
	return rules.OptionsOn(asked(p.env, p.pol), s)
}

// talk writes the lines of a watch: with the time of day where a person reads
// them, with the weight that the journal of systemd takes where it does.
type talk struct {
	env     *Env
	journal bool
	mu      sync.Mutex
}

func newTalk(env *Env) *talk { return &talk{env: env, journal: env.Getenv("JOURNAL_STREAM") != ""} }

func (t *talk) tell(level monitor.Level, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.journal {
		fmt.Fprintf(t.env.Stderr, "<%d>%s\n", level, typeset.Line(text))
		return
	}
	fmt.Fprintf(t.env.Stderr, "%s %s\n", t.env.Target.Now().Format(time.TimeOnly), typeset.Line(text))
}
