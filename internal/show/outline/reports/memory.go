package reports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The pictures of an outline of who holds the memory.
const (
	FigureMemory = "memory" // where the memory of the host is
	FigureTables = "tables" // page tables of instance At, by kind of process
)

var levelTones = map[string]outline.Tone{memory.Critical: outline.ToneBad, memory.Warning: outline.ToneMind,
	memory.Notice: outline.ToneInfo, memory.Fine: outline.ToneGood}

var levelWords = map[string]say.Message{memory.Critical: say.M("critical"), memory.Warning: say.M("warning"),
	memory.Notice: say.M("notice"), memory.Fine: say.M("ok"), memory.Unknown: say.M("unknown")}

// Memory is who holds the memory, before any form.
func Memory(d *memory.Report, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	p := memoryWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle diagnose memory")
	o.Toned(levelTones[d.Level], outline.Bold(p.Word(levelWords[d.Level])+strings.TrimRight(p.Colon(), " ")), " ",
		p.flat(d.Verdict))
	if d.Host != nil {
		p.host(&o, d.Host)
	}
	for i := range d.Instances {
		p.instance(&o, &d.Instances[i], i)
	}
	for i := range d.OOM {
		p.choice(&o, &d.OOM[i])
	}
	if len(d.Unknown) > 0 {
		o.Heading(2, p.Say("Unknown"))
		o.Kind(outline.Gaps, gapItems(p.Words, d.Unknown))
	}
	return o
}

// memoryWords are the words of a report on memory.
type memoryWords struct{ outline.Words }

// flat is a message on one line.
func (p memoryWords) flat(m say.Message) string { return typeset.Flat(p.Word(m)) }

// more is an amount that is omitted if there is none.
func (p memoryWords) more(b unit.Bytes) string {
	if b == 0 {
		return ""
	}
	return p.Value(b)
}

// partSigns draw the parts of the memory, each with its own character, so that the bar can be read without color.
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

func (p memoryWords) host(o *outline.Outline, h *memory.Host) {
	title := p.Say("Memory of the host")
	o.Heading(2, title)
	o.Para(p.flat(hostMemory(h)))
	bars := outline.Bars{Bars: []outline.Bar{{Total: h.Total}}}
	t := outline.Table{Caption: title, Head: []string{p.Say("part"), p.Say("size"), p.Say("share")}, Numbers: 1}
	for _, part := range h.Parts {
		if part.Size == 0 {
			continue
		}
		sign := partSigns[part.Name]
		bars.Signs = append(bars.Signs, sign)
		bars.Bars[0].Amounts = append(bars.Bars[0].Amounts, part.Size)
		share := say.Number(fmt.Sprintf("%.1f%%", 100*float64(part.Size)/float64(max(h.Total, 1))))
		row := outline.Cells("", p.Value(part.Size), p.Value(share))
		row[0] = sign.Before(p.Word(memory.PartTitles[part.Name]))
		t.Rows = append(t.Rows, row)
	}
	o.Add(outline.Figure{Name: FigureMemory, At: 0, Picture: bars}, t)
}

// hostMemory is the memory of the host in a line.
func hostMemory(h *memory.Host) say.Message {
	var available, swap say.Message
	if h.Available != nil {
		available = say.M("{size} available", "size", *h.Available)
	}
	switch {
	case h.SwapTotal == nil:
	case *h.SwapTotal == 0:
		swap = say.M("no swap")
	case h.SwapUsed == nil:
		swap = say.M("{size} of swap", "size", *h.SwapTotal)
	default:
		swap = say.M("{used} of {total} of swap in use", "used", *h.SwapUsed, "total", *h.SwapTotal)
	}
	return say.All("; ", say.M("{total} of RAM", "total", h.Total), available, swap)
}

func (p memoryWords) instance(o *outline.Outline, in *memory.Instance, at int) {
	head := typeset.Clean(in.Label)
	if in.Version != "" {
		head = p.Say("{instance}, PostgreSQL {version}", "instance", head, "version", typeset.Clean(in.Version))
	}
	o.Heading(2, head)
	o.Para(p.flat(instanceFacts(in)))
	if rows := p.kinds(in); rows != nil {
		title := p.Say("Processes by kind")
		o.Heading(3, title)
		o.Add(outline.Figure{Name: FigureTables, At: at}, outline.TableOf(title, rows, 1))
	}
	if rows := p.sessions(in); rows != nil {
		o.Heading(3, p.Say("Backends"))
		o.Add(outline.TableOf(p.Say("Backends by database, role and state"), rows, 1))
	}
	if len(in.Options) > 0 {
		p.options(o, in)
	}
}

// instanceFacts are what the memory of an instance depends on.
func instanceFacts(in *memory.Instance) say.Message {
	var shared, connections, limit say.Message
	switch {
	case in.Shared <= 0:
	case in.HugePages == "on":
		shared = say.M("{size} of shared memory in huge pages", "size", in.Shared)
	case in.HugePages == "off":
		shared = say.M("{size} of shared memory on regular pages", "size", in.Shared)
	default:
		shared = say.M("{size} of shared memory, page size unknown", "size", in.Shared)
	}
	if in.Connections > 0 {
		connections = say.Text("max_connections = " + strconv.Itoa(in.Connections))
	}
	if in.LimitedBy != "" {
		limit = say.M("limited to {limit} by the cgroup {group}", "limit", in.Limit, "group", in.LimitedBy)
	}
	return say.All("; ", shared, connections, limit)
}

// mostSessions bounds the table of sessions: what follows is small, and the JSON
// has it all.
const mostSessions = 12

// head is the head of a table of processes.
func (p memoryWords) head(first string) []string {
	return []string{first, p.Say("processes"), p.Say("page tables"), p.Say("private"), p.Say("most shared"),
		p.Say("swap"),
		"PSS"}
}

// kinds is a table of the processes by kind; nil if there are none.
func (p memoryWords) kinds(in *memory.Instance) [][]string {
	if in.Sum.Processes == 0 {
		return nil
	}
	rows := [][]string{p.head(p.Say("kind"))}
	for _, k := range in.Kinds {
		rows = append(rows, p.row(p.Word(KindName(&k)), &k))
	}
	if len(in.Kinds) > 1 {
		rows = append(rows, p.row(p.Say("all"), &in.Sum))
	}
	return rows
}

// KindName names the processes of one kind.
func KindName(k *memory.Group) say.Message {
	if k.Kind == "" {
		return say.M("(unknown)")
	}
	return say.Text(k.Kind)
}

// sessions is a table of the backends; nil if none is known.
func (p memoryWords) sessions(in *memory.Instance) [][]string {
	if len(in.Sessions) == 0 {
		return nil
	}
	rows := [][]string{p.head(p.Say("database, role, state"))}
	for i, g := range in.Sessions {
		if n := len(in.Sessions) - i; i == mostSessions {
			more := p.Many(n, "… and {n} more group (--format json has all)",
				"… and {n} more groups (--format json has all)")
			return append(rows, []string{more, "", "", "", "", "", ""})
		}
		rows = append(rows, p.row(p.session(&g), &g))
	}
	return rows
}

func (p memoryWords) session(g *memory.Group) string {
	if g.Database == "" && g.Role == "" && g.State == "" {
		return p.Say("(changed while it was read)")
	}
	name := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return name(g.Database) + ", " + name(g.Role) + ", " + name(g.State)
}

func (p memoryWords) row(name string, g *memory.Group) []string {
	row := []string{name, p.Value(g.Processes), p.Value(g.PageTables), p.Value(g.Private),
		p.more(g.MostShared), p.more(g.Swap), ""}
	if g.PSS != nil {
		row[6] = p.Value(*g.PSS)
	}
	return row
}

// memoryWorth is the percentage of the memory below which saving it is not advised: a restart costs more than it gains.
const memoryWorth = 1

// options is the worst case and what would save some of it.
func (p memoryWords) options(o *outline.Outline, in *memory.Instance) {
	title := p.Say("Worst case and possible savings")
	o.Heading(3, title)
	o.Para(p.Many(in.Options[0].Processes,
		"Worst case: {n} process, as the settings allow, has touched all shared memory. Private memory is that of an "+
			"idle process, without work_mem.",
		"Worst case: all {n} processes that the settings allow have touched all shared memory. Private memory is "+
			"that of idle processes, without work_mem."))
	rows := [][]string{{p.Say("option"), p.Say("page tables"), p.Say("shared memory"), p.Say("private"),
		p.Say("savings")}}
	for _, x := range in.Options {
		saves := ""
		switch {
		case x.ID == memory.AsItIs:
		case x.Saves == 0:
			saves = p.Say("none")
		default:
			saves = p.Value(x.Saves)
		}
		rows = append(rows, []string{p.Word(x.Title), p.Value(x.PageTables), p.Value(x.Shared), p.Value(x.Private),
			saves})
	}
	o.Add(outline.TableOf(title, rows, 1))
	o.Para(p.flat(in.Options[0].Note))
	worth, compared := false, false
	for i := range in.Options {
		x := &in.Options[i]
		if len(x.Do) == 0 || 100*x.Saves < memoryWorth*in.Limit {
			compared = compared || x.ID != memory.AsItIs && len(x.Do) == 0
			continue
		}
		worth = true
		o.Para(outline.Bold(p.Word(x.Title)+strings.TrimRight(p.Colon(), " ")), " ", p.left(in, x))
		o.Add(outline.List{Items: outline.Items(say.Strings(x.Do)), Kind: outline.Steps})
		o.Toned(outline.ToneNote, p.flat(x.Note))
	}
	percent := say.Number(strconv.Itoa(memoryWorth) + "%")
	switch {
	case worth || len(in.Options) == 1:
	case compared:
		o.Para(p.Say("Except for those that are only compared, no option saves {percent} of the memory or more: "+
			"nothing needs to be changed.", "percent", percent))
	default:
		o.Para(p.Say("No option saves {percent} of the memory or more: nothing needs to be changed.", "percent",
			percent))
	}
}

// left says what an option would leave of the page tables of now; "" if that is not known.
func (p memoryWords) left(in *memory.Instance, x *memory.Option) string {
	if x.ID != memory.OnHuge || x.Now == 0 {
		return ""
	}
	return p.Say("The present page tables would shrink from {present} to about {left}.", "present", in.Sum.PageTables,
		"left", x.Now)
}

// choice reports which process the OOM killer would choose.
func (p memoryWords) choice(o *outline.Outline, c *memory.OOM) {
	head := p.Say("Next OOM kill on the host")
	compared := p.Many(c.Looked, "{n} process compared; {total} of RAM and swap", "{n} processes compared; {total} "+
		"of RAM and swap", "total", c.Total)
	if c.Scope != "host" {
		head = p.Say("Next OOM kill in the cgroup {group}", "group", typeset.Clean(c.Group))
		compared = p.Many(c.Looked, "{n} process compared; limit {total}", "{n} processes compared; limit {total}",
			"total",
			c.Total)
	}
	o.Heading(2, head)
	o.Para(compared)
	if len(c.Next) == 0 {
		o.Toned(outline.ToneMind, p.Say("The OOM killer can choose none of these processes: each has oom_score_adj "+
			"-1000, or its oom_score_adj is not readable."))
	} else {
		v := &c.Next[0]
		chosen := say.M("The OOM killer would choose {process}.", "process", victimName(v))
		if v.Instance != "" {
			chosen = say.M("The OOM killer would choose {process} of {instance}.", "process", victimName(v), "instance",
				v.Instance)
		}
		o.Para(p.flat(say.All(" ", chosen, c.Why)))
		o.Para(p.flat(c.Outcome))
		o.Add(outline.TableOf(p.Say("Most likely OOM victims"), p.victims(c), 1))
	}
	notes := say.Strings(c.Notes)
	if c.Spared > 0 {
		notes = append(notes, p.Many(c.Spared, "{n} process is never chosen (oom_score_adj -1000).",
			"{n} processes are never chosen (oom_score_adj -1000)."))
	}
	o.Add(outline.List{Items: outline.Items(notes), Kind: outline.Lines, Tone: outline.ToneNote})
}

// victims is a table of the first that it would choose.
func (p memoryWords) victims(c *memory.OOM) [][]string {
	rows := [][]string{{p.Say("process"), p.Say("total"), p.Say("resident"), p.Say("page tables"), p.Say("swap"),
		p.Say("adjustment"), "oom_score"}}
	for i := range c.Next {
		v := &c.Next[i]
		row := []string{victimName(v), p.Value(v.Points), p.Value(v.RSS), p.Value(v.PageTables), p.more(v.Swap), "", ""}
		if v.Adj != 0 {
			row[5] = p.Word(say.M("{size} ({value})", "size", v.Adjustment, "value", strconv.Itoa(v.Adj)))
		}
		if v.Score != nil {
			row[6] = strconv.Itoa(*v.Score)
		}
		rows = append(rows, row)
	}
	return rows
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
