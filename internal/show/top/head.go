package top

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// parts are the letter, the color and the short name of each part of the memory. Without colors, the letters alone
// distinguish the parts.
var parts = map[string]struct {
	letter string
	tone   tone
	name   say.Message
}{
	memory.PartTables:   {"P", bad, say.M("page tables")},
	memory.PartPrivate:  {"A", info, say.M("anonymous")},
	memory.PartShared:   {"S", violet, say.M("shared")},
	memory.PartHuge:     {"H", violet, say.M("huge pages")},
	memory.PartOthers:   {"O", plain, say.M("other programs")},
	now.PartAll:         {"O", plain, say.M("programs")},
	memory.PartTables2:  {"T", bad, say.M("their page tables")},
	now.PartAllTables:   {"T", bad, say.M("page tables")},
	memory.PartKernel:   {"K", faint, say.M("kernel")},
	memory.PartIdleHuge: {"!", bad, say.M("unused huge pages")},
	memory.PartCache:    {"C", warn, say.M("page cache")},
	memory.PartFree:     {".", good, say.M("free")},
}

// stale reports whether numbers are older than they should be: three times as old as the looks are apart, and two
// seconds for a look that is slow for once.
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
		left = append(left, st.say("up {age}", "age", span(float64(*r.Server.Uptime))))
	}
	if r.Server.InRecovery != nil && *r.Server.InRecovery {
		left = append(left, st.say("in recovery"))
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
		out = append(out, st.paint(bad, st.say("host data is {age} old", "age", span(*h.Age))))
	}
	load := st.none()
	if h.Load != nil {
		load = fmt.Sprintf("%.2f %.2f %.2f", h.Load.One, h.Load.Five, h.Load.Fifteen)
	}
	out = append(out, st.say("load {averages}", "averages", load))
	p := h.Pressure
	out = append(out, "PSI cpu "+pressed(st, p.CPU)+" mem "+pressed(st, p.Memory)+" io "+pressed(st, p.IO))
	if cpus := cpuText(st, h); cpus != "" {
		out = append(out, cpus)
	}
	if h.Uptime != nil {
		out = append(out, st.say("host up {age}", "age", span(float64(*h.Uptime))))
	}
	return st.join(out, width)
}

// cpuText is how many CPUs there are, and how much of their time is used.
func cpuText(st Style, h *now.Host) string {
	var list []string
	if h.CPUs > 0 {
		list = append(list, st.Words.Many(h.CPUs, "{n} CPU", "{n} CPUs"))
	}
	if h.Busy != nil {
		list = append(list, st.say("{percent} busy", "percent", share(*h.Busy)))
		if h.Steal != nil && *h.Steal >= 1 { // below it the neighbors take nothing that shows
			list = append(list, st.paint(warn, st.say("{percent} steal", "percent", share(*h.Steal))))
		}
	}
	return strings.Join(list, " ")
}

// span and share are a time and a percentage for messages.
func span(seconds float64) say.Number { return say.Number(ago(seconds)) }

func share(v float64) say.Number { return say.Number(percent(v) + "%") }

// pressed is a share of time that tasks stalled; from a tenth on it is felt.
func pressed(st Style, v *float64) string {
	if v == nil {
		return st.none()
	}
	text := st.number(share(*v))
	if *v >= 10 {
		return st.paint(warn, text)
	}
	return text
}

func serverLine(st Style, r *now.Report, every time.Duration) string {
	s := &r.Server
	if s.Problem != nil {
		if s.Silent != nil && s.Age != nil {
			return st.paint(bad, st.say("the server does not answer; its data is {age} old: {reason}", "age",
				span(*s.Age),
				"reason", gapwords.Arg(clean(s.Problem.Reason))))
		}
		return st.paint(bad, st.say("server: {reason}", "reason", gapwords.Arg(clean(s.Problem.Reason))))
	}
	if s.Connections == nil {
		if s.Age == nil {
			return st.say("waiting for the server") + st.dots()
		}
		return st.say("clients {n}", "n", st.none())
	}
	var list []string
	if stale(s.Age, every) {
		list = append(list, st.paint(bad, st.say("server data is {age} old", "age", span(*s.Age))))
	}
	idle := st.say("{n} idle in transaction", "n", *s.InXact)
	if *s.InXact > 0 {
		idle = st.paint(warn, idle)
	}
	if s.Most > 0 {
		list = append(list, st.say("clients {n} of {most}: {active} active, {idle}", "n", *s.Connections, "most",
			s.Most,
			"active", *s.Active, "idle", idle))
	} else {
		list = append(list, st.say("clients {n}: {active} active, {idle}", "n", *s.Connections, "active", *s.Active,
			"idle",
			idle))
	}
	if c := r.Checkpoints; c != nil && c.WAL != nil && c.WAL.Rate != nil {
		list = append(list, st.say("WAL {rate}", "rate", perSecond(*c.WAL.Rate)))
	}
	if s.Limit > 0 {
		list = append(list, st.say("cgroup limit {size}", "size", s.Limit))
	}
	return strings.Join(list, st.dot())
}

// memoryLines draws where the memory is: the bar, what its letters are, and how
// much of it is promised.
func memoryLines(st Style, r *now.Report, width int) []string {
	m := r.Memory
	if m == nil {
		text := st.say("memory {size}", "size", st.none())
		for _, g := range r.Unknown {
			if g.Is(now.GapMemory) {
				text += ": " + clean(st.Words.Word(g.Reason))
			}
		}
		return []string{st.cut(text, width)}
	}
	amounts := make([]unit.Bytes, len(m.Parts))
	for i, p := range m.Parts {
		amounts[i] = p.Size
	}
	total := " " + st.size(&m.Total)
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
		item := s.letter + " " + st.Words.Word(s.name) + " " + st.size(&p.Size)
		if width < narrow { // the help has the names
			item = s.letter + " " + st.size(&p.Size)
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

// commitLine shows Committed_AS and the commit limit.
func commitLine(st Style, m *now.Memory) string {
	var list []string
	if m.Available != nil {
		list = append(list, st.say("{size} available", "size", *m.Available))
	}
	used := 0.0
	if m.CommitLimit > 0 {
		used = 100 * float64(m.Committed) / float64(m.CommitLimit)
	}
	of := []any{"committed", m.Committed, "limit", m.CommitLimit, "percent", say.Number(fmt.Sprintf("%.0f%%", used))}
	switch {
	case m.Overcommit == nil:
		list = append(list, st.say("committed {committed} of {limit} ({percent})", of...))
	case *m.Overcommit != 2:
		list = append(list, st.say("committed {committed} of {limit} ({percent}), not enforced", of...))
	default:
		committed := st.say("committed {committed} of {limit} ({percent}), enforced", of...)
		if used >= 90 { // what is left is less than a few sorts
			committed = st.paint(bad, committed)
		}
		list = append(list, committed)
	}
	switch {
	case m.SwapTotal == nil || m.SwapUsed == nil:
	case *m.SwapTotal > 0:
		list = append(list, st.say("swap {used} of {total}", "used", *m.SwapUsed, "total", *m.SwapTotal))
	default:
		list = append(list, st.say("no swap"))
	}
	return strings.Join(list, st.dot())
}

// costLine shows the cost of watching.
func costLine(st Style, r *now.Report, width int) string {
	c := &r.Cost
	var out []string
	if c.CPU != nil {
		out = append(out, st.say("pgfettle: {percent} of a CPU", "percent", share(*c.CPU)))
	}
	if c.CensusMS != nil && len(r.Processes) > 0 {
		out = append(out, st.say("process scan {time} every {interval}", "time", milliseconds(*c.CensusMS),
			"interval", st.age(c.CensusEvery)))
	}
	if c.ServerMS != nil {
		out = append(out, st.say("server queries {time}", "time", milliseconds(*c.ServerMS)))
	}
	return st.join(out, width)
}

// reasons are why a page lacks something.
func reasons(st Style, r *now.Report, page int) []string {
	var out []string
	for _, g := range r.Unknown {
		for _, fact := range facts[page] {
			if g.Is(fact) {
				out = append(out, reason(st, g))
			}
		}
	}
	return out
}

func milliseconds(ms float64) say.Number { return say.Number(threeDigits(ms) + " ms") }

// reason is why something is not known, and what would reveal it.
func reason(st Style, g gap.Gap) string {
	if g.Reveal.IsZero() {
		return clean(st.say("{fact}: {reason}", "fact", g.Fact, "reason", g.Reason))
	}
	return clean(st.say("{fact}: {reason} ({reveal})", "fact", g.Fact, "reason", g.Reason, "reveal", g.Reveal))
}
