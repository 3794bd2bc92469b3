package experiments

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/show/outline"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// measuredOn is the host, the programs, and the load.
func (d *Report) measuredOn() []string {
	r, p := d.Result, d.words
	host := []any{"cpus", say.N(r.Host.CPUs, "{n} CPU", "{n} CPUs"), "memory", unit.Bytes(r.Host.Memory),
		"kernel", typeset.Clean(r.Host.Kernel)}
	where := p.Say("{cpus}, {memory} of memory, Linux {kernel}", host...)
	if name := typeset.Clean(r.Host.Line); name != "" {
		where = p.Say("{host}, {cpus}, {memory} of memory, Linux {kernel}", append(host, "host", name)...)
	}
	pgbench := typeset.Clean(r.Host.Pgbench)
	if pgbench == "" {
		pgbench = p.Say("pgbench of unknown version")
	}
	load := []any{"name", typeset.Clean(r.Workload.Name), "scale", strconv.Itoa(r.Workload.Scale),
		"size", unit.Bytes(r.Workload.Bytes)}
	var what string
	switch known := r.Workload.Bytes > 0; {
	case known && r.Workload.Synthetic:
		what = p.Say("{name} ({size} before the first run)", load...)
	case known:
		what = p.Say("{name} at scale {scale} ({size} before the first run)", load...)
	case r.Workload.Synthetic:
		what = typeset.Clean(r.Workload.Name)
	default:
		what = p.Say("{name} at scale {scale}", load...)
	}
	return []string{where, "PostgreSQL " + d.servers() + ", " + pgbench,
		what + p.Semicolon() + d.howRun()}
}

// servers are the versions of PostgreSQL: of A, and of B where it has another.
func (d *Report) servers() string {
	r := d.Result
	a, b := r.A.Server, r.B.Server
	if a == "" {
		a, b = r.Host.Server, r.Host.Server
	}
	if r.A.Database != "" {
		a, b = a+", "+r.A.Database, b+", "+r.B.Database
	}
	if r.Design == experiment.DesignSingle || a == b {
		return typeset.Clean(a)
	}
	return d.words.Say("{a} with A, {b} with B", "a", typeset.Clean(a), "b", typeset.Clean(b))
}

// worst is what else went on, over all runs; "" if nothing is known of it.
func (d *Report) worst() string {
	type worst struct {
		text say.Template
		unit string
		of   func(e experiment.Environment) stat.Number
	}
	var said say.List
	for _, g := range []worst{
		{"CPU steal {range}", "%", func(e experiment.Environment) stat.Number { return e.Steal }},
		{"CPU used by other programs {range}", "%", func(e experiment.Environment) stat.Number { return e.Foreign }},
		{"CPU pressure (PSI some) {range}", "%", func(e experiment.Environment) stat.Number { return e.PSICPU }},
		{"I/O pressure (PSI some) {range}", "%", func(e experiment.Environment) stat.Number { return e.PSIIO }},
		{"memory pressure (PSI full) {range}", "%", func(e experiment.Environment) stat.Number { return e.PSIMemory }},
		{"CPU calibration {range}", " ms", func(e experiment.Environment) stat.Number { return e.CalibrationCPU }},
		{"memory calibration {range}", " ms",
			func(e experiment.Environment) stat.Number { return e.CalibrationMemory }},
		{"fsync calibration {range}", " ms", func(e experiment.Environment) stat.Number { return e.CalibrationSync }},
	} {
		var all []float64
		for i := range d.Result.Blocks {
			for _, run := range d.Result.Blocks[i].Runs {
				if v := g.of(run.Environment); v.Known() {
					all = append(all, float64(v))
				}
			}
		}
		if len(all) > 0 {
			said.Items = append(said.Items, say.M(g.text, "range", rangeOf(slices.Min(all), slices.Max(all), g.unit)))
		}
	}
	if len(said.Items) == 0 {
		return ""
	}
	return d.words.Say("over all runs: {list}", "list", said)
}

// howRun says how it was run.
func (d *Report) howRun() string {
	s := d.Result.Spec
	clients := say.N(s.Clients, "{n} client", "{n} clients")
	if s.Jobs > 0 {
		clients = say.M("{clients} in {threads}", "clients", clients, "threads",
			say.N(s.Jobs, "{n} thread", "{n} threads"))
	}
	parts := []say.Message{clients}
	switch {
	case s.Slice > 0:
		parts = append(parts, say.M("slices of {slice}, {time} of each configuration in a block",
			"slice", seconds(s.Slice), "time", seconds(s.Duration)))
	default:
		parts = append(parts, say.M("runs of {length}", "length", lengthOf(s)))
	}
	if s.Rate > 0 {
		parts = append(parts, say.M("at {rate} transactions per second", "rate", say.Number(plainFigure(s.Rate))))
	}
	switch s.Restore {
	case experiment.RestoreFresh:
		if s.Slice > 0 {
			parts = append(parts, say.M("fresh copy of the data for each block"))
		} else {
			parts = append(parts, say.M("fresh copy of the data for each run"))
		}
	case experiment.RestoreKept:
		parts = append(parts, say.M("one copy of the data per configuration for all runs"))
	case experiment.RestoreShared:
		parts = append(parts, say.M("loaded data shared by all runs"))
	case experiment.RestoreExisting:
		parts = append(parts, say.M("existing database, as the runs before left it"))
	}
	parts = append(parts, say.M("cache {cache}", "cache", typeset.Clean(s.Cache)),
		say.M("protocol {protocol}", "protocol", typeset.Clean(s.Protocol)),
		say.M("seed {seed}", "seed", strconv.FormatUint(s.Seed, 10)))
	return d.words.Value(say.List{Items: parts})
}

// ranWhen is when it was begun, how long it took, and by what; "" if that is not known.
func (d *Report) ranWhen() string {
	begun, err := time.Parse(time.RFC3339, d.Result.Started)
	if err != nil {
		return ""
	}
	told := []any{"time", begun.UTC().Format("2006-01-02 15:04"), "version", typeset.Clean(d.Result.Program)}
	if end, err := time.Parse(time.RFC3339, d.Result.Ended); err == nil {
		return d.words.Say("Started {time} UTC, took {span}, pgfettle {version}",
			append(told, "span", experiment.Span(end.Sub(begun)))...)
	}
	return d.words.Say("Started {time} UTC, pgfettle {version}", told...)
}

// usualWarmup is the default limit of the warm-up, in seconds.
const usualWarmup = 300

// repeatLine is a command that runs the same experiment again.
func repeatLine(r *experiment.Result) string {
	s, e := r.Spec, Course(r.Name)
	args := []string{"pgfettle"}
	add := func(flag, value string) { args = append(args, "--"+flag, shell.Quote(typeset.Clean(value))) }
	switch {
	case r.Design == experiment.DesignSingle:
		args = append(args, "bench")
		add("conf", r.A.Name)
		add("runs", strconv.Itoa(s.Blocks))
	case r.Name == AA:
		args = append(args, "prove", "--aa")
		add("a", r.A.Name)
	case e != nil:
		args = append(args, "prove")
		add("experiment", e.Name)
		if e.Kernel {
			args = append(args, "--kernel")
		}
	default:
		args = append(args, "prove")
		add("a", r.A.Name)
		add("b", r.B.Name)
		if major, _, _ := strings.Cut(r.B.Server, "."); major != "" && r.B.Database == "" {
			add("b-pg", major)
		}
	}
	switch {
	case e != nil:
	case r.A.Database == "" || r.Workload.Name != "custom":
		add("workload", r.Workload.Name)
	default:
		args = append(args, "-f", "FILE")
	}
	if r.A.Database != "" {
		add("database", r.A.Database)
		if r.B.Database != r.A.Database && r.Design != experiment.DesignSingle {
			add("b-database", r.B.Database)
		}
	} else if !r.Workload.Synthetic { // else it is as large as it is
		add("scale", strconv.Itoa(r.Workload.Scale))
	}
	if r.Design != experiment.DesignSingle {
		add("blocks", strconv.Itoa(s.Blocks))
		if s.Sequential && s.Extended == 0 {
			args = append(args, "--sequential")
		}
		if r.A.Database == "" {
			add("design", r.Design)
		}
		if e == nil {
			add("metric", r.Metric)
		}
		if s.Margin != stat.Margin {
			add("margin", strconv.FormatFloat(s.Margin, 'f', -1, 64))
		}
	}
	add("clients", strconv.Itoa(s.Clients))
	if s.Cycles > 0 {
		add("checkpoint-cycles", strconv.Itoa(s.Cycles))
	}
	if s.Cycles == 0 || s.Duration > 1 {
		add("duration", strconv.FormatFloat(s.Duration, 'f', -1, 64)+"s")
	}
	if s.Warmup != usualWarmup {
		add("warmup", strconv.FormatFloat(s.Warmup, 'f', -1, 64)+"s")
	}
	if s.Rate > 0 {
		add("rate", strconv.FormatFloat(s.Rate, 'f', -1, 64))
	}
	if s.Count > 0 {
		add("transactions", strconv.Itoa(s.Count))
	}
	// not what is chosen else
	if s.Restore == "kept" && r.Workload.Writes || s.Restore == "fresh" && !r.Workload.Writes {
		add("restore", s.Restore)
	}
	add("cache", s.Cache)
	add("protocol", s.Protocol)
	add("seed", strconv.FormatUint(s.Seed, 10))
	if major, _, _ := strings.Cut(r.Host.Server, "."); major != "" && r.A.Database == "" {
		add("pg", major)
	}
	if r.Workload.Synthetic {
		args = append(args, "TARGET")
	}
	return strings.Join(args, " ")
}

// designWords say how runs follow each other.
func designWords(e *experiment.Experiment, p outline.Words) string {
	s := e.Spec
	told := []any{"length", lengthOf(s), "warmup", warmWords(s)}
	switch {
	case e.Database == "":
	case e.Design == experiment.DesignSingle:
		return p.Many(s.Blocks, "{n} run of {length}. Before each run, {warmup}, and a checkpoint is run. Nothing is "+
			"compared, so there is no verdict.", "{n} runs of {length}. Before each run, {warmup}, and a checkpoint "+
			"is "+
			"run. Nothing is compared, so there is no verdict.", told...)
	default:
		return p.Many(s.Blocks, "{n} block of two runs of {length}, one of each configuration, in random order (AB or "+
			"BA, seed {seed}). Before each run, the settings of its sessions are verified, {warmup}, and a checkpoint "+
			"is run.", "{n} blocks of two runs of {length}, one of each configuration, in random order (AB or BA, "+
			"seed {seed}). Before each run, the settings of its sessions are verified, {warmup}, and a checkpoint is "+
			"run.", append(told, "seed", strconv.FormatUint(s.Seed, 10))...)
	}
	switch e.Design {
	case experiment.DesignSingle:
		return p.Many(s.Blocks, "{n} run of {length}. Before each run, the server is started, {warmup}, and a "+
			"checkpoint "+
			"is run. Nothing is compared, so there is no verdict.", "{n} runs of {length}. Before each run, the "+
			"server "+
			"is started, {warmup}, and a checkpoint is run. Nothing is compared, so there is no verdict.", told...)
	case experiment.DesignSlices:
		return p.Many(s.Blocks, "{n} block. Both servers are running and are loaded alternately in slices of {slice} "+
			"in "+
			"balanced order, {time} of each configuration per block, so slow drift affects both.", "{n} blocks. Both "+
			"servers are running and are loaded alternately in slices of {slice} in balanced order, {time} of each "+
			"configuration per block, so slow drift affects both.", "slice", seconds(s.Slice),
			"time", seconds(s.Duration))
	}
	told = append(told, "seed", strconv.FormatUint(s.Seed, 10))
	if s.Numbered() {
		return p.Many(s.Blocks, "{n} block of two runs of {length}, one of each configuration, the same ones in both, "+
			"in random order (AB or BA, seed {seed}). Before each run, the server is started with its configuration, "+
			"every value is verified, {warmup}, and a checkpoint is run.", "{n} blocks of two runs of {length}, one "+
			"of "+
			"each configuration, the same ones in both, in random order (AB or BA, seed {seed}). Before each run, the "+
			"server is started with its configuration, every value is verified, {warmup}, and a checkpoint is run.",
			told...)
	}
	return p.Many(s.Blocks, "{n} block of two runs of {length}, one of each configuration, in random order (AB or BA, "+
		"seed {seed}). Before each run, the server is started with its configuration, every value is verified, "+
		"{warmup}, and a checkpoint is run.", "{n} blocks of two runs of {length}, one of each configuration, in "+
		"random "+
		"order (AB or BA, seed {seed}). Before each run, the server is started with its configuration, every value is "+
		"verified, {warmup}, and a checkpoint is run.", told...)
}

// warmWords say how the load warms up before a run.
func warmWords(s experiment.Spec) say.Message {
	if s.Warmup == 0 {
		return say.M("there is no warm-up")
	}
	return say.M("the load warms up until throughput is stable (at most {time})", "time", seconds(s.Warmup))
}

// lengthOf says how long runs are: 120 s, 100 transactions of each client, 2 whole checkpoint cycles.
func lengthOf(s experiment.Spec) any {
	switch {
	case s.Numbered():
		return say.N(s.Count, "{n} transaction per client", "{n} transactions per client")
	case s.Cycles == 0:
		return seconds(s.Duration)
	}
	cycles := say.N(s.Cycles, "{n} whole checkpoint cycle", "{n} whole checkpoint cycles")
	if s.Duration > 1 {
		return say.M("{cycles} and at least {time}", "cycles", cycles, "time", seconds(s.Duration))
	}
	return cycles
}

// valueOr is a value, or the default if there is none.
func valueOr(value, otherwise string, p outline.Words) string {
	switch {
	case value != "":
		return value
	case otherwise != "":
		return p.Say("{value} (default)", "value", otherwise)
	}
	return p.Say("(default)")
}
