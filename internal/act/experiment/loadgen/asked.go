package loadgen

import (
	"context"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Asked is how a load was asked for. It is kept with an experiment, so that one that is
// resumed has the same load.
type Asked struct {
	Data    string   `json:"data"`              // the workload whose data are loaded
	Scripts []string `json:"scripts,omitempty"` // a person's own, run on them instead of that workload's; absolute
	Mix     *Mix     `json:"mix,omitempty"`     // a load from statements that was made

	// Source is the database of a live server whose statements the load is made from;
	// nil: it is not, or it was made before.
	Source *Source `json:"-"`
}

// Workload finds what is sent: the workload that is named, or one of a person's scripts on the data of that one. load
// and data are the same if there are no scripts. The error is a *say.Problem that names what there is.
func Workload(name string, scripts []string) (load, data *workload.Workload, err error) {
	if data, err = workload.Find(name); err != nil {
		return nil, nil, err
	}
	if len(scripts) == 0 {
		return data, data, nil
	}
	if data.Sysbench != "" {
		return nil, nil, &say.Problem{Message: say.M("the data of {name} are made by sysbench, and -f is for scripts "+
			"of pgbench", "name", name),
			Hint: say.M("name another load for its data, such as oltp-rw"), Code: say.CodeUsage}
	}
	load, err = workload.Custom(scripts)
	return load, data, err
}

// Absolute makes the names of scripts absolute, for who reads them from another directory.
func (a *Asked) Absolute() error {
	for i, s := range a.Scripts {
		abs, err := filepath.Abs(s)
		if err != nil {
			return err
		}
		a.Scripts[i] = abs
	}
	return nil
}

// Build makes the load for a server of a version, and says which program sends it. A
// load from the statements of a live server is only planned, not made: see Source.Make.
func (a *Asked) Build(ctx context.Context, version unit.Version) (_ Load, by string, err error) {
	switch {
	case a.Source != nil:
		return named(a.Source.plan(ctx, version))
	case a.Mix != nil:
		return named(a.Mix.load(ctx, version))
	}
	load, data, err := Workload(a.Data, a.Scripts)
	if err != nil {
		return nil, "", err
	}
	if load.Sysbench != "" {
		program, err := workload.FindSysbench(ctx)
		return &Sysbench{Workload: load, Program: program}, "sysbench " + program.Version, err
	}
	program, err := workload.FindPgbench(ctx, version)
	if err != nil {
		return nil, "", err
	}
	p := &Pgbench{Workload: load, Program: program}
	if load != data {
		p.On = data
	}
	return p, "pgbench " + program.Version.String(), nil
}

// named adds the program that sends a load from statements.
func named(f *FromServer, err error) (Load, string, error) {
	if err != nil {
		return nil, "", err
	}
	return f, "pgbench " + f.Program.Version.String(), nil
}
