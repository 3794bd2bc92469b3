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
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// SlowPlans is what plans say: two runs compared, or one plan read. One of them is nil.
type SlowPlans struct {
	Report  *slow.Report
	Reading *slow.Reading
}

// Slow reads plans as EXPLAIN wrote them: two runs of one query, a slow and a fast one, are
// compared, in two files or both in one; else the one that took longest is read. "-" is
// standard input.
func Slow(h *app.Host, args []string) (SlowPlans, error) {
	if len(args) == 0 {
		return SlowPlans{}, say.Usage(say.M("missing argument FILE"),
			say.M("Name a file with the output of EXPLAIN (ANALYZE, BUFFERS), or two to compare a slow and a fast "+
				"run. For a running instance, use --sample."))
	}
	if len(args) == 2 && args[0] == "-" && args[1] == "-" {
		return SlowPlans{}, say.Usage(say.M("stdin (-) is given twice"),
			say.M("Name one file, or write both plans to stdin and use - once."))
	}
	var names []string
	var plans []*queryplan.Plan
	for _, name := range args {
		found, err := readPlans(h, name)
		if err != nil {
			return SlowPlans{}, err
		}
		label := filepath.Base(name)
		if name == "-" {
			label = "stdin"
		}
		if len(args) == 2 && len(found) > 1 {
			return SlowPlans{}, say.Usage(say.M("{label} contains {n} plans", "label", label, "n", len(found)),
				say.M("With two files, each must contain one plan."))
		}
		for i, p := range found {
			l := label
			if len(found) > 1 {
				l = fmt.Sprintf("%s, plan %d", label, i+1)
			}
			names, plans = append(names, l), append(plans, p)
		}
	}
	if len(plans) != 2 || len(args) == 1 && !shape.Comparable(plans[0], plans[1]) {
		return SlowPlans{Reading: slow.ReadAll(names, plans)}, nil
	}
	if names[0] == names[1] && len(args) == 2 { // the same name in two directories
		names[0], names[1] = args[0], args[1]
	}
	return SlowPlans{Report: slow.Compare(names[0], plans[0], names[1], plans[1])}, nil
}

// readPlans reads the plans of a file, never more of it than a plan may be.
func readPlans(h *app.Host, name string) ([]*queryplan.Plan, error) {
	b, label, err := readBounded(h, name, queryplan.MaxText, say.M("the output of EXPLAIN (ANALYZE, BUFFERS)"))
	if err != nil {
		return nil, err
	}
	plans, err := queryplan.Parse(b)
	if errors.Is(err, queryplan.ErrOther) {
		return nil, &say.Problem{Message: say.M("{label}: {error}", "label", label, "error", err),
			Hint: say.M("Use a plan of PostgreSQL: costs and times of other databases have other meanings."),
			Code: say.CodeError}
	}
	if err != nil {
		return nil, &say.Problem{Message: say.M("{label}: {error}", "label", label, "error", err),
			Hint: say.M("Use the whole output of EXPLAIN (ANALYZE, BUFFERS), in any format."), Code: say.CodeError}
	}
	return plans, nil
}

// readBounded reads a file or standard input, one byte more than may be read at most.
func readBounded(h *app.Host, name string, most int, what say.Message) (b []byte, label any, err error) {
	var r io.Reader = h.Input
	label = "stdin"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			switch {
			case errors.Is(err, fs.ErrPermission):
				return nil, "", &say.Problem{Message: say.M("could not open {name}: permission denied", "name",
					say.Quoted(name)),
					Hint: say.M("Run pgfettle as a user with read permission."), Code: say.CodeNoAccess}
			case errors.Is(err, fs.ErrNotExist):
				return nil, "", say.Usage(say.M("file {name} does not exist", "name", say.Quoted(name)),
					say.M("Name a file with {what}.", "what", what))
			}
			return nil, "", say.Err("{label}: {error}", "label", say.Quoted(name), "error", err)
		}
		defer f.Close()
		if st, err := f.Stat(); err == nil && st.IsDir() {
			return nil, "", say.Usage(say.M("{name} is a directory", "name", say.Quoted(name)),
				say.M("Name a file with {what}. For a running instance, use --sample.", "what", what))
		}
		r, label = f, say.Quoted(name)
	}
	if b, err = io.ReadAll(io.LimitReader(r, int64(most)+1)); err != nil {
		return nil, "", say.Err("{label}: {error}", "label", label, "error", err)
	}
	return b, label, nil
}

// Profile reads what perf wrote: perf report --stdio, perf script, or folded stacks; "-" is
// standard input.
func Profile(h *app.Host, name string) (*sampled.Profile, error) {
	b, label, err := readBounded(h, name, live.MaxProfile, say.M("the output of perf report --stdio or perf script"))
	if err != nil {
		return nil, err
	}
	if len(b) > live.MaxProfile {
		return nil, &say.Problem{Message: say.M("{label} is larger than {value} MB", "label", label, "value",
			fmt.Sprint(live.MaxProfile>>20)),
			Hint: say.M("Use the output of perf report --stdio, or record for a shorter time."), Code: say.CodeError}
	}
	p, err := live.ParseProfile(b)
	if err != nil {
		return nil, &say.Problem{Message: say.M("{label}: {error}", "label", label, "error", err),
			Hint: say.M("Record a profile: perf record -a -g -- sleep 10 && perf report --stdio > FILE"),
			Code: say.CodeError}
	}
	base := filepath.Base(name)
	if name == "-" {
		base = "stdin"
	}
	return sampled.JudgeProfile(base, p), nil
}

// SampleRequest says which live instance is sampled, and for how long.
type SampleRequest struct {
	Target   string
	Duration time.Duration
	NoPerf   bool // perf is omitted
}

// Sample samples a live instance and its host while they are slow.
func Sample(ctx context.Context, h *app.Host, r SampleRequest) (*sampled.Sample, error) {
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
			missing = append(missing, known.Gap{Fact: "pg_stat_activity", Reason: p.Message.English(),
				Reveal: p.Hint.English()})
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
	return sampled.Judge(label, e), nil
}
