package cli

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// experimentOptions are what bench and prove share: the load, how it is run, on which
// programs, and where.
type experimentOptions struct {
	proving.Options
	yes    bool
	format string
}

func (o *experimentOptions) flags(cmd *cobra.Command, env *Env) {
	f := cmd.Flags()
	f.StringVarP(&o.Workload, "workload", "w", "", "the load, `NAME`")
	f.StringArrayVarP(&o.Scripts, "script", "f", nil,
		"a pgbench script of your own, `FILE[@WEIGHT]`, on the data of --workload (default: tpcb); repeat it for a mix")
	f.StringVar(&o.Scale, "scale", "0.3x", "size of the database: units of the load, or `N`x the memory of this host")
	f.IntVar(&o.Clients, "clients", 0, "sessions that send the load, `N` (default: 4 for each processor; 1 for olap)")
	f.Float64Var(&o.Rate, "rate", 0,
		"send `TPS` transactions a second, to compare latencies (default: as fast as it goes)")
	f.IntVar(&o.Transactions, "transactions", 0,
		"count the work of `N` transactions of each client too, after each run; with --metric seconds or --duration "+
			"0 they are the run, the same ones for both configurations")
	f.DurationVar(&o.Duration, "duration", 0,
		"of a run, or of all slices of a configuration in a block: `TIME` such as 2m; 0: as long as --transactions "+
			"take "+
			"(default: 2m; slices 40s; 3m where work is put off to checkpoints)")
	f.IntVar(&o.Cycles, "checkpoint-cycles", 0,
		"each run lasts until `N` checkpoint cycles are complete in it, 2 where work is put off; with --duration at "+
			"least so long (default: runs of a fixed time)")
	f.StringVar(&o.Restore, "restore", "",
		"the data of a run: fresh (a copy of those that were loaded) or kept (one copy for each configuration for "+
			"all its runs: "+
			"bloat accrues); default: fresh where the load writes")
	f.DurationVar(&o.Warmup, "warmup", 5*time.Minute, "at most, until the rate is flat: `TIME`")
	f.Uint64Var(&o.Seed, "seed", 0, "of the order and of the load, `N` (default: drawn, and told)")
	f.StringVar(&o.Metric, "metric", "tps", strings.Join(experiment.PrimaryMetrics(), ", "))
	f.StringVar(&o.Cache, "cache", "warm",
		"before a run: warm, os-warm (restarted only) or cold (page cache dropped; root, --kernel)")
	f.StringVar(&o.Protocol, "protocol", "prepared", "prepared, extended or simple")
	f.IntVar(&o.Major, "pg", 0, "major version to run, `N` from 13 to 18 (default: the newest installed)")
	f.StringVar(&o.Bin, "bin", "", "server programs in the folder `DIR`")
	f.StringVar(&o.Dir, "dir", "", "the documents go to the folder `DIR` (default: a new one, told)")
	f.StringVar(&o.Scratch, "scratch", "", "the scratch instances are made below `DIR`, on the disk that is meant")
	f.BoolVar(&o.KeepData, "keep-data", false,
		"leave the loaded cluster in the scratch folder for the next experiment with the same data; 'pgfettle prove "+
			"--clean' removes it")
	f.BoolVar(&o.Kernel, "kernel", false,
		"this machine's kernel may be touched: huge pages and values that the configurations name; all is put back, "+
			"but the "+
			"page cache may be emptied to make room for huge pages")
	f.BoolVar(&o.yes, "yes", false, "ask nothing")
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	complete(cmd, "metric", experiment.PrimaryMetrics()...)
	complete(cmd, "restore", experiment.RestoreFresh, experiment.RestoreKept)
	complete(cmd, "cache", "warm", "os-warm", "cold")
	complete(cmd, "protocol", "prepared", "extended", "simple")
	complete(cmd, "format", docForms...)
	complete(cmd, "scale", "0.3x", "1.5x", "4x")
	if err := cmd.RegisterFlagCompletionFunc("workload", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return proving.WorkloadNames(), cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err)
	}
}

// write writes a result in the form that was asked for.
func (o *experimentOptions) write(env *Env, r *experiment.Result) error {
	return env.writeForm(o.format, forms{
		text: func(w io.Writer) error { return term.Write(w, experiments.Result(r, env.words, false), env.Style()) },
		json: func(w io.Writer) error { return json.Result(w, r) },
		markdown: func(w io.Writer) error {
			return markdown.Write(w, experiments.Result(r, env.words, env.ascii()))
		},
		html: func(v web.View) (web.Page, error) { return web.ProvePage(r, v) },
	})
}
