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
		Short: "Measure one configuration under load on a scratch instance",
		Long: `Run one configuration of PostgreSQL under load, several times, on a scratch instance
of this host, and describe it completely: rate, latency, work a transaction, what it
left to the checkpoint, what else went on. No instance that is in use is touched.

Nothing is compared, so there is no verdict: two figures of two days say little of
two configurations. 'pgfettle prove' compares.

` + experiment.ConfigurationSyntax + `

TARGET is the instance that «current» means, or the one whose statements are the load
of --workload from-statements: a data directory or a conninfo.`,
		Example: `  pgfettle bench --workload tpcb
  pgfettle bench --conf plan:oltp --workload oltp-rw --scale 1.5x --runs 5
  pgfettle bench --conf current --workload select-only /srv/pg/17`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.shared.Target = strings.Join(args, "")
			o.shared.Said = cmd.Flags().Changed
			return runBench(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.bench.Configuration, "conf", "default", "the configuration, `CONF`")
	f.IntVar(&o.bench.Runs, "runs", 3, "runs, `N`: one alone does not tell how far the next would be from it")
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
