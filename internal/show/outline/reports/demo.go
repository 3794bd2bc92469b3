package reports

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// demoWords are the words of an exercise.
type demoWords struct{ outline.Words }

// Demo is the exercise 'demo oom': each round with the lines of the logs, then both side by side, and what decides
// between the two.
func Demo(d *oomresult.OOM, c *say.Catalogue) outline.Outline {
	var o outline.Outline
	d = d.In(c)
	p := demoWords{outline.WordsIn(c)}
	o.Heading(1, p.Say("Out of memory: demonstration"))
	o.Para(p.Many(d.Sessions, "PostgreSQL {version} runs in a separate cgroup with {size} of memory; {n} session is "+
		"active in it. Another session requests much more than is available:",
		"PostgreSQL {version} runs in a separate cgroup with {size} of memory; {n} sessions are active in it. "+
			"Another session requests much more than is available:", "version", d.Server, "size", d.Limit))
	o.Add(outline.Listing{Lines: []string{"set work_mem = '" + d.WorkMem + "';", d.Query + ";"}})
	for i := range d.Rounds {
		p.round(&o, d, i)
	}
	if len(d.Rounds) == 2 {
		p.table(&o, d)
		p.meaning(&o, d)
	}
	if len(d.Removed) > 0 {
		text := typeset.Sentence(p.Say("removed: {list}", "list", strings.Join(d.Removed, p.Semicolon())))
		o.Add(outline.Summary{Lines: []outline.Para{{Text: outline.Join(text), Tone: outline.ToneNote}}})
	}
	return o
}

// roundTitle names a round.
func roundTitle(i int) say.Message {
	if i == 0 {
		return say.M("default overcommit")
	}
	return say.M("strict overcommit")
}

func (p demoWords) round(o *outline.Outline, d *oomresult.OOM, i int) {
	r := &d.Rounds[i]
	o.Part(p.Say("Round {n}: {title}", "n", strconv.Itoa(i+1), "title", roundTitle(i)))
	o.Para(p.Word(overcommitOf(d, r)))
	end := outline.Para{Text: outline.Join(p.Word(queryEnd(r))), Tone: outline.ToneBad, Apart: true}
	if r.Query.Outcome == oomresult.Refused {
		end.Tone = outline.ToneGood
	}
	o.Add(end)
	if r.Query.Outcome != oomresult.Killed {
		detail := r.Query.Detail
		if detail != "" {
			detail = "DETAIL: " + detail
		}
		verbatim(o, r.Query.Message, detail)
	}
	if len(r.Kernel) > 0 || r.KernelGap != "" && r.OOMKills > 0 {
		o.Apart(p.Say("The kernel's log:"))
		verbatim(o, r.Kernel...)
		if r.KernelGap != "" {
			o.Add(outline.List{Kind: outline.Gaps, Tone: outline.ToneMind, Items: outline.Items([]string{r.KernelGap})})
		}
	}
	if len(r.Log) > 0 {
		o.Apart(p.Say("The server's log:"))
		verbatim(o, r.Log...)
	}
	for _, x := range r.Readings {
		p.reading(o, x)
	}
	if r.Load.Said != "" {
		o.Apart(p.Say("Message of the server to the other sessions:"))
		verbatim(o, r.Load.Said)
	}
	o.Apart(p.Word(otherSessions(d, r)))
}

// afterWords are what became of a server, for a cell.
var afterWords = map[string]say.Message{
	"restarted":  say.M("recovered from the crash; all sessions were terminated"),
	"recovering": say.M("in crash recovery"),
	"stopped":    say.M("stopped"),
}

// reading is the post-mortem of a round in short.
func (p demoWords) reading(o *outline.Outline, x oomresult.Reading) {
	o.Apart(p.Say("Output of {command} for these logs:", "command", "pgfettle diagnose "+x.Command))
	what := say.M("killed process")
	if x.Command == "log" {
		what = say.M("refused process")
	}
	var rows outline.Rows
	add := func(what say.Message, text string) {
		if text != "" {
			rows.List = append(rows.List, outline.RowOf(p.Word(what), text))
		}
	}
	add(what, p.Word(processOf(x.PID, "", x.Role)))
	add(say.M("statement"), x.Statement)
	add(say.M("cause"), p.Word(x.Cause))
	add(say.M("server"), p.Word(afterWords[x.After]))
	for _, h := range x.Held {
		add(say.M("memory context"), p.Say("{size} in {context}", "size", h.Size, "context", h.Name))
	}
	o.Add(rows)
}

// verbatim are lines of others as they are: people search for them.
func verbatim(o *outline.Outline, lines ...string) {
	var l outline.Listing
	for _, s := range lines {
		if s != "" {
			l.Lines = append(l.Lines, s)
		}
	}
	if len(l.Lines) > 0 {
		o.Add(l)
	}
}

// overcommitOf describes the kernel's overcommit setting.
func overcommitOf(d *oomresult.OOM, r *oomresult.Round) say.Message {
	s := &r.Setting
	what := say.M("vm.overcommit_memory = {mode}: the kernel grants more memory than it may have.", "mode",
		strconv.FormatInt(s.Mode, 10))
	switch {
	case s.AddressSpace > 0:
		what = say.M("vm.overcommit_memory = 2 would apply to every program of this host, so it is not changed. "+
			"Instead, the address space of each server process is limited to {limit} (RLIMIT_AS), {size} more than a "+
			"session of the load has. The real setting limits the sum of the memory committed to all programs.",
			"limit", s.AddressSpace, "size", s.AddressSpace-d.Rounds[0].Setting.Session)
	case s.Mode == 2 && d.Overcommit == oomresult.StandIn:
		what = say.M("vm.overcommit_memory = 2: this host already uses strict overcommit, with a limit of {limit}, of "+
			"which {size} is committed.", "limit", s.CommitLimit, "size", s.CommittedAS)
	case s.Mode == 2:
		what = say.M("vm.overcommit_memory = 2, for every program of this host. For these seconds the commit limit is "+
			"{limit}, with {size} committed before: low enough to be reached within the cgroup. pgfettle plan "+
			"computes the limit that suits this host.", "limit", s.CommitLimit, "size", s.CommittedAS)
	}
	return say.All(" ", what, say.M("The server and its sessions use {size} of {limit}.", "size", s.Used, "limit",
		d.Limit))
}

// queryEnd is what became of the query.
func queryEnd(r *oomresult.Round) say.Message {
	took := micros(r.Query.Took)
	switch r.Query.Outcome {
	case oomresult.Killed:
		return say.M("After {time} no memory was left: the kernel killed the process of the query (PID {pid}). Its "+
			"session only saw that the connection was closed.", "time", took, "pid", pidOf(int(r.Query.PID)))
	case oomresult.Refused:
		if r.Query.Alive {
			return say.M("After {time} the kernel refused the allocation, and only the query failed (SQLSTATE "+
				"{code}). Its session continues: the same connection, to the same process, answered the next query.",
				"time", took, "code", r.Query.SQLState)
		}
		return say.M("After {time} the kernel refused the allocation, and the query failed (SQLSTATE {code}), but "+
			"its session did not answer the next one.", "time", took, "code", r.Query.SQLState)
	case oomresult.Completed:
		return say.M("The query got all the memory that it requested, in {time}: the cgroup limit did not stop it.",
			"time", took)
	}
	return say.M("The query ended after {time} in an unexpected way:", "time", took)
}

// otherSessions is what the other sessions went through.
func otherSessions(d *oomresult.OOM, r *oomresult.Round) say.Message {
	lost := say.N(d.Sessions, "{lost} of the {n} other session lost its connection.",
		"{lost} of the {n} other sessions lost their connection.", "lost", r.Load.Lost)
	switch r.Load.Lost {
	case 0:
		lost = say.N(d.Sessions, "The {n} other session did not lose its connection.",
			"None of the {n} other sessions lost its connection.")
	case d.Sessions:
		lost = say.N(d.Sessions, "The {n} other session lost its connection.",
			"All of the {n} other sessions lost their connection.")
	}
	var down, refused say.Message
	if r.Load.Down > 0 {
		down = say.M("The first commit in a new connection came {time} after the first loss, with almost nothing to "+
			"recover; a busy server has up to max_wal_size of WAL to replay.", "time", micros(r.Load.Down))
	}
	if r.Load.Refused > 0 {
		refused = say.N(r.Load.Refused, "{n} transaction failed in these sessions, which continued.",
			"{n} transactions failed in these sessions, which continued.")
	}
	return say.All(" ", lost, say.N(r.Load.Transactions-r.Load.Before,
		"The other sessions committed {n} transaction since the query began.",
		"The other sessions committed {n} transactions since the query began."), down, refused)
}

// micros spells a time for people: three digits are more than two runs agree in.
func micros(us int64) say.Number {
	d := time.Duration(us) * time.Microsecond
	if d < time.Second {
		return say.Number(fmt.Sprintf("%d ms", d.Milliseconds()))
	}
	return say.Number(fmt.Sprintf("%.1f s", d.Seconds()))
}

// table puts both rounds side by side.
func (p demoWords) table(o *outline.Outline, d *oomresult.OOM) {
	head := p.Say("Comparison")
	o.Part(head)
	t := outline.Table{Caption: head, Head: []string{"", p.Word(roundTitle(0)), p.Word(roundTitle(1))}}
	row := func(what say.Message, cell func(*oomresult.Round) any) {
		t.Rows = append(t.Rows, outline.Cells(p.Word(what), p.Value(cell(&d.Rounds[0])), p.Value(cell(&d.Rounds[1]))))
	}
	row(say.Text("vm.overcommit_memory"), func(r *oomresult.Round) any {
		if r.Setting.AddressSpace > 0 {
			return say.M("2 (emulated)")
		}
		return int(r.Setting.Mode)
	})
	row(say.M("the large query"), func(r *oomresult.Round) any { return outcomeOf(r.Query.Outcome) })
	row(say.M("its session"), func(r *oomresult.Round) any {
		if r.Query.Alive {
			return say.M("continues")
		}
		return say.M("disconnected")
	})
	row(say.M("other sessions disconnected"), func(r *oomresult.Round) any {
		return say.M("{n} of {total}", "n", r.Load.Lost, "total", d.Sessions)
	})
	row(say.M("server"), func(r *oomresult.Round) any {
		switch {
		case r.Restarted && r.SamePostmaster:
			return say.M("crash recovery")
		case r.SamePostmaster:
			return say.M("kept running")
		}
		return say.M("postmaster ended")
	})
	row(say.M("longest gap without commits"), func(r *oomresult.Round) any { return micros(r.Load.Pause) })
	row(say.M("processes killed by the kernel"), func(r *oomresult.Round) any { return int(r.OOMKills) })
	o.Add(t)
}

// outcomeOf is what became of the query, for a cell.
func outcomeOf(outcome string) say.Message {
	switch outcome {
	case oomresult.Killed:
		return say.M("killed by the kernel")
	case oomresult.Refused:
		return say.Text("ERROR: out of memory")
	case oomresult.Completed:
		return say.M("completed")
	}
	return say.M("failed otherwise")
}

// demoKnobs are the settings that decide between the two rounds, with what each
// of them does to it.
var demoKnobs = []struct {
	address string
	does    say.Message
}{
	{"sysctl:vm.overcommit_memory", say.M("2 refuses memory above the commit limit; for hosts that run only " +
		"PostgreSQL, because it applies to every program")},
	{"sysctl:vm.overcommit_kbytes", say.M("the commit limit (or vm.overcommit_ratio, a percentage): too low, and " +
		"sessions cannot start; too high, and the OOM killer acts first")},
	{"sysctl:vm.admin_reserve_kbytes", say.M("memory that root can still allocate, to log in and investigate")},
	{"unit:OOMPolicy", say.M("continue; otherwise systemd stops the server that has just recovered from an OOM kill")},
	{"pg:work_mem", say.M("memory per sort or hash operation: lower values make this rarer")},
}

func (p demoWords) meaning(o *outline.Outline, d *oomresult.OOM) {
	o.Part(p.Say("Conclusions"))
	if d.Rounds[0].Query.Outcome != oomresult.Killed || d.Rounds[1].Query.Outcome != oomresult.Refused {
		o.Toned(outline.ToneMind, p.Say("The rounds did not end as expected, so no conclusions are drawn. The lines "+
			"above show what happened."))
		return
	}
	o.Para(p.Say("The server cannot know which shared memory a killed process was changing, so it terminates every " +
		"session and recovers from its last checkpoint: one query aborts the transactions of all others. If the " +
		"kernel refuses memory instead, PostgreSQL reports an error for one query. That query may be another than " +
		"the large one, and new sessions may be refused too: strict overcommit limits memory, it does not add any."))
	o.Apart(p.Say("The cgroup only emulates a small host here. At a cgroup memory limit (of a container, or " +
		"MemoryMax of a unit), the kernel kills a process whatever vm.overcommit_memory is."))
	o.Apart(p.Say("Settings that decide between the two (values for this host: pgfettle plan; details: pgfettle " +
		"explain ADDRESS):"))
	var rows outline.Rows
	for _, k := range demoKnobs {
		rows.List = append(rows.List, outline.RowOf(outline.Piece{Text: k.address, As: outline.AsName,
			Topic: k.address}, p.Word(k.does)))
	}
	o.Add(rows)
	o.Apart(p.Say("After an OOM kill on your host, pgfettle diagnose oom reads the kernel log and the server log, " +
		"pgfettle diagnose log shows refused allocations, and pgfettle check reports a server that restarted after " +
		"a crash (crash_restarts)."))
	o.Apart(p.Say("Protect the postmaster, but not its child processes, with OOMScoreAdjust of its unit (pgfettle " +
		"explain oom_score)."))
}
