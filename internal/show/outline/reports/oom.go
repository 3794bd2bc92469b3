package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureHeld is the picture of what held the memory at kill At.
const FigureHeld = "held"

// OOM is the post-mortem of kills, before any form.
func OOM(d *oom.Report, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	var o outline.Outline
	o.Command("pgfettle diagnose oom")
	tone := outline.ToneGood
	switch {
	case len(d.Kills) > 0:
		tone = outline.ToneBad
	case len(d.Units) > 0:
		tone = outline.ToneBad
	case len(d.Unexplained)+len(d.Refused)+len(d.NotUnderstood) > 0:
		tone = outline.ToneMind
	}
	p := oomWords{outline.WordsIn(c)}
	o.Toned(tone, outline.Bold(p.flat(p.verdict(d))))
	p.timeline(&o, d)
	shown := killsShown(d)
	for _, i := range shown {
		p.kill(&o, &d.Kills[i], i, len(d.Kills))
	}
	if n := len(d.Kills) - len(shown); n > 0 {
		o.Toned(outline.ToneMind, p.Many(n, "{n} more kill is only in --format json.",
			"{n} more kills are only in --format json."))
	}
	p.failed(&o, d)
	p.units(&o, d)
	p.stated(&o, d)
	p.deaths(&o, d)
	p.notUnderstood(&o, d)
	gaps(&o, p.Words, 2, p.Say("Unknown"), d.Missing)
	if d.Read.Cut {
		o.Toned(outline.ToneMind, p.Say("The logs are larger than the limits of this report: the oldest reports or "+
			"parts of long lines were omitted."))
	}
	return o
}

// oomWords are the words of a post-mortem.
type oomWords struct{ outline.Words }

// flat is a message on one line.
func (p oomWords) flat(m say.Message) string { return typeset.Flat(p.Word(m)) }

// maxKillsShown is about what a reader reads.
const maxKillsShown = 5

// killsShown are the places of the kills that are shown: the most informative one, then the last ones.
func killsShown(d *oom.Report) []int {
	var out []int
	if d.TellsMost != nil && *d.TellsMost < len(d.Kills) {
		out = append(out, *d.TellsMost)
	}
	for i := len(d.Kills) - 1; i >= 0 && len(out) < maxKillsShown; i-- {
		if d.TellsMost == nil || i != *d.TellsMost {
			out = append(out, i)
		}
	}
	return out
}

// roleWords are the roles that are not named as PostgreSQL names its processes.
var roleWords = map[string]say.Message{
	"backend or worker":       say.M("backend or worker"),
	"child of the postmaster": say.M("child process of the postmaster"),
	"kernel thread":           say.M("kernel thread"),
	"other program":           say.M("other program"),
}

func roleOf(role string) say.Message {
	if m, ok := roleWords[role]; ok {
		return m
	}
	return say.Text(role)
}

// processOf names a process by its id, its name and its role, as far as they are known.
func processOf(pid int, name, role string) say.Message {
	who := strings.TrimSpace(strconv.Itoa(pid) + " " + name)
	if pid == 0 && name != "" {
		who = name
	}
	return say.All(", ", say.Text(who), roleOf(role))
}

func pidOf(pid int) string { return strconv.Itoa(pid) }

// kill is one run of the killer.
func (p oomWords) kill(o *outline.Outline, k *oom.Kill, at, of int) {
	o.Part(p.head(k, at+1, of))
	var who outline.Fields
	field := func(name string, t outline.Tone, text any) {
		who.List = append(who.List, outline.Field{Name: name, Items: []outline.Item{{Text: outline.Join(text)}},
			Tone: t})
	}
	victim := p.Say("victim")
	switch {
	case k.Victim != nil:
		field(victim, outline.ToneBad, p.victim(k))
		if st := statementOf(k.Victim.Statement, 600); st != "" {
			field(p.Say("statement"), outline.ToneNone, outline.Code(st))
		}
	case k.NoVictim:
		field(victim, outline.ToneMind, p.Say("none: the kernel found no process that it may kill"))
	case k.Panic:
		field(victim, outline.ToneMind, p.Say("none: the kernel panicked"))
	case k.Shown, k.OnlyMemory: // the cause says why there is none, or it is not known that there is one
	default:
		field(victim, outline.ToneMind, p.Say("unknown"))
	}
	if k.Invoker != nil {
		field(p.Say("requested by"), outline.ToneNone, p.invoker(k.Invoker))
	}
	if e := k.Event; e != nil {
		field(p.Say("event"), outline.ToneNone, p.flat(eventOf(e)))
	}
	switch where := p.flat(shortIn(k)); {
	case k.Shown:
	case (k.OnlyMemory || k.Cause.ID == "sysrq") && k.Constraint == "unknown": // it is not known to have run out
		if t := k.Memory.Total; t != nil && k.OnlyMemory && !k.Memory.Summed {
			field(p.Say("host"), outline.ToneNone, p.flat(say.M("{total} of RAM", "total", *t)))
		}
	case where != "":
		field(p.Say("out of memory in"), outline.ToneNone, where)
	}
	o.Add(who)
	o.Heading(3, p.Say("Cause"))
	cause(o, &k.Cause, outline.ToneBad)
	for i := range k.Also {
		cause(o, &k.Also[i], outline.ToneMind)
	}
	p.held(o, k, at)
	p.largest(o, k)
	if k.Shown {
		return // nothing to prevent
	}
	o.Heading(3, p.Say("Prevention"))
	if len(k.Prevention) == 0 {
		o.Para(p.Say("No advice follows from what was read."))
	}
	var list []outline.Item
	for i := range k.Prevention {
		v := &k.Prevention[i]
		what := v.What
		if v.From == "plan" {
			what = say.M("{what} (from the plan for this host)", "what", v.What)
		}
		it := outline.Item{Text: outline.Join(outline.Bold(p.flat(what)))}
		if !v.Why.IsZero() {
			it.More = append(it.More, outline.Para{Text: outline.Join(p.flat(v.Why))})
		}
		if len(v.Commands) > 0 {
			it.More = append(it.More, outline.Listing{Lines: v.Commands})
		}
		list = append(list, it)
	}
	o.List(list)
	o.Heading(3, p.Say("Effect on the server"))
	after := k.After.Text
	if s := k.After.Seconds; s != nil {
		after = say.All(" ", say.M("The server accepted connections again after {time}.", "time",
			seconds(*s)), after)
	}
	o.Para(p.flat(after))
	gaps(o, p.Words, 3, p.Say("Missing from this report"), k.Missing)
}

func (p oomWords) head(k *oom.Kill, n, of int) string {
	what := say.M("Kill {number} of {all}", "number", n, "all", of)
	if k.Victim == nil && (k.OnlyMemory || k.NoVictim || k.Panic) {
		what = say.M("Report {number} of {all}", "number", n, "all", of)
	}
	kernel := say.Message{}
	if k.Kernel != "" {
		kernel = say.M("kernel {version}", "version", typeset.Clean(k.Kernel))
	}
	return typeset.Clean(p.Word(say.All(", ", what, k.Time, kernel)))
}

// victim is the process that was killed, its role, and its size.
func (p oomWords) victim(k *oom.Kill) string {
	v := k.Victim
	var role say.Message
	switch {
	case v.Role != "" && v.Instance != "":
		role = say.M("{role} of {instance} (identified by {source})", "role", roleOf(v.Role), "instance", v.Instance,
			"source", v.RoleFrom)
	case v.Role != "":
		role = say.M("{role} (identified by {source})", "role", roleOf(v.Role), "source", v.RoleFrom)
	case v.Instance != "":
		role = say.M("of {instance}", "instance", v.Instance)
	}
	who := say.All(", ", say.Text(v.Name), role)
	if v.PID > 0 {
		who = say.All(", ", say.M("{name}, process {pid}", "name", v.Name, "pid", pidOf(v.PID)), role)
	}
	var others say.Message
	if k.Killed > 1 {
		others = say.N(k.Killed-1, "{n} other process of its cgroup was killed too (memory.oom.group)",
			"{n} other processes of its cgroup were killed too (memory.oom.group)")
	}
	var cgroup say.Message
	if v.Cgroup != "" && v.Cgroup != "/" && v.Cgroup != k.Group {
		cgroup = say.M("in the cgroup {path}", "path", v.Cgroup)
	}
	return p.flat(say.All("; ", who, cgroup, sizesOf(v), others))
}

// sizesOf are the sizes of a victim.
func sizesOf(v *oom.Task) say.Message {
	var list []say.Message
	add := func(b *unit.Bytes, text say.Template, always bool) {
		if b != nil && (*b > 0 || always) {
			list = append(list, say.M(text, "size", *b))
		}
	}
	add(v.Anon, "{size} of private memory", true)
	if v.Anon == nil { // resident memory if not reported by kind
		add(v.RSS, "{size} resident", false)
	}
	add(v.Shmem, "{size} of shared memory touched", false)
	add(v.File, "{size} of mapped files", false)
	add(v.PageTables, "{size} of page tables", false)
	add(v.Swap, "{size} in swap", false)
	if v.Adj != nil {
		list = append(list, say.M("oom_score_adj {value}", "value", strconv.Itoa(*v.Adj)))
	}
	switch {
	case len(list) > 0:
		return say.All(", ", list...)
	case v.Score != nil:
		return say.M("sizes unknown; its score was {score}", "score", strconv.FormatInt(*v.Score, 10))
	}
	return say.M("sizes unknown")
}

// statementOf is a statement on one line, truncated to a readable length.
func statementOf(s string, most int) string { return typeset.Shorten(typeset.Flat(s), most) }

func (p oomWords) invoker(a *oom.Invoker) string {
	who := say.Text(a.Name)
	if a.PID > 0 {
		who = say.M("{name}, process {pid}", "name", a.Name, "pid", pidOf(a.PID))
	}
	var pages say.Message
	if a.Order != nil {
		pages = say.N(1<<min(*a.Order, 20), "for {n} page", "for {n} contiguous pages")
	}
	var container say.Message
	if a.Container != "" {
		container = say.M("in the container {id}", "id", a.Container)
	}
	return p.flat(say.All(", ", who, roleOf(a.Role), pages, container))
}

// shortIn says where memory was short, and how much there was.
func shortIn(k *oom.Kill) say.Message {
	var where, total, trace, hits, path say.Message
	switch {
	case k.Limit != nil && k.LimitSwap:
		where = say.M("a cgroup with a limit of {limit} for memory and swap together", "limit", *k.Limit)
	case k.Limit != nil:
		where = say.M("a cgroup with a limit of {limit}", "limit", *k.Limit)
	case k.Constraint == "memcg":
		where = say.M("a cgroup")
	case k.Constraint == "cpuset":
		where = say.M("the NUMA nodes of a cpuset")
	case k.Constraint == "memory_policy":
		where = say.M("the NUMA nodes of a memory policy")
	case k.Constraint == "none" && k.From == "kill_line":
		where = say.M("the host, not a cgroup")
	case k.Constraint == "none":
		where = say.M("the whole host")
	default:
		where = say.M("the host or a cgroup (unknown which)")
	}
	switch t := k.Memory.Total; {
	case t == nil || k.Limit != nil:
	case k.Constraint == "cpuset" || k.Constraint == "memory_policy":
		total = say.M("all nodes of the host together have {total}", "total", *t)
	case k.Memory.Summed:
		total = say.M("the parts of the memory in the report are {total} together", "total", *t)
	default:
		total = say.M("{total} of RAM", "total", *t)
	}
	if k.From == "call_trace" {
		trace = say.M("according to the call trace")
	}
	if k.FromText {
		trace = say.All("; ", trace, say.M("the size is from the text around the report"))
	}
	if k.LimitHits > 0 {
		hits = say.N(k.LimitHits, "the limit was reached {n} time (failcnt)",
			"the limit was reached {n} times (failcnt)")
	}
	if k.Group != "" {
		path = say.M("path {path}", "path", k.Group)
	}
	return say.All("; ", where, total, trace, hits, path)
}

func cause(o *outline.Outline, c *oom.Cause, t outline.Tone) {
	o.Toned(t, typeset.Flat(c.Text.String()))
	var list []outline.Item
	for _, e := range c.Evidence {
		list = append(list, outline.Item{Text: outline.Join(typeset.Shorten(typeset.Flat(e.String()), 400))})
	}
	o.Kind(outline.Evidence, list)
}

// held is the accounting of the memory at a kill.
func (p oomWords) held(o *outline.Outline, k *oom.Kill, at int) {
	title := p.Say("Memory use")
	t, ok := p.heldTable(title, &k.Memory)
	if !ok {
		return
	}
	o.Heading(3, title)
	o.Add(outline.Figure{Name: FigureHeld, At: at}, t)
}

// heldTable is that accounting as a table; ok is false if nothing is known.
func (p oomWords) heldTable(title string, m *oom.Memory) (t outline.Table, ok bool) {
	parts := HeldParts(m)
	if parts == nil && m.SwapTotal == nil {
		return t, false
	}
	rows := [][]string{{p.Say("part"), p.Say("size"), p.Say("share")}}
	var shares []float64
	for _, part := range parts {
		row := []string{p.Word(part.Name), p.Value(part.Size), ""}
		share := -1.0
		if t := m.Total; t != nil && *t > 0 {
			share = float64(part.Size) / float64(*t)
			row[2] = p.Value(say.Number(fmt.Sprintf("%.0f%%", 100*share)))
		}
		shares, rows = append(shares, share), append(rows, row)
	}
	switch {
	case m.SwapTotal == nil:
	case *m.SwapTotal == 0:
		rows = append(rows, []string{p.Say("swap"), p.Say("none"), ""})
	case m.SwapFree == nil:
		rows = append(rows, []string{p.Say("swap"), p.Value(*m.SwapTotal), ""})
	default:
		rows = append(rows, []string{p.Say("swap, {size} of it free", "size", *m.SwapFree), p.Value(*m.SwapTotal), ""})
	}
	t = outline.TableOf(title, rows, 1)
	t.Shares = shares
	return t, true
}

// sizeOr is an amount that may be unknown.
func (p oomWords) sizeOr(b *unit.Bytes) string {
	if b == nil {
		return "?"
	}
	return p.Value(*b)
}

// HeldPart is one part of what held the memory.
type HeldPart struct {
	Name  say.Message
	Size  unit.Bytes
	Class string // of the style sheet: a part of the budget, whose color a picture has; "" for what is free
	In    bool   // it is in the part above
}

// HeldParts are those in the report; nil if it has none.
func HeldParts(m *oom.Memory) []HeldPart {
	var out []HeldPart
	add := func(b *unit.Bytes, name say.Message, class string) {
		if b != nil {
			out = append(out, HeldPart{Name: name, Size: *b, Class: class})
		}
	}
	inside := func(b *unit.Bytes, name say.Message) {
		if b != nil && *b > 0 {
			out = append(out, HeldPart{Name: name, Size: *b, In: true})
		}
	}
	add(m.Anon, say.M("anonymous memory"), "c-backends")
	inside(m.THP, say.M("of which transparent huge pages"))
	add(m.Shared, say.M("shared memory"), "c-shared")
	add(m.PageTables, say.M("page tables"), "c-page_tables")
	add(m.Slab, say.M("kernel (unreclaimable slab)"), "c-reserve")
	large := func(b *unit.Bytes) *unit.Bytes { // else it is no more than what is always there
		if b == nil || m.Total == nil || *b*20 < *m.Total {
			return nil
		}
		return b
	}
	add(large(m.Reclaimable), say.M("kernel (reclaimable slab)"), "c-reserve")
	add(large(m.Locked), say.M("locked (unevictable)"), "c-backends")
	add(m.Cache, say.M("page cache"), "c-file_cache")
	if m.Total == nil || m.Dirty != nil && *m.Dirty*100 >= *m.Total { // else it is no more than what is always there
		inside(m.Dirty, say.M("of which dirty"))
	}
	add(m.Free, say.M("free"), "")
	add(m.HugeTotal, say.M("huge pages"), "c-work")
	inside(m.HugeFree, say.M("of which unused"))
	return out
}

func (p oomWords) largest(o *outline.Outline, k *oom.Kill) {
	if len(k.Top) == 0 {
		return
	}
	o.Heading(3, p.Say("Largest processes"))
	o.Para(p.Say("Sorted by resident memory, swap and page tables, which the OOM killer adds up; it then applies " +
		"oom_score_adj."))
	t := outline.Table{Caption: p.Say("Largest processes"), Head: []string{p.Say("process"), p.Say("resident"),
		p.Say("private"), p.Say("page tables"), p.Say("swap"), "oom_score_adj"}, Numbers: 1, Long: true,
		Tones: map[int]outline.Tone{}}
	for i := range k.Top {
		x := &k.Top[i]
		adj := "?"
		if x.Adj != nil {
			adj = strconv.Itoa(*x.Adj)
		}
		name := p.Word(processOf(x.PID, x.Name, x.Role))
		row := outline.Cells(name, p.sizeOr(x.RSS), p.sizeOr(x.Anon), p.sizeOr(x.PageTables), p.sizeOr(x.Swap), adj)
		if k.Victim != nil && k.Victim.PID == x.PID {
			row[0] = outline.Join(outline.Bold(name), " ", p.Say("(victim)"))
			t.Tones[i] = outline.ToneBad
		}
		t.Rows = append(t.Rows, row)
	}
	o.Add(t)
}

// deaths are what the server's log says in addition to the kernel's reports.
func (p oomWords) deaths(o *outline.Outline, d *oom.Report) {
	item := func(text say.Message, statement string) outline.Item {
		if st := statementOf(statement, 400); st != "" {
			return outline.Item{Text: outline.Join(p.flat(text), p.Colon(), outline.Code(st))}
		}
		return outline.Item{Text: outline.Join(p.flat(text))}
	}
	var list []outline.Item
	for i := range d.Unexplained {
		list = append(list, item(deathOf(&d.Unexplained[i]), d.Unexplained[i].Statement))
	}
	if len(list) > 0 {
		o.Part(p.Say("Server processes that died, without an OOM report"))
		o.List(list)
	}
	list = nil
	for i := range d.Refused {
		r := &d.Refused[i]
		text := say.All(" ", r.Time, say.M("process {pid}: {message}", "pid", pidOf(r.PID), "message",
			typeset.Shorten(r.Text, 300)))
		list = append(list, item(text, r.Statement))
	}
	if len(list) > 0 {
		o.Part(p.Say(`"Out of memory" errors and failed forks`))
		o.List(list)
	}
	if len(d.Lines) > 0 {
		if slices.ContainsFunc(d.Units, notSystemd) {
			o.Part(p.Say("Other messages about memory"))
		} else {
			o.Part(p.Say("Other messages from systemd and the kernel"))
		}
		o.Add(outline.Listing{Lines: d.Lines})
	}
}

func deathOf(u *oom.Death) say.Message {
	if u.PID == 0 {
		return say.All(" ", u.Time, say.M("postmaster: its child processes report that it is gone (unexpected "+
			"postmaster exit)"))
	}
	return say.All(" ", u.Time, say.All(", ", say.M("process {pid}, signal 9", "pid", pidOf(u.PID)), roleOf(u.Role)))
}

func (p oomWords) notUnderstood(o *outline.Outline, d *oom.Report) {
	if len(d.NotUnderstood) == 0 {
		return
	}
	o.Part(p.Say("Not understood"))
	var list []outline.Item
	for i := range d.NotUnderstood {
		list = append(list, outline.Item{Text: outline.Join(p.flat(unreadOf(&d.NotUnderstood[i])))})
	}
	o.List(list)
}

// unreadOf is what was seen and not understood.
func unreadOf(u *oom.Unread) say.Message {
	return say.N(u.Lines, `{n} line with "{words}" was not understood: {line}`,
		`{n} lines with "{words}" were not understood. The first: {line}`, "words", u.What, "line",
		typeset.Shorten(typeset.Flat(u.First), 200))
}
