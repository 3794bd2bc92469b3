package top

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// parts are the letter, the colour and the short name of each part of the memory.
// The letters alone tell the parts apart where there are no colours.
var parts = map[string]struct {
	letter string
	tone   tone
	name   string
}{
	memory.PartTables:   {"P", bad, "page tables"},
	memory.PartPrivate:  {"A", info, "anonymous"},
	memory.PartShared:   {"S", violet, "shared"},
	memory.PartHuge:     {"H", violet, "huge pages"},
	memory.PartOthers:   {"O", plain, "other programs"},
	now.PartAll:         {"O", plain, "programs"},
	memory.PartTables2:  {"T", bad, "their tables"},
	now.PartAllTables:   {"T", bad, "page tables"},
	memory.PartKernel:   {"K", faint, "kernel"},
	memory.PartIdleHuge: {"!", bad, "idle huge pages"},
	memory.PartCache:    {"C", warn, "cache"},
	memory.PartFree:     {".", good, "free"},
}

// stale says whether numbers are older than they should be: three times as old as
// the looks are apart, and two seconds for a look that is slow for once.
func stale(age *float64, every time.Duration) bool {
	return age != nil && *age > 3*every.Seconds()+2
}

// appendHead writes the lines above the table: who, the load, the server, the memory.
func appendHead(st Style, r *now.Report, width int, clock string, every time.Duration) []string {
	return append(headLines(st, r, width, clock, every), memoryLines(st, r, width)...)
}

func headLines(st Style, r *now.Report, width int, clock string, every time.Duration) []string {
	name := "pgfettle top"
	if r.Host.Name != "" {
		name = clean(r.Host.Name)
	}
	left := []string{name}
	if r.Server.Version != "" {
		left = append(left, "PostgreSQL "+clean(r.Server.Version))
	}
	if r.Server.Uptime != nil {
		left = append(left, "up "+ago(float64(*r.Server.Uptime)))
	}
	if r.Server.InRecovery != nil && *r.Server.InRecovery {
		left = append(left, "in recovery")
	}
	if r.Server.Label != "" {
		left = append(left, clean(r.Server.Label))
	}
	return []string{
		st.paint(strong, st.ends(strings.Join(left, st.dot()), clock, width)),
		hostLine(st, r, every, width),
		st.cut(serverLine(st, r, every), width),
	}
}

func hostLine(st Style, r *now.Report, every time.Duration, width int) string {
	h := &r.Host
	var out []string
	if stale(h.Age, every) {
		out = append(out, st.paint(bad, "host numbers are "+ago(*h.Age)+" old"))
	}
	if h.Load != nil {
		out = append(out, fmt.Sprintf("load %.2f %.2f %.2f", h.Load.One, h.Load.Five, h.Load.Fifteen))
	} else {
		out = append(out, "load "+st.none())
	}
	cpus := ""
	if h.CPUs > 0 {
		cpus = fmt.Sprintf("%d CPU", h.CPUs)
		if h.CPUs > 1 {
			cpus += "s"
		}
	}
	if h.Busy != nil {
		cpus = strings.TrimSpace(cpus + " " + percent(*h.Busy) + "% busy")
		if h.Steal != nil && *h.Steal >= 1 { // below it the neighbours take nothing that shows
			cpus += st.paint(warn, " "+percent(*h.Steal)+"% stolen")
		}
	}
	p := h.Pressure
	out = append(out, "PSI cpu "+pressed(st, p.CPU)+" mem "+pressed(st, p.Memory)+" io "+pressed(st, p.IO))
	if cpus != "" {
		out = append(out, cpus)
	}
	if h.Uptime != nil {
		out = append(out, "host up "+ago(float64(*h.Uptime)))
	}
	return st.join(out, width)
}

// pressed is a share of time that tasks stalled; from a tenth on it is felt.
func pressed(st Style, v *float64) string {
	if v == nil {
		return st.none()
	}
	text := percent(*v) + "%"
	if *v >= 10 {
		return st.paint(warn, text)
	}
	return text
}

func serverLine(st Style, r *now.Report, every time.Duration) string {
	s := &r.Server
	if s.Problem != nil {
		text := "server: "
		if s.Silent != nil && s.Age != nil {
			text = "the server is silent; its numbers are " + ago(*s.Age) + " old: "
		}
		return st.paint(bad, text+clean(s.Problem.Reason))
	}
	if s.Connections == nil {
		if s.Age == nil {
			return "asking the server" + st.dots()
		}
		return "clients " + st.none()
	}
	text := fmt.Sprintf("clients %d", *s.Connections)
	if s.Most > 0 {
		text += fmt.Sprintf(" of %d", s.Most)
	}
	text += fmt.Sprintf(": %d active, ", *s.Active)
	idle := fmt.Sprintf("%d idle in transaction", *s.InXact)
	if *s.InXact > 0 {
		idle = st.paint(warn, idle)
	}
	text += idle
	if c := r.Checkpoints; c != nil && c.WAL != nil && c.WAL.Rate != nil {
		text += st.dot() + "WAL " + perSecond(*c.WAL.Rate)
	}
	if s.Limit > 0 {
		text += st.dot() + "limited to " + s.Limit.String()
	}
	if stale(s.Age, every) {
		text = st.paint(bad, "server numbers are "+ago(*s.Age)+" old") + st.dot() + text
	}
	return text
}

// memoryLines draws where the memory is: the bar, what its letters are, and how
// much of it is promised.
func memoryLines(st Style, r *now.Report, width int) []string {
	m := r.Memory
	if m == nil {
		text := "memory " + st.none()
		for _, g := range r.Unknown {
			if g.Fact == now.GapMemory {
				text += ": " + clean(g.Reason)
			}
		}
		return []string{st.cut(text, width)}
	}
	amounts := make([]unit.Bytes, len(m.Parts))
	for i, p := range m.Parts {
		amounts[i] = p.Size
	}
	total := " " + m.Total.String()
	var bar, legend strings.Builder
	bar.WriteString("[")
	for i, n := range outline.BarCells(amounts, width-2-lipgloss.Width(total)) {
		p := parts[m.Parts[i].Name]
		bar.WriteString(st.paint(p.tone, strings.Repeat(p.letter, n)))
	}
	bar.WriteString("]" + total)
	out := []string{bar.String()}
	used := 0
	for i, p := range m.Parts {
		if amounts[i] == 0 {
			continue
		}
		s := parts[p.Name]
		item := s.letter + " " + s.name + " " + p.Size.String()
		if width < narrow { // the help has the names
			item = s.letter + " " + p.Size.String()
		}
		n := lipgloss.Width(item)
		switch {
		case used == 0:
		case used+2+n <= width:
			legend.WriteString("  ")
			used += 2
		default:
			out = append(out, legend.String())
			legend.Reset()
			used = 0
		}
		legend.WriteString(st.paint(s.tone, s.letter) + item[len(s.letter):])
		used += n
	}
	if used > 0 {
		out = append(out, st.cut(legend.String(), width))
	}
	return append(out, st.cut(commitLine(st, m), width))
}

// commitLine tells how much memory is promised, of how much.
func commitLine(st Style, m *now.Memory) string {
	text := ""
	if m.Available != nil {
		text = m.Available.String() + " available" + st.dot()
	}
	share := 0.0
	if m.CommitLimit > 0 {
		share = 100 * float64(m.Committed) / float64(m.CommitLimit)
	}
	committed := fmt.Sprintf("committed %s of %s (%.0f%%)", m.Committed, m.CommitLimit, share)
	switch {
	case m.Overcommit == nil:
		text += committed
	case *m.Overcommit != 2:
		text += committed + ", not enforced"
	case share >= 90: // what is left is less than a few sorts
		text += st.paint(bad, committed+", enforced")
	default:
		text += committed + ", enforced"
	}
	if m.SwapTotal != nil && m.SwapUsed != nil && *m.SwapTotal > 0 {
		text += st.dot() + "swap " + m.SwapUsed.String() + " of " + m.SwapTotal.String()
	} else {
		text += st.dot() + "no swap"
	}
	return text
}

// costLine tells what the looking costs.
func costLine(st Style, r *now.Report, width int) string {
	c := &r.Cost
	var out []string
	if c.CPU != nil {
		out = append(out, "costs "+percent(*c.CPU)+"% of a CPU")
	}
	if c.CensusMS != nil && len(r.Processes) > 0 {
		out = append(out, fmt.Sprintf("census %s ms every %s", threeDigits(*c.CensusMS), st.age(c.CensusEvery)))
	}
	if c.ServerMS != nil {
		out = append(out, fmt.Sprintf("server %s ms a look", threeDigits(*c.ServerMS)))
	}
	return st.join(out, width)
}

// reasons are why a page lacks something.
func reasons(r *now.Report, page int) []string {
	var out []string
	for _, g := range r.Unknown {
		for _, fact := range facts[page] {
			if g.Fact == fact {
				out = append(out, reason(g.Fact, g.Reason, g.Reveal))
			}
		}
	}
	return out
}

func reason(fact, why, reveal string) string {
	text := clean(fact) + ": " + clean(why)
	if reveal != "" {
		text += " (" + clean(reveal) + ")"
	}
	return text
}
