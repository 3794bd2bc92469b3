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
	// topDefault is how often is looked unless somebody says: a person sees what
	// moves, and a look costs some milliseconds.
	topDefault = 2 * time.Second
	// The bounds of the interval: below a second the looking is a load of its own,
	// and who looks less often than every hour has no need of a live view.
	topLeast, topMost = time.Second, time.Hour
)

func newTop(env *Env) *cobra.Command {
	o := &topOptions{}
	cmd := &cobra.Command{
		Use:   "top [TARGET]",
		Short: "Watch a host and an instance live: memory, page tables, waits, checkpoints",
		Long: `Show on a full screen what a host and one of its instances do now: where the memory
is, which processes hold page tables and private memory, what they wait for and who
blocks whom, checkpoints and WAL, and the databases. The keys are shown at the bottom,
and ? explains them and the columns; q quits.

The server is asked over one connection that is kept, with short read-only statements.
A server that hangs or goes away leaves the view alive: it tells how old the numbers
are and asks again. What is dear to look at is looked at less often: reading the memory
of many processes, or a server that answers slowly, takes two percent of a processor at
most. What is not known is shown as –, with the reason at the bottom.

Without a terminal, with --once or with --count, the same is written as text: each
after two looks, which rates are told by. --format json writes it as JSON.

TARGET is one of
  nothing            this host and the instance that runs on it; with PGHOST,
                     PGPORT or PGSERVICE set, the server that they name
  a data directory   its instance, and this host
  a conninfo         'host=db1 dbname=postgres' or postgresql://…; from another
                     host it gives no host facts`,
		Example: `  pgfettle top
  pgfettle top /var/lib/postgresql/17/main --interval 5s
  pgfettle top --once
  pgfettle top --count 10 --interval 30s > evening.txt
  pgfettle top --format json 'host=db1 dbname=postgres'`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			if cmd.Flags().Changed("count") && o.count < 1 {
				return say.Usage(fmt.Sprintf("--count: %d is less than 1", o.count), "write how many times is looked")
			}
			if o.once && cmd.Flags().Changed("count") {
				return say.Usage("--once and --count say two things", "give one of them")
			}
			return runTop(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text or json; json is written without a screen")
	f.DurationVar(&o.interval, "interval", topDefault, "look every `INTERVAL`, from 1s to 1h")
	f.BoolVar(&o.once, "once", false, "write it once as text, without a screen")
	f.IntVarP(&o.count, "count", "n", 0, "write it `N` times as text, without a screen")
	complete(cmd, "format", "text", "json")
	return cmd
}

func runTop(ctx context.Context, env *Env, o *topOptions) error {
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	if o.interval < topLeast || o.interval > topMost {
		return say.Usage(fmt.Sprintf("--interval: %s is out of range", o.interval), "write a time from 1s to 1h")
	}
	if file, err := env.host().EvidenceFile(o.target); err == nil && file != "" {
		return say.Usage(fmt.Sprintf("%q is a file: it holds one moment, and top watches a live instance", file),
			"name a data directory or a conninfo; 'pgfettle diagnose memory FILE' shows a file")
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
	style := top.Style{Color: st.Color, ASCII: st.ASCII}
	if in, ok := fullScreen(env, o); ok {
		m := top.New(src, subject, style, o.interval)
		err := top.Screen(ctx, m, in, env.Stdout, env.Vars)
		if err == nil && m.Interrupted() {
			return errWatched
		}
		return err
	}
	p := top.Plain{Style: style, Width: st.Width, JSON: o.format == "json", Times: max(o.count, 1), Every: o.interval}
	return top.Write(ctx, env.Stdout, src, subject, p, env.Target.Now)
}

// fullScreen says whether there is a terminal to show a screen on and to take keys
// from, and nobody asked for text.
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
