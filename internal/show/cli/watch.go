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
	f.DurationVar(&o.interval, "interval", app.WatchInterval, "sample every `DURATION`, from 1s to 1h")
	f.DurationVar(&o.look, "check-interval", app.WatchLook,
		"collect and judge the whole evidence every `DURATION`, from 1m to 24h")
	f.BoolVar(&o.once, "once", false, "look and sample once, and end")
	f.StringVar(&o.history, "history", "", "write the history in `FILE`")
	f.StringArrayVar(&o.notify, "notify", nil,
		"send notices to `WHERE`: exec:CMD, webhook:URL or webhook:@FILE; repeat it for more")
	f.StringVar(&o.notifyFrom, "notify-from", "warning",
		"send a notice of a new finding of this `SEVERITY` or a worse one: critical, warning, notice, info")
	f.StringVar(&o.place.dir, "journal", "", "the folder of the journals, `DIR`")
	o.policy.flags(cmd)
	complete(cmd, "notify-from", "critical", "warning", "notice", "info")
	return cmd
}

// inRange refuses a time that is out of its bounds.
func inRange(flag string, d, least, most time.Duration, example string) error {
	if d < least || d > most {
		return say.Usage(fmt.Sprintf("--%s: %s is out of range", flag, d), "write a time "+example)
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
		return say.Usage("--notify-from: "+err.Error(), "critical is the worst, info the mildest")
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

// talk writes the lines of a watch: with the time of day where a person reads
// them, with the weight that the journal of systemd takes where it does.
type talk struct {
	env     *Env
	journal bool
	mu      sync.Mutex
}

func newTalk(env *Env) *talk { return &talk{env: env, journal: env.Getenv("JOURNAL_STREAM") != ""} }

func (t *talk) tell(level app.WatchLevel, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.journal {
		fmt.Fprintf(t.env.Stderr, "<%d>%s\n", level, typeset.Line(text))
		return
	}
	fmt.Fprintf(t.env.Stderr, "%s %s\n", t.env.Target.Now().Format(time.TimeOnly), typeset.Line(text))
}
