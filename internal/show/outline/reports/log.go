// Package reports holds the outlines of reports: what diagnose finds in memory, in OOM kills, in the log of a server,
// and in slow queries, and what the history has of a span of time.
//
// Each function takes a document and returns its outline. A report that is translated takes the catalog of the reader's
// language too; nil is English.
package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureSpills is the picture of temporary files by size.
const FigureSpills = "spills"

// Log is what a server's log shows, before any form: the verdicts worst first as a table, then what each depends on.
func Log(r *serverlog.Report, c *say.Catalogue) outline.Outline {
	r = r.In(c)
	p := logWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle diagnose log")
	verdict, tone := p.verdict(r)
	o.Toned(tone, outline.Bold(verdict))
	o.Add(outline.List{Items: outline.Items(p.about(r)), Kind: outline.Lines, Tone: outline.ToneNote})
	if len(r.Findings) > 0 {
		t := outline.Table{Caption: p.Say("Findings in the log, worst first"),
			Head: []string{p.Say("severity"), p.Say("finding"), p.Say("times"), p.Say("first"), p.Say("last")}}
		for i := range r.Findings {
			f := &r.Findings[i]
			t.Rows = append(t.Rows, outline.Cells(p.severity(f), p.flat(f.Verdict), p.Value(f.Count), f.First, f.Last))
		}
		o.Add(outline.Contents{Table: t})
	}
	for i := range r.Findings {
		p.finding(&o, r, &r.Findings[i])
	}
	p.errors(&o, r.Errors)
	p.messages(&o, r.Messages)
	gaps(&o, p.Words, 2, p.Say("Unknown"), r.Unknown)
	return o
}

// logWords are the words of a report on a log.
type logWords struct{ outline.Words }

// flat is a message on one line.
func (p logWords) flat(m say.Message) string { return typeset.Flat(p.Word(m)) }

func (p logWords) flats(list []say.Message) []outline.Item {
	var out []outline.Item
	for _, m := range list {
		out = append(out, outline.Item{Text: outline.Join(p.flat(m))})
	}
	return out
}

// mostErrors limits a table that is rarely read to its end.
const mostErrors = 30

// errors is a table of all errors by their SQLSTATE.
func (p logWords) errors(o *outline.Outline, list []serverlog.Count) {
	if len(list) == 0 {
		return
	}
	title := p.Say("All errors by SQLSTATE")
	o.Part(title)
	rows := [][]string{{"SQLSTATE", p.Say("times")}}
	for i, e := range list {
		if i == mostErrors {
			o.Toned(outline.ToneNote, p.Say("The first {shown} of {n}; --format json has all.", "shown", mostErrors,
				"n",
				len(list)))
			break
		}
		rows = append(rows, []string{p.condition(&e), p.Value(e.Count)})
	}
	o.Add(outline.TableOf(title, rows, 1))
}

// shownMessages are the worst and the most frequent.
const shownMessages = 10

// messages is a table of the errors that no finding is of.
func (p logWords) messages(o *outline.Outline, list []serverlog.Message) {
	if len(list) == 0 {
		return
	}
	title := p.Say("Other errors and warnings")
	o.Part(title)
	t := outline.Table{Caption: title, Long: true,
		Head: []string{p.Say("severity"), p.Say("message"), p.Say("times"), p.Say("last")}}
	for i := range list[:min(len(list), shownMessages)] {
		m := &list[i]
		row := outline.Cells(m.Severity, p.message(m), p.Value(m.Count), m.Last)
		if m.Statement != "" {
			row[1] = outline.Join(row[1], "; ", p.ran(), outline.Code(typeset.Shorten(typeset.Flat(m.Statement), 160)))
		}
		t.Rows = append(t.Rows, row)
	}
	o.Add(t)
	p.more(o, len(list)-shownMessages)
}

// message is one as the log has it, or what all of a kind have in common with an example.
func (p logWords) message(m *serverlog.Message) string {
	switch {
	case m.Example == "":
		return typeset.Flat(m.Text)
	case m.Varied:
		return p.Say("{message}, for example: {example}", "message", typeset.Flat(m.Text), "example",
			typeset.Flat(m.Example))
	}
	return typeset.Flat(m.Example)
}

// more says how many more there are than the text has.
func (p logWords) more(o *outline.Outline, n int) {
	if n > 0 {
		o.Toned(outline.ToneNote, p.moreText(n))
	}
}

func (p logWords) moreText(n int) string {
	return p.Many(n, "… and {n} more; --format json has all.", "… and {n} more; --format json has all.")
}

var logTones = map[string]outline.Tone{serverlog.Critical: outline.ToneBad, serverlog.Warning: outline.ToneMind,
	serverlog.Notice: outline.ToneInfo}

var logSeverities = map[string]say.Message{serverlog.Critical: say.M("critical"), serverlog.Warning: say.M("warning"),
	serverlog.Notice: say.M("notice")}

func (p logWords) severity(f *serverlog.Finding) string { return p.Word(logSeverities[f.Severity]) }

func (p logWords) finding(o *outline.Outline, r *serverlog.Report, f *serverlog.Finding) {
	o.Add(outline.Heading{Level: 2, Text: outline.Join(p.severity(f), p.Colon(), p.flat(f.Verdict)), Part: true,
		Tone: logTones[f.Severity]})
	o.Toned(outline.ToneNote, p.when(f))
	o.Kind(outline.Evidence, p.flats(f.Evidence))
	switch f.ID {
	case "crash":
		p.crashes(o, r)
	case "out_of_memory", "memory_contexts":
		for i := range r.Memory.Dumps {
			p.dump(o, &r.Memory.Dumps[i])
		}
	case "temporary_files":
		p.temp(o, &r.Temp)
	case "lock_waits":
		p.statements(o, p.Say("Statements that waited"), r.Locks.Waiting, false)
	case "deadlocks":
		p.statements(o, p.Say("Statements in deadlocks"), r.Locks.Deadlocked, false)
	}
	if len(f.Do) > 0 {
		o.Add(outline.List{Items: p.flats(f.Do), Kind: outline.Steps, Lead: p.Say("What to do")})
	}
}

// when is when a finding was first and last logged.
func (p logWords) when(f *serverlog.Finding) string {
	if f.First == "" || f.Count == 1 && f.First == f.Last {
		return f.First
	}
	return p.Say("first {first}, last {last}", "first", f.First, "last", f.Last)
}

// shownCrashes are listed in the text; the JSON has more.
const shownCrashes = 10

// ran is before the statement that a process was running.
func (p logWords) ran() string { return p.Say("Statement:") + " " }

func (p logWords) crashes(o *outline.Outline, r *serverlog.Report) {
	var list []outline.Item
	for i := range r.Crashes {
		if i == shownCrashes {
			list = append(list, outline.Item{Text: outline.Join(p.moreText(len(r.Crashes) - i))})
			break
		}
		c := &r.Crashes[i]
		it := outline.Item{Text: outline.Join(p.flat(crashText(c)))}
		if c.Statement != "" {
			it.Text = outline.Join(it.Text, " ", p.ran(), outline.Code(typeset.Shorten(typeset.Flat(c.Statement), 600)))
		}
		list = append(list, it)
	}
	o.Para(outline.Bold(p.Say("Crashes")))
	o.List(list)
}

// crashText says what happened, for how long, and what else it hit.
func crashText(c *serverlog.Crash) say.Message {
	text := []say.Message{say.M("{time}: {cause}.", "time", c.Time, "cause", c.Cause),
		say.M("The log does not show when the server accepted connections again.")}
	if c.Time == "" {
		text[0] = say.M("time unknown: {cause}.", "cause", c.Cause)
	}
	switch {
	case c.DownSeconds >= 0 && c.DownAtMost:
		text[1] = say.M("The server accepted connections again at most {time} after its last sign of life ({last}).",
			"time", seconds(c.DownSeconds), "last", c.LastAlive)
	case c.DownSeconds >= 0:
		text[1] = say.M("The server accepted connections again after {time}.", "time", seconds(c.DownSeconds))
	case c.Recovered:
		text[1] = say.M("The server accepted connections again after an unknown time.")
	}
	if c.RecoverySeconds >= 0 {
		text = append(text, say.M("WAL replay took {time}.", "time", seconds(c.RecoverySeconds)))
	}
	switch {
	case c.User != "" && c.Database != "":
		text = append(text, say.M("It was a session of {user} in the database {database}.", "user", c.User, "database",
			c.Database))
	case c.User != "":
		text = append(text, say.M("It was a session of {user}.", "user", c.User))
	}
	if c.ProcessesEnded > 0 {
		text = append(text, say.N(c.ProcessesEnded, "{n} other process ended.", "{n} other processes ended."))
	}
	if c.Refused > 0 {
		text = append(text, say.N(c.Refused, "{n} connection was refused.", "{n} connections were refused."))
	}
	return say.All(" ", text...)
}

func (p logWords) dump(o *outline.Outline, d *serverlog.Dump) {
	o.Para(p.flat(dumpHead(d)))
	if d.Statement != "" {
		o.Para(p.ran(), outline.Code(typeset.Shorten(typeset.Flat(d.Statement), 600)))
	}
	p.contexts(o, p.Say("Memory context, own size"), d.Largest)
	p.contexts(o, p.Say("Memory context, with its children"), d.Subtrees)
}

func dumpHead(d *serverlog.Dump) say.Message {
	head := say.M("Memory contexts of a process: {size} in total", "size", d.TotalBytes)
	if d.PID != 0 {
		head = say.M("Memory contexts of PID {pid}: {size} in total", "pid", strconv.Itoa(d.PID), "size", d.TotalBytes)
	}
	parts := []say.Message{head}
	if d.Time != "" {
		parts = append(parts, say.Text(d.Time))
	}
	if !d.Whole {
		parts = append(parts, say.M("the dump is incomplete"))
	}
	if d.Mixed {
		parts = append(parts, say.M("two backends wrote at once, so it may have contexts of both"))
	}
	if d.In != "" && d.Request >= 0 {
		parts = append(parts, say.M("refused: {size} in {context}", "size", sizeOf(d.Request), "context", d.In))
	}
	return say.All("; ", parts...)
}

// sizeOf is a size as an argument of a message, exact to the byte if small.
func sizeOf(n int64) any {
	if n < 1024 {
		return say.N(n, "{n} byte", "{n} bytes")
	}
	return unit.Bytes(n)
}

// shownContexts of each order: both say the same of a small dump, and five are
// enough to see.
const shownContexts = 5

func (p logWords) contexts(o *outline.Outline, what string, list []serverlog.Context) {
	rows := [][]string{{what, p.Say("size")}}
	for i := range list[:min(len(list), shownContexts)] {
		rows = append(rows, []string{contextName(&list[i]), p.Value(list[i].Bytes)})
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(what, rows, 1))
	}
}

func contextName(c *serverlog.Context) string {
	text := c.Name
	if c.Ident != "" {
		text += " (" + c.Ident + ")"
	}
	if c.Count > 1 {
		text += fmt.Sprintf(" × %d", c.Count)
	}
	return typeset.Flat(text)
}

func (p logWords) temp(o *outline.Outline, t *serverlog.Temp) {
	rows := [][]string{{p.Say("temporary file size"), p.Say("files"), p.Say("total")}}
	for i := range t.Classes {
		c := &t.Classes[i]
		rows = append(rows, []string{p.Word(ClassName(c)), p.Value(c.Files), p.Value(c.Bytes)})
	}
	if len(rows) > 1 {
		o.Add(outline.Figure{Name: FigureSpills}, outline.TableOf(p.Say("Temporary files by size"), rows, 1))
	}
	p.statements(o, p.Say("Statements with the largest temporary files"), t.Statements, true)
	if n := t.Others.Count; n > 0 {
		o.Toned(outline.ToneNote, p.Word(say.N(n, "Other statements: {size} in {n} file.",
			"Other statements: {size} in {n} files.", "size", t.Others.Bytes)))
	}
	if t.Lossy {
		o.Toned(outline.ToneNote, p.Say("There are more different statements than are counted one by one: the totals "+
			"above are lower bounds."))
	}
}

// ClassName is a range of sizes of temporary files.
func ClassName(c *serverlog.SizeClass) say.Message {
	switch {
	case c.Below == 0:
		return say.M("{from} or more", "from", c.From)
	case c.From == 0:
		return say.M("below {to}", "to", c.Below)
	}
	return say.M("{from} to {to}", "from", c.From, "to", c.Below)
}

// shownStatements are the heaviest, which one begins with.
const shownStatements = 5

// statements is a table of the heaviest.
func (p logWords) statements(o *outline.Outline, caption string, list []serverlog.Statement, sized bool) {
	if len(list) == 0 {
		return
	}
	t := outline.Table{Caption: caption, Head: []string{p.Say("statement"), p.Say("by"), p.Say("times")}}
	if sized {
		t.Head = []string{p.Say("statement"), p.Say("by"), p.Say("files"), p.Say("total"), p.Say("largest")}
	}
	for i := range list[:min(len(list), shownStatements)] {
		s := &list[i]
		row := []outline.Prose{p.statement(s), outline.Join(statementBy(s)), outline.Join(p.Value(s.Count))}
		if sized {
			row = append(row, outline.Join(p.Value(s.Bytes)), outline.Join(p.Value(s.Largest)))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Numbers, t.Long = 2, true
	o.Add(t)
	p.more(o, len(list)-shownStatements)
}

func (p logWords) statement(s *serverlog.Statement) outline.Prose {
	switch text := typeset.Flat(s.Text); {
	case s.Fingerprint == "":
		return outline.Join(p.Say("(statement not logged)"))
	case text == "":
		return outline.Join(p.Say("statement {fingerprint}", "fingerprint", s.Fingerprint))
	default:
		return outline.Join(outline.Code(typeset.Shorten(text, 300)))
	}
}

// statementBy is who ran the largest.
func statementBy(s *serverlog.Statement) string {
	if s.User == "" || s.Database == "" {
		return s.User
	}
	return s.User + "@" + s.Database
}

// verdict is the one line above all.
func (p logWords) verdict(r *serverlog.Report) (string, outline.Tone) {
	n := map[string]int{}
	for _, f := range r.Findings {
		n[f.Severity]++
	}
	switch {
	case len(r.Findings) > 0:
		var parts say.List
		for _, x := range []struct {
			severity string
			count    say.Message
		}{
			{serverlog.Critical, say.N(n[serverlog.Critical], "{n} critical", "{n} critical")},
			{serverlog.Warning, say.N(n[serverlog.Warning], "{n} warning", "{n} warning")},
			{serverlog.Notice, say.N(n[serverlog.Notice], "{n} notice", "{n} notice")},
		} {
			if n[x.severity] > 0 {
				parts.Items = append(parts.Items, x.count)
			}
		}
		tone := outline.ToneNone
		if n[serverlog.Critical] > 0 {
			tone = outline.ToneBad
		}
		return p.Many(len(r.Findings), "{n} finding in the log: {parts}.", "{n} findings in the log: {parts}.", "parts",
			parts), tone
	case r.Entries == 0:
		return p.Say("No entry of a PostgreSQL server found."), outline.ToneMind
	case len(r.Unknown) > 0:
		return p.Say("No findings in the log, but it does not show everything: see below."), outline.ToneGood
	}
	return p.Say("No findings in the log."), outline.ToneGood
}

// prefixWords say where a log_line_prefix is from.
var prefixWords = map[string]say.Message{
	"usual":         say.M("a common one that matches"),
	"inferred":      say.M("inferred from the lines"),
	"guessed":       say.M("guessed from the lines"),
	"given":         say.M("given with --prefix"),
	"of the server": say.M("setting of the server"),
}

// about says what was read.
func (p logWords) about(r *serverlog.Report) []string {
	var out []string
	if r.Subject != "" {
		out = append(out, p.Say("Instance: {name}", "name", r.Subject))
	}
	entries := say.N(r.Entries, "{n} entry", "{n} entries")
	switch {
	case r.From != "" && (r.Entries == 1 || r.From == r.To && r.SpanSeconds < 1):
		out = append(out, p.Say("{entries}, {time}.", "entries", entries, "time", r.From))
	case r.From != "" && r.SpanSeconds == 0 && r.From != r.To: // by two clocks, or not in order
		out = append(out, p.Say("{entries}, {from} to {to}.", "entries", entries, "from", r.From, "to", r.To))
	case r.From != "":
		out = append(out, p.Say("{entries}, {from} to {to} ({span}).", "entries", entries, "from", r.From, "to", r.To,
			"span", seconds(r.SpanSeconds)))
	case r.Entries > 0:
		out = append(out, p.Say("{entries}, without timestamps.", "entries", entries))
	}
	if m := logStarts(r); !m.IsZero() {
		out = append(out, p.Word(m))
	}
	if m := recoveryOf(r); !m.IsZero() {
		out = append(out, p.Word(m))
	}
	if m := changedOf(r); !m.IsZero() {
		out = append(out, p.Word(m))
	}
	if m := checkpointsOf(r); !m.IsZero() {
		out = append(out, p.Word(m)+".")
	}
	if d := &r.Durations; d.Count > 0 && d.Slow == 0 { // else a finding tells
		out = append(out, p.Word(say.N(d.Count, "{n} duration of a statement, below 1 s: {time}.",
			"{n} durations of statements, all below 1 s; longest: {time}.", "time", seconds(d.Max))))
	}
	for i := range r.Files {
		out = append(out, p.Word(logFile(&r.Files[i])))
	}
	return out
}

// shownChanged is how many changed settings are listed: JSON has all.
const shownChanged = 8

// changedOf says which settings reloads of the configuration changed.
func changedOf(r *serverlog.Report) say.Message {
	if len(r.Changed) == 0 {
		return say.Message{}
	}
	list := say.List{Most: shownChanged}
	for i, x := range r.Changed {
		m := say.M("{name} = {value}", "name", say.Verbatim(x.Name), "value", say.Verbatim("'"+x.Value+"'"))
		switch {
		case x.Reset:
			m = say.M("{name} = default", "name", say.Verbatim(x.Name))
		case x.Value == "" && r.Redacted:
			m = say.Verbatim(x.Name)
		}
		if x.Time != "" && (i == 0 || r.Changed[i-1].Time != x.Time) {
			m = say.M("{setting} ({time})", "setting", m, "time", x.Time)
		}
		list.Items = append(list.Items, m)
	}
	return say.M("Settings changed by a reload: {settings}.", "settings", list)
}

// recoveryOf says what the log has of replay of WAL.
func recoveryOf(r *serverlog.Report) say.Message {
	x := r.Recovery
	told := func(c serverlog.Crash) bool { return c.RecoverySeconds >= 0 } // their list has it
	if x == nil || slices.ContainsFunc(r.Crashes, told) && !x.Standby && !x.Archive && len(x.Phases) == 0 {
		return say.Message{}
	}
	var facts say.List
	add := func(m say.Message) { facts.Items = append(facts.Items, m) }
	if x.Standby {
		add(say.M("as a standby"))
	}
	if x.Target != "" {
		add(say.M("target {target}", "target", say.Verbatim(x.Target)))
	}
	if x.Restored > 0 {
		add(say.N(x.Restored, "{n} WAL file restored from the archive", "{n} WAL files restored from the archive"))
	}
	if x.Consistent != "" {
		add(say.M("consistent at {lsn}", "lsn", say.Verbatim(x.Consistent)))
	}
	switch {
	case x.To != "" && x.RedoSeconds != nil:
		add(say.M("redo done at {lsn} in {time}", "lsn", say.Verbatim(x.To), "time", seconds(*x.RedoSeconds)))
	case x.To != "":
		add(say.M("redo done at {lsn}", "lsn", say.Verbatim(x.To)))
	case x.From != "":
		add(say.M("redo started at {lsn}", "lsn", say.Verbatim(x.From)))
	}
	if x.None {
		add(say.M("no redo required"))
	}
	if x.LastCommit != "" {
		add(say.M("last transaction at {time}", "time", say.Verbatim(x.LastCommit)))
	}
	for _, f := range x.Phases {
		if f.Name == "redo in progress" && x.To != "" {
			continue // it ended
		}
		add(say.M("{phase} for {time}", "phase", say.Verbatim(f.Name), "time", seconds(f.Seconds)))
	}
	if x.Timeline > 0 {
		add(say.M("new timeline: {timeline}", "timeline", strconv.FormatInt(x.Timeline, 10)))
	}
	if x.Complete {
		add(say.M("archive recovery complete"))
	}
	if x.StreamingFrom != "" {
		add(say.M("streaming from {lsn} on timeline {timeline}", "lsn", say.Verbatim(x.StreamingFrom), "timeline",
			say.Verbatim(x.OnTimeline)))
	}
	if len(facts.Items) == 0 {
		return say.Message{}
	}
	return say.M("Recovery: {facts}.", "facts", facts)
}

// checkpointsOf is how many checkpoints a log has of which no finding says anything, and the longest of them.
func checkpointsOf(r *serverlog.Report) say.Message {
	x := &r.Checkpoints
	told := func(f serverlog.Finding) bool { return f.ID == "checkpoints" }
	if x.Complete == 0 || slices.ContainsFunc(r.Findings, told) {
		return say.Message{}
	}
	n := say.N(x.Complete, "Checkpoints: {n} completed", "Checkpoints: {n} completed")
	var longest, distance say.Message
	if x.LongestTotal >= 0 {
		longest = say.M("longest: {time}", "time", seconds(x.LongestTotal))
	}
	if x.LargestDistance > 0 {
		distance = say.M("largest amount of WAL: {size}", "size", x.LargestDistance)
	}
	return say.All("; ", n, longest, distance)
}

func logFile(f *serverlog.File) say.Message {
	facts := say.List{Items: []say.Message{say.M("{format}, {size}", "format", f.Format, "size", sizeOf(f.Bytes))}}
	add := func(m say.Message) { facts.Items = append(facts.Items, m) }
	switch how, ok := prefixWords[f.PrefixHow]; {
	case f.Dumps:
		add(say.M("read only for memory context dumps"))
	case f.Format == "stderr" && f.Prefix != "" && ok:
		add(say.M("log_line_prefix '{prefix}' ({how})", "prefix", f.Prefix, "how", how))
	case f.Format == "stderr" && f.Prefix != "":
		add(say.Text("log_line_prefix '" + f.Prefix + "'"))
	}
	if f.Wrapped != "" {
		add(say.M("outer format: {format}", "format", f.Wrapped))
	}
	if f.Language != "" {
		add(say.M("language of the messages: {language}", "language", f.Language))
	}
	return say.M("{file}: {facts}", "file", say.Verbatim(f.Name), "facts", facts)
}

// logStarts says how often the server started and was stopped, which is no fault.
func logStarts(r *serverlog.Report) say.Message {
	var events say.List
	version := ""
	for _, x := range r.Starts {
		if x.Version != "" {
			version = x.Version
		}
	}
	switch n := len(r.Starts); {
	case n > 0 && version != "":
		events.Items = append(events.Items, say.N(n, "{n} start (PostgreSQL {version})",
			"{n} starts (PostgreSQL {version})", "version", version))
	case n > 0:
		events.Items = append(events.Items, say.N(n, "{n} start", "{n} starts"))
	}
	for _, x := range r.Shutdowns[max(len(r.Shutdowns)-1, 0):] {
		last := say.M("{how}, {time}", "how", x.How, "time", x.Time)
		if x.DownSeconds != nil {
			last = say.M("{how}, {time}; connections again after {down}", "how", x.How, "time", x.Time, "down",
				seconds(*x.DownSeconds))
		}
		if x.Cause != "" {
			events.Items = append(events.Items, say.N(len(r.Shutdowns),
				"{n} shutdown ({last}), by the server itself because its lock file was invalid",
				"{n} shutdowns (the last: {last}), the last by the server itself because its lock file was invalid",
				"last", last))
			continue
		}
		events.Items = append(events.Items, say.N(len(r.Shutdowns), "{n} requested shutdown ({last})",
			"{n} requested shutdowns (the last: {last})", "last", last))
	}
	if len(events.Items) == 0 {
		return say.Message{}
	}
	return say.M("Server: {events}.", "events", events)
}

// conditions are the names that PostgreSQL has for the SQLSTATEs that a person sees most.
var conditions = map[string]string{
	"23505": "unique_violation", "23503": "foreign_key_violation", "23502": "not_null_violation",
	"23514": "check_violation", "42P01": "undefined_table", "42703": "undefined_column",
	"42601": "syntax_error", "42501": "insufficient_privilege", "42883": "undefined_function",
	"40001": "serialization_failure", "40P01": "deadlock_detected", "53100": "disk_full", "53200": "out_of_memory",
	"53300": "too_many_connections", "53400": "configuration_limit_exceeded", "55P03": "lock_not_available",
	"57014": "query_canceled", "57P01": "admin_shutdown", "57P02": "crash_shutdown",
	"57P03": "cannot_connect_now", "57P05": "idle_session_timeout", "58030": "io_error", "58P01": "undefined_file",
	"XX000": "internal_error", "XX001": "data_corrupted", "XX002": "index_corrupted",
	"28P01": "invalid_password", "28000": "invalid_authorization_specification", "08006": "connection_failure",
	"08P01": "protocol_violation", "22P02": "invalid_text_representation", "22001": "string_data_right_truncation",
	"25P02": "in_failed_sql_transaction", "25P03": "idle_in_transaction_session_timeout",
	"3D000": "invalid_catalog_name", "22012": "division_by_zero", "25006": "read_only_sql_transaction",
	"F0000": "config_file_error",
}

// condition names an SQLSTATE.
func (p logWords) condition(e *serverlog.Count) string {
	switch e.Name {
	case "":
		return p.Say("without SQLSTATE")
	case "others":
		return p.Say("others")
	}
	return strings.TrimSpace(e.Name + " " + conditions[e.Name])
}

// seconds is a span as an argument of a message.
func seconds(s float64) any {
	amount := func(form string, v float64) say.Number { return say.Number(fmt.Sprintf(form, v)) }
	switch {
	case s < 0.0005:
		return say.M("less than {time}", "time", say.Number("1 ms"))
	case s < 1:
		return amount("%.0f ms", s*1000)
	case s < 10:
		return amount("%.1f s", s)
	case s < 180:
		return amount("%.0f s", s)
	case s < 10800:
		return amount("%.0f min", s/60)
	case s < 3*86400:
		return amount("%.1f h", s/3600)
	}
	return say.M("{days} days", "days", say.Number(fmt.Sprintf("%.1f", s/86400)))
}
