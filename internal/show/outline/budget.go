package outline

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Part is one piece of the memory.
type Part struct {
	ID     string // for programs and styles
	Name   say.Message
	Of     func(memory.Budget) unit.Bytes
	Always bool // shown even if nothing is
}

// Parts are in the order of the bar: what PostgreSQL takes, then others, then
// what is left.
var Parts = []Part{
	{"shared", say.M("shared memory"), func(b memory.Budget) unit.Bytes { return b.Shared }, false},
	{"page_tables", say.M("page tables"), func(b memory.Budget) unit.Bytes { return b.PageTables },
		false},
	{"backends", say.M("backends"), func(b memory.Budget) unit.Bytes { return b.Backends }, false},
	{"work", say.M("work_mem"), func(b memory.Budget) unit.Bytes { return b.Work }, false},
	{"maintenance", say.M("maintenance and autovacuum"),
		func(b memory.Budget) unit.Bytes { return b.Maintenance }, false},
	{"neighbours", say.M("other instances"), func(b memory.Budget) unit.Bytes { return b.Beside },
		false},
	{"others", say.M("other processes"), func(b memory.Budget) unit.Bytes { return b.Others }, false},
	{"reserve", say.M("reserve"), func(b memory.Budget) unit.Bytes { return b.Reserve }, false},
	{"unused", say.M("unused huge pages"), func(b memory.Budget) unit.Bytes { return b.PoolUnused },
		false},
	{"file_cache", say.M("page cache"), func(b memory.Budget) unit.Bytes { return b.FileCache }, true},
}

// Budget is the memory before and after alone, as Plan has it.
func Budget(b plan.Budget, c *say.Catalogue) Outline {
	var o Outline
	WordsIn(c).budgetOutline(&o, b)
	return o
}

// budgetOutline is the memory before and after, in the worst case.
func (p Words) budgetOutline(o *Outline, b plan.Budget) {
	if !b.Known {
		o.Heading(2, p.Say("Memory budget: unavailable"))
		o.Para(p.BudgetUnknown(b))
		return
	}
	o.Heading(2, p.BudgetBound(b))
	o.Para(p.BudgetWorst())
	before, after := p.Before(), p.After()
	o.Add(Figure{Name: FigureBudget, Title: p.BudgetBound(b), Picture: p.budgetBars(b.Before, b.After)})
	t := Table{Caption: p.Say("Memory budget"),
		Head: []string{p.Say("part"), before, "%", after, "%"}, Numbers: 1}
	row := func(sign Sign, name string, was, will unit.Bytes) {
		cells := Cells(name, p.Amount(was), p.Percent(was, b.Before.Total), p.Amount(will),
			p.Percent(will, b.After.Total))
		cells[0] = sign.Before(name)
		t.Rows = append(t.Rows, cells)
	}
	for _, pt := range Parts {
		was, will := pt.Of(b.Before), pt.Of(b.After)
		if was == 0 && will == 0 && !pt.Always {
			continue
		}
		row(p.signOf(&pt), p.Word(pt.Name), was, will)
	}
	if b.Before.Shortfall > 0 || b.After.Shortfall > 0 {
		t.Tones = map[int]Tone{len(t.Rows): ToneBad}
		row(Sign{Mark: "|"}, p.Say("shortfall"), b.Before.Shortfall,
			b.After.Shortfall)
	}
	o.Add(t)
	for _, l := range p.BudgetBeneath(b) {
		o.Para(l)
	}
	if b.After.Shortfall > 0 {
		o.Toned(ToneBad, Bold(p.BudgetMisfit(b)))
	}
	if all := p.BudgetAll(b); all != "" {
		o.Para(all)
		o.Add(Figure{Name: FigureAllAtWork, Title: p.BudgetBound(b), Picture: p.budgetBars(b.AllBefore, b.AllAfter)})
	}
}

// The pictures of a memory budget: with as many sessions at work as are expected, and with all of them.
const (
	FigureBudget    = "budget"
	FigureAllAtWork = "all_at_work"
)

// partSigns draw the parts, each with its own character, so that the bar can be read without color.
var partSigns = map[string]struct {
	mark string
	hue  Hue
}{
	"shared": {"#", "34"}, "page_tables": {"%", "31"}, "backends": {"=", "36"}, "work": {"+", "35"},
	"maintenance": {"~", "33"},
	"neighbours":  {"@", "37"}, "others": {"o", "37"}, "reserve": {":", "2"}, "unused": {"!", "1;31"},
	"file_cache": {".", "32"},
}

// signOf is how a part is drawn.
func (p Words) signOf(pt *Part) Sign {
	s := partSigns[pt.ID]
	return Sign{Mark: s.mark, Hue: s.hue, Part: pt.ID, Name: p.Word(pt.Name)}
}

// budgetBars are the memory before and after.
func (p Words) budgetBars(before, after memory.Budget) Bars {
	was, will := p.Before(), p.After()
	var out Bars
	for _, pt := range Parts {
		out.Signs = append(out.Signs, p.signOf(&pt))
	}
	for _, b := range []struct {
		name string
		of   memory.Budget
	}{{was, before}, {will, after}} {
		bar := Bar{Label: b.name, Total: b.of.Total}
		for _, pt := range Parts {
			bar.Amounts = append(bar.Amounts, max(pt.Of(b.of), 0))
		}
		out.Bars = append(out.Bars, bar)
	}
	return out
}

// BudgetAll describes the budget with every connection active.
func (p Words) BudgetAll(b plan.Budget) string {
	if b.AllAfter.Total <= 0 { // of a plan that was written before there was one
		return ""
	}
	pairs := []any{"open", b.Open, "fit", b.Fit, "before", b.AllBefore.Work, "work", b.AllAfter.Work, "left",
		b.AllAfter.FileCache, "missing", b.AllAfter.Shortfall}
	if b.AllAfter.Shortfall > 0 || b.Fit < b.Open {
		return p.Say("With all {open} connections active at once, work_mem takes {before} before and {work} after, "+
			"and {missing} is missing: memory is sufficient for {fit} connections. Idle sessions keep their memory.",
			pairs...)
	}
	return p.Say("With all {open} connections active at once, work_mem takes {before} before and {work} after, and "+
		"{left} is left. Idle sessions keep their memory.", pairs...)
}

// BudgetBound says how much memory there is, and what limits it.
func (p Words) BudgetBound(b plan.Budget) string {
	if b.Limit == "cgroup" {
		return p.Say("Memory budget: {size} (cgroup memory limit)", "size", b.After.Total)
	}
	return p.Say("Memory budget: {size} (host memory)", "size", b.After.Total)
}

func (p Words) BudgetWorst() string {
	return p.Say("Planned worst case: all connections are open, and as many sessions as expected are active at once, " +
		"each with all the memory that it can use.")
}

func (p Words) BudgetMisfit(b plan.Budget) string {
	if b.After.Shortfall == 0 {
		return ""
	}
	return p.Say("This does not fit: even after the changes, {missing} is missing in the worst case. Reduce the "+
		"number of connections (--connections, a connection pooler) or of active sessions (--active), or add memory.",
		"missing",
		b.After.Shortfall)
}

// BudgetUnknown says why there is none.
func (p Words) BudgetUnknown(b plan.Budget) string {
	if b.None {
		return p.Say("No PostgreSQL instance is known, so there is no memory to divide.")
	}
	return p.Say("The memory of the host or the settings of an instance are unknown.")
}

// BudgetBeneath are the sentences below a budget: on each neighbour, which the plan does
// not change, and on shared memory that the limit does not bound.
func (p Words) BudgetBeneath(b plan.Budget) []string {
	var out []string
	if b.Outside > 0 {
		out = append(out, p.Say("The shared memory ({size}) is in huge pages, which are not charged to the cgroup: "+
			"the memory of the host limits it.", "size", b.Outside))
	}
	if !b.OthersReason.IsZero() {
		out = append(out, p.Word(b.OthersReason))
	}
	for _, n := range b.Neighbours {
		out = append(out, p.neighbour(n))
	}
	return out
}

func (p Words) neighbour(n memory.Neighbour) string {
	name := typeset.Clean(n.Instance)
	if !n.Running {
		name = p.Say("{instance} (not running now, starts with the host)",
			"instance", name)
	}
	switch {
	case !n.Known && n.Take > 0:
		return p.Say("{instance}: maximum memory unknown ({reason}); counted with {size}, its present use rounded up.",
			"instance", name, "reason", gapwords.Arg(n.Reason), "size", n.Take)
	case !n.Known:
		return p.Say("{instance}: maximum memory unknown ({reason}); not counted.", "instance", name, "reason",
			gapwords.Arg(n.Reason))
	case n.Shared == 0:
		return p.Say("{instance} can use {size}, its cgroup limit.", "instance", name, "size", n.Take)
	case n.Limit > 0:
		return p.Say("{instance} can use {size} with its settings, within its cgroup limit of {limit}.", "instance",
			name,
			"size", n.Take, "limit", n.Limit)
	}
	return p.Say("{instance} can use {size} with its settings: {shared} of shared memory, and the rest with all "+
		"connections active.", "instance", name, "size", n.Take, "shared", n.Shared)
}

// Amount is a size of a table; nothing is a dash.
func (p Words) Amount(b unit.Bytes) string {
	if b == 0 {
		return "-"
	}
	return p.Size(b)
}

// Percent is a size as a share of all.
func (p Words) Percent(b, total unit.Bytes) string {
	if b == 0 || total <= 0 {
		return ""
	}
	share := 100 * float64(b) / float64(total)
	if share >= 100 {
		return p.Number(fmt.Sprintf("%.0f%%", share))
	}
	return p.Number(fmt.Sprintf("%.1f%%", share))
}
