package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// LogJSON writes what a server's log shows as JSON. No array is null.
func LogJSON(w io.Writer, r *diagnose.LogReport) error { return writeJSON(w, r) }

// LogText writes it for a person in a hurry: the verdicts worst first, then what
// each rests on, then the details that have a table, then what could not be told.
func LogText(w io.Writer, r *diagnose.LogReport, st Style) error {
	p := newPage(st)
	p.logHead(r)
	for i := range r.Findings {
		p.gap()
		p.logFinding(r, &r.Findings[i])
	}
	p.logErrors(r)
	if len(r.Unknown) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Could not be told"))
		for _, g := range r.Unknown {
			p.para("  "+clean(g.Fact)+": ", plain, g.Reason)
			if g.Reveal != "" {
				p.para("    → ", faint, g.Reveal)
			}
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) logHead(r *diagnose.LogReport) {
	verdict, t := logVerdict(r)
	p.para("", map[Tone]tone{ToneBad: red, ToneMind: yellow, ToneGood: green, ToneNone: strong}[t], verdict)
	for _, l := range logAbout(r) {
		p.para("", faint, l)
	}
}

// logVerdict is the one line above all.
func logVerdict(r *diagnose.LogReport) (string, Tone) {
	critical, warnings := 0, 0
	for _, f := range r.Findings {
		switch f.Severity {
		case diagnose.LogCritical:
			critical++
		case diagnose.LogWarning:
			warnings++
		}
	}
	switch {
	case critical > 0:
		return fmt.Sprintf("%d critical, %s, %s in the log.", critical, count(warnings, "warning", "warnings"), count(len(r.Findings)-critical-warnings, "notice", "notices")), ToneBad
	case len(r.Findings) > 0:
		return fmt.Sprintf("Nothing critical; %s, %s in the log.", count(warnings, "warning", "warnings"), count(len(r.Findings)-warnings, "notice", "notices")), ToneNone
	case r.Entries == 0:
		return "No entry of a PostgreSQL server was found.", ToneMind
	}
	return "Nothing of what this looks for is in the log.", ToneGood
}

// logAbout says what was read.
func logAbout(r *diagnose.LogReport) []string {
	var out []string
	if r.Subject != "" {
		out = append(out, "Instance: "+r.Subject)
	}
	if r.From != "" {
		out = append(out, fmt.Sprintf("%s entries, %s to %s (%s).", digits(int(r.Entries)), r.From, r.To, seconds(r.SpanSeconds)))
	} else if r.Entries > 0 {
		out = append(out, digits(int(r.Entries))+" entries, without times.")
	}
	for _, f := range r.Files {
		text := fmt.Sprintf("%s: %s, %s", f.Name, f.Format, unit.Bytes(f.Bytes))
		if f.Dumps {
			text += ", read for memory-context dumps only"
		} else if f.Format == "stderr" && f.Prefix != "" {
			text += fmt.Sprintf(", log_line_prefix '%s' (%s)", f.Prefix, map[string]string{"usual": "a usual one that fits", "inferred": "inferred from its lines"}[f.PrefixHow]+
				map[bool]string{true: f.PrefixHow}[f.PrefixHow != "usual" && f.PrefixHow != "inferred"])
		}
		out = append(out, text)
	}
	return out
}

func (p *page) logFinding(r *diagnose.LogReport, f *diagnose.LogFinding) {
	t := map[string]tone{diagnose.LogCritical: red, diagnose.LogWarning: yellow}[f.Severity]
	p.para("── "+f.Severity+": ", t, f.Verdict+".")
	if when := logWhen(f); when != "" {
		p.para("   ", faint, when)
	}
	for _, e := range f.Evidence {
		p.para("   · ", plain, flat(e))
	}
	switch f.ID {
	case "crash":
		p.logCrashes(r)
	case "out_of_memory":
		for i := range r.Memory.Dumps {
			p.logDump(&r.Memory.Dumps[i])
		}
	case "temporary_files":
		p.logTemp(&r.Temp)
	case "lock_waits":
		p.logStatements(r.Locks.Waiting, false)
	}
	for _, d := range f.Do {
		p.para("   → ", plain, flat(d))
	}
}

// logWhen is when a finding was first and last logged.
func logWhen(f *diagnose.LogFinding) string {
	if f.First == "" || f.Count == 1 && f.First == f.Last {
		return f.First
	}
	return "first " + f.First + ", last " + f.Last
}

// flat keeps a text that came from a log on the lines that para makes of it.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// shownCrashes are told in the text; the JSON has more.
const shownCrashes = 10

func (p *page) logCrashes(r *diagnose.LogReport) {
	for i, c := range r.Crashes {
		if i == shownCrashes {
			p.para("   ", faint, fmt.Sprintf("… and %s more; --format json has them.", digits(len(r.Crashes)-i)))
			return
		}
		p.para("   · ", plain, crashText(&c))
		p.para("     ", plain, crashLasted(&c))
		if c.Statement != "" {
			p.para("     it ran: ", plain, flat(c.Statement))
		}
	}
}

func crashText(c *diagnose.LogCrash) string {
	when := c.Time
	if when == "" {
		when = "at a time that is not told"
	}
	return flat(when + ": " + c.Cause)
}

// crashLasted says for how long, and whom else it hit.
func crashLasted(c *diagnose.LogCrash) string {
	var parts []string
	if c.DownSeconds >= 0 {
		parts = append(parts, "connections again after "+seconds(c.DownSeconds))
	} else {
		parts = append(parts, "the log does not tell when connections were accepted again")
	}
	if c.RecoverySeconds >= 0 {
		parts = append(parts, "replay of WAL "+seconds(c.RecoverySeconds))
	}
	if c.ProcessesEnded > 0 {
		parts = append(parts, count(int(c.ProcessesEnded), "other process", "other processes")+" ended")
	}
	if c.Refused > 0 {
		parts = append(parts, count(int(c.Refused), "connection", "connections")+" turned away")
	}
	return strings.Join(parts, ", ")
}

func (p *page) logDump(d *diagnose.LogDump) {
	p.para("   · ", plain, dumpHead(d))
	if d.Statement != "" {
		p.para("     it ran: ", plain, flat(d.Statement))
	}
	p.line("     by their own bytes:")
	for _, c := range d.Largest[:min(len(d.Largest), shownContexts)] {
		p.logContext(c)
	}
	p.line("     with all that is below them:")
	for _, c := range d.Subtrees[:min(len(d.Subtrees), shownContexts)] {
		p.logContext(c)
	}
}

// shownContexts of each order: both say the same of a small dump, and five are
// enough to see.
const shownContexts = 5

func dumpHead(d *diagnose.LogDump) string {
	head := fmt.Sprintf("memory contexts of a session, %s in all", d.TotalBytes)
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

func (p *page) logContext(c diagnose.LogContext) {
	p.para("     "+padLeft(c.Bytes.String(), 9)+"  ", plain, contextName(&c))
}

func contextName(c *diagnose.LogContext) string {
	text := c.Name
	if c.Ident != "" {
		text += " (" + c.Ident + ")"
	}
	if c.Count > 1 {
		text += fmt.Sprintf(" × %d", c.Count)
	}
	return flat(text)
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

func (p *page) logTemp(t *diagnose.LogTemp) {
	for _, c := range t.Classes {
		p.line("     ", pad(ClassName(&c), 18), padLeft(digits(int(c.Files)), 9), "  ", padLeft(c.Bytes.String(), 9))
	}
	p.logStatements(t.Statements, true)
	if t.Others.Count > 0 {
		p.para("     "+padLeft(t.Others.Bytes.String(), 9)+"  ", faint, fmt.Sprintf("%s files of other statements", digits(int(t.Others.Count))))
	}
	if t.Lossy {
		p.para("     ", faint, lossyStatements)
	}
}

const lossyStatements = "There are more different statements than are kept: the sums of those listed are at least these."

// ClassName is a range of sizes of temporary files.
func ClassName(c *diagnose.LogSizeClass) string {
	switch {
	case c.Below == 0:
		return c.From.String() + " and more"
	case c.From == 0:
		return "below " + c.Below.String()
	}
	return c.From.String() + " to " + c.Below.String()
}

// shownStatements are the heaviest, which one begins with.
const shownStatements = 5

func (p *page) logStatements(list []diagnose.LogStatement, sized bool) {
	for i, s := range list {
		if i == shownStatements {
			p.para("     ", faint, fmt.Sprintf("… and %s; --format json has them.", count(len(list)-i, "statement", "statements")))
			return
		}
		text, who := statementName(&s), ""
		if by := statementBy(&s); by != "" {
			who = " — " + by
		}
		lead := "     " + padLeft(digits(int(s.Count)), 9) + " ×  "
		if sized {
			lead = "     " + padLeft(s.Bytes.String(), 9) + "  "
			who += fmt.Sprintf(" (%s, largest %s)", count(int(s.Count), "file", "files"), s.Largest)
		}
		p.para(lead, plain, text+who)
	}
}

func statementName(s *diagnose.LogStatement) string {
	switch text := flat(s.Text); {
	case s.Fingerprint == "":
		return "(the log does not tell the statement)"
	case text == "":
		return "statement " + s.Fingerprint
	default:
		return text
	}
}

// statementBy is who ran the largest.
func statementBy(s *diagnose.LogStatement) string {
	if s.User == "" || s.Database == "" {
		return s.User
	}
	return s.User + "@" + s.Database
}

// conditions names the SQLSTATEs that a person sees most.
var conditions = map[string]string{
	"23505": "unique violation", "23503": "foreign key violation", "23502": "not null violation", "23514": "check violation", "42P01": "undefined table", "42703": "undefined column",
	"42601": "syntax error", "42501": "insufficient privilege", "42883": "undefined function", "40001": "serialization failure", "40P01": "deadlock", "53100": "disk full", "53200": "out of memory",
	"53300": "too many connections", "53400": "configuration limit", "55P03": "lock not available", "57014": "query canceled", "57P01": "admin shutdown", "57P02": "crash shutdown",
	"57P03": "cannot connect now", "57P05": "idle session timeout", "58030": "I/O error", "58P01": "undefined file", "XX000": "internal error", "XX001": "data corrupted", "XX002": "index corrupted",
	"28P01": "invalid password", "28000": "invalid authorization", "08006": "connection failure", "08P01": "protocol violation", "22P02": "invalid text representation", "22001": "string too long",
	"25P02": "in failed transaction", "25P03": "idle in transaction timeout", "3D000": "invalid database", "22012": "division by zero", "25006": "read-only transaction", "F0000": "config file error", "": "without SQLSTATE",
}

func (p *page) logErrors(r *diagnose.LogReport) {
	if len(r.Errors) == 0 {
		return
	}
	p.gap()
	var parts []string
	for i, e := range r.Errors {
		if i == shownErrors {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s × %s", digits(int(e.Count)), errorName(&e)))
	}
	p.para("── All errors: ", faint, strings.Join(parts, ", ")+".")
}

// shownErrors are two lines of a terminal.
const shownErrors = 12

func errorName(e *diagnose.LogCount) string {
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
