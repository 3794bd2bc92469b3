// Package reports holds the outlines of reports: what diagnose finds in memory, in OOM kills, in the log of a server,
// and in slow queries, and what the history has of a span of time.
//
// Each function takes a document and returns its outline. A report that is translated takes the catalog of the reader's
// language too; nil is English.
package reports

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureSpills is the picture of temporary files by size.
const FigureSpills = "spills"

// Log is what a server's log shows, before any form: the verdicts worst
// first as a table, then what each rests on.
func Log(r *serverlog.Report) outline.Outline {
	var o outline.Outline
	o.Command("pgfettle diagnose log")
	verdict, tone := LogVerdict(r)
	o.Toned(tone, outline.Bold(verdict))
	o.Add(outline.List{Items: outline.Items(LogAbout(r)), Kind: outline.Lines, Tone: outline.ToneNote})
	if len(r.Findings) > 0 {
		t := outline.Table{Caption: "What the log shows, worst first",
			Head: []string{"severity", "what", "times", "first", "last"}}
		for _, f := range r.Findings {
			t.Rows = append(t.Rows, outline.Cells(f.Severity, typeset.Flat(f.Verdict), typeset.Digits(int(f.Count)),
				f.First, f.Last))
		}
		o.Add(outline.Contents{Table: t})
	}
	for i := range r.Findings {
		logFinding(&o, r, &r.Findings[i])
	}
	if len(r.Errors) > 0 {
		o.Part("All errors")
		rows := [][]string{{"SQLSTATE", "times"}}
		for i, e := range r.Errors {
			if i == mostErrors {
				o.Toned(outline.ToneNote, "The first of "+typeset.Digits(len(r.Errors))+"; --format json has all.")
				break
			}
			rows = append(rows, []string{ErrorName(&e), typeset.Digits(int(e.Count))})
		}
		o.Add(outline.TableOf("Errors by SQLSTATE", rows, 1))
	}
	logMessages(&o, r.Messages)
	gaps(&o, outline.WordsIn(nil), 2, "Could not be told", gap.All(r.Unknown))
	return o
}

// logMessages is a table of the errors that no finding is of.
func logMessages(o *outline.Outline, list []serverlog.Message) {
	if len(list) == 0 {
		return
	}
	o.Part("Other errors, by their words")
	t := outline.Table{Caption: "Other errors", Head: []string{"severity", "message", "times", "last"}, Long: true}
	for i := range list[:min(len(list), ShownMessages)] {
		m := &list[i]
		t.Rows = append(t.Rows, outline.Cells(m.Severity, typeset.Flat(m.Text), typeset.Digits(int(m.Count)), m.Last))
	}
	o.Add(t)
	if n := len(list) - ShownMessages; n > 0 {
		o.Toned(outline.ToneNote, "… and "+typeset.Count(n, "message", "messages")+"; --format json has them.")
	}
}

// ShownMessages are the worst and the most frequent.
const ShownMessages = 10

// mostErrors bounds a table that nobody reads to its end.
const mostErrors = 30

var logTones = map[string]outline.Tone{serverlog.Critical: outline.ToneBad, serverlog.Warning: outline.ToneMind,
	serverlog.Notice: outline.ToneInfo}

func logFinding(o *outline.Outline, r *serverlog.Report, f *serverlog.Finding) {
	o.Add(outline.Heading{Level: 2, Text: outline.Join(f.Severity+": ", typeset.Flat(f.Verdict)), Part: true,
		Tone: logTones[f.Severity]})
	if when := LogWhen(f); when != "" {
		o.Toned(outline.ToneNote, when)
	}
	o.Kind(outline.Evidence, outline.Items(f.Evidence))
	switch f.ID {
	case "crash":
		logCrashes(o, r)
	case "out_of_memory", "memory_contexts":
		for i := range r.Memory.Dumps {
			logDump(o, &r.Memory.Dumps[i])
		}
	case "temporary_files":
		logTemp(o, &r.Temp)
	case "lock_waits":
		logStatements(o, "Statements that waited", r.Locks.Waiting, false)
	case "deadlocks":
		logStatements(o, "Statements that waited for each other", r.Locks.Deadlocked, false)
	}
	steps(o, "What to do", f.Do)
}

func logCrashes(o *outline.Outline, r *serverlog.Report) {
	var list []outline.Item
	for i := range r.Crashes {
		if i == ShownCrashes {
			list = append(list, outline.Item{Text: outline.Join("… and " + typeset.Digits(len(r.Crashes)-i) +
				" more; --format json has them.")})
			break
		}
		c := &r.Crashes[i]
		it := outline.Item{Text: outline.Join(CrashText(c), ": ", CrashLasted(c))}
		if c.Statement != "" {
			it.Text = outline.Join(it.Text, "; it ran ", outline.Code(statementOf(c.Statement, 600)))
		}
		list = append(list, it)
	}
	o.Para(outline.Bold("Crashes"))
	o.List(list)
}

func logDump(o *outline.Outline, d *serverlog.Dump) {
	o.Para(typeset.Capital(typeset.Flat(DumpHead(d))))
	if d.Statement != "" {
		o.Para("It ran ", outline.Code(statementOf(d.Statement, 600)))
	}
	logContexts(o, "memory context, by its own bytes", d.Largest)
	logContexts(o, "memory context, with all that is below it", d.Subtrees)
}

func logContexts(o *outline.Outline, what string, list []serverlog.Context) {
	rows := [][]string{{what, "size"}}
	for i := range list[:min(len(list), ShownContexts)] {
		rows = append(rows, []string{ContextName(&list[i]), list[i].Bytes.String()})
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(typeset.Capital(what), rows, 1))
	}
}

func logTemp(o *outline.Outline, t *serverlog.Temp) {
	rows := [][]string{{"size of a temporary file", "files", "together"}}
	for i := range t.Classes {
		c := &t.Classes[i]
		rows = append(rows, []string{ClassName(c), typeset.Digits(int(c.Files)), c.Bytes.String()})
	}
	if len(rows) > 1 {
		o.Add(outline.Figure{Name: FigureSpills}, outline.TableOf("Temporary files by size", rows, 1))
	}
	logStatements(o, "Statements that wrote most", t.Statements, true)
	if t.Others.Count > 0 {
		o.Toned(outline.ToneNote, t.Others.Bytes.String()+" in "+typeset.Digits(int(t.Others.Count))+
			" files of other statements.")
	}
	if t.Lossy {
		o.Toned(outline.ToneNote, LossyStatements)
	}
}

// logStatements is a table of the heaviest.
func logStatements(o *outline.Outline, caption string, list []serverlog.Statement, sized bool) {
	if len(list) == 0 {
		return
	}
	t := outline.Table{Caption: caption, Head: []string{"statement", "by", "times"}}
	if sized {
		t.Head = []string{"statement", "by", "files", "together", "largest"}
	}
	for i := range list[:min(len(list), ShownStatements)] {
		s := &list[i]
		name := outline.Join(StatementName(s))
		if s.Fingerprint != "" && s.Text != "" {
			name = outline.Join(outline.Code(typeset.Shorten(StatementName(s), 300)))
		}
		row := []outline.Prose{name, outline.Join(StatementBy(s)), outline.Join(typeset.Digits(int(s.Count)))}
		if sized {
			row = append(row, outline.Join(s.Bytes.String()), outline.Join(s.Largest.String()))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Numbers, t.Long = 2, true
	o.Add(t)
	if n := len(list) - ShownStatements; n > 0 {
		o.Toned(outline.ToneNote, "… and "+typeset.Count(n, "statement", "statements")+"; --format json has them.")
	}
}

// LogVerdict is the one line above all.
func LogVerdict(r *serverlog.Report) (string, outline.Tone) {
	critical, warnings := 0, 0
	for _, f := range r.Findings {
		switch f.Severity {
		case serverlog.Critical:
			critical++
		case serverlog.Warning:
			warnings++
		}
	}
	switch {
	case critical > 0:
		return fmt.Sprintf("%d critical, %s, %s in the log.", critical, typeset.Count(warnings, "warning", "warnings"),
			typeset.Count(len(r.Findings)-critical-warnings, "notice", "notices")), outline.ToneBad
	case len(r.Findings) > 0:
		return fmt.Sprintf("Nothing critical; %s, %s in the log.", typeset.Count(warnings, "warning", "warnings"),
			typeset.Count(len(r.Findings)-warnings, "notice", "notices")), outline.ToneNone
	case r.Entries == 0:
		return "No entry of a PostgreSQL server was found.", outline.ToneMind
	}
	return "Nothing of what this looks for is in the log.", outline.ToneGood
}

// LogAbout says what was read.
func LogAbout(r *serverlog.Report) []string {
	var out []string
	if r.Subject != "" {
		out = append(out, "Instance: "+r.Subject)
	}
	switch {
	case r.From != "" && r.Entries == 1:
		out = append(out, "1 entry, "+r.From+".")
	case r.From != "":
		out = append(out, fmt.Sprintf("%s, %s to %s (%s).", typeset.Count(int(r.Entries), "entry", "entries"), r.From,
			r.To, seconds(r.SpanSeconds)))
	case r.Entries > 0:
		out = append(out, typeset.Count(int(r.Entries), "entry", "entries")+", without times.")
	}
	if text := logStarts(r); text != "" {
		out = append(out, text)
	}
	for _, f := range r.Files {
		text := fmt.Sprintf("%s: %s, %s", f.Name, f.Format, unit.Bytes(f.Bytes))
		if f.Dumps {
			text += ", read for memory-context dumps only"
		} else if f.Format == "stderr" && f.Prefix != "" {
			text += fmt.Sprintf(", log_line_prefix '%s' (%s)", f.Prefix,
				map[string]string{"usual": "a usual one that fits", "inferred": "inferred from its lines"}[f.PrefixHow]+
					map[bool]string{true: f.PrefixHow}[f.PrefixHow != "usual" && f.PrefixHow != "inferred"])
		}
		if f.Wrapped != "" {
			text += ", outer format: " + f.Wrapped
		}
		if f.Language != "" {
			text += ", language of the messages: " + f.Language
		}
		out = append(out, text)
	}
	return out
}

// logStarts says how often the server started and was stopped, which is no fault.
func logStarts(r *serverlog.Report) string {
	var parts []string
	version := ""
	for _, x := range r.Starts {
		if x.Version != "" {
			version = " (PostgreSQL " + x.Version + ")"
		}
	}
	if n := len(r.Starts); n > 0 {
		parts = append(parts, typeset.Count(n, "start", "starts")+version)
	}
	for _, x := range r.Shutdowns[max(len(r.Shutdowns)-1, 0):] {
		text := typeset.Count(len(r.Shutdowns), "shutdown", "shutdowns") + " that was asked for"
		if len(r.Shutdowns) > 1 {
			text = typeset.Count(len(r.Shutdowns), "shutdown", "shutdowns") + " that were asked for, the last"
		}
		text += fmt.Sprintf(" (%s, %s", x.How, x.Time)
		if x.DownSeconds != nil {
			text += "; connections again after " + seconds(*x.DownSeconds)
		}
		parts = append(parts, text+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Of the server: " + strings.Join(parts, ", ") + "."
}

// LogWhen is when a finding was first and last logged.
func LogWhen(f *serverlog.Finding) string {
	if f.First == "" || f.Count == 1 && f.First == f.Last {
		return f.First
	}
	return "first " + f.First + ", last " + f.Last
}

// ShownCrashes are told in the text; the JSON has more.
const ShownCrashes = 10

func CrashText(c *serverlog.Crash) string {
	when := c.Time
	if when == "" {
		when = "at a time that is not told"
	}
	return typeset.Flat(when + ": " + c.Cause)
}

// CrashLasted says for how long, and whom else it hit.
func CrashLasted(c *serverlog.Crash) string {
	var parts []string
	switch {
	case c.DownSeconds >= 0 && c.DownAtMost:
		parts = append(parts, "connections again at most "+seconds(c.DownSeconds)+" after its last sign of life ("+
			c.LastAlive+")")
	case c.DownSeconds >= 0:
		parts = append(parts, "connections again after "+seconds(c.DownSeconds))
	case c.Recovered:
		parts = append(parts, "connections again after a time that is not told")
	default:
		parts = append(parts, "the log does not tell when connections were accepted again")
	}
	if c.RecoverySeconds >= 0 {
		parts = append(parts, "replay of WAL "+seconds(c.RecoverySeconds))
	}
	if c.ProcessesEnded > 0 {
		parts = append(parts, typeset.Count(int(c.ProcessesEnded), "other process", "other processes")+" ended")
	}
	if c.Refused > 0 {
		parts = append(parts, typeset.Count(int(c.Refused), "connection", "connections")+" turned away")
	}
	return strings.Join(parts, ", ")
}

// ShownContexts of each order: both say the same of a small dump, and five are
// enough to see.
const ShownContexts = 5

func DumpHead(d *serverlog.Dump) string {
	head := fmt.Sprintf("memory contexts of a process, %s in all", d.TotalBytes)
	if d.PID != 0 {
		head = fmt.Sprintf("memory contexts of PID %d, %s in all", d.PID, d.TotalBytes)
	}
	if d.Time != "" {
		head += ", " + d.Time
	}
	if !d.Whole {
		head += "; the dump is cut"
	}
	if d.Mixed {
		head += "; two backends wrote at once, contexts of both may be in it"
	}
	if d.In != "" && d.Request >= 0 {
		head += fmt.Sprintf("; %s more were refused in %s", bytesOf(d.Request), d.In)
	}
	return head
}

func ContextName(c *serverlog.Context) string {
	text := c.Name
	if c.Ident != "" {
		text += " (" + c.Ident + ")"
	}
	if c.Count > 1 {
		text += fmt.Sprintf(" × %d", c.Count)
	}
	return typeset.Flat(text)
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	return unit.Bytes(n).String()
}

const LossyStatements = "There are more different statements than are kept: the sums of those listed are at least " +
	"these."

// ClassName is a range of sizes of temporary files.
func ClassName(c *serverlog.SizeClass) string {
	switch {
	case c.Below == 0:
		return c.From.String() + " and more"
	case c.From == 0:
		return "below " + c.Below.String()
	}
	return c.From.String() + " to " + c.Below.String()
}

// ShownStatements are the heaviest, which one begins with.
const ShownStatements = 5

func StatementName(s *serverlog.Statement) string {
	switch text := typeset.Flat(s.Text); {
	case s.Fingerprint == "":
		return "(the log does not tell the statement)"
	case text == "":
		return "statement " + s.Fingerprint
	default:
		return text
	}
}

// StatementBy is who ran the largest.
func StatementBy(s *serverlog.Statement) string {
	if s.User == "" || s.Database == "" {
		return s.User
	}
	return s.User + "@" + s.Database
}

// conditions names the SQLSTATEs that a person sees most.
var conditions = map[string]string{
	"23505": "unique violation", "23503": "foreign key violation", "23502": "not null violation",
	"23514": "check violation", "42P01": "undefined table", "42703": "undefined column",
	"42601": "syntax error", "42501": "insufficient privilege", "42883": "undefined function",
	"40001": "serialization failure", "40P01": "deadlock", "53100": "disk full", "53200": "out of memory",
	"53300": "too many connections", "53400": "configuration limit", "55P03": "lock not available",
	"57014": "query canceled", "57P01": "admin shutdown", "57P02": "crash shutdown",
	"57P03": "cannot connect now", "57P05": "idle session timeout", "58030": "I/O error", "58P01": "undefined file",
	"XX000": "internal error", "XX001": "data corrupted", "XX002": "index corrupted",
	"28P01": "invalid password", "28000": "invalid authorization", "08006": "connection failure",
	"08P01": "protocol violation", "22P02": "invalid text representation", "22001": "string too long",
	"25P02": "in failed transaction", "25P03": "idle in transaction timeout", "3D000": "invalid database",
	"22012": "division by zero", "25006": "read-only transaction", "F0000": "config file error", "": "without SQLSTATE",
}

func ErrorName(e *serverlog.Count) string {
	return strings.TrimSpace(e.Name + " " + conditions[e.Name])
}

// seconds spells a span for people.
func seconds(s float64) string {
	switch {
	case s < 0.0005:
		return "less than 1 ms"
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 180:
		return fmt.Sprintf("%.0f s", s)
	case s < 10800:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 3*86400:
		return fmt.Sprintf("%.1f h", s/3600)
	}
	return fmt.Sprintf("%.1f days", s/86400)
}
