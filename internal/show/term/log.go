package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Log writes it for a person in a hurry: the verdicts worst first, then what
// each rests on, then the details that have a table, then what could not be told.
func Log(w io.Writer, r *serverlog.Report, st Style) error {
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
			p.para("  "+typeset.Clean(g.Fact)+": ", plain, g.Reason)
			if g.Reveal != "" {
				p.para("    → ", faint, g.Reveal)
			}
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) logHead(r *serverlog.Report) {
	verdict, meant := reports.LogVerdict(r)
	t := toneOf(meant)
	if meant == outline.ToneNone {
		t = strong
	}
	p.para("", t, verdict)
	for _, l := range reports.LogAbout(r) {
		p.para("", faint, l)
	}
}

func (p *page) logFinding(r *serverlog.Report, f *serverlog.Finding) {
	t := map[string]tone{serverlog.Critical: red, serverlog.Warning: yellow}[f.Severity]
	p.para("── "+f.Severity+": ", t, f.Verdict+".")
	if when := reports.LogWhen(f); when != "" {
		p.para("   ", faint, when)
	}
	for _, e := range f.Evidence {
		p.para("   · ", plain, typeset.Flat(e))
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
		p.para("   → ", plain, typeset.Flat(d))
	}
}

func (p *page) logCrashes(r *serverlog.Report) {
	for i, c := range r.Crashes {
		if i == reports.ShownCrashes {
			p.para("   ", faint, fmt.Sprintf("… and %s more; --format json has them.", typeset.Digits(len(r.Crashes)-i)))
			return
		}
		p.para("   · ", plain, reports.CrashText(&c))
		p.para("     ", plain, reports.CrashLasted(&c))
		if c.Statement != "" {
			p.para("     it ran: ", plain, typeset.Flat(c.Statement))
		}
	}
}

func (p *page) logDump(d *serverlog.Dump) {
	p.para("   · ", plain, reports.DumpHead(d))
	if d.Statement != "" {
		p.para("     it ran: ", plain, typeset.Flat(d.Statement))
	}
	p.line("     by their own bytes:")
	for _, c := range d.Largest[:min(len(d.Largest), reports.ShownContexts)] {
		p.logContext(c)
	}
	p.line("     with all that is below them:")
	for _, c := range d.Subtrees[:min(len(d.Subtrees), reports.ShownContexts)] {
		p.logContext(c)
	}
}

func (p *page) logContext(c serverlog.Context) {
	p.para("     "+typeset.PadLeft(c.Bytes.String(), 9)+"  ", plain, reports.ContextName(&c))
}

func (p *page) logTemp(t *serverlog.Temp) {
	for _, c := range t.Classes {
		p.line("     ", typeset.Pad(reports.ClassName(&c), 18), typeset.PadLeft(typeset.Digits(int(c.Files)), 9), "  ", typeset.PadLeft(c.Bytes.String(), 9))
	}
	p.logStatements(t.Statements, true)
	if t.Others.Count > 0 {
		p.para("     "+typeset.PadLeft(t.Others.Bytes.String(), 9)+"  ", faint, fmt.Sprintf("%s files of other statements", typeset.Digits(int(t.Others.Count))))
	}
	if t.Lossy {
		p.para("     ", faint, reports.LossyStatements)
	}
}

func (p *page) logStatements(list []serverlog.Statement, sized bool) {
	for i, s := range list {
		if i == reports.ShownStatements {
			p.para("     ", faint, fmt.Sprintf("… and %s; --format json has them.", typeset.Count(len(list)-i, "statement", "statements")))
			return
		}
		text, who := reports.StatementName(&s), ""
		if by := reports.StatementBy(&s); by != "" {
			who = " — " + by
		}
		lead := "     " + typeset.PadLeft(typeset.Digits(int(s.Count)), 9) + " ×  "
		if sized {
			lead = "     " + typeset.PadLeft(s.Bytes.String(), 9) + "  "
			who += fmt.Sprintf(" (%s, largest %s)", typeset.Count(int(s.Count), "file", "files"), s.Largest)
		}
		p.para(lead, plain, text+who)
	}
}

func (p *page) logErrors(r *serverlog.Report) {
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
		parts = append(parts, fmt.Sprintf("%s × %s", typeset.Digits(int(e.Count)), reports.ErrorName(&e)))
	}
	p.para("── All errors: ", faint, strings.Join(parts, ", ")+".")
}

// shownErrors are two lines of a terminal.
const shownErrors = 12
