package document

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Design is an experiment before it is begun.
type Design struct {
	*experiment.Experiment
	Title       say.Message // of the workload
	Differences []experiment.Difference
	Why         say.Message // why this design
	Estimation  experiment.Estimation
}
