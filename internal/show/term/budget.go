package term

import (
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// budgetSigns draw the parts, each by a sign of its own, so that the bar can be read
// without color and without any character but ASCII.
var budgetSigns = map[string]struct {
	sign string
	tone tone
}{
	"shared": {"#", "34"}, "page_tables": {"%", "31"}, "backends": {"=", "36"}, "work": {"+", "35"}, "maintenance": {"~", "33"},
	"neighbours": {"@", "37"}, "others": {"o", "37"}, "reserve": {":", "2"}, "unused": {"!", "1;31"}, "file_cache": {".", "32"},
}

// budget draws where the memory goes before and after, in the worst case.
func (p *page) budget(b plan.Budget) {
	p.gap()
	if !b.Known {
		p.para("", strong, p.Say("show/budget/not_drawn", "Memory budget: not drawn"))
		p.para("  ", plain, p.Say("show/budget/unknown", "The memory of the host or the settings of an instance are not known."))
		return
	}
	title, rest := p.BudgetTitle(b)
	p.line(p.tint(strong, title), rest)
	p.para("  ", plain, p.BudgetWorst())
	p.gap()
	was, will := "  "+p.Say("show/budget/before", "before"), "  "+p.Say("show/budget/after", "after")
	label := max(typeset.Width(was), typeset.Width(will)) + 1
	cells := min(p.st.Width-label-2, 100) // a longer bar shows nothing more
	scale := float64(b.After.Total)
	if short := max(b.Before.Shortfall, b.After.Shortfall); short > 0 {
		scale += min(float64(short), outline.BudgetOverflow*scale)
	}
	p.line(typeset.Pad(was, label), p.bar(b.Before, cells, scale))
	p.line(typeset.Pad(will, label), p.bar(b.After, cells, scale))
	p.gap()
	p.legend(b)
	p.allAtWork(b, typeset.Pad(was, label), typeset.Pad(will, label), cells)
}

// allAtWork draws the budget with every connection at work.
func (p *page) allAtWork(b plan.Budget, was, will string, cells int) {
	if b.AllAfter.Total <= 0 { // of a plan that was written before there was one
		return
	}
	p.gap()
	p.para("  ", plain, p.BudgetAll(b))
	p.gap()
	scale := float64(b.AllAfter.Total)
	if short := max(b.AllBefore.Shortfall, b.AllAfter.Shortfall); short > 0 {
		scale += min(float64(short), outline.BudgetOverflow*scale)
	}
	p.line(was, p.bar(b.AllBefore, cells, scale))
	p.line(will, p.bar(b.AllAfter, cells, scale))
}

// bar draws one budget. A | stands where the memory ends.
func (p *page) bar(b memory.Budget, cells int, scale float64) string {
	end := int(float64(b.Total)/scale*float64(cells) + 0.5)
	amounts := make([]unit.Bytes, len(outline.Parts))
	var sum unit.Bytes
	for i, pt := range outline.Parts {
		amounts[i] = max(pt.Of(b), 0)
		sum += amounts[i]
	}
	fill := end
	if b.Shortfall > 0 {
		fill = int(float64(sum)/scale*float64(cells) + 0.5)
	}
	signs := make([]int, 0, fill) // index of the part of each cell
	for i, n := range BarCells(amounts, fill) {
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
		pt := budgetSigns[outline.Parts[signs[i]].ID()]
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

// BarCells divides n cells among the amounts by largest remainder, so that the
// bar is as long as its sum and no part is more than one cell off. A part that
// is too small for a cell gets one all the same, from the largest: what stands
// in the legend is in the picture.
func BarCells(amounts []unit.Bytes, n int) []int {
	n = max(n, 0)
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
	short := p.Say("show/budget/shortfall", "SHORTFALL, past the |")
	name := typeset.Width(short)
	for _, pt := range outline.Parts {
		name = max(name, typeset.Width(p.Word(pt.Name)))
	}
	const amount, percent = 9, 9
	row := func(lead, n string, t tone, before, after unit.Bytes) {
		p.line("  ", lead, " ", p.tint(t, typeset.Pad(n, name)), typeset.PadLeft(outline.Amount(before), amount), typeset.PadLeft(outline.Percent(before, b.Before.Total), percent),
			typeset.PadLeft(outline.Amount(after), amount+3), typeset.PadLeft(outline.Percent(after, b.After.Total), percent))
	}
	p.line("    ", typeset.Pad("", name), typeset.PadLeft(p.Say("show/budget/before", "before"), amount+percent), typeset.PadLeft(p.Say("show/budget/after", "after"), amount+percent+3))
	for _, pt := range outline.Parts {
		before, after := pt.Of(b.Before), pt.Of(b.After)
		if before == 0 && after == 0 && !pt.Always {
			continue
		}
		s := budgetSigns[pt.ID()]
		row(p.tint(s.tone, s.sign), p.Word(pt.Name), plain, before, after)
	}
	if b.Before.Shortfall > 0 || b.After.Shortfall > 0 {
		row(" ", short, red, b.Before.Shortfall, b.After.Shortfall)
	}
	if list := p.BudgetBeneath(b); len(list) > 0 {
		p.gap()
		for _, l := range list {
			p.para("  ", plain, l)
		}
	}
	if b.After.Shortfall > 0 {
		p.gap()
		p.para("  ", red, p.BudgetMisfit(b))
	}
}
