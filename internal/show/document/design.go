package document

import (
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Design is an experiment before it is begun.
type Design struct {
	*experiment.Experiment
	Title       string // of the workload
	Differences []experiment.Difference
	Why         string // why this design
	Estimation  experiment.Estimation
}
