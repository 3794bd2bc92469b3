package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// TestCycles verifies that a run of checkpoint cycles is one of whole cycles: as many in both configurations, of
// another length each, and not shorter than was asked for.
func TestCycles(t *testing.T) {
	for _, c := range []struct {
		least  float64
		a, b   float64 // seconds of a run: cycles of 4 s and of 5 s
		most   int
		countA int
		countB int
	}{
		{1, 8, 10, 2, 2, 2}, {9, 12, 10, 2, 3, 2}, {20, 20, 20, 2, 5, 4},
	} {
		w := newToy()
		e := w.manner(0)
		e.A.Settings = map[string]string{"checkpoint_timeout": "4"}
		e.Spec.Cycles, e.Spec.Duration = c.most, c.least
		r, err := w.run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Blocks {
			b := &r.Blocks[i]
			x, y := b.Run("A"), b.Run("B")
			if x.Seconds != c.a || y.Seconds != c.b || x.Cycles != c.countA || y.Cycles != c.countB ||
				len(b.Discarded) > 0 {
				t.Errorf("least %g s: A %g s with %d cycles, B %g s with %d, discarded for %v", c.least,
					x.Seconds, x.Cycles,
					y.Seconds, y.Cycles, b.Discarded)
			}
			// the rate is that of the time which it really took
			if tps := float64(x.Transactions) / x.Seconds; tps < 999 || tps > 1100 {
				t.Errorf("%d transactions in %g s", x.Transactions, x.Seconds)
			}
		}
		clean(t, w)
	}
}

// TestCyclesIncomplete verifies that a run ends when its cycles cannot come any more, and that its block does not
// count.
func TestCyclesIncomplete(t *testing.T) {
	w := newToy()
	w.idle = true
	e := w.manner(0)
	e.Spec.Cycles, e.Spec.Duration = 2, 1
	e.A.Settings = map[string]string{"Checkpoint_Timeout": "1min"} // any case
	e.B.Settings["checkpoint_timeout"] = "90s"
	r, err := w.run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	b := &r.Blocks[0]
	if b.Run("A").Seconds != 3*60+60 || b.Run("B").Seconds != 3*90+60 || r.Word != stat.Unsuitable {
		t.Errorf("A %g s, B %g s: %s", b.Run("A").Seconds, b.Run("B").Seconds, r.Word)
	}
	if len(b.Discarded) != 2 || !strings.Contains(b.Discarded[0],
		"run 1: 0 of 2 checkpoint cycles were complete after") {
		t.Errorf("discarded for %v", b.Discarded)
	}
	clean(t, w)
}

// TestCyclesRefused holds what cannot be measured in cycles.
func TestCyclesRefused(t *testing.T) {
	for says, c := range map[string]struct {
		manner int
		change func(e *Order)
	}{
		"only reads":      {1, func(*Order) {}},
		"design restart":  {3, func(*Order) {}},
		"use 1 to 100":    {0, func(e *Order) { e.Spec.Cycles = 101 }},
		"no fixed number": {0, func(e *Order) { e.Spec.Duration, e.Spec.Count, e.Spec.Jobs = 0, 9, e.Spec.Clients }},
		"cannot be ended": {0, func(e *Order) { e.Load.(*toyLoad).words = "until its end" }},
		"than a day":      {0, func(e *Order) { e.B.Settings["checkpoint_timeout"] = "12h" }},
	} {
		w := newToy()
		e := w.manner(c.manner)
		e.Spec.Cycles = 2
		c.change(e)
		_, err := w.run(t.Context(), e)
		var p *say.Problem
		if !errors.As(err, &p) || p.Code != say.CodeUsage || !strings.Contains(p.Message.String(), says) {
			t.Errorf("%s: %v", says, err)
		}
		clean(t, w)
	}
	e := newToy().manner(0)
	plain := Estimate(e).Time
	e.Spec.Cycles = 2
	if long := Estimate(e).Time; long-plain < 6*2*(2*300-12)*1e9 {
		t.Errorf("cycles of five minutes are estimated to take %s, and runs of 12 s %s", long, plain)
	}
}
