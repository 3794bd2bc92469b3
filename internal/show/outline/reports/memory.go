package reports

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The pictures of an outline of who holds the memory.
const (
	FigureMemory = "memory" // where the memory of the host is
	FigureTables = "tables" // page tables of instance At, by kind of process
)

var LevelTones = map[string]outline.Tone{memory.Critical: outline.ToneBad, memory.Warning: outline.ToneMind,
	memory.Notice: outline.ToneInfo, memory.Fine: outline.ToneGood}

// Memory is who holds the memory, before any form.
func Memory(d *memory.Report) outline.Outline {
	var o outline.Outline
	o.Command("pgfettle diagnose memory")
	o.Toned(LevelTones[d.Level], outline.Bold(d.Level+":"), " ", typeset.Flat(d.Verdict))
	if d.Host != nil {
		o.Heading(2, "Memory of the host")
		o.Para(HostMemory(d.Host))
		bars := outline.Bars{Bars: []outline.Bar{{Total: d.Host.Total}}}
		t := outline.Table{Caption: "Where the memory of the host is", Head: []string{"part", "size", "share"},
			Numbers: 1}
		for _, part := range d.Host.Parts {
			if part.Size == 0 {
				continue
			}
			sign := partSigns[part.Name]
			bars.Signs = append(bars.Signs, sign)
			bars.Bars[0].Amounts = append(bars.Bars[0].Amounts, part.Size)
			row := outline.Cells("", part.Size.String(), outline.Words{}.Percent(part.Size, d.Host.Total))
			row[0] = sign.Before(part.Name)
			t.Rows = append(t.Rows, row)
		}
		o.Add(outline.Figure{Name: FigureMemory, At: 0, Picture: bars}, t)
	}
	for i := range d.Instances {
		memoryInstance(&o, &d.Instances[i], i)
	}
	for i := range d.OOM {
		memoryChoice(&o, &d.OOM[i])
	}
	if len(d.Unknown) > 0 {
		o.Heading(2, "Not known")
		var list []outline.Item
		for _, g := range d.Unknown {
			list = append(list, outline.Item{Text: outline.Join(GapLine(g))})
		}
		o.Kind(outline.Gaps, list)
	}
	return o
}

// partSigns draw the parts of the memory, each by a sign of its own, so that the bar can be read without color.
var partSigns = map[string]outline.Sign{
	memory.PartTables: {Mark: "%", Hue: "31"}, memory.PartPrivate: {Mark: "=", Hue: "36"},
	memory.PartShared: {Mark: "#", Hue: "34"},
	memory.PartHuge:   {Mark: "H", Hue: "34"}, memory.PartOthers: {Mark: "o", Hue: "37"},
	memory.PartTables2: {Mark: "*", Hue: "31"},
	memory.PartUntold:  {Mark: "?", Hue: "2"},
	memory.PartKernel:  {Mark: ":", Hue: "2"}, memory.PartIdleHuge: {Mark: "!", Hue: "1;31"},
	memory.PartCache: {Mark: "-", Hue: "33"},
	memory.PartFree:  {Mark: ".", Hue: "32"},
}

func memoryInstance(o *outline.Outline, in *memory.Instance, at int) {
	o.Heading(2, MemoryHead(in))
	o.Para(MemoryFacts(in))
	if rows := KindRows(in); rows != nil {
		o.Heading(3, "Page tables by process")
		o.Add(outline.Figure{Name: FigureTables, At: at}, outline.TableOf("Processes by kind", rows, 1))
	}
	if rows := SessionRows(in); rows != nil {
		o.Heading(3, "Backends")
		o.Add(outline.TableOf("Backends by database, role and state", rows, 1))
	}
	if len(in.Options) == 0 {
		return
	}
	o.Heading(3, "The worst case, and what would save how much of it")
	o.Para(OptionsIntro(in))
	rows := OptionRows(in)
	rows[0][0] = "option"
	o.Add(outline.TableOf("The worst case and what would save some of it", rows, 1))
	o.Para(typeset.Sentence(in.Options[0].Note))
	worth := Worthwhile(in)
	for i := range worth {
		op := &worth[i]
		o.Para(outline.Bold(op.Title+":"), " ", OptionLeft(in, op))
		o.Add(outline.List{Items: outline.Items(op.Do), Kind: outline.Steps})
		if op.Note != "" {
			o.Toned(outline.ToneNote, "("+op.Note+")")
		}
	}
	if len(worth) == 0 && len(in.Options) > 1 {
		o.Para(NotWorth())
	}
}

// memoryChoice tells whom the OOM killer would choose.
func memoryChoice(o *outline.Outline, c *memory.OOM) {
	head, compared := ChoiceHead(c)
	o.Heading(2, head)
	o.Para(typeset.Sentence(compared))
	if len(c.Next) == 0 {
		o.Toned(outline.ToneMind, ChoiceWords(c))
	} else {
		o.Para(typeset.Capital(ChoiceWords(c)))
		o.Para(c.Outcome)
		rows := ChoiceRows(c)
		rows[0][0] = "process"
		o.Add(outline.TableOf("Whom the OOM killer would choose, in its order", rows, 1))
	}
	o.Add(outline.List{Items: outline.Items(ChoiceNotes(c)), Kind: outline.Lines, Tone: outline.ToneNote})
}

// mostSessions bounds the table of sessions: what follows is small, and the JSON
// has it all.
const mostSessions = 12

func GapLine(g known.Gap) string {
	text := typeset.Clean(g.Fact) + ": " + typeset.Clean(g.Reason)
	if g.Reveal != "" {
		text += " (" + typeset.Clean(g.Reveal) + ")"
	}
	return text
}

// HostMemory is the memory of the host in a line.
func HostMemory(h *memory.Host) string {
	head := h.Total.String()
	if h.Available != nil {
		head += fmt.Sprintf(", %s available", *h.Available)
	}
	switch {
	case h.SwapTotal == nil:
		return head
	case *h.SwapTotal == 0:
		return head + "; no swap"
	case h.SwapUsed == nil:
		return head + fmt.Sprintf("; %s of swap", *h.SwapTotal)
	}
	return head + fmt.Sprintf("; %s of %s swap in use", *h.SwapUsed, *h.SwapTotal)
}

// MemoryHead names an instance.
func MemoryHead(in *memory.Instance) string {
	if in.Version == "" {
		return typeset.Clean(in.Label)
	}
	return typeset.Clean(in.Label) + ", PostgreSQL " + typeset.Clean(in.Version)
}

// MemoryFacts are what the memory of an instance rests on.
func MemoryFacts(in *memory.Instance) string {
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

// KindRows is a table of the processes by kind; nil where there are none.
func KindRows(in *memory.Instance) [][]string {
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
func KindName(k *memory.Group) string {
	if k.Kind == "" {
		return "(its title tells nothing)"
	}
	return k.Kind
}

// SessionRows is a table of the backends; nil where none is known.
func SessionRows(in *memory.Instance) [][]string {
	if len(in.Sessions) == 0 {
		return nil
	}
	rows := [][]string{{"backends by database, role, state", "processes", "page tables", "private", "most shared",
		"swap", "pss"}}
	for i, g := range in.Sessions {
		if i == mostSessions {
			return append(rows, []string{fmt.Sprintf("… and %d more groups (--format json has all)",
				len(in.Sessions)-i), "", "", "", "", "", ""})
		}
		rows = append(rows, memoryRow(sessionName(&g), &g))
	}
	return rows
}

func sessionName(g *memory.Group) string {
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

func memoryRow(name string, g *memory.Group) []string {
	row := []string{name, typeset.Digits(g.Processes), g.PageTables.String(), g.Private.String(),
		outline.Words{}.Amount(g.MostShared), "", ""}
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

func OptionsIntro(in *memory.Instance) string {
	return fmt.Sprintf(
		"The worst case, with all %d processes that the settings allow, each having touched all of the shared "+
			"memory, and what would save how much of it:", in.Options[0].Processes)
}

// OptionRows is a table of the worst case and of what would save some of it.
func OptionRows(in *memory.Instance) [][]string {
	rows := [][]string{{"", "page tables", "shared memory", "private at rest", "saves"}}
	for _, o := range in.Options {
		saves := ""
		switch {
		case o.ID == memory.AsItIs:
		case o.Saves == 0:
			saves = "nothing"
		default:
			saves = o.Saves.String()
		}
		rows = append(rows, []string{o.Title, o.PageTables.String(), o.Shared.String(), o.Private.String(), saves})
	}
	return rows
}

// Worthwhile are the options that it is told how to take.
func Worthwhile(in *memory.Instance) []memory.Option {
	var out []memory.Option
	for _, o := range in.Options {
		if len(o.Do) > 0 && 100*o.Saves >= memoryWorth*in.Limit {
			out = append(out, o)
		}
	}
	return out
}

// OptionLeft says what an option would leave of the page tables of now; "" where
// that is not known.
func OptionLeft(in *memory.Instance, o *memory.Option) string {
	if o.ID != memory.OnHuge || o.Now == 0 {
		return ""
	}
	return fmt.Sprintf("of the %s of page tables that are there now, about %s would be left.", in.Sum.PageTables, o.Now)
}

func NotWorth() string {
	return fmt.Sprintf("None of it would save %d %% of the memory: there is nothing to do for it.", memoryWorth)
}

// ChoiceHead says where the OOM killer would choose, and among what.
func ChoiceHead(o *memory.OOM) (head, compared string) {
	where, of := "on the host", " of memory and swap"
	if o.Scope != "host" {
		where, of = "in the control group "+typeset.Clean(o.Group), ""
	}
	return "If memory ended " + where + " now", o.Total.String() + of + ", " +
		typeset.Count(o.Looked, "process", "processes") + " compared"
}

// ChoiceWords says whom it would choose.
func ChoiceWords(o *memory.OOM) string {
	if len(o.Next) == 0 {
		return "None of the processes that were looked at may be chosen: each has an oom_score_adj of -1000, or it " +
			"could not be read."
	}
	return "the OOM killer would choose " + victimName(&o.Next[0]) + victimOf(&o.Next[0]) + ". " + o.Why
}

// ChoiceRows is a table of the first that it would choose.
func ChoiceRows(o *memory.OOM) [][]string {
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
			row[6] = typeset.Digits(*v.Score)
		}
		rows = append(rows, row)
	}
	return rows
}

func ChoiceNotes(o *memory.OOM) []string {
	var out []string
	for _, n := range o.Notes {
		out = append(out, typeset.Sentence(n))
	}
	if o.Spared > 0 {
		out = append(out, typeset.Sentence(typeset.Count(o.Spared, "process is", "processes are")+
			" never chosen (oom_score_adj -1000)"))
	}
	return out
}

// victimOf says whose process it is.
func victimOf(v *memory.Victim) string {
	if v.Instance == "" {
		return ", no process of an instance"
	}
	return " of " + v.Instance
}

// victimName names a process for people.
func victimName(v *memory.Victim) string {
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
