package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/spf13/cobra"
)

type benchOptions struct {
	trial trialOptions
	conf  string
	runs  int
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
			o.trial.target = strings.Join(args, "")
			o.trial.said = cmd.Flags().Changed
			return runBench(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.conf, "conf", "default", "the configuration, `CONF`")
	f.IntVar(&o.runs, "runs", 3, "runs, `N`: one alone does not tell how far the next would be from it")
	o.trial.flags(cmd, env)
	confWords(cmd, "conf")
	return cmd
}

func runBench(ctx context.Context, env *Env, o *benchOptions) error {
	if err := choice("format", o.trial.format, docForms...); err != nil {
		return err
	}
	if o.runs < 1 || o.runs > mostBlocks {
		return usage(fmt.Sprintf("--runs: %d is out of range", o.runs), fmt.Sprintf("write a whole number from 1 to %d", mostBlocks))
	}
	e, w, err := o.trial.order(ctx, env)
	if err != nil {
		return err
	}
	e.Design, e.Spec.Blocks, e.Spec.Margin = experiment.DesignSingle, o.runs, stat.Margin
	o.trial.durations(e, false)
	if e.Metric == "tps_with_checkpoint" && e.Spec.Cycles == 0 {
		e.Notes = append(e.Notes, "Amortised, so approximate: to the time of each run that of one checkpoint after it is added.")
	}
	lab, err := o.trial.open(ctx, env, e)
	if err != nil {
		return err
	}
	defer func() { _ = lab.Close() }()
	if e.A, err = o.trial.maker(env, lab, e.Spec.Clients).Make(ctx, "--conf", o.conf); err != nil {
		return err
	}
	e.Notes = append(e.Notes, e.A.Cautions()...)
	if err := lab.Close(); err != nil {
		return err
	}
	r, err := o.trial.carryOut(ctx, env, document.Design{Experiment: e, Title: w.Title})
	if err != nil || r == nil {
		return err
	}
	return o.trial.write(env, r)
}
