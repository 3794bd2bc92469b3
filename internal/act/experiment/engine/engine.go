package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// engine is an experiment at work.
type engine struct {
	e      *Order
	w      world
	docs   documents
	res    *experiment.Result
	made   map[string]string // copies that are kept, by configuration
	begun  time.Time         // of the block at work
	spent  time.Duration     // on the blocks of this process
	ran    int               // how many they are
	wanted experiment.Estimation

	quick  machine.Calibration // the shortest times of the calibrations of this process; zero: none was made
	paused time.Duration       // in which a machine that is slow was waited for
	looked int                 // how many blocks counted when it was last judged, of one that is judged while it runs
}

// execute runs an experiment or goes on with it. It leaves nothing behind but the
// documents, however it ends; the document is there with the error too.
func execute(ctx context.Context, e *Order, w world, docs documents, program string,
	resume bool) (res *experiment.Result,
	err error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := w.Claim(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Release()) }()
	g := &engine{e: e, w: w, docs: docs, made: map[string]string{}, wanted: Estimate(e)}
	if g.res, err = document(e, docs, program, resume); err != nil {
		return nil, err
	}
	if g.res.Ended != "" {
		return g.res, nil
	}
	if err := sweep(w, g.mayStay()); err != nil {
		return g.res, say.Err("what an earlier run left behind: {reason}", "reason", err)
	}
	defer func() {
		g.tell(experiment.Event{Step: "clean"})
		data := g.keepData(context.WithoutCancel(ctx))
		if err = errors.Join(err, sweep(w, data)); data != "" {
			g.tellKept()
		}
	}()
	g.looked = g.res.N // an interruption is no look
	if g.res.Started == "" {
		g.res.Started = stamp(w.Now())
	} else if n := len(g.res.Blocks); n > 0 && e.Restore == experiment.RestoreKept && g.res.Workload.Writes {
		g.note(say.M("interrupted after block {n}: the blocks after it began with new copies of the data", "n",
			strconv.Itoa(n)))
	}
	if err := g.masters(ctx); err != nil {
		return g.res, err
	}
	if err := g.fits(ctx); err != nil {
		return g.res, err
	}
	if err := save(docs, g.res); err != nil {
		return g.res, err
	}
	if err := g.blocks(ctx); err != nil {
		return g.res, err
	}
	g.res.Ended = stamp(w.Now())
	return g.res, save(docs, g.res)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// check refuses what cannot be run, before anything is made.
func (e *Order) check() error {
	bad := func(message say.Template, pairs ...any) error {
		return &say.Problem{Message: say.M(message, pairs...), Code: say.CodeUsage}
	}
	s := e.Spec
	metric, ok := experiment.FindMetric(e.Metric)
	writes := e.Load.Describe(e.Scale).Writes
	if e.Restore == "" {
		e.Restore = Restores(writes, e.Design)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !slices.Contains([]string{experiment.DesignRestart, experiment.DesignSlices, experiment.DesignTurns,
		experiment.DesignSingle}, e.Design):
		return bad("{design} is not a design of an experiment", "design", say.Quoted(e.Design))
	case !ok || !slices.Contains(experiment.PrimaryMetrics(), e.Metric):
		return bad("{metric} is not a metric that can decide an experiment", "metric", say.Quoted(e.Metric))
	case s.Blocks < 1 || s.Blocks > 500: // with the repeated ones a document still holds them
		return bad("{n} blocks: use 1 to 500", "n", s.Blocks)
	case !finite(s.Duration) || !e.Spec.Numbered() && s.Duration < 1 || s.Duration > 24*3600:
		return bad("a run of {seconds} s: use one second to one day", "seconds", s.Duration)
	case !finite(s.Warmup) || s.Warmup < 0 || s.Warmup > 24*3600:
		return bad("a warm-up of {seconds} s: use at most one day", "seconds", s.Warmup)
	case !finite(s.Rate) || s.Rate < 0:
		return bad("invalid rate: {rate} transactions per second", "rate", s.Rate)
	case s.Clients < 1 || s.Clients > 10000 || s.Jobs < 1 || s.Jobs > s.Clients:
		return bad("{clients} clients in {threads} threads: use at least one client per thread, and at most 10,000 "+
			"clients",
			"clients", s.Clients, "threads", s.Jobs)
	case s.Count < 0 || e.Scale < 1:
		return bad("scale {scale}, {count} counted transactions: the scale must be at least 1, the count at least 0",
			"scale", e.Scale, "count", s.Count)
	case !slices.Contains([]string{"warm", "os-warm", "cold"}, s.Cache):
		return bad("invalid state of the caches: {state}; use warm, os-warm or cold", "state", say.Quoted(s.Cache))
	case e.Design == experiment.DesignSlices && e.Spec.Numbered():
		return bad("slices have a fixed time, and these runs a fixed number of transactions: use the design restart")
	case e.Design == experiment.DesignSlices && (!finite(s.Slice) || s.Slice < 1 || s.Slice > s.Duration):
		return bad("slices of {slice} s in a run of {run} s: a slice must take at least one second and fit in the run",
			"slice", s.Slice, "run", s.Duration)
	case e.Design == experiment.DesignSlices && s.Cache == "cold":
		return bad("slices load servers that are up, so the caches cannot be cold: use the design restart")
	case metric.Name == "seconds" && !e.Spec.Numbered():
		return bad("the run time decides, so a run needs a fixed number of transactions, and no fixed time")
	case e.Spec.Numbered() && s.Count < 1:
		return bad("a run has neither a time nor a fixed number of transactions")
	case e.Spec.Numbered() && s.Jobs < s.Clients:
		return bad(
			"{clients} clients in {threads} threads: clients of one thread draw their scripts from one sequence; "+
				"only with one thread per client are both configurations sent the same transactions",
			"clients", s.Clients, "threads", s.Jobs)
	case !slices.Contains([]string{experiment.RestoreFresh, experiment.RestoreKept, experiment.RestoreShared,
		experiment.RestoreExisting}, e.Restore):
		return bad("{value} is not a way to restore data", "value", say.Quoted(e.Restore))
	case (e.On != nil) != (e.Restore == experiment.RestoreExisting) || e.On == nil &&
		e.Design == experiment.DesignTurns ||
		e.On != nil && e.Design != experiment.DesignTurns && e.Design != experiment.DesignSingle:
		return bad("existing databases are measured by turns, or one alone")
	case e.On != nil && (s.Cycles > 0 || s.Cache != "warm" || e.KeepData || e.Second.Dir != ""):
		return bad("an existing database has its own server, caches and data")
	case s.Cycles < 0 || s.Cycles > 100:
		return bad("{n} checkpoint cycles: use 1 to 100", "n", s.Cycles)
	case s.Cycles > 0 && (e.Design == experiment.DesignSlices || e.Spec.Numbered()):
		return bad(
			"a run of whole checkpoint cycles has its own length: use the design restart, and no fixed number of " +
				"transactions")
	case s.Cycles > 0 && !writes:
		return bad("the workload only reads, so that no checkpoint has anything to write")
	case s.Cycles > 0 && !e.Load.EndsWhole():
		return bad("this load cannot be ended at the end of a checkpoint cycle: use one of pgbench's")
	case s.Cycles > 0 && max(longest(e.A, s.Cycles, s.Duration), longest(e.B, s.Cycles, s.Duration)) > 24*3600:
		return bad("{n} checkpoint cycles would take more than a day", "n", s.Cycles)
	case e.Restore == experiment.RestoreShared && (writes || e.Design == experiment.DesignSlices):
		return bad("the configurations cannot share their data: the workload writes, or both servers are up at once")
	case e.Second.Dir != "" && (e.Design == experiment.DesignSingle || e.KeepData):
		return bad("a second server is for a comparison, whose data are not kept")
	case s.Cache == "cold" && !e.MayTouchKernel:
		return untouchable("cold caches are made by dropping the page cache of the whole host")
	}
	if err := allowed("A", e.A); err != nil {
		return err
	}
	if e.Design == experiment.DesignSingle {
		return nil
	}
	return allowed("B", e.B)
}

func (e *Order) configuration(label string) experiment.Configuration {
	if label == "B" {
		return e.B
	}
	return e.A
}

func (e *Order) labels() []string {
	if e.Design == experiment.DesignSingle {
		return []string{"A"}
	}
	return []string{"A", "B"}
}

// extra is how many discarded blocks are run again: a third, rounded down, as more would not be discarded.
func extra(blocks int) int { return blocks / 3 }

// due is how many blocks are to count before the experiment is judged: at its end, or at the next look.
func (g *engine) due() int {
	if s := g.e.Spec; s.Sequential && s.Extended == 0 {
		for _, n := range stat.Looks {
			if n > g.looked && n < s.Blocks {
				return n
			}
		}
	}
	return g.e.Spec.Blocks
}

// ends reports whether an experiment ends at a look. One that is due before all blocks were run ends it where it
// decides; where blocks are missing, since discarded ones are not run again without end, the next look takes its place.
func (g *engine) ends(due int) bool {
	g.looked = max(due, g.res.N)
	return due == g.e.Spec.Blocks || g.res.N >= stat.FewestBlocks && g.res.Word != stat.Inconclusive
}

// blocks runs what is missing: those that are due, and then again as many as the rules took out, up to a third more.
func (g *engine) blocks(ctx context.Context) (err error) {
	// What slices keep open over blocks is closed here.
	pair := &pair{}
	defer func() { err = errors.Join(err, g.closePair(pair)) }()
	for {
		g.res.Judge()
		broken := 0
		for _, b := range g.res.Blocks {
			if b.Broken {
				broken++
			}
		}
		due := g.due()
		if len(g.res.Blocks)-g.res.Discarded >= due || len(g.res.Blocks) >= due+extra(due) {
			if g.ends(due) {
				return nil
			}
			continue
		}
		if broken > extra(due) {
			g.note(say.M("stopped after {n} blocks: {count} of them cannot be compared, whatever else is on the host",
				"n", strconv.Itoa(len(g.res.Blocks)), "count", strconv.Itoa(broken)))
			return nil
		}
		g.begun = g.w.Now()
		if err := g.block(ctx, len(g.res.Blocks)+1, pair); err != nil {
			return err
		}
		if err := g.closePairUnlessKept(pair); err != nil {
			return err
		}
		g.ran++
		g.spent += g.w.Now().Sub(g.begun)
		g.begun = g.w.Now() // nothing of the next one has passed
		if err := save(g.docs, g.res); err != nil {
			return err
		}
		last := g.res.Blocks[len(g.res.Blocks)-1]
		g.tell(experiment.Event{Block: last.Number, Ended: true, Discarded: last.Discarded})
	}
}

// note adds a note to the document, in which texts are English.
func (g *engine) note(m say.Message) {
	text := m.English()
	if !slices.Contains(g.res.Notes, text) {
		g.res.Notes = append(g.res.Notes, text)
	}
}

// block runs one block and adds it to the document when it is whole.
func (g *engine) block(ctx context.Context, n int, p *pair) error {
	b := experiment.Block{Number: n, Order: order(g.e.Spec.Seed, n), Seed: seed(g.e.Spec.Seed, forRun, uint64(n)),
		LogRatio: unknown}
	if g.e.Design == experiment.DesignSingle {
		b.Order = "A"
	}
	var err error
	if g.e.Design == experiment.DesignSlices {
		b.Runs, err = g.sliced(ctx, &b, p)
		for _, r := range b.Runs {
			err = errors.Join(err, g.keep(&b, r))
		}
	} else {
		for label := range strings.SplitSeq(b.Order, "") {
			var r experiment.Run
			if r, err = g.run(ctx, &b, label); err != nil {
				break
			}
			b.Runs = append(b.Runs, r)
			if err = g.keep(&b, r); err != nil {
				break
			}
		}
	}
	if err != nil {
		return say.Err("block {n}: {reason}", "n", strconv.Itoa(n), "reason", err)
	}
	g.res.Blocks = append(g.res.Blocks, b)
	return nil
}

// keep adds a run to the raw ones.
func (g *engine) keep(b *experiment.Block, r experiment.Run) error {
	line, err := json.Marshal(raw{b.Number, b.Order, b.Seed, r})
	if err != nil {
		return err
	}
	return g.docs.add(rawName, line)
}

// tell passes on an event, with what is left.
func (g *engine) tell(ev experiment.Event) {
	if g.e.Progress == nil {
		return
	}
	done := len(g.res.Blocks)
	due := g.e.Spec.Blocks + min(g.res.Discarded, extra(g.e.Spec.Blocks))
	if ev.Blocks = max(due, ev.Block); ev.Block == 0 && ev.Config != "" {
		ev.Block = min(done+1, due)
	}
	each := g.wanted.Block
	if g.ran > 0 {
		each = g.spent / time.Duration(g.ran)
	}
	if ev.Step != "clean" && due > done {
		ev.Left = each * time.Duration(due-done)
		if !g.begun.IsZero() {
			ev.Left -= min(each, g.w.Now().Sub(g.begun))
		}
	}
	g.e.Progress(ev)
}

// fits asks the binary whether it would start with each configuration, and holds that the
// memory of the servers that run at once is there.
func (g *engine) fits(ctx context.Context) error {
	if g.e.On != nil {
		return nil // its server runs
	}
	var sum, most unit.Bytes
	for _, label := range g.e.labels() {
		c := g.e.configuration(label)
		said, shared, err := g.w.Try(ctx, g.e.masterOf(label), c.Settings)
		if err != nil {
			return say.Err("settings of configuration {label}: {reason}", "label", label, "reason", err)
		}
		if len(said) > 0 {
			return &say.Problem{Message: say.M("the server would not start with the settings of configuration {label}",
				"label", label),
				Detail: say.Text(strings.Join(said, "; ")),
				Hint:   say.M("correct them; nothing was run"), Code: say.CodeUsage}
		}
		if c.HugePages == 0 { // else the pool is checked when it is made
			sum, most = sum+shared, max(most, shared)
		}
	}
	need := most
	if g.e.Design == experiment.DesignSlices {
		need = sum
	}
	need += unit.Bytes(g.e.Spec.Clients) * perClient
	m, err := g.w.Memory()
	if err != nil {
		return err
	}
	if need > m.Available-keepFree(m.Total) {
		return &say.Problem{Message: say.M("the servers of this experiment need {need} of memory, and {available} "+
			"are available", "need", need, "available", m.Available),
			Detail: say.M("{total} are to stay free for everything else", "total", keepFree(m.Total)),
			Hint: say.M("with the design restart one server runs at a time; or use a smaller shared_buffers, or " +
				"fewer clients"), Code: say.CodeRefused}
	}
	return nil
}
