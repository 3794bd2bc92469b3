package engine

import (
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// Order is an experiment with what it takes to run it.
type Order struct {
	experiment.Experiment
	Binaries scratch.Binaries
	// Second are the programs of configuration B, where it runs on another server than A; without a directory it does
	// not.
	Second scratch.Binaries
	// On and OnB are existing databases to run A and B on, which may be one; nil: clusters are made.
	On, OnB *machine.Database
	Load    loadgen.Load // nil: it is made as Asked says
	// Asked is how the load was asked for. It is kept, for the load to be built again
	// when the experiment is resumed.
	Asked loadgen.Asked

	// KeepData leaves the loaded cluster in the scratch directory at the end, for the next experiment with the same
	// data. Clean removes it.
	KeepData bool
	// MayTouchKernel allows what Configuration.HugePages, Configuration.Kernel and the
	// cache state "cold" need.
	MayTouchKernel bool
	Guard          machine.Guard
	// MostCalibrations is how often the calibration before a run is made at the most, with a pause between two, until
	// the machine is calm; 0: six times. Tests that do not use the figures do not wait: 1.
	MostCalibrations int
	// CalibrationBytes are hashed in a calibration; 0: as many as show that a machine is busy. Tests hash fewer.
	CalibrationBytes int
	Progress         func(experiment.Event) // called with what is being done, from one goroutine; may be nil
}

// database is the existing database of a configuration; nil: it has none.
func (e *Order) database(label string) *machine.Database {
	if label == "B" {
		return e.OnB
	}
	return e.On
}

// Restores is how data are loaded if not specified.
func Restores(writes bool, design string) string {
	switch {
	case writes:
		return experiment.RestoreFresh
	case design == experiment.DesignSlices:
		return experiment.RestoreKept // two servers cannot share one data directory
	}
	return experiment.RestoreShared
}

var unknown = stat.Number(nan())
