package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
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
		Short: "Monitor continuously, record history, send notifications",
		Long: `Monitor a host and its instances until stopped. Samples and events are recorded
in a history, for pgfettle history and for plans: memory, page tables, pressure,
sessions, checkpoints, WAL, temporary files, cache hits. Settings of the host
and the servers are not changed.

Every --interval, six kernel files are read, and each server runs one query over
one connection. Every --check-interval (±10%), all facts are collected and
checked. --once collects once, for cron: rates are those since the previous run.

Events are printed on stderr, one line each, and recorded: changed settings and
kernel parameters (with account and file if known), edited files that are not in
effect yet, new and resolved findings, restarts, OOM kills, and stale plans. A
plan is based on the facts of the last apply, or of the first check. It becomes
stale when they change: memory, CPUs, major version, twice as many sessions, or
databases that have outgrown RAM.

A finding or a stale plan is reported after three consecutive checks have seen
it, and a finding as resolved after three checks without it. Reported at once
are changed settings, server starts, crashes, boots, OOM kills, and critical
findings. With --once, three runs count as three checks.

--notify sends a JSON document (schema pgfettle.notice/1) for each changed
setting, each stale plan, and each finding of at least --notify-from that is
new, worse or resolved. held_since is the time of the first check that saw it. A
finding sends at most one notification per hour.
  exec:CMD        run CMD with the document on stdin; CMD is split into words as
                  in a shell, but no shell runs it
  webhook:URL     post the document over https, with retries
  webhook:@FILE   read the URL from FILE, so that it is in no process list

The history is in /var/lib/pgfettle/history.db, or in --history FILE. For other
users than root it is in $XDG_STATE_HOME/pgfettle (default ~/.local/state). Only
one watch can write it. If the disk is full, recording stops with one message
and is retried. SIGHUP rereads the policy and checks at once; SIGTERM stops the
watch with exit status 0.

` + policyHelp + `
` + watchedTargetHelp,
		Example: `  pgfettle watch
  pgfettle watch /var/lib/postgresql/17/main --interval 5s
  pgfettle watch --notify 'exec:/usr/bin/mail -s pgfettle dba@example.com'
  pgfettle watch --notify webhook:@/etc/pgfettle/webhook --notify-from critical
  pgfettle watch --once`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			return runWatch(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.interval, "interval", app.WatchInterval, "`TIME` time between samples, 1s–1h")
	f.DurationVar(&o.look, "check-interval", app.WatchLook,
		"`TIME` time between full checks, 1m–24h")
	f.BoolVar(&o.once, "once", false, "collect once and exit")
	f.StringVar(&o.history, "history", "", "`FILE` history file to write")
	f.StringArrayVar(&o.notify, "notify", nil,
		"`TARGET` send notifications to exec:CMD, webhook:URL or webhook:@FILE (repeatable)")
	f.StringVar(&o.notifyFrom, "notify-from", "warning",
		"`SEVERITY` send notifications of findings of at least this severity: critical, warning, notice, info")
	f.StringVar(&o.place.dir, "journal", "", journalHelp)
	o.policy.flags(cmd)
	complete(cmd, "notify-from", "critical", "warning", "notice", "info")
	return cmd
}

// inRange refuses a duration that is out of its bounds.
func inRange(flag string, d, least, most time.Duration, example string) error {
	if d < least || d > most {
		return say.Usage(say.M("value out of range for --{flag}: {value}", "flag", flag, "value", d),
			say.M("Use a duration {example}.", "example", example))
	}
	return nil
}

func runWatch(ctx context.Context, env *Env, o *watchOptions) error {
	if err := errors.Join(inRange("interval", o.interval, app.WatchIntervalLeast, app.WatchIntervalMost,
		"from 1s to 1h"),
		inRange("check-interval", o.look, app.WatchLookLeast, app.WatchLookMost, "from 1m to 24h")); err != nil {
		return err
	}
	from, err := check.ParseSeverity(o.notifyFrom)
	if err != nil {
		return say.Usage(say.M("--notify-from: {error}", "error", err), say.M("Use one of: critical, warning, "+
			"notice, info."))
	}
	out := newTalk(env)
	err = env.host().Watch(ctx, app.WatchOptions{Target: o.target, Interval: o.interval, Look: o.look, Once: o.once,
		History: o.history,
		Notify:  o.notify, NotifyFrom: from, Policy: o.policy.choice(), Reload: hangups(ctx), Tell: out.tell,
		Journals: o.place.place(env).Journals})
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return err
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

// talk writes the lines of a watch: with the time of day for a person, with a priority
// for the journal of systemd.
type talk struct {
	env     *Env
	journal bool
	mu      sync.Mutex
}

func newTalk(env *Env) *talk { return &talk{env: env, journal: env.Getenv("JOURNAL_STREAM") != ""} }

func (t *talk) tell(level app.WatchLevel, message say.Message) {
	text := message.In(t.env.words)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.journal {
		fmt.Fprintf(t.env.Stderr, "<%d>%s\n", level, typeset.Line(text))
		return
	}
	fmt.Fprintf(t.env.Stderr, "%s %s\n", t.env.Target.Now().Format(time.TimeOnly), typeset.Line(text))
}
