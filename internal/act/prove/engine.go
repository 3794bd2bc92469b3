package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Engine is the Runner that measures.
type Engine struct{ Target target.Target }

// Workloads implements Runner.
func (Engine) Workloads() []Workload {
	var out []Workload
	for _, w := range workload.List() {
		out = append(out, describe(&w, &w))
	}
	for _, name := range workload.Names()[len(out):] { // that need another program, or a live server
		w, err := workload.Find(name)
		if err != nil {
			w = &workload.Workload{Name: name, Title: "a mix made from pg_stat_statements of TARGET, on a copy of its database", Synthetic: true, Protocol: workload.Prepared}
		}
		out = append(out, describe(w, w))
	}
	return out
}

// describe tells of a load whose data are those of another one, or its own.
func describe(load, data *workload.Workload) Workload {
	protocol := ""
	if load.Protocol != workload.Prepared {
		protocol = load.Protocol
	}
	return Workload{Name: load.Name, Title: load.Title, About: load.About, Writes: load.Writes, Synthetic: load.Synthetic, Stream: load.Stream, Uneven: load.Uneven, Protocol: protocol, ScaleFor: data.ScaleFor, Size: data.Size}
}

// Workload implements Runner.
func (Engine) Workload(name string, scripts []string) (Workload, error) {
	load, data, err := find(name, scripts)
	if err != nil {
		return Workload{}, err
	}
	return describe(load, data), nil
}

func find(name string, scripts []string) (load, data *workload.Workload, err error) {
	if data, err = workload.Find(name); err != nil {
		return nil, nil, err
	}
	if len(scripts) == 0 {
		return data, data, nil
	}
	if data.Sysbench != "" {
		return nil, nil, &say.Problem{Message: "the data of " + name + " are made by sysbench, and -f is for scripts of pgbench", Hint: "name another load for its data, such as oltp-rw", Code: say.CodeUsage}
	}
	load, err = workload.Custom(scripts)
	return load, data, err
}

// Open implements Runner.
func (e Engine) Open(ctx context.Context, c Choice) (Lab, error) { return OpenLab(ctx, e.Target, c) }

// asked is how a load was asked for, as the engine keeps it for a resume.
type asked struct {
	Data    string   `json:"data"`
	Scripts []string `json:"scripts,omitempty"` // absolute
	// Mix is a load from statements.
	Mix *askedMix `json:"mix,omitempty"`
}

// loadOf is what the engine sends.
func loadOf(ctx context.Context, name string, scripts []string, version unit.Version) (_ engine.Load, by string, err error) {
	load, data, err := find(name, scripts)
	if err != nil {
		return nil, "", err
	}
	if load.Sysbench != "" {
		program, err := workload.FindSysbench(ctx)
		return &engine.Sysbench{Workload: load, Program: program}, "sysbench " + program.Version, err
	}
	program, err := workload.FindPgbench(ctx, version)
	if err != nil {
		return nil, "", err
	}
	p := &engine.Pgbench{Workload: load, Program: program}
	if load != data {
		p.On = data
	}
	return p, "pgbench " + program.Version.String(), nil
}

// config is an arm as the engine wants it.
func config(a *experiment.Configuration) engine.Config {
	c := engine.Config{Name: a.Name, Settings: a.Settings, HugePages: a.HugePages, Reconnect: a.Reconnect}
	for k, v := range a.Kernel {
		if c.Kernel == nil {
			c.Kernel = map[string]string{}
		}
		c.Kernel[string(k)] = v
	}
	return c
}

// experimentOf is the order to the engine. made says that a load from statements is
// to be made; else it is only planned.
func experimentOf(ctx context.Context, e *Experiment, made bool) (*engine.Experiment, error) {
	if e.Source != nil {
		load, err := e.Source.planned(ctx, e.Binaries.Version)
		if made && err == nil {
			load, err = fromStatements(ctx, e)
		}
		if err != nil {
			return nil, err
		}
		return e.order(load, asked{Data: e.Data, Mix: askedOf(load)}, "pgbench "+load.Program.Version.String())
	}
	of := asked{Data: e.Data}
	for _, s := range e.Scripts {
		abs, err := filepath.Abs(s)
		if err != nil {
			return nil, err
		}
		of.Scripts = append(of.Scripts, abs)
	}
	load, by, err := loadOf(ctx, e.Data, e.Scripts, e.Binaries.Version)
	if err != nil {
		return nil, err
	}
	return e.order(load, of, by)
}

// Estimate implements Runner.
func (e Engine) Estimate(ctx context.Context, x *Experiment) (Estimation, error) {
	b, err := experimentOf(ctx, x, false)
	if err != nil {
		return Estimation{}, err
	}
	have := engine.Estimate(b)
	out := Estimation{Time: have.Time, Disk: have.Disk, Memory: have.Memory, Open: have.Open, Free: e.free(x.Scratch)}
	for _, p := range have.Parts {
		out.Parts = append(out.Parts, Part{What: p.What, Time: p.Time})
	}
	if held := engine.Loaded(b); held != nil {
		out.Held, out.Fits = held.Bytes, held.Fits
		if held.Fits {
			out.less(b.Load.Size(b.Scale))
		} else {
			out.Free += held.Bytes // it is removed first
		}
	}
	return out, nil
}

// less takes off what loading would take, where the data are there.
func (e *Estimation) less(data unit.Bytes) {
	e.Disk = max(e.Disk-data, 0)
	for i := range e.Parts {
		if e.Parts[i].What == "load" {
			e.Time -= e.Parts[i].Time
			e.Parts[i].Time = 0
		}
	}
}

// free is what the file system of a folder has left, which may not be there yet;
// 0: not known.
func (e Engine) free(dir string) unit.Bytes {
	for ; ; dir = filepath.Dir(dir) {
		if s, err := e.Target.Statfs(dir); err == nil {
			return unit.Bytes(s.Free)
		} else if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0
		}
	}
}

// events passes on what the engine tells.
func events(told func(Event)) func(engine.Event) {
	if told == nil {
		return nil
	}
	return func(ev engine.Event) {
		told(Event{Step: ev.Step, Block: ev.Block, Blocks: ev.Of, Arm: ev.Arm, Left: ev.Left, Void: strings.Join(ev.Void, "; "), Ended: ev.Ended, Kept: ev.Kept, Bytes: unit.Bytes(ev.Done)})
	}
}

// Run implements Runner.
func (Engine) Run(ctx context.Context, e *Experiment) (*experiment.Result, error) {
	b, err := experimentOf(ctx, e, true)
	if err != nil {
		return nil, err
	}
	return engine.Run(ctx, b)
}

// Resume implements Runner.
func (e Engine) Resume(ctx context.Context, dir string, a Again) (*experiment.Result, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	st, err := engine.ReadStored(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &say.Problem{Message: fmt.Sprintf("there is nothing in %q to go on with", dir), Hint: "an experiment that is only a result.json can be shown with --report", Code: say.CodeUsage}
	case err != nil:
		return nil, err
	}
	b, err := scratch.At(ctx, st.Binaries)
	if err != nil {
		return nil, err
	}
	var of asked
	if err := json.Unmarshal(st.Asked, &of); err != nil {
		return nil, fmt.Errorf("load of the experiment in %s: %w", abs, err)
	}
	var load engine.Load
	if of.Mix != nil {
		load, err = of.Mix.load(ctx, b.Version)
	} else {
		load, _, err = loadOf(ctx, of.Data, of.Scripts, b.Version)
	}
	if err != nil {
		return nil, err
	}
	return engine.Resume(ctx, &engine.Experiment{Name: st.Name, A: st.A, B: st.B, Design: st.Design, Metric: st.Metric, Spec: st.Spec, Scale: st.Workload.Scale, Restore: st.Restore, Binaries: b,
		Load: load, Asked: st.Asked, Dir: abs, Scratch: st.Scratch, Host: st.Host, MayTouchKernel: a.TouchKernel, KeepData: a.KeepData, Progress: events(a.Told)})
}

// Clean implements Runner.
func (Engine) Clean(ctx context.Context, scratch string) ([]string, error) {
	if _, err := os.Lstat(scratch); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	b, err := Programs(ctx, Choice{})
	if err != nil {
		return nil, err
	}
	return engine.Clean(scratch, b)
}
