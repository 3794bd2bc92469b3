package goldens

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// designs are experiments before they begin: one of the course, one that compares a configuration with itself, and one
// of a single configuration whose end is not known.
func designs() map[string]document.Design {
	of := func(name, design string) *experiment.Experiment {
		return &experiment.Experiment{Name: name, Design: design, Metric: "tps", Workload: "tpcb", Scale: 100,
			A: experiment.Configuration{Name: "default"}, B: experiment.Configuration{Name: "default+pg:work_mem=64MB"},
			Spec: experiment.Spec{Blocks: 8, Clients: 4, Duration: 60, Warmup: 30, Cache: "warm",
				Protocol: "prepared", Margin: 3},
			Server: "PostgreSQL 17.2", Dir: "prove-1", Scratch: "/srv/scratch",
			Host: experiment.Host{Memory: int64(64 * unit.GB)}}
	}
	course := document.Design{Experiment: of(experiment.ExerciseNames()[0], experiment.DesignRestart),
		Title: say.Text("a load like TPC-B"), Why: say.Text("Each run begins with a server that was started for it."),
		Differences: []experiment.Difference{{Address: "pg:work_mem", B: "64MB", Default: "4MB"},
			{Address: "pg:jit", A: "on", B: "off"}},
		Estimation: experiment.Estimation{Time: 80 * time.Minute, Disk: 10 * unit.GB, Free: 100 * unit.GB,
			Memory: 3 * unit.GB, Held: 2 * unit.GB, Fits: true,
			Parts: []experiment.Part{{What: "load", Time: 3 * time.Minute}, {What: "copies"},
				{What: "measuring", Time: 75 * time.Minute}}}}
	course.A.Omitted = []experiment.Omitted{{Name: "archive_mode", Value: "on",
		Why: say.M("a scratch instance archives nothing")}}
	course.B.Notes = []say.Message{say.Text("ssl is off: the clients are on this host")}
	exercise, _ := experiment.FindExercise(course.Name)
	course.Notes = []say.Message{exercise.Caution,
		say.Text("The disk of the scratch folder\x1b[2J is that of the server.")}
	same := document.Design{Experiment: of(experiments.AA, experiment.DesignSlices), Title: say.Text("a load like " +
		"TPC-B"),
		Estimation: experiment.Estimation{Time: time.Hour, Disk: unit.GB, Held: unit.GB}}
	same.Copied = true
	single := document.Design{Experiment: of("", experiment.DesignSingle), Title: say.Text("a load like TPC-B"),
		Estimation: experiment.Estimation{Time: time.Minute, Disk: unit.GB, Open: true,
			Parts: []experiment.Part{{What: "load", Time: time.Minute}}}}
	single.Spec.Clients = 1
	return map[string]document.Design{"course": course, "same": same, "single": single}
}

// TestDesign is what a person reads before an experiment begins, in testdata/design.
func TestDesign(t *testing.T) {
	for name, d := range designs() {
		o := experiments.Design(d, nil)
		everyForm(t, name, o)
		var b bytes.Buffer
		if err := term.Write(&b, o, term.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		formGolden(t, filepath.Join("testdata", "design", name+".txt"), b.String())
	}
}
