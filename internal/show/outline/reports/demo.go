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
	o.Heading(1, "Out of memory, on purpose")
	o.Para(fmt.Sprintf("PostgreSQL %s runs in a control group of its own with %s of memory; %s at work in it. "+
		"Another one wants far more than there is:", d.Server, d.Limit,
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
		o.Apart("What the server told the other sessions:")
		verbatim(o, r.Load.Said)
	}
	o.Apart(oomLoad(d, r))
}

// demoReading is the post-mortem of a round in short.
func demoReading(o *outline.Outline, x oomresult.Reading) {
	o.Apart("What pgfettle diagnose ", x.Command, " makes of these logs:")
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

// oomSetting says what the kernel was told.
func oomSetting(d *oomresult.OOM, r *oomresult.Round) string {
	s := &r.Setting
	used := fmt.Sprintf("The server with its sessions uses %s of the %s.", s.Used, d.Limit)
	switch {
	case s.AddressSpace > 0:
		return fmt.Sprintf(
			"A limit on the address space of each process of the server stands in for vm.overcommit_memory = 2, "+
				"which would be for every program of this host and is not touched: %s (RLIMIT_AS), "+
				"%s more than a session of the load has. The real one bounds the sum of what the kernel has "+
				"promised to "+
				"all programs. %s", s.AddressSpace, s.AddressSpace-d.Rounds[0].Setting.Session, used)
	case s.Mode == 2 && d.Overcommit == oomresult.StandIn:
		return fmt.Sprintf(
			"vm.overcommit_memory = 2: this host is strict already, with a limit of %s of which %s are committed. %s",
			s.CommitLimit, s.CommittedAS, used)
	case s.Mode == 2:
		return fmt.Sprintf(
			"vm.overcommit_memory = 2, for every program of this host. The commit limit is %s for these seconds, "+
				"where %s were committed: low enough to be met inside of the control group. "+
				"The limit that suits this host is for pgfettle plan to say. %s", s.CommitLimit, s.CommittedAS, used)
	}
	return fmt.Sprintf("vm.overcommit_memory = %d: the kernel promises memory that it may not have. %s", s.Mode, used)
}

// oomEnd says what became of the query.
func oomEnd(r *oomresult.Round) string {
	took := micros(r.Query.Took)
	switch r.Query.Outcome {
	case oomresult.Killed:
		return fmt.Sprintf(
			"After %s there was nothing left to keep the promise with: the kernel killed the process of the query "+
				"(PID %d). All that its session saw is the end of the connection.", took, r.Query.PID)
	case oomresult.Refused:
		if r.Query.Alive {
			return fmt.Sprintf(
				"After %s the kernel refused, and the query failed alone (SQLSTATE %s). Its session lives: the same "+
					"connection, to the same process, answered the next query.", took, r.Query.SQLState)
		}
		return fmt.Sprintf(
			"After %s the kernel refused, and the query failed (SQLSTATE %s), but its session did not answer the "+
				"next one.", took, r.Query.SQLState)
	case oomresult.Completed:
		return fmt.Sprintf("The query got all that it wanted, in %s: the limit of the control group did not hold it.",
			took)
	}
	return fmt.Sprintf("The query ended after %s, in a way that is neither of the two:", took)
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
			" From the first loss to the first commit in a new connection it took %s, with next to nothing to "+
				"recover; a busy server has up to max_wal_size of WAL to replay.", micros(r.Load.Down))
	}
	if r.Load.Refused > 0 {
		text += fmt.Sprintf(" %s of theirs failed, and the session went on.",
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
	const head = "Side by side"
	o.Part(head)
	t := outline.Table{Caption: head, Head: []string{"", oomTitle(0), oomTitle(1)}}
	for _, row := range []struct {
		what string
		cell func(*oomresult.Round) string
	}{
		{"vm.overcommit_memory", func(r *oomresult.Round) string {
			if r.Setting.AddressSpace > 0 {
				return "2, by a stand-in"
			}
			return typeset.Digits(int(r.Setting.Mode))
		}},
		{"the greedy query", func(r *oomresult.Round) string {
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
				return "lives"
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
				return "ran on"
			}
			return "gone"
		}},
		{"longest time without a commit", func(r *oomresult.Round) string { return micros(r.Load.Pause) }},
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
		"2 refuses instead of promising; for hosts that serve only PostgreSQL, as every program is refused"},
	{"sysctl:vm.overcommit_kbytes",
		"the limit (or vm.overcommit_ratio, its percentage): too low keeps sessions from starting, too high lets " +
			"the killer come first"},
	{"sysctl:vm.admin_reserve_kbytes", "what root still gets then, to log in and look"},
	{"unit:OOMPolicy", "continue, or systemd stops the server that has just recovered from a kill"},
	{"pg:work_mem", "what each sort and hash may take: fewer queries come that far"},
}

func demoMeaning(o *outline.Outline, d *oomresult.OOM) {
	o.Part("What it means")
	if d.Rounds[0].Query.Outcome != oomresult.Killed || d.Rounds[1].Query.Outcome != oomresult.Refused {
		o.Toned(outline.ToneMind,
			"The rounds did not end as they do elsewhere, so nothing is concluded from them; the lines above say "+
				"what happened.")
		return
	}
	o.Para(
		"The server cannot tell which shared memory a killed process was about to change, so it ends every session " +
			"and starts from its last checkpoint: one query costs all others their transactions. " +
			"When the kernel refuses, PostgreSQL turns that into an error of the one query. The query that is " +
			"refused need not be the greedy one, and a new session may be refused too: " +
			"strict overcommit is a fence, not more memory.")
	o.Apart(
		"The control group only makes a small machine here. A limit of a group (a container's, or MemoryMax of a " +
			"unit) is met by killing whatever vm.overcommit_memory says.")
	o.Apart("What decides it, for this host by pgfettle plan, each explained by pgfettle explain ADDRESS:")
	var rows outline.Rows
	for _, k := range oomKnobs {
		rows.List = append(rows.List, outline.RowOf(outline.Piece{Text: k[0], As: outline.AsName, Topic: k[0]}, k[1]))
	}
	o.Add(rows)
	o.Apart(
		"After a kill on a host of yours pgfettle diagnose oom reads the kernel's log and the server's, pgfettle " +
			"diagnose log reads what was refused, and pgfettle check tells of a server that restarted by itself " +
			"(crash_restarts).")
	o.Apart(
		"And which process is killed: the postmaster is to be protected by OOMScoreAdjust of its unit, its children " +
			"are not (pgfettle explain oom_score).")
}
