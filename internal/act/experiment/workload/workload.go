// Package workload holds what a server can be loaded with: the built-in scripts
// of pgbench, own scripts with their data, the user's own, and a mix made from
// the statistics of a live server. It makes the data and says how pgbench is
// run; running it is for who measures.
package workload

import (
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Workload is one kind of load.
type Workload struct {
	Name  string
	Title say.Message // a few words
	About string      // what it exercises, and what it does not show
	// Writes says that it changes data: each run wants a fresh copy of them.
	Writes bool
	// Synthetic says that it was made from statistics, not from what users sent.
	Synthetic bool
	// ScaleUnit is what one unit of scale adds to the size of the database, measured at scales 1 and 11 on 15 with
	// blocks of 8 kB; 0: it has no data.
	ScaleUnit unit.Bytes
	// Base is what the database takes beyond that, its catalogs not counted.
	Base unit.Bytes
	// Protocol that pgbench uses unless another is asked for.
	Protocol string
	// Connect says that each transaction opens a new connection: its rate is one of connections.
	Connect bool
	// Stream says that each client works through the same list of queries, and that the
	// time of each query is measured as well as that of the list.
	Stream bool
	// Uneven says that its transactions differ by orders of magnitude, so that runs of a
	// time differ by those that they happened to draw.
	Uneven bool
	// Session are parameters that each connection sets at its start, as NAME=VALUE without blanks: those that the
	// program sets which it stands for.
	Session []string
	// ListTime is the CPU time that a list takes for each unit of scale, in seconds, for estimates alone; 0 if a
	// transaction takes no time worth counting.
	ListTime float64
	// Scripts are what is run, each as often as its weight says; empty if pgbench has it built in.
	Scripts []Script
	// Builtin is pgbench's own script; "": none.
	Builtin string
	// Sysbench is a script of sysbench's own, which makes the data too; "": it is
	// pgbench that sends.
	Sysbench string

	data dataset
}

// Script is one script of pgbench.
type Script struct {
	Name   string // of its file, letters and digits
	Text   string
	Weight int
}

// Protocols of pgbench.
const (
	Simple   = "simple"
	Extended = "extended"
	Prepared = "prepared"
)

// The names under which a workload is not found in the list.
const (
	FromStatements = "from-statements" // needs a live server: see Synthesize
	SysbenchPrefix = "sysbench:"       // needs another program
)

// Times are the most informative data sizes, as parts of the memory: all of it in the page cache, half as much again as
// fits, and far beyond.
var Times = []float64{0.3, 1.5, 4}

// List returns the workloads that need only pgbench.
func List() []Workload {
	var out []Workload
	for _, w := range catalogue {
		out = append(out, w())
	}
	return out
}

// Names are those of List, and what else may be asked for.
func Names() []string {
	var out []string
	for _, w := range List() {
		out = append(out, w.Name)
	}
	return append(append(out, FromStatements), sysbenchNames()...)
}

// Find returns a workload by its name. The error is a *say.Problem.
func Find(name string) (*Workload, error) {
	for _, w := range List() {
		if w.Name == name {
			return &w, nil
		}
	}
	if script, ok := strings.CutPrefix(name, SysbenchPrefix); ok {
		if w := sysbench(script); w != nil {
			return w, nil
		}
	}
	switch {
	case name == FromStatements:
		return nil, &say.Problem{Message: say.M("the workload from-statements is made from a live server"),
			Hint: say.M("name the server whose pg_stat_statements to use"), Code: say.CodeUsage}
	}
	hint := say.M("known are {names}", "names", say.Names(Names(), 0))
	if near := say.Similar(name, Names()); len(near) > 0 {
		hint = say.All(" ", say.M("did you mean {name}?", "name", near[0]), hint)
	}
	return nil, &say.Problem{Message: say.M("there is no workload {name}", "name", say.Quoted(name)), Hint: hint,
		Code: say.CodeUsage}
}

// maxScale is as far as the numbers of rows of every workload fit: pgbench itself
// ends there.
const maxScale = 21_474

// ScaleFor is the scale whose database is as many times as large as the memory; at least 1. A workload without data has
// scale 1.
func (w *Workload) ScaleFor(memory unit.Bytes, times float64) int {
	if w.ScaleUnit <= 0 || times <= 0 || memory <= 0 {
		return 1
	}
	n := (float64(memory)*times - float64(w.Base)) / float64(w.ScaleUnit)
	return int(math.Round(min(max(n, 1), maxScale)))
}

// Size is what a database of a scale takes, its catalogs not counted; 0: not known.
func (w *Workload) Size(scale int) unit.Bytes {
	if w.ScaleUnit <= 0 {
		return 0
	}
	return w.Base + unit.Bytes(scale)*w.ScaleUnit
}

// total is the sum of the weights.
func (w *Workload) total() int {
	n := 0
	for _, s := range w.Scripts {
		n += s.Weight
	}
	return n
}

// Share is the part of the transactions that a script is meant to have.
func (w *Workload) Share(script string) float64 {
	i := slices.IndexFunc(w.Scripts, func(s Script) bool { return s.Name == script })
	if i < 0 || w.total() == 0 {
		return 0
	}
	return float64(w.Scripts[i].Weight) / float64(w.total())
}
