// Package prove is what stands before an experiment: the arms made whole from
// what a person names, tried with the installed programs, and the order that
// goes to the engine. Runner is the engine as the faces see it.
package prove

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// ResultFile is the document of an experiment in its folder.
const ResultFile = "result.json"

// Runner carries experiments out.
type Runner interface {
	// Workloads lists those that have a name.
	Workloads() []Workload
	// Workload finds one by its name, or makes one of a person's scripts
	// (FILE@WEIGHT) on the data of the one that is named. The error names what is
	// there.
	Workload(name string, scripts []string) (Workload, error)
	// Source looks at the database of a live server that a load shall be made from,
	// as far as nothing but its statistics is read.
	Source(ctx context.Context, how collect.Connect) (Workload, *Source, error)
	// Open finds the server's programs and gets ready to try configurations.
	Open(ctx context.Context, c Choice) (Lab, error)
	// Estimate says what an experiment will take, before it is begun.
	Estimate(ctx context.Context, e *Experiment) (Estimation, error)
	// Run carries one out. What was measured is in the document also where the
	// error is that it was interrupted.
	Run(ctx context.Context, e *Experiment) (*experiment.Result, error)
	// Resume goes on with one that was interrupted, in its folder.
	Resume(ctx context.Context, dir string, a Again) (*experiment.Result, error)
	// Clean removes what killed experiments left in the scratch folder, and data
	// that were kept, and puts values of the kernel back; it says what it did.
	Clean(ctx context.Context, scratch string) ([]string, error)
}

// Lab is a throwaway cluster of the programs that will be measured, to try
// configurations on.
type Lab interface {
	Server() scratch.Binaries
	// Look reads this host and the instances that run on it.
	Look(ctx context.Context) (*snapshot.Snapshot, error)
	// Try asks the programs whether they would start with these settings.
	Try(ctx context.Context, settings map[string]string) (scratch.Tried, error)
	// Plan plans for this host with the throwaway cluster as its only instance.
	Plan(ctx context.Context, o rule.Options) (*plan.Plan, error)
	// Installed says whether a library is there to be loaded.
	Installed(library string) bool
	Close() error
}

// Choice says which server programs are meant.
type Choice struct {
	Major int    // 0: the newest installed
	Bin   string // their folder; "": looked for
	Tool  string // our name and version, for the evidence

	Scratch  string   // where the experiment's clusters will be: a plan is made for that disk; "": for the temporary folder's
	Measured []string // folders of probes, as of collect.Request: a plan rests on them here as it does elsewhere
}

// Workload is one that can be asked for.
type Workload struct {
	Name, Title, About string
	Writes             bool
	Synthetic          bool
	Stream             bool                                       // each client works through one list of queries
	Uneven             bool                                       // transactions differ by orders of magnitude: runs of a number of them scatter less than runs of a time
	Protocol           string                                     // that it needs; "": any
	ScaleFor           func(memory unit.Bytes, times float64) int // units of scale that fill so many memories
	Size               func(scale int) unit.Bytes
}

// Experiment is what is to be run.
type Experiment struct {
	Name        string
	A, B        experiment.Configuration // Design Single has no B
	Binaries    scratch.Binaries
	Workload    string
	Data        string   // the workload whose data are loaded
	Scripts     []string // a person's own, run on them instead of that workload's
	Source      *Source  // the load is made from the statistics of a live server; nil: it is not
	Scale       int
	Restore     string // fresh or kept: what data a run finds; "": chosen
	Design      string
	Metric      string
	Spec        experiment.Spec
	Dir         string // where the documents go
	Scratch     string // where the clusters are made and removed
	Host        experiment.Host
	Program     string
	Notes       []string
	TouchKernel bool
	KeepData    bool // the loaded cluster stays in Scratch for the next experiment with the same data
	Guard       Guard
	Told        func(Event)
}

// Again is how an experiment goes on.
type Again struct {
	TouchKernel, KeepData bool
	Told                  func(Event)
}

// Guard is what is known of servers that are not ours, so that nothing of theirs
// is taken for scratch.
type Guard struct {
	DataDirs []string
	Systems  []uint64 // system identifiers
}

// Estimation is what an experiment will take.
type Estimation struct {
	Time   time.Duration
	Disk   unit.Bytes
	Free   unit.Bytes // of the file system of Scratch; 0: not known
	Memory unit.Bytes
	Parts  []Part
	Open   bool       // without the runs themselves: how long their transactions take is not known
	Held   unit.Bytes // size of data that an earlier experiment left loaded; 0: none
	Fits   bool       // they are those of this one: they are not loaded again
}

// Part is a part of the time.
type Part struct {
	What string
	Time time.Duration
}

// Event is a step of an experiment, for who waits.
type Event struct {
	Step   string // load, copy, start, warm-up, measure, checkpoint, …
	Block  int    // from 1; 0 before the first
	Blocks int
	Arm    string // A, B or ""
	Left   time.Duration
	Void   string // why the block that has just ended does not count
	Ended  bool   // the block has ended
	Kept   string // step kept: the folder where the loaded cluster stays
	Bytes  unit.Bytes
}
