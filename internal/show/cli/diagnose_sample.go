package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"
	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// The bounds of a watch: less than a second shows nothing, and an hour is what
// monitoring is for.
const (
	sampleLeast = time.Second
	sampleMost  = time.Hour
)

func runSlowSample(ctx context.Context, env *Env, o *slowOptions, args []string) error {
	// «--sample 30s» gives the time as an argument, since the flag can stand alone.
	if len(args) > 0 {
		if long, err := time.ParseDuration(args[0]); err == nil {
			o.sample, args = long, args[1:]
		}
	}
	switch {
	case o.sample < sampleLeast || o.sample > sampleMost:
		return say.Usage(fmt.Sprintf("--sample: %s is out of range", o.sample), "write a time from 1s to 1h")
	case len(args) > 1:
		return say.Usage(fmt.Sprintf("%q is one argument too many", args[1]), "--sample takes one TARGET at most")
	}
	name := ""
	if len(args) == 1 {
		name = args[0]
	}
	if file, err := env.host().EvidenceFile(name); err == nil && file != "" {
		return say.Usage(fmt.Sprintf("%q is a file: it holds one moment, and --sample watches a live instance", file),
			"name a data directory or a conninfo; to compare two runs of a query leave --sample out")
	}
	d, err := diagnose.Sample(ctx, env.host(), diagnose.SampleRequest{Target: name, Duration: o.sample,
		NoPerf: o.noPerf})
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Sample(d), env.Style()) },
		json:     func(w io.Writer) error { return json.Sample(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Sample(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowSamplePage(d, v) },
	})
}
