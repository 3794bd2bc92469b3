package proving

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/configure"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// Options are what a person says of an experiment, whatever it compares: the
// load, how it is run, on which programs, and where. Zero is "not said" for those whose
// Said is asked.
type Options struct {
	Target       string                 // the instance that "current" means, or whose statements are the load
	Said         func(name string) bool // whether a person said what is called so, such as "scale"
	Policy       *policy.Policy         // of Target
	Workload     string
	Scripts      []string // FILE[@WEIGHT], on the data of Workload
	Scale        string   // units of the load, or 1.5x: times the memory of this host
	Clients      int
	Rate         float64 // transactions per second
	Transactions int     // of each client
	Cycles       int     // checkpoint cycles
	Restore      string
	Duration     time.Duration
	Warmup       time.Duration
	Seed         uint64
	Metric       string
	Cache        string // warm, os-warm, cold
	Protocol     string // prepared, extended, simple
	Major        int    // of the server; 0: the newest installed
	Bin          string // folder of its programs; "": looked for
	Dir, Scratch string // folders of the documents and of the clusters; "": the usual ones
	Database     string // conninfo of an existing one to run on; "": an instance is made
	Kernel       bool   // this host's kernel may be touched
	KeepData     bool

	Steps *Steps // nil: those that really measure
}

// Steps are the steps of an experiment that start servers. Tests replace them.
type Steps struct {
	// Open finds the server's programs and gets ready to try configurations.
	Open func(context.Context, target.Target, configure.Choice) (*configure.Trial, error)
	// Estimate says what an experiment will take, before it is begun.
	Estimate func(context.Context, target.Target, *engine.Order) (experiment.Estimation, error)
	// Run runs one. What was measured is in the document even if the error is an interruption.
	Run func(context.Context, *engine.Order) (*experiment.Result, error)
	// Resume goes on with one that was interrupted, in its directory.
	Resume func(ctx context.Context, dir string, a engine.Again) (*experiment.Result, error)
	// Clean removes what killed experiments left in the scratch directory, and data that were kept, and puts values of
	// the kernel back; it says what it did.
	Clean func(ctx context.Context, scratch string) ([]string, error)
}

// measuring are the steps that really measure.
var measuring = Steps{configure.Open, engine.EstimateHere, engine.Run, engine.ResumeIn, cleanScratch}

// cleanScratch is engine.Clean with the newest programs that are installed.
func cleanScratch(ctx context.Context, scratch string) ([]string, error) {
	if _, err := os.Lstat(scratch); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	b, err := configure.Programs(ctx, configure.Choice{})
	if err != nil {
		return nil, err
	}
	return engine.Clean(scratch, b)
}

// steps are the steps that start servers.
func (o *Options) steps() Steps {
	if o.Steps == nil {
		return measuring
	}
	return *o.Steps
}

// Prepared is an experiment that a person may decide about: nothing of it is
// begun.
type Prepared struct {
	*experiment.Experiment
	Title       say.Message // of the workload
	Differences []experiment.Difference
	Why         say.Message // why this design; zero: a person chose it
	Estimation  experiment.Estimation

	order *engine.Order
	steps Steps
}

// prepare estimates an experiment.
func (o *Options) prepare(ctx context.Context, h *app.Host, e *engine.Order,
	d Prepared) (*Prepared, error) {
	d.Experiment, d.order, d.steps = &e.Experiment, e, o.steps()
	var err error
	if d.Estimation, err = d.steps.Estimate(ctx, h.Target, e); err != nil {
		return nil, err
	}
	if free, need := d.Estimation.Free, d.Estimation.Disk; free > 0 && need > free {
		return nil, &say.Problem{Message: say.M("not enough disk space in {scratch}: {need} required, {free} free",
			"scratch", e.Scratch, "need", need, "free", free),
			Hint: say.M("Name a directory on another filesystem with --scratch, or use a smaller --scale."),
			Code: say.CodeRefused}
	}
	return &d, nil
}

// Run runs it. What was measured is in its directory even if the error is an interruption; resumable says that its data
// are still there then.
func (p *Prepared) Run(ctx context.Context, told func(experiment.Event)) (r *experiment.Result,
	resumable bool, err error) {
	p.order.Progress = told
	r, err = p.steps.Run(ctx, p.order)
	return r, !p.Copied || p.order.KeepData, err
}

// Resume goes on with an experiment that was interrupted, in its directory; more are blocks to add to one that did not
// decide.
func (o *Options) Resume(ctx context.Context, dir string, more int,
	told func(experiment.Event)) (*experiment.Result, error) {
	return o.steps().Resume(ctx, dir, engine.Again{MayTouchKernel: o.Kernel, KeepData: o.KeepData, More: more,
		Progress: told})
}

// Clean removes what killed experiments left and data that were kept, and puts values of the kernel back. It says what
// it did, and in which directory.
func (o *Options) Clean(ctx context.Context, h *app.Host) (done []string, dir string, err error) {
	if dir, err = o.ScratchDir(h); err != nil {
		return nil, "", err
	}
	done, err = o.steps().Clean(ctx, dir)
	return done, dir, err
}

// oneOf refuses a word that is none of those that are known.
func oneOf(flag, value string, names ...string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return say.Usage(say.M("invalid value for --{flag}: {value}", "flag", flag, "value", say.Quoted(value)),
		say.M("Use one of: {names}.", "names", say.Names(names, 0)))
}

// WorkloadNames are the loads that can be named.
func WorkloadNames() []string { return workload.Names() }

// suffix keeps two experiments of one second apart.
func suffix() string { return strings.ToLower(rand.Text()[:6]) }

// durations sets how long runs are, which depends on the design.
func (o *Options) durations(e *engine.Order, deferred bool) {
	e.Spec.Duration = o.Duration.Seconds()
	switch {
	case o.Duration > 0 || o.fixed():
	case e.On != nil:
		e.Spec.Duration = turnSeconds
	case e.Spec.Cycles > 0:
		e.Spec.Duration = 1 // the cycles say it
	case e.Design == experiment.DesignSlices:
		// eight slices of 5 s a configuration and block, half of what 5 % needed in all
		e.Spec.Duration = 40
	case deferred:
		e.Spec.Duration = leastAmortised
	default:
		e.Spec.Duration = 120 // pgbench's manual: never believe a run of a few seconds
	}
	if e.Design == experiment.DesignSlices {
		e.Spec.Slice = min(5, e.Spec.Duration) // shorter ones measure the start of pgbench
	}
}

// places says where documents and scratch instances go.
func (o *Options) places(h *app.Host, e *engine.Order) error {
	state, ok := h.StateHome()
	root := h.Target.UID() == 0
	if !ok && !root && (o.Dir == "" || o.Scratch == "") {
		return say.Usage(say.M("no directory for the experiment: HOME is not set"),
			say.M("Name directories with --dir and --scratch."))
	}
	var err error
	switch {
	case o.Dir != "":
		if e.Dir, err = filepath.Abs(o.Dir); err != nil {
			return say.Named("--dir", err)
		}
	default:
		name := time.Now().UTC().Format("20060102-150405") + "-" + suffix()
		e.Dir = filepath.Join(state, "pgfettle", "experiments", name)
		if root {
			e.Dir = filepath.Join(filepath.Dir(journalfile.Dir), "experiments", name)
		}
	}
	if e.Scratch, err = o.ScratchDir(h); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(e.Dir, experiment.ResultFile)); err == nil {
		return &say.Problem{Message: say.M("--dir: {dir} already contains an experiment", "dir", e.Dir),
			Hint: say.M("Show it with --report, continue it with --resume, or name another directory."),
			Code: say.CodeRefused}
	}
	for flag, dir := range map[string]string{"--dir": e.Dir, "--scratch": e.Scratch} {
		if _, err := os.Lstat(filepath.Join(dir, "PG_VERSION")); err == nil {
			return &say.Problem{Message: say.M("{flag}: {dir} is a data directory", "flag", flag, "dir", dir),
				Hint: say.M("Name an empty or a new directory: the experiment creates its own data directory."),
				Code: say.CodeRefused}
		}
	}
	return nil
}

// ScratchDir is where clusters are made: not below the directory of the journal, through which the user that servers
// run as may not pass.
func (o *Options) ScratchDir(h *app.Host) (string, error) {
	switch {
	case o.Scratch != "":
		return filepath.Abs(o.Scratch)
	case h.Target.UID() == 0:
		return filepath.Dir(journalfile.Dir) + "-scratch", nil
	}
	state, ok := h.StateHome()
	if !ok {
		return "", say.Usage(say.M("no directory for the experiment: HOME is not set"), say.M("Name a directory with "+
			"--scratch."))
	}
	return filepath.Join(state, "pgfettle", "scratch"), nil
}

// open finds the programs and notes what the host is.
func (o *Options) open(ctx context.Context, h *app.Host, e *engine.Order) (*configure.Trial, error) {
	tell, done := h.Steps()
	defer done()
	tell(say.M("creating a scratch instance to test the configurations…").In(h.Words))
	trial, err := o.steps().Open(ctx, h.Target, configure.Choice{Major: o.Major, Bin: o.Bin, Tool: h.Tool(),
		Scratch: e.Scratch, Measured: h.MeasuredDirs()})
	if err != nil {
		return nil, err
	}
	tell(say.M("collecting facts of this host…").In(h.Words))
	s, err := trial.Look(ctx)
	if err != nil {
		return nil, errors.Join(err, trial.Close())
	}
	e.Binaries, e.Server = trial.Server, trial.Server.String()
	if from := e.Asked.Source; from != nil {
		if err := from.Ready(ctx, e.Binaries.Version); err != nil {
			return nil, errors.Join(err, trial.Close())
		}
	}
	e.Host = describeHost(h, s)
	e.Host.Server = e.Binaries.Version.String()
	for i := range s.Instances {
		in := &s.Instances[i]
		if dir, ok := in.DataDirectory.Get(); ok {
			e.Guard.DataDirs = append(e.Guard.DataDirs, dir)
			for flag, ours := range map[string]string{"--dir": e.Dir, "--scratch": e.Scratch} {
				if ours == dir || strings.HasPrefix(ours, dir+"/") {
					return nil, errors.Join(&say.Problem{Message: say.M("{flag}: {ours} belongs to the instance "+
						"{label}", "flag", flag, "ours", ours, "label", in.Label()), Hint: say.M("Name a directory " +
						"outside of it."), Code: say.CodeRefused},
						trial.Close())
				}
			}
		}
		if c, ok := in.Server.Control.Get(); ok {
			if id, err := strconv.ParseUint(c.SystemID, 10, 64); err == nil {
				e.Guard.Systems = append(e.Guard.Systems, id)
			}
		}
	}
	return trial, nil
}

// maker makes configurations whole for this experiment.
func (o *Options) maker(h *app.Host, trial *configure.Trial, clients int) *configure.Maker {
	return &configure.Maker{Files: h.Target, Trial: trial, Clients: clients, Kernel: o.Kernel,
		Current: func(ctx context.Context) (*snapshot.Instance, error) {
			l, err := h.Open(ctx, app.Request{Target: o.Target, Policy: o.Policy})
			if err != nil {
				return nil, err
			}
			switch n := len(l.Snapshot.Instances); {
			case n == 0:
				return nil, say.Usage(say.M("no instance found for the configuration current"),
					say.M("Name its data directory as TARGET."))
			case n > 1:
				return nil, say.Usage(say.M("configuration current is ambiguous: {n} instances are running on this "+
					"host", "n", fmt.Sprint(n)),
					say.M("Name the data directory of one as TARGET."))
			}
			return &l.Snapshot.Instances[0], nil
		}}
}

// describeHost describes the host for the document.
func describeHost(h *app.Host, s *snapshot.Snapshot) experiment.Host {
	d := experiment.Host{Line: h.Hostname(), CPUs: hostProcessors(h)}
	if s != nil {
		d.Snapshot = snapshot.Hash(s)
	}
	if k, err := h.Target.ReadFile("/proc/sys/kernel/osrelease", 4096); err == nil {
		d.Kernel = strings.TrimSpace(string(k))
	}
	if m, err := hostMemory(h); err == nil {
		d.Memory = int64(m)
	}
	return d
}

// hostMemory is the memory of this host.
func hostMemory(h *app.Host) (unit.Bytes, error) {
	b, err := h.Target.ReadFile("/proc/meminfo", 1<<16)
	if err != nil {
		return 0, say.Err("memory of this host: {reason}", "reason", err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n > 0 && n < 1<<43 {
				return unit.Bytes(n) * unit.KB, nil
			}
		}
	}
	return 0, say.Err("memory of this host: {reason}", "reason", say.M("no MemTotal in /proc/meminfo"))
}

// hostProcessors counts the CPUs of this host.
func hostProcessors(h *app.Host) int {
	b, err := h.Target.ReadFile("/proc/stat", 4<<20)
	n := 0
	if err == nil {
		for line := range strings.Lines(string(b)) {
			if len(line) > 3 && strings.HasPrefix(line, "cpu") && line[3] >= '0' && line[3] <= '9' {
				n++
			}
		}
	}
	return max(n, 1)
}
