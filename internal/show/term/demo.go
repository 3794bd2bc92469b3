package term

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Demo writes it for a person: each round with the lines of the logs, then
// both side by side, and what decides between the two.
func Demo(w io.Writer, d *oomresult.OOM, st Style) error {
	p := newPage(st)
	p.para("", strong, "Out of memory, on purpose")
	p.para("", plain,
		fmt.Sprintf("PostgreSQL %s runs in a control group of its own with %s of memory; %s at work in it. "+
			"Another one wants far more than there is:", typeset.Clean(d.Server), d.Limit,
			typeset.Count(d.Sessions, "session is", "sessions are")))
	p.line("    set work_mem = '", typeset.Clean(d.WorkMem), "';")
	p.line("    ", typeset.Clean(d.Query), ";")
	for i := range d.Rounds {
		p.gap()
		p.oomRound(d, i)
	}
	if len(d.Rounds) == 2 {
		p.gap()
		p.oomTable(d)
		p.gap()
		p.oomMeaning(d)
	}
	if len(d.Removed) > 0 {
		p.gap()
		p.para("", faint, "Removed: "+strings.Join(d.Removed, "; ")+".")
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// oomTitle names a round.
func oomTitle(i int) string {
	return [...]string{"by default", "under strict overcommit"}[min(i, 1)]
}

func (p *page) oomRound(d *oomresult.OOM, i int) {
	r := &d.Rounds[i]
	p.line(p.tint(strong, fmt.Sprintf("── Round %d: %s", i+1, oomTitle(i))))
	p.gap()
	p.para("", plain, oomSetting(d, r))
	p.gap()
	p.para("", oomTone(r), oomEnd(r))
	if r.Query.Outcome != oomresult.Killed {
		p.verbatim([]string{r.Query.Message})
		if r.Query.Detail != "" {
			p.verbatim([]string{"DETAIL: " + r.Query.Detail})
		}
	}
	if len(r.Kernel) > 0 || r.KernelGap != "" && r.OOMKills > 0 {
		p.gap()
		p.line("The kernel's log:")
		p.verbatim(r.Kernel)
		if r.KernelGap != "" {
			p.para("    ", yellow, r.KernelGap)
		}
	}
	if len(r.Log) > 0 {
		p.gap()
		p.line("The server's log:")
		p.verbatim(r.Log)
	}
	for _, x := range r.Readings {
		p.oomReading(x)
	}
	if r.Load.Said != "" {
		p.gap()
		p.line("What the server told the other sessions:")
		p.verbatim([]string{r.Load.Said})
	}
	p.gap()
	p.para("", plain, oomLoad(d, r))
}

// oomReading writes the post-mortem of a round in short.
func (p *page) oomReading(x oomresult.Reading) {
	p.gap()
	what := "killed"
	if x.Command == "log" {
		what = "refused"
	}
	p.line("What pgfettle diagnose ", typeset.Clean(x.Command), " makes of these logs:")
	who := fmt.Sprintf("    %s: process %d", what, x.PID)
	if x.Role != "" {
		who += ", " + typeset.Clean(x.Role)
	}
	p.line(who)
	fields := [][2]string{{"statement", x.Statement}, {"cause", x.Cause}, {"the server", x.After}}
	for _, h := range x.Held {
		fields = append(fields, [2]string{"memory", fmt.Sprintf("%s in %s", h.Size, h.Name)})
	}
	for _, f := range fields {
		if f[1] != "" {
			p.para("    "+f[0]+": ", plain, typeset.Clean(f[1]))
		}
	}
}

// verbatim writes lines of others as they are, but for what acts on a terminal;
// they are not wrapped, as people search for them.
func (p *page) verbatim(lines []string) {
	for _, l := range lines {
		if l != "" {
			p.line("    ", p.tint(faint, typeset.Clean(l)))
		}
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

func oomTone(r *oomresult.Round) tone {
	if r.Query.Outcome == oomresult.Refused {
		return green
	}
	return red
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
					"connection, to the same process, answered the next query.", took, typeset.Clean(r.Query.SQLState))
		}
		return fmt.Sprintf(
			"After %s the kernel refused, and the query failed (SQLSTATE %s), but its session did not answer the "+
				"next one.", took, typeset.Clean(r.Query.SQLState))
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

// oomTable puts both rounds side by side.
func (p *page) oomTable(d *oomresult.OOM) {
	rows := [][3]string{{"", oomTitle(0), oomTitle(1)}}
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
		rows = append(rows, [3]string{row.what, row.cell(&d.Rounds[0]), row.cell(&d.Rounds[1])})
	}
	var width [2]int
	for _, row := range rows {
		for i := range width {
			width[i] = max(width[i], typeset.Width(typeset.Clean(row[i])))
		}
	}
	p.line(p.tint(strong, "── Side by side"))
	p.gap()
	for i, row := range rows {
		t := plain
		if i == 0 {
			t = strong
		}
		p.line("  ", typeset.Pad(typeset.Clean(row[0]), width[0]), "  ",
			p.tint(t, typeset.Pad(typeset.Clean(row[1]), width[1])), "  ", p.tint(t, typeset.Clean(row[2])))
	}
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

func (p *page) oomMeaning(d *oomresult.OOM) {
	p.line(p.tint(strong, "── What it means"))
	p.gap()
	if d.Rounds[0].Query.Outcome != oomresult.Killed || d.Rounds[1].Query.Outcome != oomresult.Refused {
		p.para("", yellow,
			"The rounds did not end as they do elsewhere, so nothing is concluded from them; the lines above say "+
				"what happened.")
		return
	}
	p.para("", plain,
		"The server cannot tell which shared memory a killed process was about to change, so it ends every session "+
			"and starts from its last checkpoint: one query costs all others their transactions. "+
			"When the kernel refuses, PostgreSQL turns that into an error of the one query. The query that is refused "+
			"need not be the greedy one, and a new session may be refused too: "+
			"strict overcommit is a fence, not more memory.")
	p.gap()
	p.para("", plain,
		"The control group only makes a small machine here. A limit of a group (a container's, or MemoryMax of a "+
			"unit) is met by killing whatever vm.overcommit_memory says.")
	p.gap()
	p.line("What decides it, for this host by pgfettle plan, each explained by pgfettle explain ADDRESS:")
	w := 0
	for _, k := range oomKnobs {
		w = max(w, typeset.Width(k[0]))
	}
	for _, k := range oomKnobs {
		p.para("  "+typeset.Pad(k[0], w)+"  ", plain, k[1])
	}
	p.gap()
	p.para("", plain,
		"After a kill on a host of yours pgfettle diagnose oom reads the kernel's log and the server's, pgfettle "+
			"diagnose log reads what was refused, and pgfettle check tells of a server that restarted by itself "+
			"(crash_restarts).")
	p.gap()
	p.para("", plain,
		"And which process is killed: the postmaster is to be protected by OOMScoreAdjust of its unit, its children "+
			"are not (pgfettle explain oom_score).")
}
