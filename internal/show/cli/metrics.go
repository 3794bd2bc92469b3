package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
)

type metricsOptions struct {
	plan     planOptions // what the plan is made with, and the policy
	format   string
	textfile string
	interval time.Duration
	journal  string
}

// intervalLeast keeps metrics that are written again and again from becoming a load themselves: a collection asks each
// server some forty questions.
const intervalLeast = 10 * time.Second

func newMetrics(env *Env) *cobra.Command {
	o := &metricsOptions{}
	cmd := &cobra.Command{
		Use:   "metrics [TARGET]",
		Short: "Print Prometheus metrics",
		Long: `Collect facts once and print them as Prometheus metrics: host memory, page
tables now and in the worst case, huge page pools, the memory budget, the commit
limit, findings by id and severity, settings next to their planned values, and
facts that are unavailable. Unknown values are absent. Names: docs/metrics.md.
Nothing is changed.

--textfile writes the metrics atomically to a file for the textfile collector of
node_exporter. If collection fails, the file reports only that. With --interval,
it is updated until interrupted.

The plan uses the same flags and policy as pgfettle plan. Use the same ones, or
settings that match your plan would appear to differ.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle metrics
  pgfettle metrics --format openmetrics /var/lib/postgresql/17/main
  pgfettle metrics --textfile /var/lib/prometheus/node-exporter/pgfettle.prom
  pgfettle metrics --textfile pgfettle.prom --interval 60s`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plan.target = strings.Join(args, "")
			o.plan.profileSaid = cmd.Flags().Changed("profile")
			if err := counts(cmd); err != nil {
				return err
			}
			return runMetrics(cmd.Context(), env, o, cmd.Flags().Changed("format"), cmd.Flags().Changed("interval"))
		},
	}
	o.plan.flags(cmd)
	f := cmd.Flags()
	// A described host has no metrics, and queries of every database are too expensive
	// to repeat.
	for _, name := range []string{"for", "deep"} {
		if err := f.MarkHidden(name); err != nil {
			panic(err)
		}
	}
	f.StringVar(&o.format, "format", string(metrics.Text), "`FORMAT` exposition format: text, openmetrics")
	f.StringVar(&o.textfile, "textfile", "", "`FILE` write to FILE, whose name must end in .prom")
	f.DurationVar(&o.interval, "interval", 0, "`INTERVAL` with --textfile: update the file until interrupted")
	f.StringVar(&o.journal, "journal", "", journalHelp)
	complete(cmd, "format", string(metrics.Text), string(metrics.OpenMetrics))
	return cmd
}

func runMetrics(ctx context.Context, env *Env, o *metricsOptions, formatSaid, intervalSaid bool) error {
	if err := choice("format", o.format, string(metrics.Text), string(metrics.OpenMetrics)); err != nil {
		return err
	}
	switch {
	case o.plan.describe != "" || o.plan.deep:
		return say.Usage(say.M("--for and --deep cannot be used with pgfettle metrics"),
			say.M("Omit them, or use pgfettle plan."))
	case o.textfile != "" && filepath.Ext(o.textfile) != ".prom":
		return say.Usage(say.M("invalid value for --textfile: {textfile} does not end in .prom", "textfile",
			say.Quoted(o.textfile)),
			say.M("Use a name that ends in .prom; node_exporter reads no other files."))
	case o.textfile != "" && formatSaid && o.format != string(metrics.Text):
		return say.Usage(say.M("--textfile requires --format text"), say.M("Omit --format: node_exporter reads only "+
			"the text format."))
	case intervalSaid && o.textfile == "":
		return say.Usage(say.M("--interval requires --textfile"), say.M("Add --textfile FILE, or omit --interval."))
	case intervalSaid && o.interval < intervalLeast:
		return say.Usage(say.M("value out of range for --interval: {interval}", "interval", o.interval),
			say.M("Use at least {intervalLeast}, such as --interval 60s.", "intervalLeast", intervalLeast))
	}
	source, err := metricsSource(ctx, env, &o.plan, o.journal)
	if err != nil {
		return err
	}
	if o.textfile == "" {
		if err := source.Once(ctx); err != nil {
			return err
		}
		var b bytes.Buffer // whole or nothing
		if err := metrics.Write(&b, source, metrics.Form(o.format), false); err != nil {
			return err
		}
		_, err := env.Stdout.Write(b.Bytes())
		return err
	}
	if !intervalSaid {
		failed := source.Once(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		return errors.Join(failed, writeMetrics(o.textfile, source, false))
	}
	return keepWriting(ctx, env, o, source)
}

// keepWriting updates the file until it is interrupted. A failed collection is reported
// once, until one succeeds again: the file reports it all the time.
func keepWriting(ctx context.Context, env *Env, o *metricsOptions, source *metrics.Source) error {
	tick := time.NewTicker(o.interval)
	defer tick.Stop()
	told := ""
	for {
		err := source.Once(ctx)
		if ctx.Err() != nil {
			return errWatched
		}
		switch {
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			env.tell(kindWarning, say.Text(told))
		}
		if err := writeMetrics(o.textfile, source, true); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errWatched
		case <-tick.C:
		}
	}
}

// writeMetrics writes the file, and words what keeps it from being written.
func writeMetrics(name string, source *metrics.Source, lasting bool) error {
	err := metrics.WriteFile(name, source, lasting)
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe) && errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: say.M("could not write {name}: {error}", "name", say.Quoted(name), "error",
			pe.Err),
			Hint: say.M("Use a directory to which you can write."), Code: exitNoAccess}
	case errors.As(err, &pe):
		return &say.Problem{Message: say.M("could not write {name}: {error}", "name", say.Quoted(name), "error",
			pe.Err),
			Hint: say.M("Use an existing directory, and a name that is not that of a directory or device."),
			Code: exitError}
	}
	return err
}

// metricsSource is where the metrics of a target come from: the results of check and plan, and the state of what was
// applied according to the journals of a directory ("": the default one). The policy is read once, and errors in it or
// in the flags are reported immediately.
func metricsSource(ctx context.Context, env *Env, o *planOptions, journals string) (*metrics.Source, error) {
	var err error
	if o.site, err = o.policy.load(env, site(env, o.target)); err != nil {
		return nil, err
	}
	if _, err := o.rules(); err != nil {
		return nil, err
	}
	if _, err := env.host().EvidenceFile(o.target); err != nil {
		return nil, err
	}
	return &metrics.Source{Context: ctx, Now: env.Target.Now, Version: Version,
		Collect: func(ctx context.Context) (*metrics.Reading, error) {
			return readMetrics(ctx, env, o, journals)
		}}, nil
}

// readMetrics is one collection with what check and plan make of it.
func readMetrics(ctx context.Context, env *Env, o *planOptions, journals string) (*metrics.Reading, error) {
	ro, err := o.rules() // anew: what does not fit this host is taken out of it
	if err != nil {
		return nil, err
	}
	l, err := load(ctx, env, o.target, false)
	if err != nil {
		return nil, err
	}
	p, err := l.Plan(ctx, ro)
	if err != nil {
		return nil, err
	}
	report := l.Check(check.Options{Accept: o.site.Accepted(), Today: today(env), Plan: ro.On(l.Snapshot)})
	r, err := metrics.Read(l.Snapshot, report, p)
	if err != nil {
		return nil, err
	}
	r.Drifts = applying.StatusHere(ctx, (&placeOptions{dir: journals}).place(env), l)
	return r, nil
}
