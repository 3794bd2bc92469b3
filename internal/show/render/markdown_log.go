package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// LogMarkdown writes what a server's log shows in Markdown.
func LogMarkdown(w io.Writer, r *diagnose.LogReport) error { return WriteMarkdown(w, LogOutline(r)) }

// FigureSpills is the picture of temporary files by size.
const FigureSpills = "spills"

// LogOutline is what a server's log shows, before any form: the verdicts worst
// first as a table, then what each rests on.
func LogOutline(r *diagnose.LogReport) Outline {
	var o Outline
	o.heading(1, "pgfettle diagnose log")
	verdict, tone := logVerdict(r)
	o.toned(tone, bold(verdict))
	o.list(items(logAbout(r)))
	if len(r.Findings) > 0 {
		t := Table{Caption: "What the log shows, worst first", Head: []string{"severity", "what", "times", "first", "last"}}
		for _, f := range r.Findings {
			t.Rows = append(t.Rows, cells(f.Severity, flat(f.Verdict), digits(int(f.Count)), f.First, f.Last))
		}
		o.add(t)
	}
	for i := range r.Findings {
		o.logFinding(r, &r.Findings[i])
	}
	if len(r.Errors) > 0 {
		o.heading(2, "All errors")
		rows := [][]string{{"SQLSTATE", "times"}}
		for i, e := range r.Errors {
			if i == mostErrors {
				o.toned(ToneNote, "The first of "+digits(len(r.Errors))+"; --format json has all.")
				break
			}
			rows = append(rows, []string{errorName(&e), digits(int(e.Count))})
		}
		o.add(tableOf("Errors by SQLSTATE", rows, 1))
	}
	o.gaps(2, "Could not be told", r.Unknown)
	return o
}

// mostErrors bounds a table that nobody reads to its end.
const mostErrors = 30

func (o *Outline) logFinding(r *diagnose.LogReport, f *diagnose.LogFinding) {
	o.heading(2, f.Severity+": ", flat(f.Verdict))
	if when := logWhen(f); when != "" {
		o.toned(ToneNote, when)
	}
	o.list(items(f.Evidence))
	switch f.ID {
	case "crash":
		o.logCrashes(r)
	case "out_of_memory":
		for i := range r.Memory.Dumps {
			o.logDump(&r.Memory.Dumps[i])
		}
	case "temporary_files":
		o.logTemp(&r.Temp)
	case "lock_waits":
		o.logStatements("Statements that waited", r.Locks.Waiting, false)
	}
	if len(f.Do) > 0 {
		o.para(bold("What to do"))
		o.list(items(f.Do))
	}
}

func (o *Outline) logCrashes(r *diagnose.LogReport) {
	var list []Item
	for i := range r.Crashes {
		if i == shownCrashes {
			list = append(list, Item{Text: prose("… and " + digits(len(r.Crashes)-i) + " more; --format json has them.")})
			break
		}
		c := &r.Crashes[i]
		it := Item{Text: prose(crashText(c), ": ", crashLasted(c))}
		if c.Statement != "" {
			it.Text = prose(it.Text, "; it ran ", code(statementOf(c.Statement, 600)))
		}
		list = append(list, it)
	}
	o.para(bold("Crashes"))
	o.list(list)
}

func (o *Outline) logDump(d *diagnose.LogDump) {
	o.para(capital(flat(dumpHead(d))))
	if d.Statement != "" {
		o.para("It ran ", code(statementOf(d.Statement, 600)))
	}
	o.logContexts("memory context, by its own bytes", d.Largest)
	o.logContexts("memory context, with all that is below it", d.Subtrees)
}

func (o *Outline) logContexts(what string, list []diagnose.LogContext) {
	rows := [][]string{{what, "size"}}
	for i := range list[:min(len(list), shownContexts)] {
		rows = append(rows, []string{contextName(&list[i]), list[i].Bytes.String()})
	}
	if len(rows) > 1 {
		o.add(tableOf(capital(what), rows, 1))
	}
}

func (o *Outline) logTemp(t *diagnose.LogTemp) {
	rows := [][]string{{"size of a temporary file", "files", "together"}}
	for i := range t.Classes {
		c := &t.Classes[i]
		rows = append(rows, []string{ClassName(c), digits(int(c.Files)), c.Bytes.String()})
	}
	if len(rows) > 1 {
		o.add(Figure{Name: FigureSpills}, tableOf("Temporary files by size", rows, 1))
	}
	o.logStatements("Statements that wrote most", t.Statements, true)
	if t.Others.Count > 0 {
		o.toned(ToneNote, t.Others.Bytes.String()+" in "+digits(int(t.Others.Count))+" files of other statements.")
	}
	if t.Lossy {
		o.toned(ToneNote, lossyStatements)
	}
}

// logStatements is a table of the heaviest.
func (o *Outline) logStatements(caption string, list []diagnose.LogStatement, sized bool) {
	if len(list) == 0 {
		return
	}
	t := Table{Caption: caption, Head: []string{"statement", "by", "times"}}
	if sized {
		t.Head = []string{"statement", "by", "files", "together", "largest"}
	}
	for i := range list[:min(len(list), shownStatements)] {
		s := &list[i]
		name := prose(statementName(s))
		if s.Fingerprint != "" && s.Text != "" {
			name = prose(code(shorten(statementName(s), 300)))
		}
		row := []Prose{name, prose(statementBy(s)), prose(digits(int(s.Count)))}
		if sized {
			row = append(row, prose(s.Bytes.String()), prose(s.Largest.String()))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Numbers = 2
	o.add(t)
	if n := len(list) - shownStatements; n > 0 {
		o.toned(ToneNote, "… and "+count(n, "statement", "statements")+"; --format json has them.")
	}
}
