package scripts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/configure"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// staged is the program with an engine that measures nothing: it makes the
// figures that STAGED asks for. Everything above it is the real program.
func staged() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	env := &cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Vars: os.Environ(), Target: &target.Local{},
		Experiments: stagedRunner{os.Getenv("STAGED")}.steps()}
	os.Exit(env.Main(ctx, os.Args[1:]))
}

type stagedRunner struct{ play string }

func (r stagedRunner) steps() *proving.Steps {
	return &proving.Steps{Open: stagedTrial, Estimate: r.Estimate, Run: r.Run, Resume: r.Resume, Clean: r.Clean}
}

// stagedTrial tries configurations with the table of parameters.
func stagedTrial(context.Context, target.Target, configure.Choice) (*configure.Trial, error) {
	a, err := snapshot.Describe("ram=24GB,cpus=2,storage=ssd,pg=17")
	return &configure.Trial{
		Server: scratch.Binaries{Dir: "/opt/pg17/bin", Version: unit.Version(170011)},
		Look:   func(context.Context) (*snapshot.Snapshot, error) { return snapshot.Read(a) },
		Try:    tryParameters,
		Plan: func(ctx context.Context, o rule.Options) (*plan.Plan, error) {
			p, _, err := planner.Make(ctx, nil, a, o)
			return p, err
		},
		Installed: func(library string) bool { return library == "pg_stat_statements" },
		Close:     func() error { return nil },
	}, err
}

func tryParameters(_ context.Context, settings map[string]string) (scratch.Tried, error) {
	var t scratch.Tried
	for name, value := range settings {
		p, ok := params.Find(17, name)
		switch {
		case !ok && !strings.Contains(name, "."):
			t.Complaints = append(t.Complaints, fmt.Sprintf("unrecognized configuration parameter %q", name))
		case ok:
			if no := p.Accepts(17, value); no != nil {
				t.Complaints = append(t.Complaints, fmt.Sprintf("%s %s", name, no.Text))
			}
		}
	}
	slices.Sort(t.Complaints)
	t.Shared.Pages = 1100
	return t, nil
}

func (r stagedRunner) Estimate(_ context.Context, _ target.Target, e *engine.Order) (experiment.Estimation, error) {
	run := time.Duration(e.Spec.Duration * float64(time.Second))
	est := experiment.Estimation{Time: 2 * time.Duration(e.Spec.Blocks) * run, Disk: unit.Bytes(e.Scale) * 30 * unit.MB,
		Free:  50 * unit.GB,
		Parts: []experiment.Part{{What: "measuring", Time: 2 * time.Duration(e.Spec.Blocks) * run}}}
	if r.play == "held" {
		est.Held, est.Fits = 250*unit.MB, e.Scale == 10
	}
	return est, nil
}

func (r stagedRunner) Run(ctx context.Context, e *engine.Order) (*experiment.Result, error) {
	if r.play == "fail" {
		return nil, &say.Problem{Message: say.M("pgbench failed in block 2, configuration B: connection to server " +
			"was lost"),
			Hint: say.M("the server's log says why"), Code: say.CodeError}
	}
	res := &experiment.Result{Schema: experiment.ResultSchema, Program: e.Program, Name: e.Name,
		Started: "2026-11-21T10:00:00Z", Design: e.Design, Metric: e.Metric, A: e.A.Measured(), Spec: e.Spec,
		Workload: experiment.MeasuredWorkload{Name: e.Workload, Scale: e.Scale, Writes: true}, Host: e.Host,
		Notes: say.Strings(e.Notes)}
	if e.Design != experiment.DesignSingle {
		res.B = e.B.Measured()
	}
	res.Spec.Restore = e.Restore
	if e.KeepData {
		e.Progress(kept(e.Scratch))
	}
	return r.play1(ctx, res, e.Dir, e.Progress)
}

// play1 makes the blocks that are missing.
func (r stagedRunner) play1(ctx context.Context, res *experiment.Result, dir string,
	told func(experiment.Event)) (*experiment.Result, error) {
	effect := map[string]float64{"regressed": 0.9, "same": 1}[r.play]
	if effect == 0 {
		effect = 1.1
	}
	unknown := stat.Number(math.NaN())
	quiet := experiment.Environment{Steal: 0, Foreign: 0, PSICPU: unknown, PSIIO: unknown, PSIMemory: unknown,
		ClockStep: 0, CalibrationCPU: 100, CalibrationSync: 40}
	for i := len(res.Blocks); i < res.Spec.Blocks; i++ {
		if r.play == "stop" && i == 3 {
			_ = write(dir, res)
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return nil, err
			}
			if err := self.Signal(os.Interrupt); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return res, errors.Join(errors.New("block 4"), ctx.Err())
		}
		b := experiment.Block{Number: i + 1, Order: []string{"AB", "BA"}[i%2]}
		if res.Design == experiment.DesignSingle {
			b.Order = "A"
		}
		for _, c := range b.Order {
			tps := 1000 + float64(i%3)
			if c == 'B' {
				tps *= effect + 0.001*float64(i%4-1)
			}
			b.Runs = append(b.Runs, experiment.Run{Config: string(c), Seconds: res.Spec.Duration,
				Transactions: int64(tps * res.Spec.Duration), TPS: tps, Steady: true, Cycles: res.Spec.Cycles,
				Environment: quiet,
				Latency: experiment.Latency{Mean: stat.Number(8000 / tps), SD: unknown, P50: unknown,
					P95: stat.Number(20000 / tps), P99: unknown, Max: unknown}})
		}
		if r.play == "discarded" && i == 2 {
			b.Runs[0].Environment.Steal = 30
		}
		res.Blocks = append(res.Blocks, b)
		told(experiment.Event{Block: i + 1, Blocks: res.Spec.Blocks, Ended: true,
			Left: time.Duration(res.Spec.Blocks-i-1) * 4 * time.Minute})
	}
	res.Ended = "2026-11-21T11:00:00Z"
	res.Judge()
	return res, write(dir, res)
}

func write(dir string, res *experiment.Result) error {
	b, err := json.Marshal(res)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, experiment.ResultFile), b, 0o600))
}

func (r stagedRunner) Resume(ctx context.Context, dir string, a engine.Again) (*experiment.Result, error) {
	b, err := os.ReadFile(filepath.Join(dir, experiment.ResultFile))
	if err != nil {
		return nil, err
	}
	res, err := experiment.DecodeResult(b)
	if err != nil {
		return nil, err
	}
	if a.KeepData {
		a.Progress(kept("/scratch"))
	}
	return r.play1(ctx, res, dir, a.Progress)
}

// kept is called with data that stay.
func kept(scratch string) experiment.Event {
	return experiment.Event{Step: "kept", Kept: scratch + "/master", Done: int64(300 * unit.MB)}
}

func (r stagedRunner) Clean(_ context.Context, scratch string) ([]string, error) {
	if r.play == "left" {
		return []string{"removed a scratch cluster"}, nil
	}
	return nil, nil
}
