package engine

import (
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// Windows of the warm-up are ten seconds long: shorter ones show the noise of
// checkpoints and of the autovacuum. Where so few fit that a line through them
// has no room to be wrong, they are the sixth part of the warm-up.
const (
	windowSeconds = 10
	fewestWindows = 6
)

func window(warmup float64) int {
	if warmup >= windowSeconds*fewestWindows {
		return windowSeconds
	}
	return max(1, int(warmup/fewestWindows))
}

// mostPrewarm is how often prewarm is tried. Autovacuum may truncate a table between
// the moment that its size is read and the moment that its blocks are: the server then
// refuses, and the next try reads the new size. One such refusal was seen while all of
// docs/benchmarks.md was measured, so five in a row are a server that always refuses.
const mostPrewarm = 5

// prewarmed fills the caches of a server.
func prewarmed(ctx context.Context, n machine.Node) (how say.Message, err error) {
	for range mostPrewarm {
		how, err = n.Prewarm(ctx)
		if _, refused := errors.AsType[*pgconn.PgError](err); !refused {
			break
		}
	}
	return how, err
}

// windows are means over whole windows of seconds.
func windows(seconds []float64, width int) []float64 {
	var out []float64
	for i := 0; i+width <= len(seconds); i += width {
		sum := 0.0
		for _, v := range seconds[i : i+width] {
			sum += v
		}
		out = append(out, sum/float64(width))
	}
	return out
}

// lastWindows are those that have to be flat: what went before was the warming up.
const lastWindows = fewestWindows

// flat reports whether the last windows are.
func flat(seconds []float64, width int) bool {
	w := windows(seconds, width)
	return stat.Flat(w[max(0, len(w)-lastWindows):])
}

// mostWarm is how often a warm-up is made at the most: four of five seconds, short
// ones, outlast the fifteen seconds for which 6 GB of huge pages that were given back
// were seen to disturb.
const mostWarm = 4

// calm is the share of the CPU time that the hypervisor may take in a warm-up before a run. What it takes does not stop
// from one second to the next: runs of 8 s after a warm-up with 2 %, or after the last of them, had 2.1 to 3.5 % each
// time that a pool had been given back before. usually is how many times the median of the runs before is allowed where
// that is more: there it is always so, and waiting changes nothing.
const (
	calm    = 0.01
	usually = 1.5
)

// stolen says that the hypervisor took so much that the next run may be disturbed more than the other one of its block.
// After gigabytes changed hands, as a pool of huge pages does before the configuration without one, it does so for some
// ten seconds: a virtual machine gives the free memory back to its host, page by page, and asks for it again. Before
// the first runs it is not known what is usual here, and one more warm-up has to do.
func (g *engine) stolen(s machine.Seen, nth int) bool {
	if !s.Known || s.All <= 0 {
		return false
	}
	var before []float64
	for i := range g.res.Blocks {
		for _, r := range g.res.Blocks[i].Runs {
			if r.Environment.Steal.Known() {
				before = append(before, float64(r.Environment.Steal)/100)
			}
		}
	}
	if len(before) == 0 {
		return s.Steal/s.All > calm && nth == 0
	}
	return s.Steal/s.All > max(calm, usually*stat.Median(before))
}

// again is the longest warm-up of a run on an existing database after the first block: its server was not restarted
// since
// the configuration ran last, and its caches are warm.
const again = 10

// mostWarmup is the longest warm-up before the runs of a block, in seconds.
func (e *Order) mostWarmup(block int) float64 {
	if e.On != nil && block > 1 {
		return min(e.Spec.Warmup, again)
	}
	return e.Spec.Warmup
}

// warm runs the load with another seed until its rate is flat, or for as long as
// was allowed, and again while the hypervisor takes so much that the run after it
// would be discarded. Several servers are warmed one after the other.
func (g *engine) warm(ctx context.Context, b *experiment.Block, seats []*seat) error {
	most := g.e.mostWarmup(b.Number)
	width := window(most)
	for _, s := range seats {
		if most < 1 {
			s.run.Steady = false
			continue
		}
		var rates []float64
		d := g.drive(s, most, 0)
		d.Logged = false
		tell := func() {
			g.tell(experiment.Event{Step: "warm-up", Block: b.Number, Config: s.label, Done: int64(len(rates)),
				All: int64(most)})
		}
		tell()
		d.Second = func(tps float64) bool {
			rates = append(rates, tps)
			tell()
			return len(rates)/width >= lastWindows && len(rates)%width == 0 && flat(rates, width)
		}
		for nth := range mostWarm {
			rates = nil
			d.Seed = seed(b.Seed, forWarmup, uint64(nth))
			_, saw, err := g.guarded(ctx, s, d)
			if err != nil {
				return say.Err("warm-up of configuration {label}: {reason}", "label", s.label, "reason", err)
			}
			if !g.stolen(saw, nth) {
				break
			}
		}
		s.run.Steady = flat(rates, width)
	}
	return nil
}
