package cli

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// The bounds of --sample: less than a second shows nothing, and beyond an hour use
// monitoring.
const (
	sampleLeast = time.Second
	sampleMost  = time.Hour
)

func runSlowSample(cmd *cobra.Command, env *Env, o *slowOptions, args []string) error {
	// In "--sample 30s" the duration is an argument, as the flag can have no value.
	if len(args) > 0 {
		if long, err := time.ParseDuration(args[0]); err == nil {
			o.sample, args = long, args[1:]
		}
	}
	switch {
	case o.sample < sampleLeast || o.sample > sampleMost:
		return say.Usage(say.M("value out of range for --sample: {sample}", "sample", o.sample),
			say.M("Use a duration from 1s to 1h."))
	case len(args) > 1:
		return tooMany(cmd.CommandPath()+" --sample", args, 1, "at most one TARGET")
	}
	name := ""
	if len(args) == 1 {
		name = args[0]
	}
	if file, err := env.host().EvidenceFile(name); err == nil && file != "" {
		return say.Usage(say.M("--sample requires a running instance, but {file} is a file", "file", say.Quoted(file)),
			say.M("Name a data directory or a conninfo. To compare two runs of a query, omit --sample."))
	}
	d, err := diagnose.Sample(cmd.Context(), env.host(), diagnose.SampleRequest{Target: name, Duration: o.sample,
		NoPerf: o.noPerf})
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Sample(d, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Sample(w, d.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Sample(d, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowSamplePage(d, v) },
	})
}
