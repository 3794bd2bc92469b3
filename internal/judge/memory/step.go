package memory

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// firstStep is the least that is kept for other programs: the daemons of a fresh
// server system hold 100 to 300 MB. It is an eighth of a machine of less than 2 GB,
// so that it grows evenly with the memory and more memory never leaves less.
func firstStep(total unit.Bytes) unit.Bytes { return max(min(256*unit.MB, total/8), 1) }

// The steps above are a half and a third apart, 1, 1.5, 2, 3, 4, 6 … times a
// power of two: what a program holds moves by a part of it, not by megabytes.
func stepAbove(step unit.Bytes) unit.Bytes {
	if low := powerBelow(step); step >= low+low/2 {
		return 2 * low
	}
	return powerBelow(step) + powerBelow(step)/2
}

func powerBelow(b unit.Bytes) unit.Bytes {
	p := unit.Bytes(1)
	for 2*p <= b {
		p *= 2
	}
	return p
}

// StepOf rounds up to a step. It may be all of the memory, and never more.
func StepOf(held, total unit.Bytes) unit.Bytes {
	step := firstStep(total)
	for step < held {
		step = stepAbove(step)
	}
	return min(step, max(total, 0))
}

// stepSlack is the part of a step by which what is held may pass it, or fall short of the step below, while the
// configuration in effect is based on that step: daemons and the kernel's slabs move by some percent within a day. The
// reserve covers what passes.
const stepSlack = 8

// endedShare is the part of a step that still has to be held, if programs come and go unknown: those that have run for
// ten minutes may be the build of an hour, which comes again tomorrow. To go on counting it is the safe side.
const endedShare = 2

// Neighbors returns the steps that may be counted instead, if what is held is near the edge of its own step: the one
// below if it has just passed that, the one above if it has just dropped from it. If neither a watched week nor
// services say what stays, those above count until less than half of them is held.
func (o Others) Neighbors(total unit.Bytes) []Others {
	var out []Others
	first, below := firstStep(total), unit.Bytes(0)
	for step := first; step < o.Counted; step = stepAbove(step) {
		below = step
	}
	with := func(step unit.Bytes) {
		n := o
		n.Counted = min(step, total)
		out = append(out, n)
	}
	if below > 0 && o.Held <= below+below/stepSlack {
		with(below)
	}
	if o.Counted < total && o.Held >= o.Counted-o.Counted/stepSlack {
		with(stepAbove(o.Counted))
	}
	if o.Source == OthersNow || o.Source == OthersAnonymous {
		for step := stepAbove(o.Counted); o.Counted < total && step <= endedShare*o.Held; step = stepAbove(step) {
			if !slices.ContainsFunc(out, func(n Others) bool { return n.Counted == min(step, total) }) {
				with(step)
			}
		}
	}
	return out
}
