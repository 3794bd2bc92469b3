package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

type benchOptions struct {
	shared experimentOptions
	bench  proving.BenchOptions
}

func newBench(env *Env) *cobra.Command {
	o := &benchOptions{}
	cmd := &cobra.Command{
		Use:   "bench [TARGET]",
		Short: "Benchmark one configuration on a scratch instance",
		Long: `Run one configuration of PostgreSQL under load, several times, on a scratch
instance of this host. The report describes each run: throughput, latency, work
per transaction, work deferred to the checkpoint, and other activity. Instances
in use are not touched.

Nothing is compared, so there is no verdict: results of different days say
little about two configurations. To compare two of them, use pgfettle prove.

` + experiment.ConfigurationSyntax + `

TARGET is the instance that "current" means, or the one whose statements are the
load of --workload from-statements: a data directory or a conninfo.

--database runs on an existing database of this host: one that you keep for
measurements, with its data, or an empty one, which is loaded and stays loaded.
Its server is neither restarted nor configured.`,
		Example: `  pgfettle bench --workload tpcb
  pgfettle bench --conf plan:oltp --workload oltp-rw --scale 1.5x --runs 5
  pgfettle bench --conf current --workload select-only /srv/pg/17
  pgfettle bench -f mine.sql --database 'host=/run/postgresql dbname=scratch'`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.shared.Target = strings.Join(args, "")
			o.shared.Said = cmd.Flags().Changed
			return runBench(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.bench.Configuration, "conf", "default", "`CONF` configuration to measure")
	f.IntVar(&o.bench.Runs, "runs", 3, "`N` number of runs; one run shows no variance")
	o.shared.flags(cmd, env)
	confWords(cmd, "conf")
	return cmd
}

func runBench(ctx context.Context, env *Env, o *benchOptions) error {
	if err := choice("format", o.shared.format, docForms...); err != nil {
		return err
	}
	o.shared.complete(env)
	o.bench.Options = o.shared.Options
	ready, err := proving.Bench(ctx, env.host(), &o.bench)
	if err != nil {
		return err
	}
	r, err := o.shared.carryOut(ctx, env, ready)
	if err != nil {
		return err
	}
	return o.shared.write(env, r)
}
