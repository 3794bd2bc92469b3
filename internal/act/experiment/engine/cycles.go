package engine

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// cycles counts the checkpoint cycles of a run. A run begins right after a checkpoint; each that comes to its end
// afterwards closes a cycle, and a run of whole cycles has paid for all that it put off, except for the last pages.
// Both configurations have as many of them, however long each takes.
type cycles struct {
	n    machine.Node
	want int
	rest int    // seconds that the run is to last at least
	last uint64 // checkpoint that was seen last
	done int
	err  error
}

// enough is asked each second: at the end of a cycle, when there were as many as
// were wanted.
func (c *cycles) enough(second int) bool {
	at, err := c.n.Checkpointed()
	if err != nil {
		c.err = say.Err("checkpoints of a run: {reason}", "reason", err)
		return true
	}
	if at == c.last {
		return false
	}
	c.last = at
	c.done++
	return c.done >= c.want && second >= c.rest
}

// cycles makes an order one for whole cycles.
func (g *engine) cycles(s *seat, d *loadgen.Drive) error {
	at, err := s.n.Checkpointed()
	if err != nil {
		return say.Err("checkpoints of a run: {reason}", "reason", err)
	}
	s.cycles = &cycles{n: s.n, want: g.e.Spec.Cycles, rest: int(g.e.Spec.Duration), last: at}
	d.Whole, d.Seconds = true, longest(g.e.configuration(s.label), g.e.Spec.Cycles, g.e.Spec.Duration)
	return nil
}

const (
	timeoutDefault = 300 // seconds, of checkpoint_timeout
	// lateBy is what a checkpoint may end later than its time: one that writes more
	// than the disk takes in its time.
	lateBy = 60
)

// longest is how many seconds a run of whole cycles takes at most. By time a
// checkpoint begins a checkpoint_timeout after the one before began, and ends
// before the next; one that is requested by WAL comes sooner.
func longest(c experiment.Configuration, want int, least float64) float64 {
	timeout := float64(timeoutDefault)
	for name, v := range c.Settings {
		if strings.EqualFold(name, "checkpoint_timeout") {
			if s, err := unit.ParseGUC(v, "s"); err == nil && s > 0 {
				timeout = s
			}
		}
	}
	return max(float64(want+1)*timeout, least+timeout) + lateBy
}
