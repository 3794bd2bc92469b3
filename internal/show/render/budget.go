package render

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// part is one piece of the memory bar. Each has a sign of its own, so that the
// bar can be read without colour and without any character but ASCII.
type part struct {
	sign string
	tone tone
	name say.Message
	of   func(memory.Budget) unit.Bytes
}

// fileCache is the sign of what is left for the kernel's file cache: told also
// where nothing is.
const fileCache = "."

// parts are in the order of the bar: what PostgreSQL takes, then others, then
// what is left.
var parts = []part{
	{"#", "34", say.M("show/budget/part/shared", "shared memory"), func(b memory.Budget) unit.Bytes { return b.Shared }},
	{"%", "31", say.M("show/budget/part/page_tables", "page tables"), func(b memory.Budget) unit.Bytes { return b.PageTables }},
	{"=", "36", say.M("show/budget/part/backends", "backends"), func(b memory.Budget) unit.Bytes { return b.Backends }},
	{"+", "35", say.M("show/budget/part/work", "work_mem"), func(b memory.Budget) unit.Bytes { return b.Work }},
	{"~", "33", say.M("show/budget/part/maintenance", "maintenance and autovacuum"), func(b memory.Budget) unit.Bytes { return b.Maintenance }},
	{"@", "37", say.M("show/budget/part/neighbours", "other instances"), func(b memory.Budget) unit.Bytes { return b.Beside }},
	{"o", "37", say.M("show/budget/part/others", "other processes"), func(b memory.Budget) unit.Bytes { return b.Others }},
	{":", "2", say.M("show/budget/part/reserve", "reserve"), func(b memory.Budget) unit.Bytes { return b.Reserve }},
	{"!", "1;31", say.M("show/budget/part/unused", "unused huge pages"), func(b memory.Budget) unit.Bytes { return b.PoolUnused }},
	{fileCache, "32", say.M("show/budget/part/file_cache", "file cache"), func(b memory.Budget) unit.Bytes { return b.FileCache }},
}

// overflow is how far a bar may go past the memory, as a share of it: more than
// half as much again is drawn as a cut bar and told in the legend.
const overflow = 0.5

// budget draws where the memory goes before and after, in the worst case.
func (p *page) budget(b plan.Budget) {
	p.gap()
	if !b.Known {
		p.para("", strong, p.say("show/budget/not_drawn", "Memory budget: not drawn"))
		p.para("  ", plain, p.say("show/budget/unknown", "The memory of the host or the settings of an instance are not known."))
		return
	}
	p.bounded(b)
	p.para("  ", plain, p.worst())
	p.gap()
	was, will := "  "+p.say("show/budget/before", "before"), "  "+p.say("show/budget/after", "after")
	label := max(runes(was), runes(will)) + 1
	cells := min(p.st.Width-label-2, 100) // a longer bar shows nothing more
	scale := float64(b.After.Total)
	if short := max(b.Before.Shortfall, b.After.Shortfall); short > 0 {
		scale += min(float64(short), overflow*scale)
	}
	p.line(pad(was, label), p.bar(b.Before, cells, scale))
	p.line(pad(will, label), p.bar(b.After, cells, scale))
	p.gap()
	p.legend(b)
	p.allAtWork(b, pad(was, label), pad(will, label), cells)
}

// allAtWork draws the budget with every connection at work.
func (p *page) allAtWork(b plan.Budget, was, will string, cells int) {
	if b.AllAfter.Total <= 0 { // of a plan that was written before there was one
		return
	}
	p.gap()
	p.para("  ", plain, p.all(b))
	p.gap()
	scale := float64(b.AllAfter.Total)
	if short := max(b.AllBefore.Shortfall, b.AllAfter.Shortfall); short > 0 {
		scale += min(float64(short), overflow*scale)
	}
	p.line(was, p.bar(b.AllBefore, cells, scale))
	p.line(will, p.bar(b.AllAfter, cells, scale))
}

// all tells the budget with every connection at work in words.
func (p *page) all(b plan.Budget) string {
	pairs := []any{"open", b.Open, "fit", b.Fit, "before", b.AllBefore.Work, "work", b.AllAfter.Work, "left", b.AllAfter.FileCache, "missing", b.AllAfter.Shortfall}
	if b.AllAfter.Shortfall > 0 || b.Fit < b.Open {
		return p.say("show/budget/all_short", "With all {open} connections at work at once, work_mem takes {before} before and {work} after, and {missing} are missing: {fit} connections fit. Sessions that wait still hold their memory.", pairs...)
	}
	return p.say("show/budget/all_fit", "With all {open} connections at work at once, work_mem takes {before} before and {work} after, and {left} are left. Sessions that wait still hold their memory.", pairs...)
}

// bounded is the line that says how much memory there is, and what bounds it.
func (p *page) bounded(b plan.Budget) {
	bound := say.M("show/budget/of_host", "the memory of the host")
	if b.Limit == "cgroup" {
		bound = say.M("show/budget/of_cgroup", "the memory limit of the control group")
	}
	p.line(p.tint(strong, p.say("show/budget/title", "Memory budget")), p.colon(), b.After.Total.String(), ", ", p.word(bound))
}

// boundText is the same line for what has no tones.
func (p *page) boundText(b plan.Budget) string {
	q := newPage(Style{Words: p.st.Words})
	q.bounded(b)
	return strings.TrimSpace(q.b.String())
}

func (p *page) worst() string {
	return p.say("show/budget/worst", "The worst case that is planned for: every connection open, as many sessions as are expected at once at work with all the memory that they may take.")
}

func (p *page) misfit(b plan.Budget) string {
	return p.say("show/budget/does_not_fit", "This does not fit: in the worst case {missing} are missing after the changes too. Fewer connections (--connections, a pooler), less at once (--active) or more memory are needed.", "missing", b.After.Shortfall)
}

// bar draws one budget. A | stands where the memory ends.
func (p *page) bar(b memory.Budget, cells int, scale float64) string {
	end := int(float64(b.Total)/scale*float64(cells) + 0.5)
	amounts := make([]unit.Bytes, len(parts))
	var sum unit.Bytes
	for i, pt := range parts {
		amounts[i] = max(pt.of(b), 0)
		sum += amounts[i]
	}
	fill := end
	if b.Shortfall > 0 {
		fill = int(float64(sum)/scale*float64(cells) + 0.5)
	}
	signs := make([]int, 0, fill) // index of the part of each cell
	for i, n := range share(amounts, fill) {
		for range n {
			signs = append(signs, i)
		}
	}
	cut := len(signs) > cells
	if cut {
		signs = signs[:cells]
	}
	var out strings.Builder
	out.WriteString("|")
	for i := 0; i < len(signs); {
		j := i
		for j < len(signs) && signs[j] == signs[i] && (j == i || j != end) {
			j++
		}
		if i == end {
			out.WriteString(p.tint(red, "|"))
		}
		pt := parts[signs[i]]
		out.WriteString(p.tint(pt.tone, strings.Repeat(pt.sign, j-i)))
		i = j
	}
	if len(signs) <= end {
		out.WriteString("|")
	}
	if cut {
		out.WriteString(">")
	}
	return out.String()
}

// share divides n cells among the amounts by largest remainder, so that the
// bar is as long as its sum and no part is more than one cell off. A part that
// is too small for a cell gets one all the same, from the largest: what stands
// in the legend is in the picture.
func share(amounts []unit.Bytes, n int) []int {
	var sum unit.Bytes
	for _, a := range amounts {
		sum += a
	}
	out := make([]int, len(amounts))
	if sum <= 0 {
		return out
	}
	type rest struct {
		i    int
		frac float64
	}
	rests := make([]rest, len(amounts))
	left := n
	for i, a := range amounts {
		exact := float64(a) / float64(sum) * float64(n)
		out[i] = int(exact)
		rests[i] = rest{i, exact - float64(out[i])}
		left -= out[i]
	}
	sort.SliceStable(rests, func(a, b int) bool { return rests[a].frac > rests[b].frac })
	for k := 0; k < left && k < len(rests); k++ {
		out[rests[k].i]++
	}
	for i, a := range amounts {
		if most := largest(out); a > 0 && out[i] == 0 && out[most] > 1 {
			out[i]++
			out[most]--
		}
	}
	return out
}

func largest(list []int) int {
	at := 0
	for i, n := range list {
		if n > list[at] {
			at = i
		}
	}
	return at
}

// legend tells the amounts, aligned. Parts that are nothing on both sides are
// left out.
func (p *page) legend(b plan.Budget) {
	short := p.say("show/budget/shortfall", "SHORTFALL, past the |")
	name := runes(short)
	for _, pt := range parts {
		name = max(name, runes(p.word(pt.name)))
	}
	const amount, percent = 9, 9
	row := func(lead, n string, t tone, before, after unit.Bytes) {
		p.line("  ", lead, " ", p.tint(t, pad(n, name)), padLeft(amountOf(before), amount), padLeft(percentOf(before, b.Before.Total), percent),
			padLeft(amountOf(after), amount+3), padLeft(percentOf(after, b.After.Total), percent))
	}
	p.line("    ", pad("", name), padLeft(p.say("show/budget/before", "before"), amount+percent), padLeft(p.say("show/budget/after", "after"), amount+percent+3))
	for _, pt := range parts {
		before, after := pt.of(b.Before), pt.of(b.After)
		if before == 0 && after == 0 && pt.sign != fileCache {
			continue
		}
		row(p.tint(pt.tone, pt.sign), p.word(pt.name), plain, before, after)
	}
	if b.Before.Shortfall > 0 || b.After.Shortfall > 0 {
		row(" ", short, red, b.Before.Shortfall, b.After.Shortfall)
	}
	if list := p.beneath(b); len(list) > 0 {
		p.gap()
		for _, l := range list {
			p.para("  ", plain, l)
		}
	}
	if b.After.Shortfall > 0 {
		p.gap()
		p.para("  ", red, p.misfit(b))
	}
}

func amountOf(b unit.Bytes) string {
	if b == 0 {
		return "-"
	}
	return b.String()
}

func percentOf(b, total unit.Bytes) string {
	if b == 0 || total <= 0 {
		return ""
	}
	share := 100 * float64(b) / float64(total)
	if share >= 100 {
		return fmt.Sprintf("%.0f %%", share)
	}
	return fmt.Sprintf("%.1f %%", share)
}
