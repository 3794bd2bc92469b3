package top

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
)

// keyHelp is every key and what it does.
var keyHelp = [][2]string{
	{"1 2 3 4, tab", "processes, waits and locks, checkpoints and WAL, databases"},
	{"s, r", "sort by the next column (marked *); the other way round"},
	{"/", "show only the lines that hold a text; esc shows all again"},
	{"up, down, j, k", "scroll; also page up and down, home and end"},
	{"space", "stand still, and go on"},
	{"+, -", "look less often, more often"},
	{"c", "count the memory of the processes at the next look, whatever it costs"},
	{"?", "this help; again, or esc, for the table"},
	{"q, Ctrl-C", "quit; Ctrl-Z stops it, and the shell's fg goes on"},
}

// columnHelp explains what the tables show.
var columnHelp = [][2]string{
	{"TABLES",
		"page tables of the process (VmPTE): in no RSS, and with 4 kB pages 1/512 of the shared memory that it has " +
			"touched"},
	{"ANON", "its private memory (RssAnon): sorts, hashes, caches"},
	{"SHARED",
		"shared memory that it has touched (RssShmem), without huge pages; the same memory in every process: never " +
			"add it up"},
	{"QUERY", "since its last query began, also where that has ended"},
	{"WHO", "role@database and application of a client, else the type of the process"},
	{"BEHIND", "how many wait for it, directly or through others"},
	{"HIT %, EVER %", "blocks found in shared_buffers, since the look before and since the statistics were reset"},
	{"READ/S", "blocks a second that were not"},
}

// helpLines is the help: the keys, the letters of the bar, the columns, and what is
// not known, each with its reason.
func (m *Model) helpLines() []string {
	st := m.style
	var out []string
	section := func(title string) {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, st.paint(strong, title))
	}
	item := func(name string, width int, text string) {
		for i, l := range wrap(text, max(m.width-width-3, 20)) {
			if i > 0 {
				name = ""
			}
			out = append(out, st.cut("  "+st.fill(name, width, true)+" "+l, m.width))
		}
	}
	section("Keys")
	for _, k := range keyHelp {
		item(k[0], 14, k[1])
	}
	section("The bar of the memory")
	for _, name := range []string{memory.PartTables, memory.PartPrivate, memory.PartShared, memory.PartHuge,
		memory.PartOthers, memory.PartTables2,
		memory.PartKernel, memory.PartIdleHuge, memory.PartCache, memory.PartFree} {
		item(parts[name].letter, 1, name)
	}
	section("Columns")
	for _, c := range columnHelp {
		item(c[0], 14, c[1])
	}
	if m.report == nil {
		return out
	}
	if len(m.report.Unknown) > 0 {
		section("Not known, shown as " + st.none())
		for _, g := range m.report.Unknown {
			for i, l := range wrap(reason(g.Fact, g.Reason, g.Reveal), m.width-4) {
				out = append(out, st.cut(strings.Repeat(" ", 2+2*min(i, 1))+l, m.width))
			}
		}
	}
	if cost := costLine(st, m.report, 1000); cost != "" {
		section("What this view costs")
		for _, l := range wrap(cost+
			". What is dear is looked at less often, so that it takes two percent of a processor at most.", m.width-2) {
			out = append(out, "  "+l)
		}
	}
	return out
}
