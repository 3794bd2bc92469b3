package cli

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/prove"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
	"github.com/spf13/cobra"
)

// trialOptions are what bench and prove share: the load, how it is run, on which
// programs, and where.
type trialOptions struct {
	target            string
	said              func(flag string) bool
	workload          string
	scripts           []string
	scale             string
	clients           int
	rate              float64
	count, cycles     int
	restore           string
	duration, warmup  time.Duration
	seed              uint64
	metric            string
	cache, protocol   string
	major             int
	bin, dir, scratch string
	kernel, yes       bool
	keepData          bool
	format            string
}

func (o *trialOptions) flags(cmd *cobra.Command, env *Env) {
	f := cmd.Flags()
	f.StringVarP(&o.workload, "workload", "w", "", "the load, `NAME`")
	f.StringArrayVarP(&o.scripts, "script", "f", nil, "a pgbench script of your own, `FILE[@WEIGHT]`, on the data of --workload (default: tpcb); repeat it for a mix")
	f.StringVar(&o.scale, "scale", "0.3x", "size of the database: units of the load, or `N`x the memory of this host")
	f.IntVar(&o.clients, "clients", 0, "sessions that send the load, `N` (default: 4 for each processor; 1 for olap)")
	f.Float64Var(&o.rate, "rate", 0, "send `TPS` transactions a second, to compare latencies (default: as fast as it goes)")
	f.IntVar(&o.count, "transactions", 0, "count the work of `N` transactions of each client too, after each run; with --metric seconds or --duration 0 they are the run, the same ones for both arms")
	f.DurationVar(&o.duration, "duration", 0, "of a run, or of all slices of an arm in a block: `TIME` such as 2m; 0: as long as --transactions take (default: 2m; slices 40s; 3m where work is put off to checkpoints)")
	f.IntVar(&o.cycles, "checkpoint-cycles", 0, "each run lasts until `N` checkpoint cycles are complete in it, 2 where work is put off; with --duration at least so long (default: runs of a fixed time)")
	f.StringVar(&o.restore, "restore", "", "the data of a run: fresh (a copy of those that were loaded) or kept (one copy an arm for all its runs: bloat accrues); default: fresh where the load writes")
	f.DurationVar(&o.warmup, "warmup", 5*time.Minute, "at most, until the rate is flat: `TIME`")
	f.Uint64Var(&o.seed, "seed", 0, "of the order and of the load, `N` (default: drawn, and told)")
	f.StringVar(&o.metric, "metric", "tps", strings.Join(experiment.PrimaryMetrics(), ", "))
	f.StringVar(&o.cache, "cache", "warm", "before a run: warm, os-warm (restarted only) or cold (page cache dropped; root, --kernel)")
	f.StringVar(&o.protocol, "protocol", "prepared", "prepared, extended or simple")
	f.IntVar(&o.major, "pg", 0, "major version to run, `N` from 13 to 18 (default: the newest installed)")
	f.StringVar(&o.bin, "bin", "", "server programs in the folder `DIR`")
	f.StringVar(&o.dir, "dir", "", "the documents go to the folder `DIR` (default: a new one, told)")
	f.StringVar(&o.scratch, "scratch", "", "the scratch instances are made below `DIR`, on the disk that is meant")
	f.BoolVar(&o.keepData, "keep-data", false, "leave the loaded cluster in the scratch folder for the next experiment with the same data; 'pgfettle prove --clean' removes it")
	f.BoolVar(&o.kernel, "kernel", false, "this machine's kernel may be touched: huge pages and values that the arms name; all is put back, but the page cache may be emptied to make room for huge pages")
	f.BoolVar(&o.yes, "yes", false, "ask nothing")
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	complete(cmd, "metric", experiment.PrimaryMetrics()...)
	complete(cmd, "restore", engine.Fresh, engine.Kept)
	complete(cmd, "cache", "warm", "os-warm", "cold")
	complete(cmd, "protocol", "prepared", "extended", "simple")
	complete(cmd, "format", docForms...)
	complete(cmd, "scale", "0.3x", "1.5x", "4x")
	if err := cmd.RegisterFlagCompletionFunc("workload", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return workloadNames(env), cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err)
	}
}

// runner is what carries experiments out.
func (e *Env) runner() (prove.Runner, error) {
	if e.Runner == nil {
		return nil, &say.Problem{Message: "this pgfettle was built without the engine of experiments", Hint: "results can be shown all the same: pgfettle prove --report DIR", Code: exitError}
	}
	return e.Runner, nil
}

func workloadNames(env *Env) []string {
	r, err := env.runner()
	if err != nil {
		return nil
	}
	var out []string
	for _, w := range r.Workloads() {
		out = append(out, w.Name)
	}
	return out
}

// most bounds what a person may ask of an experiment by mistake.
const (
	mostClients  = 10000
	mostDuration = 24 * time.Hour
	mostCycles   = 100
	mostScale    = 1_000_000 // of pgbench 15 TB

	mostTransactions = 100_000_000 // of one client: a day at a thousand a second
)

// scaleForm is a number of units, or of memories.
var scaleForm = regexp.MustCompile(`^([0-9]+)$|^([0-9]+(?:\.[0-9]+)?)x$`)

// order turns the flags into what the engine wants to know, as far as nothing has
// to be looked at.
func (o *trialOptions) order(ctx context.Context, env *Env) (*prove.Experiment, prove.Workload, error) {
	var w prove.Workload
	runner, err := env.runner()
	if err != nil {
		return nil, w, err
	}
	for _, c := range []struct {
		flag, value string
		names       []string
	}{{"metric", o.metric, experiment.PrimaryMetrics()}, {"cache", o.cache, []string{"warm", "os-warm", "cold"}}, {"protocol", o.protocol, []string{"prepared", "extended", "simple"}}} {
		if err := choice(c.flag, c.value, c.names...); err != nil {
			return nil, w, err
		}
	}
	if o.said("restore") {
		if err := choice("restore", o.restore, engine.Fresh, engine.Kept); err != nil {
			return nil, w, err
		}
	}
	switch {
	case o.workload == "" && len(o.scripts) == 0:
		return nil, w, usage("no load is named", "name one with --workload: "+strings.Join(workloadNames(env), ", ")+"; or your own script with -f")
	case o.said("clients") && (o.clients < 1 || o.clients > mostClients):
		return nil, w, usage(fmt.Sprintf("--clients: %d is out of range", o.clients), fmt.Sprintf("write a whole number from 1 to %d", mostClients))
	case o.said("rate") && !(o.rate > 0 && o.rate < 1e7):
		return nil, w, usage(fmt.Sprintf("--rate: %g is out of range", o.rate), "write transactions a second, about 70 % of what the slower configuration makes")
	case o.said("transactions") && (o.count < 1 || o.count > mostTransactions):
		return nil, w, usage(fmt.Sprintf("--transactions: %d is out of range", o.count), fmt.Sprintf("write a whole number from 1 to %d", mostTransactions))
	case o.metric == "seconds" && o.count == 0:
		return nil, w, usage("--metric seconds is the time of a fixed number of transactions", "say how many of each client: --transactions 1000")
	case o.said("duration") && o.duration == 0 && o.count == 0:
		return nil, w, usage("--duration 0 is a run of a fixed number of transactions", "say how many of each client: --transactions 1000")
	case o.said("duration") && o.duration > 0 && o.metric == "seconds":
		return nil, w, usage("--metric seconds and --duration do not go together", "how long a run takes is what is measured: leave --duration out")
	case o.said("duration") && o.duration != 0 && (o.duration < time.Second || o.duration > mostDuration):
		return nil, w, usage(fmt.Sprintf("--duration: %s is out of range", o.duration), "write a time from 1s to 24h; below 2m a run says little")
	case o.said("checkpoint-cycles") && (o.cycles < 1 || o.cycles > mostCycles):
		return nil, w, usage(fmt.Sprintf("--checkpoint-cycles: %d is out of range", o.cycles), fmt.Sprintf("write a whole number from 1 to %d, such as 2", mostCycles))
	case o.cycles > 0 && o.fixed():
		return nil, w, usage("--checkpoint-cycles and runs of a fixed number of transactions do not go together", "a run ends with its cycles, or with its transactions: leave one of them out")
	case o.warmup < 0 || o.warmup > mostDuration:
		return nil, w, usage(fmt.Sprintf("--warmup: %s is out of range", o.warmup), "write a time up to 24h")
	case o.major != 0 && (o.major < 13 || o.major > 18):
		return nil, w, usage(fmt.Sprintf("--pg: %d is out of range", o.major), "write a major version from 13 to 18")
	case o.cache == "cold" && !o.kernel:
		return nil, w, &say.Problem{Message: "--cache cold drops the page cache of the whole host", Hint: "add --kernel where this machine may be touched", Code: exitRefused}
	case o.cache == "cold" && env.Target.UID() != 0:
		return nil, w, &say.Problem{Message: "--cache cold drops the page cache of the host", Hint: "run it as root", Code: exitNoAccess}
	case strings.HasPrefix(o.metric, "latency_p") && o.rate == 0:
		return nil, w, usage("--metric "+o.metric+" says little without --rate", "at full speed the latency is the number of clients over the rate; give both arms the same --rate, about 70 % of what the slower one makes")
	}
	data := o.workload
	if data == "" {
		data = "tpcb" // a script of somebody who names no data is about pgbench's tables
	}
	var source *prove.Source
	if data == workload.FromStatements {
		w, source, err = o.statements(ctx, env, runner)
	} else {
		w, err = runner.Workload(data, o.scripts)
	}
	if err != nil {
		return nil, w, err
	}
	switch {
	case !strings.HasPrefix(w.Name, workload.SysbenchPrefix):
	case o.cycles > 0:
		return nil, w, usage("--checkpoint-cycles: sysbench cannot be ended at the end of a checkpoint cycle", "take one of pgbench's loads, such as oltp-rw")
	case o.protocol == "extended":
		return nil, w, usage("--protocol: sysbench sends prepared statements, or simple ones", "write prepared or simple")
	}
	if o.cycles > 0 && !w.Writes {
		return nil, w, usage("--checkpoint-cycles: the workload "+w.Name+" only reads, so that no checkpoint has anything to write", "leave the flag out")
	}
	memory, err := memoryOf(env)
	if err != nil {
		return nil, w, err
	}
	e := &prove.Experiment{Workload: w.Name, Data: data, Scripts: o.scripts, Source: source, Metric: o.metric, TouchKernel: o.kernel, KeepData: o.keepData, Restore: o.restore, Program: Version}
	if o.restore == engine.Kept && w.Writes {
		e.Notes = append(e.Notes, "Kept: each arm has one copy of the data for all its runs. The load writes, so bloat and growth accrue in both, and later blocks find other tables than the first.")
	}
	m := scaleForm.FindStringSubmatch(o.scale)
	switch {
	case source != nil:
		e.Scale = 1
		e.Notes = append(e.Notes, source.About.Words())
	case m == nil:
		return nil, w, usage(fmt.Sprintf("--scale: %q is neither units nor memories", o.scale), "write 100, or 1.5x for one and a half times the memory of this host")
	case m[1] != "":
		e.Scale, err = strconv.Atoi(m[1])
	default:
		times, _ := strconv.ParseFloat(m[2], 64)
		e.Scale = w.ScaleFor(memory, math.Min(times, 1e6))
	}
	if err != nil || e.Scale < 1 || e.Scale > mostScale {
		return nil, w, usage(fmt.Sprintf("--scale: %s is out of range", o.scale), fmt.Sprintf("write a whole number from 1 to %d, or one such as 1.5x", mostScale))
	}
	cpus := processorsOf(env)
	clients := o.clients
	if clients == 0 {
		clients = 4 * cpus // enough that neither a processor nor the disk waits for a client
		if w.Stream {
			clients = 1 // its queries use the other processors
		}
	}
	seed := o.seed
	if !o.said("seed") {
		var b [4]byte // a person types it again: ten digits at most
		if _, err := rand.Read(b[:]); err != nil {
			return nil, w, fmt.Errorf("seed: %w", err)
		}
		seed = uint64(binary.BigEndian.Uint32(b[:]))
	}
	protocol := o.protocol
	if w.Protocol != "" && !o.said("protocol") {
		protocol = w.Protocol
	}
	jobs := min(clients, cpus)
	if o.fixed() {
		jobs = clients // clients of one thread draw their scripts from one sequence, and who is slower draws less of it
	}
	e.Spec = experiment.Spec{Clients: clients, Jobs: jobs, Warmup: o.warmup.Seconds(), Rate: o.rate, Count: o.count, Cycles: o.cycles, Seed: seed, Cache: o.cache, Protocol: protocol}
	return e, w, o.places(env, e)
}

// statements looks at the server whose statements are the load.
func (o *trialOptions) statements(ctx context.Context, env *Env, runner prove.Runner) (w prove.Workload, _ *prove.Source, err error) {
	switch {
	case len(o.scripts) > 0:
		return w, nil, usage("--workload "+workload.FromStatements+" has scripts of its own", "leave -f out, or name another load for its data")
	case o.said("scale"):
		return w, nil, usage("--scale: the data of "+workload.FromStatements+" are a copy of the database, as large as it is", "leave --scale out")
	case o.target == "":
		return w, nil, usage("--workload "+workload.FromStatements+" is made from a live server, and none is named", "name it as TARGET: a conninfo such as 'host=db1 dbname=shop', or a data directory (its database is PGDATABASE, or postgres)")
	}
	req, file, err := env.host().Resolve(o.target)
	if err != nil {
		return w, nil, err
	}
	if file != "" {
		return w, nil, usage(fmt.Sprintf("%q is a file, and the load is made from a live server", o.target), "name a conninfo or a data directory")
	}
	how := collect.Connect{Conninfo: req.Value, Peer: -1}
	if req.Kind == collect.DataDir {
		if how, err = collect.ConnectLocal(env.Target, req.Value); errors.Is(err, fs.ErrNotExist) {
			return w, nil, &say.Problem{Message: "no server runs in " + req.Value, Hint: "its statements are asked for: start it, or name another one", Code: exitError}
		} else if err != nil {
			return w, nil, err
		}
	}
	tell, done := env.Progress()
	defer done()
	tell("asking the server for its statements…")
	return runner.Source(ctx, how)
}

// fixed says that runs are a number of transactions, not a time.
func (o *trialOptions) fixed() bool {
	return o.metric == "seconds" || o.said("duration") && o.duration == 0
}

// durations sets how long runs are, which depends on the design.
func (o *trialOptions) durations(e *prove.Experiment, deferred bool) {
	e.Spec.Duration = o.duration.Seconds()
	switch {
	case o.duration > 0 || o.fixed():
	case e.Spec.Cycles > 0:
		e.Spec.Duration = 1 // the cycles say it
	case e.Design == experiment.DesignSlices:
		e.Spec.Duration = 40 // eight slices of 5 s an arm and block: half of what seen differences of 5 % needed in all
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
func (o *trialOptions) places(env *Env, e *prove.Experiment) error {
	state, ok := env.host().StateHome()
	root := env.Target.UID() == 0
	if !ok && !root && (o.dir == "" || o.scratch == "") {
		return usage("there is no folder for the experiment: HOME is not set", "name one with --dir, and one with --scratch")
	}
	var err error
	switch {
	case o.dir != "":
		if e.Dir, err = filepath.Abs(o.dir); err != nil {
			return fmt.Errorf("--dir: %w", err)
		}
	default:
		name := time.Now().UTC().Format("20060102-150405") + "-" + suffix()
		e.Dir = filepath.Join(state, "pgfettle", "experiments", name)
		if root {
			e.Dir = filepath.Join(filepath.Dir(journalfile.Dir), "experiments", name)
		}
	}
	if e.Scratch, err = o.scratchDir(env); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(e.Dir, prove.ResultFile)); err == nil {
		return &say.Problem{Message: "--dir: there is an experiment in " + e.Dir, Hint: "show it with --report, go on with it with --resume, or name another folder", Code: exitRefused}
	}
	for flag, dir := range map[string]string{"--dir": e.Dir, "--scratch": e.Scratch} {
		if _, err := os.Lstat(filepath.Join(dir, "PG_VERSION")); err == nil {
			return &say.Problem{Message: fmt.Sprintf("%s: %s is a data directory", flag, dir), Hint: "an experiment makes its own; name an empty folder or one that is not there", Code: exitRefused}
		}
	}
	return nil
}

// scratchDir is where clusters are made: not below the folder of the journal,
// through which the user that servers run as may not pass.
func (o *trialOptions) scratchDir(env *Env) (string, error) {
	switch {
	case o.scratch != "":
		return filepath.Abs(o.scratch)
	case env.Target.UID() == 0:
		return filepath.Dir(journalfile.Dir) + "-scratch", nil
	}
	state, ok := env.host().StateHome()
	if !ok {
		return "", usage("there is no folder for the experiment: HOME is not set", "name one with --scratch")
	}
	return filepath.Join(state, "pgfettle", "scratch"), nil
}

// open finds the programs and notes what the host is.
func (o *trialOptions) open(ctx context.Context, env *Env, e *prove.Experiment) (prove.Lab, error) {
	tell, done := env.Progress()
	defer done()
	tell("making a throwaway cluster to try the configurations on…")
	runner, err := env.runner()
	if err != nil {
		return nil, err
	}
	lab, err := runner.Open(ctx, prove.Choice{Major: o.major, Bin: o.bin, Tool: "pgfettle " + Version, Scratch: e.Scratch, Measured: env.host().MeasuredDirs()})
	if err != nil {
		return nil, err
	}
	tell("looking at this host…")
	s, err := lab.Look(ctx)
	if err != nil {
		return nil, errors.Join(err, lab.Close())
	}
	e.Binaries = lab.Server()
	if e.Source != nil {
		if err := e.Source.Ready(ctx, e.Binaries.Version); err != nil {
			return nil, errors.Join(err, lab.Close())
		}
	}
	e.Host = hostOf(env, s)
	e.Host.Server = e.Binaries.Version.String()
	for i := range s.Instances {
		in := &s.Instances[i]
		if dir, ok := in.DataDirectory.Get(); ok {
			e.Guard.DataDirs = append(e.Guard.DataDirs, dir)
			for flag, ours := range map[string]string{"--dir": e.Dir, "--scratch": e.Scratch} {
				if ours == dir || strings.HasPrefix(ours, dir+"/") {
					return nil, errors.Join(&say.Problem{Message: fmt.Sprintf("%s: %s belongs to the instance %s", flag, ours, in.Label()), Hint: "name a folder outside of it", Code: exitRefused}, lab.Close())
				}
			}
		}
		if c, ok := in.Server.Control.Get(); ok {
			if id, err := strconv.ParseUint(c.SystemID, 10, 64); err == nil {
				e.Guard.Systems = append(e.Guard.Systems, id)
			}
		}
	}
	return lab, nil
}

// maker makes arms whole for this experiment.
func (o *trialOptions) maker(env *Env, lab prove.Lab, clients int) *prove.Maker {
	return &prove.Maker{Files: env.Target, Lab: lab, Clients: clients, Kernel: o.kernel, Current: func(ctx context.Context) (*snapshot.Instance, error) {
		l, err := load(ctx, env, o.target, false)
		if err != nil {
			return nil, err
		}
		switch n := len(l.Snapshot.Instances); {
		case n == 0:
			return nil, usage("current: no instance was found", "name one as TARGET")
		case n > 1:
			return nil, usage(fmt.Sprintf("current: %d instances run here", n), "name the data directory of one as TARGET")
		}
		return &l.Snapshot.Instances[0], nil
	}}
}

// hostOf describes the host for the document.
func hostOf(env *Env, s *snapshot.Snapshot) experiment.Host {
	h := experiment.Host{Line: env.host().Hostname(), CPUs: processorsOf(env), Snapshot: snapshot.Hash(s)}
	if k, err := env.Target.ReadFile("/proc/sys/kernel/osrelease", 4096); err == nil {
		h.Kernel = strings.TrimSpace(string(k))
	}
	if m, err := memoryOf(env); err == nil {
		h.Memory = int64(m)
	}
	return h
}

// memoryOf is the memory of this host.
func memoryOf(env *Env) (unit.Bytes, error) {
	b, err := env.Target.ReadFile("/proc/meminfo", 1<<16)
	if err != nil {
		return 0, fmt.Errorf("memory of this host: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n > 0 && n < 1<<43 {
				return unit.Bytes(n) * unit.KB, nil
			}
		}
	}
	return 0, errors.New("memory of this host: /proc/meminfo has no MemTotal")
}

// processorsOf counts the processors of this host.
func processorsOf(env *Env) int {
	b, err := env.Target.ReadFile("/proc/stat", 4<<20)
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

// write writes a result in the form that was asked for.
func (o *trialOptions) write(env *Env, r *experiment.Result) error {
	return env.writeForm(o.format, forms{
		text: func(w io.Writer) error { return term.Write(w, experiments.Result(r, env.words, false), env.Style()) },
		json: func(w io.Writer) error { return json.Result(w, r) },
		markdown: func(w io.Writer) error {
			return markdown.Write(w, experiments.Result(r, env.words, env.ascii()))
		},
		html: func(v web.View) (web.Page, error) { return web.ProvePage(r, v) },
	})
}
