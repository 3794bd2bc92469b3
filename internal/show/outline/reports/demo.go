package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Demo is the exercise 'demo oom': each round with the lines of the logs, then both side by side, and what decides
// between the two.
func Demo(d *oomresult.OOM) outline.Outline {
	var o outline.Outline
	o.Heading(1, "Out of memory: demonstration")
	o.Para(fmt.Sprintf("PostgreSQL %s runs in a separate cgroup with %s of memory; %s active in it. "+
		"Another session requests much more than is available:", d.Server, d.Limit,
		typeset.Count(d.Sessions, "session is", "sessions are")))
	o.Add(outline.Listing{Lines: []string{"set work_mem = '" + d.WorkMem + "';", d.Query + ";"}})
	for i := range d.Rounds {
		demoRound(&o, d, i)
	}
	if len(d.Rounds) == 2 {
		demoTable(&o, d)
		demoMeaning(&o, d)
	}
	if len(d.Removed) > 0 {
		text := outline.Join("Removed: ", strings.Join(d.Removed, "; ")+".")
		o.Add(outline.Summary{Lines: []outline.Para{{Text: text, Tone: outline.ToneNote}}})
	}
	return o
}

// oomTitle names a round.
func oomTitle(i int) string {
	return [...]string{"by default", "under strict overcommit"}[min(i, 1)]
}

func demoRound(o *outline.Outline, d *oomresult.OOM, i int) {
	r := &d.Rounds[i]
	o.Part(fmt.Sprintf("Round %d: %s", i+1, oomTitle(i)))
	o.Para(oomSetting(d, r))
	end := outline.Para{Text: outline.Join(oomEnd(r)), Tone: outline.ToneBad, Apart: true}
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
		o.Apart("The kernel's log:")
		verbatim(o, r.Kernel...)
		if r.KernelGap != "" {
			o.Add(outline.List{Kind: outline.Gaps, Tone: outline.ToneMind, Items: outline.Items([]string{r.KernelGap})})
		}
	}
	if len(r.Log) > 0 {
		o.Apart("The server's log:")
		verbatim(o, r.Log...)
	}
	for _, x := range r.Readings {
		demoReading(o, x)
	}
	if r.Load.Said != "" {
		o.Apart("Message of the server to the other sessions:")
		verbatim(o, r.Load.Said)
	}
	o.Apart(oomLoad(d, r))
}

// demoReading is the post-mortem of a round in short.
func demoReading(o *outline.Outline, x oomresult.Reading) {
	o.Apart("Output of pgfettle diagnose ", x.Command, " for these logs:")
	what, who := "killed", fmt.Sprintf("process %d", x.PID)
	if x.Command == "log" {
		what = "refused"
	}
	if x.Role != "" {
		who += ", " + x.Role
	}
	var rows outline.Rows
	add := func(what, text string) {
		if text != "" {
			rows.List = append(rows.List, outline.RowOf(what, text))
		}
	}
	add(what, who)
	add("statement", x.Statement)
	add("cause", x.Cause)
	add("the server", x.After)
	for _, h := range x.Held {
		add("memory", fmt.Sprintf("%s in %s", h.Size, h.Name))
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

// oomSetting describes the kernel's overcommit setting.
func oomSetting(d *oomresult.OOM, r *oomresult.Round) string {
	s := &r.Setting
	used := fmt.Sprintf("The server and its sessions use %s of %s.", s.Used, d.Limit)
	switch {
	case s.AddressSpace > 0:
		return fmt.Sprintf(
			"vm.overcommit_memory = 2 would apply to every program of this host, so it is not changed. Instead, the "+
				"address space of each server process is limited to %s (RLIMIT_AS), %s more than a session of the "+
				"load has. The real setting limits the sum of the memory committed to all programs. %s", s.AddressSpace,
			s.AddressSpace-d.Rounds[0].Setting.Session, used)
	case s.Mode == 2 && d.Overcommit == oomresult.StandIn:
		return fmt.Sprintf(
			"vm.overcommit_memory = 2: this host already uses strict overcommit, with a limit of %s, of which %s is "+
				"committed. %s",
			s.CommitLimit, s.CommittedAS, used)
	case s.Mode == 2:
		return fmt.Sprintf(
			"vm.overcommit_memory = 2, for every program of this host. For these seconds the commit limit is %s, "+
				"with %s committed before: low enough to be reached within the cgroup. pgfettle plan computes the "+
				"limit that suits this host. %s", s.CommitLimit, s.CommittedAS, used)
	}
	return fmt.Sprintf("vm.overcommit_memory = %d: the kernel grants more memory than it may have. %s", s.Mode, used)
}

// oomEnd says what became of the query.
func oomEnd(r *oomresult.Round) string {
	took := micros(r.Query.Took)
	switch r.Query.Outcome {
	case oomresult.Killed:
		return fmt.Sprintf(
			"After %s no memory was left: the kernel killed the process of the query (PID %d). Its session only saw "+
				"that the connection was closed.", took, r.Query.PID)
	case oomresult.Refused:
		if r.Query.Alive {
			return fmt.Sprintf(
				"After %s the kernel refused the allocation, and only the query failed (SQLSTATE %s). Its session "+
					"continues: the same connection, to the same process, answered the next query.", took,
				r.Query.SQLState)
		}
		return fmt.Sprintf(
			"After %s the kernel refused the allocation, and the query failed (SQLSTATE %s), but its session did not "+
				"answer the next one.", took, r.Query.SQLState)
	case oomresult.Completed:
		return fmt.Sprintf("The query got all the memory that it requested, in %s: the cgroup limit did not stop it.",
			took)
	}
	return fmt.Sprintf("The query ended after %s in an unexpected way:", took)
}

// oomLoad says what the other sessions went through.
func oomLoad(d *oomresult.OOM, r *oomresult.Round) string {
	text := fmt.Sprintf("%d of the %d other sessions lost their connection", r.Load.Lost, d.Sessions)
	switch r.Load.Lost {
	case 0:
		text = fmt.Sprintf("None of the %d other sessions lost its connection", d.Sessions)
	case d.Sessions:
		text = fmt.Sprintf("All of the %d other sessions lost their connection", d.Sessions)
	}
	text += fmt.Sprintf("; they committed %s since the query began.",
		typeset.Count(r.Load.Transactions-r.Load.Before, "transaction", "transactions"))
	if r.Load.Down > 0 {
		text += fmt.Sprintf(
			" The first commit in a new connection came %s after the first loss, with almost nothing to recover; a "+
				"busy server has up to max_wal_size of WAL to replay.", micros(r.Load.Down))
	}
	if r.Load.Refused > 0 {
		text += fmt.Sprintf(" %s failed in these sessions, which continued.",
			typeset.Count(r.Load.Refused, "transaction", "transactions"))
	}
	return text
}

// micros spells a time for people: three digits are more than two runs agree in.
func micros(us int64) string {
	d := time.Duration(us) * time.Microsecond
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// demoTable puts both rounds side by side.
func demoTable(o *outline.Outline, d *oomresult.OOM) {
	const head = "Comparison"
	o.Part(head)
	t := outline.Table{Caption: head, Head: []string{"", oomTitle(0), oomTitle(1)}}
	for _, row := range []struct {
		what string
		cell func(*oomresult.Round) string
	}{
		{"vm.overcommit_memory", func(r *oomresult.Round) string {
			if r.Setting.AddressSpace > 0 {
				return "2 (emulated)"
			}
			return typeset.Digits(int(r.Setting.Mode))
		}},
		{"the large query", func(r *oomresult.Round) string {
			switch r.Query.Outcome {
			case oomresult.Killed:
				return "killed by the kernel"
			case oomresult.Refused:
				return "ERROR: out of memory"
			}
			return r.Query.Outcome
		}},
		{"its session", func(r *oomresult.Round) string {
			if r.Query.Alive {
				return "continues"
			}
			return "lost"
		}},
		{"other sessions lost", func(r *oomresult.Round) string {
			return fmt.Sprintf("%d of %d", r.Load.Lost, d.Sessions)
		}},
		{"the server", func(r *oomresult.Round) string {
			switch {
			case r.Restarted && r.SamePostmaster:
				return "crash recovery"
			case r.SamePostmaster:
				return "kept running"
			}
			return "gone"
		}},
		{"longest gap without commits", func(r *oomresult.Round) string { return micros(r.Load.Pause) }},
		{"processes killed by the kernel", func(r *oomresult.Round) string { return typeset.Digits(int(r.OOMKills)) }},
	} {
		t.Rows = append(t.Rows, outline.Cells(row.what, row.cell(&d.Rounds[0]), row.cell(&d.Rounds[1])))
	}
	o.Add(t)
}

// oomKnobs are the settings that decide between the two rounds, with what each
// of them does to it.
var oomKnobs = [][2]string{
	{"sysctl:vm.overcommit_memory",
		"2 refuses memory above the commit limit; for hosts that run only PostgreSQL, because it applies to every " +
			"program"},
	{"sysctl:vm.overcommit_kbytes",
		"the commit limit (or vm.overcommit_ratio, a percentage): too low, and sessions cannot start; too high, and " +
			"the OOM killer acts first"},
	{"sysctl:vm.admin_reserve_kbytes", "memory that root can still allocate, to log in and investigate"},
	{"unit:OOMPolicy", "continue; otherwise systemd stops the server that has just recovered from an OOM kill"},
	{"pg:work_mem", "memory per sort or hash operation: lower values make this rarer"},
}

func demoMeaning(o *outline.Outline, d *oomresult.OOM) {
	o.Part("Conclusions")
	if d.Rounds[0].Query.Outcome != oomresult.Killed || d.Rounds[1].Query.Outcome != oomresult.Refused {
		o.Toned(outline.ToneMind,
			"The rounds did not end as expected, so no conclusions are drawn. The lines above show what happened.")
		return
	}
	o.Para(
		"The server cannot know which shared memory a killed process was changing, so it terminates every session " +
			"and recovers from its last checkpoint: one query aborts the transactions of all others. " +
			"If the kernel refuses memory instead, PostgreSQL reports an error for one query. That query may be " +
			"another than the large one, and new sessions may be refused too: strict overcommit limits memory, it " +
			"does not add any.")
	o.Apart(
		"The cgroup only emulates a small host here. At a cgroup memory limit (of a container, or MemoryMax of a " +
			"unit), the kernel kills a process whatever vm.overcommit_memory is.")
	o.Apart("Settings that decide between the two (values for this host: pgfettle plan; details: pgfettle explain " +
		"ADDRESS):")
	var rows outline.Rows
	for _, k := range oomKnobs {
		rows.List = append(rows.List, outline.RowOf(outline.Piece{Text: k[0], As: outline.AsName, Topic: k[0]}, k[1]))
	}
	o.Add(rows)
	o.Apart(
		"After an OOM kill on your host, pgfettle diagnose oom reads the kernel log and the server log, pgfettle " +
			"diagnose log shows refused allocations, and pgfettle check reports a server that restarted after a " +
			"crash (crash_restarts).")
	o.Apart(
		"Protect the postmaster, but not its child processes, with OOMScoreAdjust of its unit (pgfettle explain " +
			"oom_score).")
}
