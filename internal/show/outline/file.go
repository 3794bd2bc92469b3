package outline

import (
	"sort"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
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
		"--pg":       say.M("as --pg says"),
		"PG_VERSION": say.M("as the PG_VERSION of its data directory says"),
		"--for":      say.M("as --for says"),
		"file":       say.M("as its text says"),
		"newest":     say.M("the newest that is known, as neither --pg nor a PG_VERSION beside it names one"),
	}[d.From]
	text := p.Say("Checked: {file}", "file", typeset.Clean(d.Main))
	if conffile.Foreign(d.Form) {
		return append(p.foreignSubject(d, text), p.fileRest(d)...)
	}
	if form := p.fileForm(d.Form); form != "" {
		text += ", " + p.Say("read as {form}", "form", form)
	}
	if n := len(d.Files); n > 1 {
		text += " " + p.Many(n-1, "and {n} file that are read with it",
			"and {n} files that are read with it")
	}
	text += ", " + p.Many(d.Settings, "{n} setting", "{n} settings") + ", " +
		p.Say("for PostgreSQL {major} ({why}).", "major", d.Major, "why", why)
	out := []string{text}
	if d.Preview {
		out = append(out, p.Say("PostgreSQL {major} is a preview: what is known of it is from its sources, no server "+
			"was asked.",
			"major", d.Major))
	}
	out = append(out, p.fileNames(d)...)
	out = append(out, p.fileRest(d)...)
	if d.Machine != "" && d.For == "" {
		return append(out, p.Say("The text names a machine, and its lines were judged for it: {machine}. --for names "+
			"another one.",
			"machine", typeset.Clean(d.Machine)))
	}
	out = append(out, p.fileAssumed(d)...)
	return append(out, p.fileHost(d, p.Say("The file alone was judged, not memory, disks and kernel: name the "+
		"machine with --for 'ram=…,cpus=…', or "+
		"this one with --on.")))
}

// fileForm is what a text was taken for; "" for what the server reads itself.
func (p Words) fileForm(f conffile.Form) string {
	switch conftext.Form(f) {
	case conftext.Plain:
		return ""
	case conftext.Pasted:
		return p.Say("lines of a postgresql.conf in a text")
	case conftext.Recovery:
		return p.Say("a recovery.conf, which PostgreSQL 12 and later does not start with")
	case conftext.AlterSystem:
		return p.Say("ALTER SYSTEM statements")
	case conftext.CommandLine:
		return p.Say("options of a command line")
	case conftext.ShowAll:
		return p.Say("the output of SHOW ALL")
	case conftext.PgSettings:
		return p.Say("rows of pg_settings")
	case conftext.List:
		return p.Say("a list of parameters")
	case conftext.Program:
		return p.Say("settings in a text of another program")
	}
	return p.Say("{name} configuration", "name", string(f))
}

// fileNames tells where the text names another version than the one it was judged for.
func (p Words) fileNames(d document.File) (out []string) {
	if d.Names != nil && d.Names.Version != "" && d.From != "file" && d.Names.Version != strconv.Itoa(d.Major) {
		out = append(out, p.Say("The text names PostgreSQL {version} (line {line}).",
			"version", typeset.Clean(d.Names.Version), "line", d.Names.Line))
	}
	if d.Product != "" {
		out = append(out, p.Say("It sets parameters of {product}, which was made from PostgreSQL. They were not "+
			"judged.",
			"product", d.Product))
	}
	for _, f := range d.NotGiven {
		out = append(out, p.Say("It includes {file}, which was not given.",
			"file", typeset.Clean(f)))
	}
	return out
}

// fileRest says what was seen and not understood.
func (p Words) fileRest(d document.File) (out []string) {
	if d.Unread != nil {
		out = append(out, p.Many(d.Unread.Lines, "{n} line was not understood",
			"{n} lines were not understood")+p.Say(", the first is line {line}: {text}", "line",
			d.Unread.First, "text", typeset.Clean(d.Unread.Text)))
	}
	templates := 0
	for _, r := range d.Read {
		if r.Template {
			templates++
		}
	}
	if templates > 0 {
		out = append(out, p.Many(templates,
			"{n} value is filled in by a template and was not judged.",
			"{n} values are filled in by a template and were not judged."))
	}
	return out
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
		return p.Say("On this host.")
	}
	return p.Say("On a described host: {host}.", "host", typeset.Clean(d.For))
}

// foreignSubject is fileSubject for a file that the server does not read.
func (p Words) foreignSubject(d document.File, text string) []string {
	var what, how string
	switch d.Form {
	case conffile.Sysctl:
		what = p.Say("kernel parameters as of sysctl.d")
		how = p.Say("What depends on memory, swap and disks was not judged: name the machine with --for " +
			"'ram=…,cpus=…', or this one with --on.")
	case conffile.Unit:
		what = p.Say("a unit of systemd")
		how = p.Say("It was judged as the unit of a server with default settings.")
	case conffile.Tuned:
		what = p.Say("a profile of TuneD")
		how = p.Say("What depends on memory, swap and disks was not judged: name the machine with --for " +
			"'ram=…,cpus=…', or this one with --on.")
	case conffile.Limits:
		what = p.Say("limits as of limits.conf")
		how = p.Say("They hold for login sessions. A service that systemd starts does not read them: see its " +
			"LimitNOFILE.")
	case conffile.Grub:
		what = p.Say("parameters of the kernel's command line")
		how = p.Say("Only transparent_hugepage was judged.")
	case conffile.Fstab:
		what = p.Say("mounts as of fstab")
		how = p.Say("Each mount was judged as if a data directory lay on it.")
	}
	out := []string{text + ", " + what + ", " + p.Many(d.Settings, "{n} line", "{n} lines") + "."}
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
		s += ". " + p.Many(d.Left, "There are more: {n} line was not judged after so many findings",
			"There are more: {n} lines were not judged after so many findings")
	}
	return s
}
