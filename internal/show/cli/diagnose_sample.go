package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
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
		return usage(fmt.Sprintf("--sample: %s is out of range", o.sample), "write a time from 1s to 1h")
	case len(args) > 1:
		return usage(fmt.Sprintf("%q is one argument too many", args[1]), "--sample takes one TARGET at most")
	}
	name := ""
	if len(args) == 1 {
		name = args[0]
	}
	if file, err := env.host().EvidenceFile(name); err == nil && file != "" {
		return usage(fmt.Sprintf("%q is a file: it holds one moment, and --sample watches a live instance", file), "name a data directory or a conninfo; to compare two runs of a query leave --sample out")
	}
	l, err := load(ctx, env, name, false)
	if err != nil {
		return err
	}
	in, err := watchedInstance(l.Snapshot)
	if err != nil {
		return err
	}
	w := sample.SlowOptions{Duration: o.sample, Host: l.Snapshot.HostSeen, Perf: !o.noPerf}
	label := ""
	var missing []known.Gap
	if in != nil {
		label = in.Label()
		w.Postmaster, w.CGroup = instanceProcesses(env, in)
		how := collect.Connect{Conninfo: l.Collected.Value}
		if l.Collected.Kind != collect.Conninfo {
			dir, _ := in.DataDirectory.Get()
			if how, err = collect.ConnectLocal(env.Target, dir); err != nil {
				missing = append(missing, known.Gap{Fact: "pg_stat_activity", Reason: err.Error()})
			}
		}
		if err == nil {
			if w.Conn, err = collect.Open(ctx, how); err == nil {
				defer w.Conn.Close(context.WithoutCancel(ctx))
			}
		}
		if p := (*say.Problem)(nil); errors.As(err, &p) && w.Conn == nil {
			missing = append(missing, known.Gap{Fact: "pg_stat_activity", Reason: p.Message, Reveal: p.Hint})
		}
	}
	tell, done := env.Progress()
	w.Tell = tell
	e, err := sample.Slow(ctx, env.Target, w)
	done()
	if err != nil {
		return err
	}
	e.Missing = append(missing, e.Missing...)
	d := slow.JudgeSample(label, e)
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Sample(d), env.Style()) },
		json:     func(w io.Writer) error { return json.Sample(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Sample(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseSlowSamplePage(d, v) },
	})
}

// watchedInstance is the instance that is watched; nil where none runs.
func watchedInstance(s *snapshot.Snapshot) (*snapshot.Instance, error) {
	var found *snapshot.Instance
	var labels []string
	for i := range s.Instances {
		if up, ok := s.Instances[i].Running.Get(); ok && !up {
			continue
		}
		found, labels = &s.Instances[i], append(labels, s.Instances[i].Label())
	}
	if len(labels) > 1 {
		return nil, usage(fmt.Sprintf("%d instances run here, and one is watched", len(labels)), "name one of "+strings.Join(labels, ", "))
	}
	return found, nil
}

// instanceProcesses returns the postmaster's process id and the folder of its
// control group, "" where it has none of its own or it cannot be seen.
func instanceProcesses(env *Env, in *snapshot.Instance) (pid int, group string) {
	if list, ok := in.Processes.Get(); ok && len(list) > 0 {
		pid = list[0].PID
	}
	cg, ok := in.CGroup.Get()
	if !ok || cg.Path == "/" {
		return pid, ""
	}
	for _, place := range [][2]string{{"/sys/fs/cgroup", "memory.current"}, {"/sys/fs/cgroup/memory", "memory.usage_in_bytes"}} {
		dir := path.Join(place[0], cg.Path)
		if _, err := env.Target.Stat(path.Join(dir, place[1])); err == nil {
			return pid, dir
		}
	}
	return pid, ""
}
