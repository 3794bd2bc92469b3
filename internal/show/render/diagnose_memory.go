package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// DiagnoseMemoryJSON writes the report as JSON. No array is null.
func DiagnoseMemoryJSON(w io.Writer, d *diagnose.MemoryReport) error { return writeJSON(w, d) }

// mostSessions bounds the table of sessions: what follows is small, and the JSON
// has it all.
const mostSessions = 12

// DiagnoseMemoryText writes it for a person: the verdict, where the memory of
// the host is, each instance, what would save how much, the OOM killer's choice.
func DiagnoseMemoryText(w io.Writer, d *diagnose.MemoryReport, st Style) error {
	p := newPage(st)
	tone := map[string]tone{diagnose.Critical: red, diagnose.Warning: yellow, diagnose.Notice: cyan, diagnose.Fine: green}[d.Level]
	p.para(d.Level+": ", tone, d.Verdict)
	if d.Host != nil {
		p.gap()
		p.memoryPicture(d.Host)
	}
	for i := range d.Instances {
		p.gap()
		p.memoryInstance(&d.Instances[i])
	}
	for i := range d.OOM {
		p.gap()
		p.memoryOOM(&d.OOM[i])
	}
	if len(d.Unknown) > 0 {
		p.gap()
		p.line(p.tint(strong, "Not known"))
		p.memoryGaps(d.Unknown)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) memoryGaps(gaps []known.Gap) {
	for _, g := range gaps {
		p.para("  ", plain, gapLine(g))
	}
}

func gapLine(g known.Gap) string {
	text := clean(g.Fact) + ": " + clean(g.Reason)
	if g.Reveal != "" {
		text += " (" + clean(g.Reveal) + ")"
	}
	return text
}

// memorySigns are the signs and tones of the parts of the picture, each of its
// own, so that it can be read without colour.
var memorySigns = map[string]struct {
	sign string
	tone tone
}{
	diagnose.PartTables: {"%", "31"}, diagnose.PartPrivate: {"=", "36"}, diagnose.PartShared: {"#", "34"}, diagnose.PartHuge: {"H", "34"},
	diagnose.PartOthers: {"o", "37"}, diagnose.PartTables2: {"*", "31"}, diagnose.PartKernel: {":", "2"}, diagnose.PartIdleHuge: {"!", "1;31"},
	diagnose.PartCache: {"-", "33"}, diagnose.PartFree: {".", "32"},
}

// memoryOf is the memory of the host in a line.
func memoryOf(h *diagnose.MemoryHost) string {
	head := fmt.Sprintf("%s, %s available", h.Total, h.Available)
	if h.SwapTotal > 0 {
		return head + fmt.Sprintf("; %s of %s swap in use", h.SwapUsed, h.SwapTotal)
	}
	return head + "; no swap"
}

// memoryPicture draws where the memory of the host is.
func (p *page) memoryPicture(h *diagnose.MemoryHost) {
	p.line(p.tint(strong, "Memory of the host"), ": ", memoryOf(h))
	p.gap()
	amounts := make([]unit.Bytes, len(h.Parts))
	for i, part := range h.Parts {
		amounts[i] = part.Size
	}
	var bar strings.Builder
	for i, n := range share(amounts, min(p.st.Width-4, 100)) { // a longer bar shows nothing more
		s := memorySigns[h.Parts[i].Name]
		bar.WriteString(p.tint(s.tone, strings.Repeat(s.sign, n)))
	}
	p.line("  |", bar.String(), "|")
	p.gap()
	w := 0
	for _, part := range h.Parts {
		w = max(w, runes(part.Name))
	}
	for _, part := range h.Parts {
		if part.Size == 0 {
			continue
		}
		s := memorySigns[part.Name]
		p.line("  ", p.tint(s.tone, s.sign), " ", pad(part.Name, w), padLeft(part.Size.String(), 10), padLeft(percentOf(part.Size, h.Total), 9))
	}
}

// memoryTable writes rows under each other: the first column to the left, the
// others to the right. Columns that are empty in every row but the head are
// left out.
func (p *page) memoryTable(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	width := make([]int, len(rows[0]))
	used := make([]bool, len(rows[0]))
	for r, row := range rows {
		for c, cell := range row {
			rows[r][c] = clean(cell)
			width[c] = max(width[c], runes(rows[r][c]))
			used[c] = used[c] || c == 0 || r > 0 && cell != ""
		}
	}
	for r, row := range rows {
		parts := []string{"  ", pad(row[0], width[0])}
		for c := 1; c < len(row); c++ {
			if used[c] {
				parts = append(parts, "  ", padLeft(row[c], width[c]))
			}
		}
		if r == 0 {
			p.line(p.tint(faint, strings.TrimRight(strings.Join(parts, ""), " ")))
			continue
		}
		p.line(parts...)
	}
}

func (p *page) memoryInstance(in *diagnose.MemoryInstance) {
	p.line(p.tint(strong, memoryHead(in)))
	if facts := memoryFacts(in); facts != "" {
		p.para("  ", plain, facts)
	}
	for _, rows := range [][][]string{kindRows(in), sessionRows(in)} {
		if len(rows) > 0 {
			p.gap()
			rows[0][1] = "" // what is counted stands before it already
			p.memoryTable(rows)
		}
	}
	p.memoryOptions(in)
}

// memoryHead names an instance.
func memoryHead(in *diagnose.MemoryInstance) string {
	if in.Version == "" {
		return clean(in.Label)
	}
	return clean(in.Label) + ", PostgreSQL " + clean(in.Version)
}

// memoryFacts are what the memory of an instance rests on.
func memoryFacts(in *diagnose.MemoryInstance) string {
	var facts []string
	if in.Shared > 0 {
		where := map[string]string{"on": "in huge pages", "off": "on ordinary pages"}[in.HugePages]
		if where == "" {
			where = "on pages that nothing tells the size of"
		}
		facts = append(facts, in.Shared.String()+" of shared memory "+where)
	}
	if in.Connections > 0 {
		facts = append(facts, fmt.Sprintf("max_connections = %d", in.Connections))
	}
	if in.LimitedBy != "" {
		facts = append(facts, fmt.Sprintf("limited to %s by the control group %s", in.Limit, in.LimitedBy))
	}
	if len(facts) == 0 {
		return ""
	}
	return strings.Join(facts, "; ") + "."
}

// kindRows is a table of the processes by kind; nil where there are none.
func kindRows(in *diagnose.MemoryInstance) [][]string {
	if in.Sum.Processes == 0 {
		return nil
	}
	rows := [][]string{{"processes by kind", "processes", "page tables", "private", "most shared", "swap", "pss"}}
	for _, k := range in.Kinds {
		rows = append(rows, memoryRow(KindName(&k), &k))
	}
	if len(in.Kinds) > 1 {
		rows = append(rows, memoryRow("all", &in.Sum))
	}
	return rows
}

// KindName names the processes of one kind.
func KindName(k *diagnose.MemoryGroup) string {
	if k.Kind == "" {
		return "(its title tells nothing)"
	}
	return k.Kind
}

// sessionRows is a table of the backends; nil where none is known.
func sessionRows(in *diagnose.MemoryInstance) [][]string {
	if len(in.Sessions) == 0 {
		return nil
	}
	rows := [][]string{{"backends by database, role, state", "processes", "page tables", "private", "most shared", "swap", "pss"}}
	for i, g := range in.Sessions {
		if i == mostSessions {
			return append(rows, []string{fmt.Sprintf("… and %d more groups (--format json has all)", len(in.Sessions)-i), "", "", "", "", "", ""})
		}
		rows = append(rows, memoryRow(sessionName(&g), &g))
	}
	return rows
}

func sessionName(g *diagnose.MemoryGroup) string {
	if g.Database == "" && g.Role == "" && g.State == "" {
		return "(came, went or changed meanwhile)"
	}
	name := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return name(g.Database) + ", " + name(g.Role) + ", " + name(g.State)
}

func memoryRow(name string, g *diagnose.MemoryGroup) []string {
	row := []string{name, digits(g.Processes), g.PageTables.String(), g.Private.String(), amountOf(g.MostShared), "", ""}
	if g.Swap > 0 {
		row[5] = g.Swap.String()
	}
	if g.PSS != nil {
		row[6] = g.PSS.String()
	}
	return row
}

// memoryWorth is the percentage of the memory below which it is not told how to
// save it: a restart costs more than it brings.
const memoryWorth = 1

// memoryOptions puts side by side what would save how much.
func (p *page) memoryOptions(in *diagnose.MemoryInstance) {
	if len(in.Options) == 0 {
		return
	}
	p.gap()
	p.para("  ", plain, optionsIntro(in))
	p.gap()
	p.memoryTable(optionRows(in))
	if note := in.Options[0].Note; note != "" {
		p.para("  ", plain, sentence(note))
	}
	worth := worthwhile(in)
	for i := range worth {
		o := &worth[i]
		p.gap()
		lead := "  " + o.Title + ": "
		if left := optionLeft(in, o); left != "" {
			p.para(lead, plain, left)
		} else {
			p.line(strings.TrimRight(lead, " "))
		}
		for _, d := range o.Do {
			p.para("    ", cyan, d)
		}
		if o.Note != "" {
			p.para("    ", faint, "("+o.Note+")")
		}
	}
	if len(worth) == 0 && len(in.Options) > 1 {
		p.gap()
		p.para("  ", plain, notWorth())
	}
}

func optionsIntro(in *diagnose.MemoryInstance) string {
	return fmt.Sprintf("The worst case, with all %d processes that the settings allow, each having touched all of the shared memory, and what would save how much of it:", in.Options[0].Processes)
}

// optionRows is a table of the worst case and of what would save some of it.
func optionRows(in *diagnose.MemoryInstance) [][]string {
	rows := [][]string{{"", "page tables", "shared memory", "private at rest", "saves"}}
	for _, o := range in.Options {
		saves := ""
		switch {
		case o.ID == diagnose.AsItIs:
		case o.Saves == 0:
			saves = "nothing"
		default:
			saves = o.Saves.String()
		}
		rows = append(rows, []string{o.Title, o.PageTables.String(), o.Shared.String(), o.Private.String(), saves})
	}
	return rows
}

// worthwhile are the options that it is told how to take.
func worthwhile(in *diagnose.MemoryInstance) []diagnose.MemoryOption {
	var out []diagnose.MemoryOption
	for _, o := range in.Options {
		if len(o.Do) > 0 && 100*o.Saves >= memoryWorth*in.Limit {
			out = append(out, o)
		}
	}
	return out
}

// optionLeft says what an option would leave of the page tables of now; "" where
// that is not known.
func optionLeft(in *diagnose.MemoryInstance, o *diagnose.MemoryOption) string {
	if o.ID != diagnose.OnHuge || o.Now == 0 {
		return ""
	}
	return fmt.Sprintf("of the %s of page tables that are there now, about %s would be left.", in.Sum.PageTables, o.Now)
}

func notWorth() string {
	return fmt.Sprintf("None of it would save %d %% of the memory: there is nothing to do for it.", memoryWorth)
}

// sentence makes one of a clause.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return capital(s) + "."
}

// capital begins a text with a capital.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// memoryOOM tells the OOM killer's choice.
func (p *page) memoryOOM(o *diagnose.MemoryOOM) {
	head, compared := choiceHead(o)
	p.line(p.tint(strong, head), " (", compared, ")")
	if len(o.Next) == 0 {
		p.para("  ", yellow, choiceWords(o))
	} else {
		p.para("  ", plain, choiceWords(o))
		p.para("  ", plain, o.Outcome)
		p.gap()
		p.memoryTable(choiceRows(o))
	}
	for _, n := range choiceNotes(o) {
		p.para("  ", faint, n)
	}
}

// choiceHead says where the OOM killer would choose, and among what.
func choiceHead(o *diagnose.MemoryOOM) (head, compared string) {
	where, of := "on the host", " of memory and swap"
	if o.Scope != "host" {
		where, of = "in the control group "+clean(o.Group), ""
	}
	return "If memory ended " + where + " now", o.Total.String() + of + ", " + count(o.Looked, "process", "processes") + " compared"
}

// choiceWords says whom it would choose.
func choiceWords(o *diagnose.MemoryOOM) string {
	if len(o.Next) == 0 {
		return "None of the processes that were looked at may be chosen: each has an oom_score_adj of -1000, or it could not be read."
	}
	return "the OOM killer would choose " + victimName(&o.Next[0]) + victimOf(&o.Next[0]) + ". " + o.Why
}

// choiceRows is a table of the first that it would choose.
func choiceRows(o *diagnose.MemoryOOM) [][]string {
	rows := [][]string{{"", "points", "resident", "page tables", "swap", "adjustment", "oom_score"}}
	for i := range o.Next {
		v := &o.Next[i]
		row := []string{victimName(v), v.Points.String(), v.RSS.String(), v.PageTables.String(), "", "", ""}
		if v.Swap > 0 {
			row[4] = v.Swap.String()
		}
		if v.Adj != 0 {
			row[5] = fmt.Sprintf("%s (%d)", v.Adjustment, v.Adj)
		}
		if v.Score != nil {
			row[6] = digits(*v.Score)
		}
		rows = append(rows, row)
	}
	return rows
}

func choiceNotes(o *diagnose.MemoryOOM) []string {
	var out []string
	for _, n := range o.Notes {
		out = append(out, sentence(n))
	}
	if o.Spared > 0 {
		out = append(out, sentence(count(o.Spared, "process is", "processes are")+" never chosen (oom_score_adj -1000)"))
	}
	return out
}

// victimOf says whose process it is.
func victimOf(v *diagnose.MemoryVictim) string {
	if v.Instance == "" {
		return ", no process of an instance"
	}
	return " of " + v.Instance
}

// victimName names a process for people.
func victimName(v *diagnose.MemoryVictim) string {
	text := fmt.Sprintf("%d %s", v.PID, v.Name)
	if v.Instance == "" {
		return text
	}
	what := v.Kind
	if what == "" {
		what = v.Name
	}
	text = fmt.Sprintf("%d %s", v.PID, what)
	var of []string
	for _, s := range []string{v.Database, v.Role, v.State} {
		if s != "" {
			of = append(of, s)
		}
	}
	if len(of) > 0 {
		text += " (" + strings.Join(of, ", ") + ")"
	}
	return text
}
