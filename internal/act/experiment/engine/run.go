package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// seat is a configuration's server at work.
type seat struct {
	label string
	n     machine.Node
	run   experiment.Run
	tally
}

// tally joins the parts of a run.
type tally struct {
	seen           machine.Seen
	foreign        float64 // seconds of CPU time taken by others
	mean, sq       float64 // sums over transactions, of latency and its square
	latencies      measured.Histogram
	before         machine.Counters
	cpu            time.Duration // of the server before the run
	client         time.Duration
	seconds        []float64 // rate of each
	cycles         *cycles   // nil: a run of a fixed time
	timed, without int64     // transactions whose latency is known, and is not
}

// place puts the files of a configuration where its server will start.
func (g *engine) place(ctx context.Context, label string) (string, error) {
	switch g.e.Restore {
	case experiment.RestoreExisting:
		return label, nil
	case experiment.RestoreShared:
		return g.e.masterOf(label), nil
	case experiment.RestoreKept:
		if name, ok := g.made[label]; ok {
			return name, nil
		}
	}
	name := "run-" + strings.ToLower(label)
	if err := g.w.Remove(name); err != nil {
		return "", err
	}
	g.tell(experiment.Event{Step: "copy", Config: label})
	if err := g.w.Clone(ctx, g.e.masterOf(label), name, func(done, all int64) {
		g.tell(experiment.Event{Step: "copy", Config: label, Done: done, All: all})
	}); err != nil {
		return "", say.Err("copy of the loaded cluster: {reason}", "reason", err)
	}
	g.made[label] = name
	return name, nil
}

// open starts a configuration's server and holds that it is what was asked for.
func (g *engine) open(ctx context.Context, label string) (s *seat, err error) {
	name, err := g.place(ctx, label)
	if err != nil {
		return nil, err
	}
	if g.e.Spec.Cache == "cold" {
		if err := g.w.DropCaches(); err != nil {
			return nil, say.Err("page cache: {reason}", "reason", err)
		}
	}
	g.tell(experiment.Event{Step: "start", Config: label})
	c := g.e.configuration(label)
	n, err := g.w.Start(ctx, name, c.Settings)
	if err != nil {
		return nil, err
	}
	s = &seat{label: label, n: n, run: experiment.Run{Config: label}}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	have, err := n.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if err := verify(label, c.Settings, have); err != nil {
		return nil, err
	}
	a := &g.res.A
	if label == "B" {
		a = &g.res.B
	}
	if h := hash(have); a.Hash == "" {
		a.Hash = h
	} else if a.Hash != h {
		return nil, &say.Problem{Message: say.M("the server of configuration {label} has other settings than in the "+
			"runs before", "label", label),
			Detail: say.M("the hash over pg_settings was {hash} and is {value}", "hash", a.Hash[:12], "value", h[:12]),
			Hint:   say.M("runs under different settings are not one experiment; begin a new one"),
			Code:   say.CodeRefused}
	}
	if g.e.Spec.Cache == "warm" {
		how, err := prewarmed(ctx, n)
		if err != nil {
			return nil, err
		}
		if !how.IsZero() {
			g.note(how)
		}
	}
	return s, nil
}

// shut stops a configuration's server, and removes its files where the next run shall not
// have them.
func (g *engine) shut(s *seat) error {
	g.tell(experiment.Event{Step: "stop", Config: s.label})
	if err := s.n.Close(); err != nil {
		return err
	}
	if g.e.Restore == experiment.RestoreFresh {
		name := g.made[s.label]
		delete(g.made, s.label)
		return g.w.Remove(name)
	}
	return nil
}

// run is one run of the designs restart and single.
func (g *engine) run(ctx context.Context, b *experiment.Block, label string) (r experiment.Run, err error) {
	if err := touch(g.w, []experiment.Configuration{g.e.configuration(label)}, g.e.MayTouchKernel); err != nil {
		return r, err
	}
	defer func() {
		_, back := untouch(g.w)
		err = errors.Join(err, back)
	}()
	s, err := g.open(ctx, label)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, g.shut(s)) }()
	if err := g.warm(ctx, b, []*seat{s}); err != nil {
		return r, err
	}
	if err := g.calibrate(ctx, s); err != nil {
		return r, err
	}
	if err := g.begin(ctx, s); err != nil {
		return r, err
	}
	d := g.drive(s, g.e.Spec.Duration, b.Seed)
	if g.e.Spec.Numbered() {
		d.Seconds, d.Transactions = 0, g.e.Spec.Count
	}
	if g.e.Spec.Cycles > 0 {
		if err := g.cycles(s, &d); err != nil {
			return r, err
		}
	}
	if err := g.part(ctx, s, []*seat{s}, d); err != nil {
		return r, err
	}
	if err := g.end(ctx, s); err != nil {
		return r, err
	}
	if g.e.Spec.Numbered() { // its counters are those of a fixed number already
		s.run.Counters[experiment.Counted] = float64(s.run.Transactions)
		return s.run, nil
	}
	if err := g.count(ctx, b, s); err != nil {
		return r, err
	}
	return s.run, nil
}

// drive is an order of the experiment's load.
func (g *engine) drive(s *seat, seconds float64, seed uint64) loadgen.Drive {
	sp := g.e.Spec
	return loadgen.Drive{Conn: s.n.Conn(), Scale: g.e.Scale, Clients: sp.Clients, Jobs: sp.Jobs, Seconds: seconds,
		Rate: sp.Rate, Seed: seed, Protocol: sp.Protocol, Connect: g.e.configuration(s.label).Reconnect, Logged: true}
}

func millis(d time.Duration) stat.Number { return stat.Number(d.Seconds() * 1000) }

// begin brings a server to the start of a run. Counters are not reset but taken
// at both ends: to reset them would make autovacuum forget what it has to do.
func (g *engine) begin(ctx context.Context, s *seat) (err error) {
	g.tell(experiment.Event{Step: "checkpoint", Config: s.label})
	if _, err = s.n.Checkpoint(ctx); err != nil {
		return err
	}
	if s.before, err = s.n.Counters(ctx); err != nil {
		return err
	}
	if s.cpu, err = s.n.CPU(); err != nil {
		return err
	}
	s.run.Started = g.w.Now().UTC().Format(time.RFC3339Nano)
	return nil
}

// guarded sends the load while the host is watched. What the watch finds so bad
// that nothing can go on ends it.
func (g *engine) guarded(ctx context.Context, s *seat, d loadgen.Drive) (loadgen.Driven, machine.Seen, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.Made = func(folder string) error {
		b, err := json.Marshal(folder)
		if err != nil {
			return err
		}
		return g.w.Put(loadName, b)
	}
	end := g.w.Watch(s.n, cancel)
	out, err := g.e.Load.Drive(inner, d)
	saw := end()
	if cause := context.Cause(inner); cause != nil {
		return out, saw, cause
	}
	if gone := s.n.Alive(); gone != nil {
		return out, saw, &say.Problem{Message: say.M("the server of configuration {label} ended in the middle of a run",
			"label", s.label),
			Detail: say.OfError(gone),
			Hint: say.M("its last words say why; what was measured before is kept, and the experiment can be " +
				"resumed"),
			Code: say.CodeError}
	}
	if err != nil {
		return out, saw, say.Err("load on configuration {label}: {reason}", "label", s.label, "reason", err)
	}
	return out, saw, nil
}

// part measures a run or a slice of one, while the given servers are up.
func (g *engine) part(ctx context.Context, s *seat, up []*seat, d loadgen.Drive) error {
	before, err := servers(up)
	if err != nil {
		return err
	}
	done := 0
	tell := func() {
		g.tell(experiment.Event{Step: "measure", Config: s.label, Done: int64(done), All: int64(d.Seconds)})
	}
	tell()
	d.Second = func(tps float64) bool {
		s.seconds = append(s.seconds, tps)
		done++
		tell()
		return s.cycles != nil && s.cycles.enough(done)
	}
	out, saw, err := g.guarded(ctx, s, d)
	if err != nil {
		return err
	}
	if s.cycles != nil {
		if s.cycles.err != nil {
			return errors.Join(s.cycles.err, s.n.Alive())
		}
		s.run.Cycles = s.cycles.done
	}
	after, err := servers(up)
	if err != nil {
		return err
	}
	s.tally.take(&s.run, out, saw, after-before)
	if g.res.Workload.Command == "" {
		g.res.Workload.Command = out.Command
	}
	return nil
}

// servers is the CPU time of servers together.
func servers(up []*seat) (sum time.Duration, err error) {
	for _, s := range up {
		d, err := s.n.CPU()
		if err != nil {
			return 0, errors.Join(err, s.n.Alive())
		}
		sum += d
	}
	return sum, nil
}

// take adds a part to a run.
func (t *tally) take(r *experiment.Run, out loadgen.Driven, saw machine.Seen, server time.Duration) {
	r.Seconds += out.Seconds
	r.Transactions += out.Transactions
	r.Failed, r.Retried, r.Skipped = r.Failed+out.Failed, r.Retried+out.Retried, r.Skipped+out.Skipped
	r.Errors = append(r.Errors, out.Errors...)
	n := float64(out.Transactions)
	if math.IsNaN(out.Mean) || math.IsNaN(out.SD) {
		t.without += out.Transactions
	} else {
		t.timed += out.Transactions
		t.mean += n * out.Mean
		t.sq += n * (out.SD*out.SD + out.Mean*out.Mean)
	}
	if out.Latencies != nil {
		t.latencies.Add(out.Latencies)
	}
	t.client += out.CPU
	t.seen = t.seen.Add(saw)
	// What is below nothing is rounding of the kernel's ticks.
	t.foreign += max(0, saw.Busy-saw.Own-server.Seconds())
}

// end fills in what a run came to.
func (g *engine) end(ctx context.Context, s *seat) error {
	after, err := s.n.Counters(ctx)
	if err != nil {
		return errors.Join(err, s.n.Alive())
	}
	cpu, err := s.n.CPU()
	if err != nil {
		return err
	}
	r, t := &s.run, &s.tally
	if r.Seconds > 0 {
		r.TPS = float64(r.Transactions) / r.Seconds
	}
	r.Latency = t.latency()
	r.Windows = windows(s.seconds, windowSeconds)
	r.Counters = after.Since(s.before)
	r.Counters[experiment.ServerCPU] = float64(cpu-s.cpu) / float64(time.Millisecond)
	r.Counters[experiment.ClientCPU] = float64(t.client) / float64(time.Millisecond)
	if t.seen.PageTables > 0 {
		r.Counters[experiment.PageTables] = float64(t.seen.PageTables)
	}
	t.environment(&r.Environment)
	r.Environment.Checkpoint = after.Checkpoints - s.before.Checkpoints
	r.Environment.Wraparound = after.Wraparound || s.before.Wraparound
	g.tell(experiment.Event{Step: "checkpoint", Config: s.label})
	d, err := s.n.Checkpoint(ctx)
	if err != nil {
		return err
	}
	r.Checkpoint = d.Seconds()
	return nil
}

// latency is that of all transactions of all parts.
func (t *tally) latency() experiment.Latency {
	l := experiment.Latency{Mean: unknown, SD: unknown, P50: unknown, P95: unknown, P99: unknown, Max: unknown}
	if t.timed > 0 && t.without == 0 {
		n := float64(t.timed)
		m := t.mean / n
		l.Mean, l.SD = stat.Number(m), stat.Number(math.Sqrt(math.Max(0, t.sq/n-m*m)))
	}
	at := func(q float64) stat.Number {
		if us, ok := t.latencies.Quantile(q); ok {
			return stat.Number(float64(us) / 1000)
		}
		return unknown
	}
	l.P50, l.P95, l.P99 = at(0.5), at(0.95), at(0.99)
	if us, ok := t.latencies.Max(); ok {
		l.Max = stat.Number(float64(us) / 1000)
	}
	return l
}

// environment is what else went on, in percent.
func (t *tally) environment(e *experiment.Environment) {
	share := func(part, whole float64, ok bool) stat.Number {
		if !ok || whole <= 0 {
			return unknown
		}
		return stat.Number(100 * part / whole)
	}
	s := t.seen
	e.Steal = share(s.Steal, s.All, s.Known)
	e.Foreign = share(t.foreign, s.All, s.Known)
	for name, to := range map[string]*stat.Number{"cpu some": &e.PSICPU, "io some": &e.PSIIO,
		"memory full": &e.PSIMemory} {
		d, ok := s.Pressure[name]
		*to = share(d.Seconds(), s.Wall.Seconds(), ok)
	}
	e.ClockStep = millis(s.Clock)
}

// count runs a fixed number of transactions, whose counters vary far less than
// those of a fixed time, and takes them instead.
func (g *engine) count(ctx context.Context, b *experiment.Block, s *seat) error {
	if g.e.Spec.Count == 0 {
		return nil
	}
	g.tell(experiment.Event{Step: "count", Block: b.Number, Config: s.label})
	before, err := s.n.Counters(ctx)
	if err != nil {
		return err
	}
	cpu, err := s.n.CPU()
	if err != nil {
		return err
	}
	d := g.drive(s, 0, seed(b.Seed, forCount))
	// As fast as it goes: the counters do not depend on the rate, and a counted run
	// at a rate would take as long as it was asked to.
	d.Logged, d.Transactions, d.Rate = false, g.e.Spec.Count, 0
	out, _, err := g.guarded(ctx, s, d)
	if err != nil {
		return err
	}
	after, err := s.n.Counters(ctx)
	if err != nil {
		return err
	}
	end, err := s.n.CPU()
	if err != nil {
		return err
	}
	pages, seen := s.run.Counters[experiment.PageTables]
	s.run.Counters = after.Since(before)
	s.run.Counters[experiment.Counted] = float64(out.Transactions)
	s.run.Counters[experiment.ServerCPU] = float64(end-cpu) / float64(time.Millisecond)
	s.run.Counters[experiment.ClientCPU] = float64(out.CPU) / float64(time.Millisecond)
	if seen {
		s.run.Counters[experiment.PageTables] = pages
	}
	s.run.Failed += out.Failed
	s.run.Errors = append(s.run.Errors, out.Errors...)
	return nil
}
