package engine

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// pair is both servers of the design slices, up at once.
type pair struct {
	seats []*seat // A, B; none: not up
}

// sliced is one block of the design slices: both servers are up, and the load
// goes to one and to the other by turns, so that whatever changes on the machine
// over seconds changes for both.
func (g *engine) sliced(ctx context.Context, b *experiment.Block, p *pair) ([]experiment.Run, error) {
	if err := g.both(ctx, b, p); err != nil {
		return nil, err
	}
	at := map[string]*seat{}
	for _, s := range p.seats {
		s.tally = tally{}
		s.run = experiment.Run{Config: s.label, Steady: s.run.Steady}
		at[s.label] = s
	}
	for label := range strings.SplitSeq(b.Order, "") {
		if err := g.calibrate(ctx, at[label]); err != nil {
			return nil, err
		}
		if err := g.begin(ctx, at[label]); err != nil {
			return nil, err
		}
	}
	for i, label := range turns(b.Order, slicesOf(g.e.Spec)) {
		s := at[label]
		// A slice of A and its neighbour of B draw the same numbers, and no other slice
		// does.
		if err := g.part(ctx, s, p.seats, g.drive(s, g.e.Spec.Slice, seed(b.Seed, forRun, uint64(i/2)))); err != nil {
			return nil, err
		}
	}
	var runs []experiment.Run
	for label := range strings.SplitSeq(b.Order, "") {
		if err := g.end(ctx, at[label]); err != nil {
			return nil, err
		}
	}
	for label := range strings.SplitSeq(b.Order, "") {
		if err := g.count(ctx, b, at[label]); err != nil {
			return nil, err
		}
		runs = append(runs, at[label].run)
	}
	return runs, nil
}

// both brings both servers up and warms them, where they are not yet.
func (g *engine) both(ctx context.Context, b *experiment.Block, p *pair) error {
	if len(p.seats) > 0 {
		return nil
	}
	if err := touch(g.w, []experiment.Configuration{g.e.A, g.e.B}, g.e.MayTouchKernel); err != nil {
		return err
	}
	for label := range strings.SplitSeq(b.Order, "") {
		s, err := g.open(ctx, label)
		if err != nil {
			return err
		}
		p.seats = append(p.seats, s)
	}
	return g.warm(ctx, b, p.seats)
}

// closePair stops both servers and gives the kernel its values back.
func (g *engine) closePair(p *pair) error {
	if g.e.Design != experiment.DesignSlices {
		return nil
	}
	var errs []error
	for _, s := range p.seats {
		errs = append(errs, g.shut(s))
	}
	p.seats = nil
	_, err := untouch(g.w)
	return errors.Join(append(errs, err)...)
}

// closePairUnlessKept closes them after each block of a load that writes.
func (g *engine) closePairUnlessKept(p *pair) error {
	if g.e.Restore == experiment.RestoreKept {
		return nil
	}
	return g.closePair(p)
}

// slicesOf is how many slices a configuration has in a block.
func slicesOf(s experiment.Spec) int { return max(1, int(s.Duration/math.Max(s.Slice, 1)+0.5)) }
