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
	f.StringVarP(&o.Workload, "workload", "w", "", "`NAME` load: tpcb, simple-update, select-only, point-select, "+
		"oltp-rw, olap, 1c, ingest, connect, from-statements, sysbench:NAME")
	f.StringArrayVarP(&o.Scripts, "script", "f", nil,
		"`FILE[@WEIGHT]` pgbench script, on the data of --workload (default tpcb); repeatable")
	f.StringVar(&o.Scale, "scale", "0.3x", "`N` database size: scale factor, or Nx for N times the RAM of this host")
	f.IntVar(&o.Clients, "clients", 0, "`N` number of client sessions (default 4 per CPU; 1 for olap)")
	f.Float64Var(&o.Rate, "rate", 0,
		"`TPS` send transactions at this rate, to compare latency (default as fast as possible)")
	f.IntVar(&o.Transactions, "transactions", 0,
		"`N` fixed work: N transactions per client, measured after each run; with --metric seconds or "+
			"--duration 0, they are the run")
	f.DurationVar(&o.Duration, "duration", 0,
		"`TIME` length of each run, or of all slices of a configuration in a block; 0 runs as long as "+
			"--transactions take (default 2m; slices 40s; 1m with --database; 3m if work is deferred to "+
			"checkpoints)")
	f.IntVar(&o.Cycles, "checkpoint-cycles", 0,
		"`N` end each run after N complete checkpoint cycles; use 2 if work is deferred to checkpoints; "+
			"--duration is then the minimum")
	f.StringVar(&o.Restore, "restore", "",
		"`MODE` data before each run: fresh (new copy), kept (one copy per configuration for all runs, so bloat "+
			"accumulates) (default fresh if the load writes)")
	f.DurationVar(&o.Warmup, "warmup", 5*time.Minute,
		"`TIME` maximum warm-up until throughput is stable (default 5m)")
	f.Uint64Var(&o.Seed, "seed", 0, "`N` seed of the order and the load (default random, reported)")
	f.StringVar(&o.Metric, "metric", "tps", "`NAME` metric that decides: "+strings.Join(experiment.PrimaryMetrics(),
		", "))
	f.StringVar(&o.Cache, "cache", "warm",
		"`STATE` cache before each run: warm, os-warm (restart only), cold (page cache dropped; requires root and "+
			"--kernel)")
	f.StringVar(&o.Protocol, "protocol", "prepared", "`NAME` query protocol: prepared, extended, simple")
	f.IntVar(&o.Major, "pg", 0, "`N` major version to run, 13–19 (default the newest installed)")
	f.StringVar(&o.Bin, "bin", "", "`DIR` directory of the server programs")
	f.StringVar(&o.Dir, "dir", "", "`DIR` directory for the results (default a new one, reported)")
	f.StringVar(&o.Scratch, "scratch", "", "`DIR` parent directory of the scratch instances, on the disk to measure")
	f.StringVar(&o.Database, "database", "",
		"`CONNINFO` run on this existing database of this host, which only you use, instead of a scratch instance; "+
			"configurations are what a session can set")
	f.BoolVar(&o.KeepData, "keep-data", false,
		"keep the loaded data for the next experiment; pgfettle prove --clean removes it")
	f.BoolVar(&o.Kernel, "kernel", false,
		"allow temporary kernel changes: huge pages and parameters named in configurations (restored afterwards; "+
			"the page cache can be emptied for huge pages)")
	f.BoolVar(&o.yes, "yes", false, yesHelp)
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
