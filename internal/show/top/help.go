package top

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
)

// keyHelp is every key and what it does.
var keyHelp = []helpItem{
	{"1 2 3 4, tab", say.M("processes, waits and locks, checkpoints and WAL, databases")},
	{"s, r", say.M("sort by the next column (marked *); reverse the order")},
	{"/", say.M("show only lines with a text; esc shows all lines")},
	{"up, down, j, k", say.M("scroll; also page up, page down, home and end")},
	{"space", say.M("pause and resume")},
	{"+, -", say.M("longer interval, shorter interval")},
	{"c", say.M("read the memory of the processes at the next refresh, whatever it costs")},
	{"?", say.M("this help; ? or esc returns to the table")},
	{"q, Ctrl-C", say.M("quit; Ctrl-Z suspends the view, and fg in the shell resumes it")},
}

// helpItem is a name with what it means.
type helpItem struct {
	name string
	text say.Message
}

// columnHelp explains what the tables show.
var columnHelp = []helpItem{
	{"TABLES", say.M("page tables of the process (VmPTE), which RSS does not include: 1/512 of the shared memory " +
		"that it has touched, with pages of 4 kB")},
	{"ANON", say.M("private memory (RssAnon): sorts, hashes, caches")},
	{"SHARED", say.M("shared memory that the process has touched (RssShmem), without huge pages; it is the same " +
		"memory in every process, so do not add it up")},
	{"QUERY", say.M("time since the last query began, even if it has ended")},
	{"WHO", say.M("role@database and application of a client, else the type of the process")},
	{"BEHIND", say.M("number of processes that wait for it, directly or through others")},
	{"HIT %, EVER %",
		say.M("blocks found in shared_buffers, since the previous refresh and since the statistics reset")},
	{"READ/S", say.M("blocks per second that were not found in shared_buffers")},
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
	section(st.say("Keys"))
	for _, k := range keyHelp {
		item(k.name, 14, st.Words.Word(k.text))
	}
	section(st.say("Memory bar"))
	for _, name := range []string{memory.PartTables, memory.PartPrivate, memory.PartShared, memory.PartHuge,
		memory.PartOthers, memory.PartTables2,
		memory.PartKernel, memory.PartIdleHuge, memory.PartCache, memory.PartFree} {
		item(parts[name].letter, 1, st.Words.Word(memory.PartTitles[name]))
	}
	section(st.say("Columns"))
	for _, c := range columnHelp {
		item(c.name, 14, st.Words.Word(c.text))
	}
	if m.report == nil {
		return out
	}
	if len(m.report.Unknown) > 0 {
		section(st.say("Unknown, shown as {sign}", "sign", st.none()))
		for _, g := range m.report.Unknown {
			for i, l := range wrap(reason(st, g), m.width-4) {
				out = append(out, st.cut(strings.Repeat(" ", 2+2*min(i, 1))+l, m.width))
			}
		}
	}
	if cost := costLine(st, m.report, 1000); cost != "" {
		section(st.say("Cost of this view"))
		for _, text := range []string{cost, st.say("What is expensive is read less often, so that it uses at most 2% " +
			"of a CPU.")} {
			for _, l := range wrap(text, m.width-2) {
				out = append(out, "  "+l)
			}
		}
	}
	return out
}
