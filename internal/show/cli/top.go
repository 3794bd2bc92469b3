package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/top"
)

type topOptions struct {
	target   string
	format   string
	interval time.Duration
	once     bool
	count    int
}

const (
	// topDefault is the default refresh interval: changes are visible, and a refresh
	// costs some milliseconds.
	topDefault = 2 * time.Second
	// The bounds of the interval: below a second, refreshing is a load itself, and beyond an hour a live view is of no
	// use.
	topLeast, topMost = time.Second, time.Hour
)

func newTop(env *Env) *cobra.Command {
	o := &topOptions{}
	cmd := &cobra.Command{
		Use:   "top [TARGET]",
		Short: "Live view: memory, sessions, waits, checkpoints, WAL",
		Long: `Show the current state of a host and one of its instances on a full screen:
memory use, processes with the most page tables and private memory, wait events,
blocking sessions, checkpoints, WAL, and databases. The keys are at the bottom;
? explains keys and columns, q quits. Nothing is changed.

One connection is kept open, for short read-only statements. If the server hangs
or stops, the view goes on, shows the age of the numbers, and tries again.
Expensive facts are refreshed less often: reading the memory of many processes,
or a slow server, takes at most 2% of one CPU. Unknown values are shown as –,
with the reason at the bottom.

Without a terminal, or with --once or --count, samples are printed as text, each
from two measurements so that it has rates. --format json prints them as JSON.

` + liveTargetHelp,
		Example: `  pgfettle top
  pgfettle top /var/lib/postgresql/17/main --interval 5s
  pgfettle top --once
  pgfettle top --count 10 --interval 30s > evening.txt
  pgfettle top --format json 'host=db1 dbname=postgres'`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			if cmd.Flags().Changed("count") && o.count < 1 {
				return say.Usage(say.M("value out of range for --count: {count}", "count", fmt.Sprint(o.count)),
					say.M("Use a number of samples of at least 1."))
			}
			if o.once && cmd.Flags().Changed("count") {
				return say.Usage(say.M("--once and --count cannot be used together"), say.M("Use only one of them."))
			}
			return runTop(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "`FORMAT` output format: text, json (without a screen)")
	f.DurationVar(&o.interval, "interval", topDefault, "`INTERVAL` refresh interval, 1s–1h")
	f.BoolVar(&o.once, "once", false, "print one sample as text and exit")
	f.IntVarP(&o.count, "count", "n", 0, "`N` print N samples as text and exit")
	complete(cmd, "format", "text", "json")
	return cmd
}

func runTop(ctx context.Context, env *Env, o *topOptions) error {
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	if o.interval < topLeast || o.interval > topMost {
		return say.Usage(say.M("value out of range for --interval: {interval}", "interval", o.interval),
			say.M("Use a duration from 1s to 1h."))
	}
	if file, err := env.host().EvidenceFile(o.target); err == nil && file != "" {
		return say.Usage(say.M("pgfettle top requires a running instance, but {file} is a file", "file",
			say.Quoted(file)),
			say.M("Name a data directory or a conninfo. For a file: pgfettle diagnose memory FILE"))
	}
	l, err := loadAs(ctx, env, app.Request{Target: o.target, Memory: true})
	if err != nil {
		return err
	}
	looks, cancel := context.WithCancel(ctx)
	src, err := l.Live(looks)
	if err != nil {
		cancel()
		return err
	}
	defer func() { cancel(); src.Close() }() // in this order: who quits waits for no server that hangs
	subject := top.Subject{Label: src.Label, CPUs: src.CPUs, Connections: src.Connections, Limit: src.Limit,
		HostUnseen: src.HostUnseen, ServerUnseen: src.ServerUnseen}
	st := env.Style()
	style := top.Style{Color: st.Color, ASCII: st.ASCII, Words: outline.WordsIn(env.words)}
	if in, ok := fullScreen(env, o); ok {
		m := top.New(src, subject, style, o.interval)
		err := top.Screen(ctx, m, in, env.Stdout, env.Vars)
		if err == nil && m.Interrupted() {
			return errWatched
		}
		return err
	}
	p := top.Plain{Style: style, Width: st.Width, JSON: o.format == "json", Asked: env.asked(), Times: max(o.count, 1),
		Every: o.interval}
	return top.Write(ctx, env.Stdout, src, subject, p, env.Target.Now)
}

// fullScreen reports whether there is a terminal to show a screen on and to take keys from, and text was not asked for.
func fullScreen(env *Env, o *topOptions) (*os.File, bool) {
	if o.once || o.count > 0 || o.format == "json" || env.Getenv("TERM") == "dumb" || env.Getenv("TERM") == "" {
		return nil, false
	}
	in, ok := env.Stdin.(*os.File)
	if !ok {
		return nil, false
	}
	_, keys := terminal(env.Stdin)
	_, shown := terminal(env.Stdout)
	return in, keys && shown
}
