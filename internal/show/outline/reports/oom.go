package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureHeld is the picture of what held the memory at kill At.
const FigureHeld = "held"

// OOM is the post-mortem of kills, before any form.
func OOM(d *oom.Report) outline.Outline {
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
	o.Toned(tone, outline.Bold(typeset.Flat(KillVerdict(d))))
	timeline(&o, d)
	shown := KillsShown(d)
	for _, i := range shown {
		kill(&o, &d.Kills[i], i, len(d.Kills))
	}
	if n := len(d.Kills) - len(shown); n > 0 {
		o.Toned(outline.ToneMind, KillsBefore(n))
	}
	units(&o, d)
	deaths(&o, d)
	notUnderstood(&o, d)
	oomGaps(&o, 2, "Not told by what was read", d.Missing)
	if d.Read.Cut {
		o.Toned(outline.ToneMind, LogsCut)
	}
	return o
}

// MaxKillsShown is about what somebody reads.
const MaxKillsShown = 5

// KillsShown are the places of the kills that are shown: the one that tells most, then the last ones.
func KillsShown(d *oom.Report) []int {
	var out []int
	if d.TellsMost != nil && *d.TellsMost < len(d.Kills) {
		out = append(out, *d.TellsMost)
	}
	for i := len(d.Kills) - 1; i >= 0 && len(out) < MaxKillsShown; i-- {
		if d.TellsMost == nil || i != *d.TellsMost {
			out = append(out, i)
		}
	}
	return out
}

const LogsCut = "The logs are larger than what is kept of them: the oldest reports or the longest lines were left out."

func KillsBefore(n int) string {
	return fmt.Sprintf("%s before these are in --format json only.", typeset.Count(n, "kill", "kills"))
}

// KillVerdict is the one line above all.
func KillVerdict(d *oom.Report) string {
	if len(d.Kills) == 0 {
		switch {
		case len(d.Unexplained) > 0:
			return fmt.Sprintf(
				"The server lost %s to signal 9, and no report of the OOM killer was read: it may have been the "+
					"killer, or somebody's kill -9.", typeset.Count(len(d.Unexplained), "process", "processes"))
		case len(d.Units) > 0:
			return unitsVerdict(d.Units)
		case len(d.Refused) > 0:
			return "No kill is in what was read, but memory was refused " + refusedTo(d.Refused) + "."
		case len(d.NotUnderstood) > 0:
			return UnreadText(&d.NotUnderstood[0])
		}
		if d.Read.Lines == 0 {
			return "There was nothing to read: what was given is empty."
		}
		return "No kill by the OOM killer is in what was read."
	}
	at := len(d.Kills) - 1
	if d.TellsMost != nil && *d.TellsMost < len(d.Kills) {
		at = *d.TellsMost
	}
	first := killFirst(&d.Kills[at])
	switch n := len(d.Kills); {
	case n > 1 && at == n-1:
		first = fmt.Sprintf("%d runs of the OOM killer. The last: %s", n, first)
	case n > 1:
		first = fmt.Sprintf("%d runs of the OOM killer. The most complete report is number %d: %s", n, at+1, first)
	}
	return first
}

// killFirst is what comes first of a kill: whom, and why.
func killFirst(k *oom.Kill) string {
	switch v := k.Victim; {
	case v != nil:
		return fmt.Sprintf("%s (process %d%s) was killed by the OOM killer. %s", v.Name, v.PID, RoleComma(v.Role),
			k.Cause.Text)
	case k.Panic:
		return "The kernel panicked instead of killing a process. " + k.Cause.Text
	case k.NoVictim:
		return "The OOM killer was called and found no process to kill. " + k.Cause.Text
	case k.OnlyMemory:
		return "What was read has only the state of memory, which the kernel logs for an OOM kill, for a failed " +
			"allocation, and for SysRq m; nothing shows which it was. " + k.Cause.Text
	}
	return "The OOM killer was called; whom it killed is not told. " + k.Cause.Text
}

// unitsVerdict is the one line above all where only systemd tells of a kill.
func unitsVerdict(list []oom.Unit) string {
	at := 0
	for i := range list {
		if strings.Contains(list[i].Name, "postgres") && !strings.Contains(list[at].Name, "postgres") {
			at = i
		}
	}
	text := UnitText(&list[at])
	if n := len(list) - 1; n > 0 && slices.ContainsFunc(list, notSystemd) {
		text += fmt.Sprintf(" %s reported too.", typeset.Count(n, "further kill is", "further kills are"))
	} else if n > 0 {
		text += fmt.Sprintf(
			" systemd reports the same for %s: it logs a kill for the unit and for each slice above it.",
			typeset.Count(n, "other unit", "other units"))
	}
	if list[at].By == "earlyoom" {
		return text
	}
	return text + " The kernel's own report is not in what was read."
}

// notSystemd says whether a kill is told by another than systemd.
func notSystemd(u oom.Unit) bool { return u.Container || u.By == "earlyoom" }

// UnitText is a kill as systemd, systemd-oomd, earlyoom or a container runtime tells it.
func UnitText(u *oom.Unit) string {
	switch {
	case u.By == "earlyoom":
		sent := "a signal"
		if u.Signal != "" {
			sent = u.Signal
		}
		t := fmt.Sprintf("earlyoom sent %s to %s (process %d)", sent, u.Name, u.PID)
		if u.RSS != nil {
			t += fmt.Sprintf(", which had %s in memory", *u.RSS)
		}
		return t + ": available memory was below the limit of earlyoom. That is a signal from a program in user " +
			"space, not a kill by the kernel."
	case u.Container:
		name := "A container"
		if u.Name != "" {
			name = "A container of " + u.Name
		}
		return name + " ended because the OOM killer killed a process in it, as the container runtime reports " +
			"(OOMKilled). Which process, and how much memory it had, is not reported there."
	}
	var t string
	if u.By == "systemd-oomd" {
		t = fmt.Sprintf("systemd-oomd killed %s", u.Name)
		if u.Processes > 0 {
			t = fmt.Sprintf("systemd-oomd killed %s of %s", typeset.Count(u.Processes, "process", "processes"), u.Name)
		}
		switch {
		case u.Reason == "memory_pressure" && u.Pressure != nil && u.Most != nil:
			t += fmt.Sprintf(
				": its tasks were stalled on memory %.2f%% of the time (memory pressure, limit %.2f%%)",
				*u.Pressure, *u.Most)
		case u.Reason == "memory_pressure":
			t += " for memory pressure"
		case u.Reason == "swap_used":
			t += " because the host's swap was nearly used up" + usedOf(u)
		case u.Reason == "memory_used":
			t += " because the host's memory and swap were nearly used up" + usedOf(u)
		}
		t += "."
	} else {
		t = fmt.Sprintf("A process of %s was killed by the OOM killer, as systemd reports.", u.Name)
	}
	if u.Failed {
		t += " The unit failed (result oom-kill): unless OOMPolicy=continue is set, systemd stops a unit after " +
			"such a kill."
	}
	switch {
	case u.Peak != nil && u.SwapPeak != nil:
		t += fmt.Sprintf(" Peak memory of the unit: %s, page cache included; peak swap: %s.", *u.Peak,
			*u.SwapPeak)
	case u.Peak != nil:
		t += fmt.Sprintf(" Peak memory of the unit: %s, page cache included.", *u.Peak)
	}
	return t
}

func usedOf(u *oom.Unit) string {
	switch {
	case u.Used == nil:
		return ""
	case u.Total == nil:
		return fmt.Sprintf(" (%s used)", *u.Used)
	}
	return fmt.Sprintf(" (%s used of %s)", *u.Used, *u.Total)
}

// refusedTo says what memory was refused to.
func refusedTo(list []oom.Refusal) string {
	queries, processes := 0, 0
	for i := range list {
		if list[i].What == "process" {
			processes++
		} else {
			queries++
		}
	}
	switch {
	case processes == 0:
		return "to " + typeset.Count(queries, "query", "queries")
	case queries == 0:
		return "to " + typeset.Count(processes, "new process", "new processes") + " (could not fork)"
	}
	return fmt.Sprintf("to %s and to %s (could not fork)", typeset.Count(queries, "query", "queries"),
		typeset.Count(processes, "new process", "new processes"))
}

// UnreadText is what was seen and not understood.
func UnreadText(u *oom.Unread) string {
	if u.Lines == 1 {
		return fmt.Sprintf("1 line with «%s» was seen and not understood: %s", u.What,
			typeset.Shorten(typeset.Flat(u.First),
				200))
	}
	return fmt.Sprintf("%d lines with «%s» were seen and not understood. The first: %s", u.Lines, u.What,
		typeset.Shorten(typeset.Flat(u.First), 200))
}

func units(o *outline.Outline, d *oom.Report) {
	if len(d.Units) == 0 {
		return
	}
	if slices.ContainsFunc(d.Units, notSystemd) {
		o.Part("Reported by programs other than the kernel")
	} else {
		o.Part("Reported by systemd")
	}
	var list []outline.Item
	for i := range d.Units {
		u := &d.Units[i]
		list = append(list, outline.Item{Text: outline.Join(strings.TrimSpace(u.Time + " " + UnitText(u)))})
	}
	o.List(list)
}

func notUnderstood(o *outline.Outline, d *oom.Report) {
	if len(d.NotUnderstood) == 0 {
		return
	}
	o.Part("Seen and not understood")
	var list []outline.Item
	for i := range d.NotUnderstood {
		list = append(list, outline.Item{Text: outline.Join(UnreadText(&d.NotUnderstood[i]))})
	}
	o.List(list)
}

func RoleComma(role string) string {
	if role == "" {
		return ""
	}
	return ", " + role
}

var constraintWords = map[string]string{
	"none": "the whole host", "memcg": "a control group", "cpuset": "the NUMA nodes of a cpuset",
	"memory_policy": "the NUMA nodes of a memory policy", "unknown": "not told",
}

func SizeOf(b *unit.Bytes) string {
	if b == nil {
		return "?"
	}
	return b.String()
}

// kill is one run of the killer.
func kill(o *outline.Outline, k *oom.Kill, at, of int) {
	o.Part(KillHead(k, at+1, of))
	var who outline.Fields
	field := func(name string, t outline.Tone, text any) {
		who.List = append(who.List, outline.Field{Name: name, Items: []outline.Item{{Text: outline.Join(text)}},
			Tone: t})
	}
	if k.Victim != nil {
		field("victim", outline.ToneBad, VictimText(k))
		if st := StatementOf(k.Victim.Statement, 600); st != "" {
			field("statement", outline.ToneNone, outline.Code(st))
		}
	} else if k.NoVictim {
		field("victim", outline.ToneMind, "none: no process could be killed")
	} else if k.Panic {
		field("victim", outline.ToneMind, "none: the kernel panicked")
	} else {
		field("victim", outline.ToneMind, "not told")
	}
	if k.Invoker != nil {
		field("asked by", outline.ToneNone, InvokerText(k.Invoker))
	}
	if short := ShortOf(k); short != "" {
		field("short of memory in", outline.ToneNone, short)
	}
	o.Add(who)
	o.Heading(3, "Cause")
	cause(o, &k.Cause, outline.ToneBad)
	for i := range k.Also {
		cause(o, &k.Also[i], outline.ToneMind)
	}
	held(o, k, at)
	largest(o, k)
	o.Heading(3, "What would have prevented it")
	if len(k.Prevention) == 0 {
		o.Para(NothingPrevents)
	}
	var list []outline.Item
	for i := range k.Prevention {
		v := &k.Prevention[i]
		it := outline.Item{Text: outline.Join(outline.Bold(PreventionText(v)))}
		if v.Why != "" {
			it.More = append(it.More, outline.Para{Text: outline.Join(typeset.Flat(v.Why))})
		}
		if len(v.Commands) > 0 {
			it.More = append(it.More, outline.Listing{Lines: v.Commands})
		}
		list = append(list, it)
	}
	o.List(list)
	o.Heading(3, "What became of the server")
	o.Para(AfterText(&k.After))
	oomGaps(o, 3, "Not told by this report", k.Missing)
}

func KillHead(k *oom.Kill, n, of int) string {
	what := "Kill"
	if k.Victim == nil && (k.OnlyMemory || k.NoVictim || k.Panic) {
		what = "Report"
	}
	head := fmt.Sprintf("%s %d of %d", what, n, of)
	if k.Time != "" {
		head += ", " + typeset.Clean(k.Time)
	}
	if k.Kernel != "" {
		head += ", kernel " + typeset.Clean(k.Kernel)
	}
	return head
}

// VictimText is who was killed, what he was, and how large.
func VictimText(k *oom.Kill) string {
	v := k.Victim
	t := fmt.Sprintf("%s, process %d", v.Name, v.PID)
	if v.Role != "" {
		t += ", " + v.Role
	}
	if v.Instance != "" {
		t += " of " + v.Instance
	}
	if v.Role != "" {
		t += " (told by " + v.RoleFrom + ")"
	}
	t += ": " + victimSizes(v)
	if k.Killed > 1 {
		t += fmt.Sprintf("; and with it %s of its control group (memory.oom.group)",
			typeset.Count(k.Killed-1, "process", "processes"))
	}
	return t
}

// StatementOf is a statement on one line, cut where nobody reads on.
func StatementOf(s string, most int) string { return typeset.Shorten(typeset.Flat(s), most) }

func InvokerText(a *oom.Invoker) string {
	t := a.Name
	if a.PID > 0 {
		t += fmt.Sprintf(", process %d", a.PID)
	}
	t += RoleComma(a.Role)
	if a.Order != nil {
		t += fmt.Sprintf(", for %s", typeset.Count(1<<min(*a.Order, 20), "page", "pages in one piece"))
	}
	return t
}

// ShortOf says where memory was short, and how much there was.
func ShortOf(k *oom.Kill) string {
	where := constraintWords[k.Constraint]
	if k.From == "call_trace" {
		where += " (from the call trace)"
	} else if k.From == "kill_line" && k.Constraint == "none" {
		where = "the host, not a control group"
	}
	switch {
	case k.Limit != nil:
		where += " with a limit of " + k.Limit.String()
		if k.LimitSwap {
			where += " for memory and swap together"
		}
	case k.Memory.Total != nil && (k.Constraint == "cpuset" || k.Constraint == "memory_policy"):
		where += " (all nodes of the host together have " + k.Memory.Total.String() + ")"
	case k.Memory.Total != nil:
		where += map[bool]string{true: ", with about ", false: ", with "}[k.Memory.Summed] + k.Memory.Total.String()
	}
	if k.Group != "" {
		where += ": " + k.Group
	}
	return where
}

// AfterText is what became of the server.
func AfterText(a *oom.After) string {
	if a.Seconds == nil {
		return a.Text
	}
	return fmt.Sprintf("It takes connections again after %s. ", seconds(*a.Seconds)) + a.Text
}

const NothingPrevents = "Nothing can be worked out from what was read."

// PreventionText is what would have prevented a kill, and how that is known.
func PreventionText(v *oom.Prevention) string {
	if v.From == "plan" {
		return v.What + " (pgfettle plan, for this host)"
	}
	return v.What
}

// residentAlone is resident memory where it is not told by kind.
func residentAlone(v *oom.Task) *unit.Bytes {
	if v.Anon != nil {
		return nil
	}
	return v.RSS
}

func victimSizes(v *oom.Task) string {
	var s []string
	for _, x := range []struct {
		b    *unit.Bytes
		what string
	}{{v.Anon, "of its own"}, {residentAlone(v), "resident"}, {v.Shmem, "of shared memory touched"},
		{v.File, "of files"},
		{v.PageTables, "of page tables"}, {v.Swap, "in swap"}} {
		if x.b != nil && (*x.b > 0 || x.what == "of its own") {
			s = append(s, x.b.String()+" "+x.what)
		}
	}
	if v.Adj != nil {
		s = append(s, fmt.Sprintf("oom_score_adj %d", *v.Adj))
	}
	if len(s) == 0 {
		return "its sizes are not told"
	}
	return strings.Join(s, ", ")
}

func cause(o *outline.Outline, c *oom.Cause, t outline.Tone) {
	o.Toned(t, typeset.Flat(c.Text))
	var list []outline.Item
	for _, e := range c.Evidence {
		list = append(list, outline.Item{Text: outline.Join(typeset.Shorten(typeset.Flat(e), 400))})
	}
	o.Kind(outline.Evidence, list)
}

// held is the accounting of the memory at a kill.
func held(o *outline.Outline, k *oom.Kill, at int) {
	parts := HeldParts(&k.Memory)
	if parts == nil {
		return
	}
	o.Heading(3, "What held the memory")
	rows := [][]string{{"part", "size", "share"}}
	var shares []float64
	for _, part := range parts {
		row := []string{strings.TrimSpace(part.Name), part.Size.String(), ""}
		shares = append(shares, part.Share)
		if part.Share >= 0 {
			row[2] = fmt.Sprintf("%.0f %%", 100*part.Share)
		}
		rows = append(rows, row)
	}
	switch m := &k.Memory; {
	case m.SwapTotal == nil:
	case *m.SwapTotal == 0:
		rows = append(rows, []string{"swap", "none", ""})
	default:
		rows = append(rows, []string{"swap, of it free " + SizeOf(m.SwapFree), m.SwapTotal.String(), ""})
	}
	t := outline.TableOf("What held the memory", rows, 1)
	t.Shares = shares
	o.Add(outline.Figure{Name: FigureHeld, At: at}, t)
}

// HeldPart is one part of what held the memory.
type HeldPart struct {
	Name  string // two spaces before what is in the part above
	Size  unit.Bytes
	Share float64 // of all; below 0 where all is not known
}

// HeldParts are those that the report tells; nil where it tells none.
func HeldParts(m *oom.Memory) []HeldPart {
	var out []HeldPart
	for _, r := range []struct {
		name string
		b    *unit.Bytes
	}{
		{"anonymous", m.Anon}, {"shared", m.Shared}, {"page tables", m.PageTables}, {"kernel (slab)", m.Slab},
		{"file cache", m.Cache}, {"  of it dirty", m.Dirty}, {"free", m.Free}, {"huge pages", m.HugeTotal},
		{"  of them unused", m.HugeFree},
	} {
		if r.b == nil || strings.HasPrefix(r.name, "  ") && *r.b == 0 || r.b == m.Dirty && !worthSaying(m) {
			continue
		}
		part := HeldPart{r.name, *r.b, -1}
		if m.Total != nil && *m.Total > 0 {
			part.Share = float64(*r.b) / float64(*m.Total)
		}
		out = append(out, part)
	}
	return out
}

// worthSaying says whether dirty pages are more than what is always there.
func worthSaying(m *oom.Memory) bool {
	return m.Dirty != nil && (m.Total == nil || *m.Dirty*100 >= *m.Total)
}

func largest(o *outline.Outline, k *oom.Kill) {
	if len(k.Top) == 0 {
		return
	}
	o.Heading(3, "Largest processes")
	o.Para("As the killer weighs them: all that is resident, swap, page tables.")
	t := outline.Table{Caption: "Largest processes", Head: []string{"process", "resident", "private", "page tables",
		"swap", "oom_score_adj"}, Numbers: 1, Long: true, Tones: map[int]outline.Tone{}}
	for i := range k.Top {
		x := &k.Top[i]
		name := fmt.Sprintf("%d %s%s", x.PID, x.Name, RoleComma(x.Role))
		row := outline.Cells(name, SizeOf(x.RSS), SizeOf(x.Anon), SizeOf(x.PageTables), SizeOf(x.Swap), AdjOf(x))
		if k.Victim != nil && k.Victim.PID == x.PID {
			row[0] = outline.Join(outline.Bold(name), " (the victim)")
			t.Tones[i] = outline.ToneBad
		}
		t.Rows = append(t.Rows, row)
	}
	o.Add(t)
}

func AdjOf(t *oom.Task) string {
	if t.Adj == nil {
		return "?"
	}
	return fmt.Sprint(*t.Adj)
}

// deaths are what the server's log tells beside the kernel's reports.
func deaths(o *outline.Outline, d *oom.Report) {
	told := func(text, statement string) outline.Item {
		if st := StatementOf(statement, 400); st != "" {
			return outline.Item{Text: outline.Join(text, ": ", outline.Code(st))}
		}
		return outline.Item{Text: outline.Join(text)}
	}
	var list []outline.Item
	for i := range d.Unexplained {
		list = append(list, told(DeathText(&d.Unexplained[i]), d.Unexplained[i].Statement))
	}
	if len(list) > 0 {
		o.Part("Ended by signal 9, with no report of the kernel")
		o.List(list)
	}
	list = nil
	for i := range d.Refused {
		list = append(list, told(RefusalText(&d.Refused[i]), d.Refused[i].Statement))
	}
	if len(list) > 0 {
		o.Part("Refused memory, and nothing killed")
		o.List(list)
	}
	if len(d.Lines) > 0 {
		if slices.ContainsFunc(d.Units, notSystemd) {
			o.Part("Other lines about memory")
		} else {
			o.Part("Said besides, by systemd and the kernel")
		}
		o.Add(outline.Listing{Lines: d.Lines})
	}
}

func DeathText(u *oom.Death) string {
	if u.PID == 0 {
		return strings.TrimSpace(
			fmt.Sprintf("%s the %s: its processes ended because it was gone (unexpected postmaster exit)",
				u.Time, u.Role))
	}
	return strings.TrimSpace(fmt.Sprintf("%s process %d%s", u.Time, u.PID, RoleComma(u.Role)))
}

func RefusalText(r *oom.Refusal) string {
	return strings.TrimSpace(fmt.Sprintf("%s process %d: %s", r.Time, r.PID, typeset.Shorten(r.Text, 300)))
}

// oomGaps lists what is not told, below a heading of its own.
func oomGaps(o *outline.Outline, level int, title string, list []known.Gap) {
	if len(list) == 0 {
		return
	}
	o.Add(outline.Heading{Level: level, Text: outline.Join(title), Part: level == 2})
	var out []outline.Item
	for _, g := range list {
		text := typeset.Flat(g.Fact) + ": " + typeset.Flat(g.Reason)
		if g.Reveal != "" {
			text += " → " + typeset.Flat(g.Reveal)
		}
		out = append(out, outline.Item{Text: outline.Join(text)})
	}
	o.Kind(outline.Gaps, out)
}
