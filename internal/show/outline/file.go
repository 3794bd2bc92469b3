package outline

import (
	"sort"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// File is the report on a configuration file before any form.
func File(d document.File, c *say.Catalogue) Outline {
	p := WordsIn(c)
	d.Report = d.Report.In(c)
	var o Outline
	o.title("pgfettle check", d.Main)
	for _, l := range p.FileSubject(d) {
		o.Para(l)
	}
	summary := []string{p.FileSummary(d)}
	if len(d.Accepted) > 0 {
		summary = append(summary, p.Kept(AcceptedFile(d)))
	}
	o.Summary(summary...)
	groups := Alike(FileFindings(d))
	p.findingTable(&o, groups)
	for _, g := range groups {
		o.Add(p.fileFindingOf(g))
	}
	if d.All {
		for _, a := range d.Accepted {
			f := a.Finding.Finding
			f.Instance = FilePlace(a.Finding)
			found := p.acceptedOf(check.Accepted{Finding: f, Expires: a.Expires, Reason: a.Reason})
			o.Add(p.joinPlace(found, []check.Finding{f}))
		}
	}
	return o
}

// fileFindingOf is a finding in a file. Its place and what was seen there are one text,
// FILE:LINE: TEXT, as compilers have it, which editors and terminals take for a link.
func (p Words) fileFindingOf(g []check.Finding) Finding { return p.joinPlace(p.findingOf(g), g) }

func (p Words) joinPlace(f Finding, g []check.Finding) Finding {
	if list := f.Fields.List; list[0].Name == p.Word(labelWhere) {
		list[1].Items = []Item{ItemOf(Join(p.Places(g), p.Colon()), g[0].Seen.String())}
		f.Fields.List = list[1:]
	}
	return f
}

// FileSubject says what was read, and for which version.
func (p Words) FileSubject(d document.File) []string {
	why := map[string]say.Message{
		"--pg":       say.M("show/file/flag", "as --pg says"),
		"PG_VERSION": say.M("show/file/cluster", "as the PG_VERSION of its data directory says"),
		"--for":      say.M("show/file/described", "as --for says"),
		"newest": say.M("show/file/newest",
			"the newest that is known, as neither --pg nor a PG_VERSION beside it names one"),
	}[d.From]
	text := p.Say("show/file/checked", "Checked: {file}", "file", typeset.Clean(d.Main))
	if d.Form != conffile.PostgreSQL {
		return p.foreignSubject(d, text)
	}
	if n := len(d.Files); n > 1 {
		text += " " + p.Many("show/file/more", n-1, "and {n} file that are read with it",
			"and {n} files that are read with it")
	}
	text += ", " + p.Many("show/file/settings", d.Settings, "{n} setting", "{n} settings") + ", " +
		p.Say("show/file/for", "for PostgreSQL {major} ({why}).", "major", d.Major, "why", why)
	out := []string{text}
	if d.Preview {
		out = append(out, p.Say("show/file/preview",
			"PostgreSQL {major} is a preview: what is known of it is from its sources, no server was asked.",
			"major", d.Major))
	}
	out = append(out, p.fileAssumed(d)...)
	return append(out, p.fileHost(d, p.Say("show/file/alone",
		"The file alone was judged, not memory, disks and kernel: name the machine with --for 'ram=…,cpus=…', or "+
			"this one with --on.")))
}

// fileAssumed says what stands in for what the description of the machine does not tell.
func (p Words) fileAssumed(d document.File) (out []string) {
	for _, a := range d.Assumed {
		out = append(out, p.Assumed(a)+".")
	}
	return out
}

// fileHost says which machine the file was judged for; alone where none was named.
func (p Words) fileHost(d document.File, alone string) string {
	switch d.For {
	case "":
		return alone
	case "this host":
		return p.Say("show/file/here", "On this host.")
	}
	return p.Say("show/file/host", "On a described host: {host}.", "host", typeset.Clean(d.For))
}

// foreignSubject is fileSubject for a file that the server does not read.
func (p Words) foreignSubject(d document.File, text string) []string {
	var what, how string
	switch d.Form {
	case conffile.Sysctl:
		what = p.Say("show/file/sysctl", "kernel parameters as of sysctl.d")
		how = p.Say("show/file/sysctl/alone",
			"What depends on memory, swap and disks was not judged: name the machine with --for 'ram=…,cpus=…', or "+
				"this one with --on.")
	case conffile.Unit:
		what = p.Say("show/file/unit", "a unit of systemd")
		how = p.Say("show/file/unit/alone", "It was judged as the unit of a server with default settings.")
	case conffile.Fstab:
		what = p.Say("show/file/fstab", "mounts as of fstab")
		how = p.Say("show/file/fstab/alone", "Each mount was judged as if a data directory lay on it.")
	}
	out := []string{text + ", " + what + ", " + p.Many("show/file/lines", d.Settings, "{n} line", "{n} lines") + "."}
	return append(append(out, p.fileAssumed(d)...), p.fileHost(d, how))
}

// FileFindings are the findings with their places, those of one kind together.
func FileFindings(d document.File) []check.Finding {
	list := make([]check.Finding, 0, len(d.Findings))
	for _, f := range d.Findings {
		g := f.Finding
		g.Instance = FilePlace(f)
		list = append(list, g)
	}
	sort.SliceStable(list, func(a, b int) bool {
		if list[a].Severity != list[b].Severity {
			return list[a].Severity > list[b].Severity
		}
		return list[a].ID < list[b].ID
	})
	return list
}

// AcceptedFile is what page.accepted asks for.
func AcceptedFile(d document.File) document.Check {
	c := document.Check{Policy: d.Policy, All: d.All}
	for _, a := range d.Accepted {
		c.Accepted = append(c.Accepted, check.Accepted{Finding: a.Finding.Finding})
	}
	return c
}

// FilePlace is where a finding on a file is: "postgresql.conf:12".
func FilePlace(f conffile.Finding) string {
	if f.Line == 0 {
		return f.File
	}
	return f.File + ":" + strconv.Itoa(f.Line)
}

func (p Words) FileSummary(d document.File) string {
	plain := document.Check{}
	for _, f := range d.Findings {
		plain.Findings = append(plain.Findings, f.Finding)
	}
	sort.SliceStable(plain.Findings, func(a, b int) bool {
		return plain.Findings[a].Severity > plain.Findings[b].Severity
	})
	s := p.CheckSummary(plain)
	if d.Left > 0 {
		s += ". " + p.Many("show/file/left", d.Left, "There are more: {n} line was not judged after so many findings",
			"There are more: {n} lines were not judged after so many findings")
	}
	return s
}
