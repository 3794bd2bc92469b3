package diagnose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pgfettle/pgfettle/internal/app"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
)

// Slow compares two runs of one query, a slow and a fast one, as EXPLAIN wrote them: in
// two files, or both in one; "-" is standard input.
func Slow(h *app.Host, args []string) (*slow.Report, error) {
	const hint = "give the output of EXPLAIN (ANALYZE, BUFFERS) of a slow and of a fast run, or --sample to watch a " +
		"live instance"
	if len(args) == 0 {
		return nil, say.Usage("two runs of one query are compared, and no file is named", hint)
	}
	if len(args) == 2 && args[0] == "-" && args[1] == "-" {
		return nil, say.Usage("stdin cannot be both runs", "name one file, or give both plans on stdin and - once")
	}
	var names []string
	var plans []*queryplan.Plan
	for _, name := range args {
		found, err := readPlans(h, name)
		if err != nil {
			return nil, err
		}
		label := filepath.Base(name)
		if name == "-" {
			label = "stdin"
		}
		if len(args) == 2 && len(found) > 1 {
			return nil, say.Usage(fmt.Sprintf("%s: %d plans are in it", label, len(found)),
				"with two files each holds one plan: cut out the one that is meant")
		}
		for i, p := range found {
			l := label
			if len(found) > 1 {
				l = fmt.Sprintf("%s, plan %d", label, i+1)
			}
			names, plans = append(names, l), append(plans, p)
		}
	}
	switch {
	case len(plans) == 1:
		return nil, say.Usage(fmt.Sprintf("%s: one plan is in it, and two are compared", names[0]), hint)
	case len(plans) > 2:
		return nil, say.Usage(fmt.Sprintf("%s: %d plans are in it, and two are compared", filepath.Base(args[0]),
			len(plans)), "cut out the slow and the fast run of one query")
	}
	if names[0] == names[1] && len(args) == 2 { // the same name in two folders
		names[0], names[1] = args[0], args[1]
	}
	return slow.Compare(names[0], plans[0], names[1], plans[1]), nil
}

// readPlans reads the plans of a file, never more of it than a plan may be.
func readPlans(h *app.Host, name string) ([]*queryplan.Plan, error) {
	var r io.Reader = h.Input
	label := "stdin"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			switch {
			case errors.Is(err, fs.ErrPermission):
				return nil, &say.Problem{Message: fmt.Sprintf("%q: permission denied", name),
					Hint: "run pgfettle as somebody who may read it", Code: say.CodeNoAccess}
			case errors.Is(err, fs.ErrNotExist):
				return nil, say.Usage(fmt.Sprintf("no such file: %q", name),
					"name a file with the output of EXPLAIN (ANALYZE, BUFFERS)")
			}
			return nil, fmt.Errorf("plan %q: %w", name, err)
		}
		defer f.Close()
		if st, err := f.Stat(); err == nil && st.IsDir() {
			return nil, say.Usage(fmt.Sprintf("%q is a folder", name),
				"name a file with the output of EXPLAIN (ANALYZE, BUFFERS); to watch an instance, --sample")
		}
		r, label = f, fmt.Sprintf("%q", name)
	}
	b, err := io.ReadAll(io.LimitReader(r, queryplan.MaxText+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	plans, err := queryplan.Parse(b)
	if err != nil {
		return nil, &say.Problem{Message: label + ": " + err.Error(),
			Hint: "paste the whole output of EXPLAIN (ANALYZE, BUFFERS), text or JSON", Code: say.CodeError}
	}
	return plans, nil
}

// SampleRequest says which live instance is sampled, and for how long.
type SampleRequest struct {
	Target   string
	Duration time.Duration
	NoPerf   bool // perf is left out
}

// Sample samples a live instance and its host while they are slow.
func Sample(ctx context.Context, h *app.Host, r SampleRequest) (*slow.Sample, error) {
	l, err := h.Open(ctx, app.Request{Target: r.Target})
	if err != nil {
		return nil, err
	}
	in, err := app.WatchedInstance(l.Snapshot)
	if err != nil {
		return nil, err
	}
	w := sample.SlowOptions{Duration: r.Duration, Host: l.Snapshot.HostSeen, Perf: !r.NoPerf}
	label := ""
	var missing []known.Gap
	if in != nil {
		label = in.Label()
		w.Postmaster, w.CGroup = h.InstanceProcesses(in)
		how := pgclient.Connect{Conninfo: l.Collected.Value}
		if l.Collected.Kind != collect.Conninfo {
			dir, _ := in.DataDirectory.Get()
			if how, err = collect.ConnectLocal(h.Target, dir); err != nil {
				missing = append(missing, known.Gap{Fact: "pg_stat_activity", Reason: err.Error()})
			}
		}
		if err == nil {
			if w.Conn, err = pgclient.Open(ctx, how); err == nil {
				defer w.Conn.Close(context.WithoutCancel(ctx))
			}
		}
		if p := (*say.Problem)(nil); errors.As(err, &p) && w.Conn == nil {
			missing = append(missing, known.Gap{Fact: "pg_stat_activity", Reason: p.Message, Reveal: p.Hint})
		}
	}
	tell, done := h.Steps()
	w.Tell = tell
	e, err := sample.Slow(ctx, h.Target, w)
	done()
	if err != nil {
		return nil, err
	}
	e.Missing = append(missing, e.Missing...)
	return slow.JudgeSample(label, e), nil
}
