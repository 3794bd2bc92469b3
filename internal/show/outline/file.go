package outline

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

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
	later := laterVersions(&d)
	d.Report = d.Report.In(c)
	var o Outline
	o.title("pgfettle check", d.Main)
	for _, l := range p.FileSubject(d) {
		o.Para(l)
	}
	if len(later) > 0 {
		o.Para(p.Say("Review before an upgrade to a later major version: {settings}. With --upgrade-to N, the "+
			"report says why.", "settings", say.List{Items: later, Most: 8}))
	}
	summary := []string{p.FileSummary(d)}
	if len(d.Accepted) > 0 {
		summary = append(summary, p.Kept(AcceptedFile(d)))
	}
	if d.Upgrade != nil {
		summary = append(summary, p.UpgradeSummary(*d.Upgrade))
	}
	o.Summary(summary...)
	if d.Upgrade != nil {
		p.upgrade(&o, *d.Upgrade, false)
	}
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

// laterVersions takes the findings on later versions that only inform out of a report, unless an upgrade was asked
// for: nearly every configuration has some, and most are not upgraded. It returns the settings that they name.
func laterVersions(d *document.File) (names []say.Message) {
	if d.Upgrade != nil {
		return nil
	}
	kept := []conffile.Finding{}
	for _, f := range d.Findings {
		list, ok := f.Seen.Args["settings"].(say.List)
		if f.ID != "next_major_breaks" || f.Severity != check.Info || !ok {
			kept = append(kept, f)
			continue
		}
		for _, m := range list.Items {
			names = append(names, say.Text(fmt.Sprintf("%v = %v", m.Args["name"], m.Args["value"])))
		}
	}
	d.Findings = kept
	return names
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
		"--pg":       say.M("set with --pg"),
		"PG_VERSION": say.M("from the PG_VERSION of its data directory"),
		"--for":      say.M("set with --for"),
		"file":       say.M("named in the text"),
		"oldest":     say.M("the oldest known version, as the text names an older one"),
		"newest":     say.M("the newest known version, as neither --pg nor a PG_VERSION next to the file names one"),
	}[d.From]
	if conffile.Foreign(d.Form) {
		return append(p.foreignSubject(d), p.fileRest(d)...)
	}
	pairs := []any{"file", typeset.Clean(d.Main), "settings", say.N(d.Settings, "{n} setting", "{n} settings"), "major",
		d.Major, "why", why}
	text := say.M("Checked {file}: {settings}, for PostgreSQL {major} ({why}).", pairs...)
	if n := len(d.Files); n > 1 {
		text = say.M("Checked {file} and {included}: {settings}, for PostgreSQL {major} ({why}).", append(pairs,
			"included",
			say.N(n-1, "{n} included file", "{n} included files"))...)
	}
	var read say.Message
	if form := fileForm(d.Form); !form.IsZero() {
		read = say.M("Format: {form}.", "form", form)
	}
	out := []string{p.Word(say.All(" ", text, read))}
	if note := setElsewhere(d); !note.IsZero() {
		out = append(out, p.Word(note))
	}
	if d.Candidate != "" {
		out = append(out, p.Say("The parameters of PostgreSQL {major} are those of the release candidate {version}: "+
			"the release may differ.", "major", d.Major, "version", d.Candidate))
	}
	out = append(out, p.fileNames(d)...)
	out = append(out, p.fileRest(d)...)
	if d.Machine != "" && d.For == "" {
		return append(out, p.Say("The text describes a machine, and was checked for it: {machine}. To check for "+
			"another one, use --for.",
			"machine", typeset.Clean(d.Machine)))
	}
	out = append(out, p.fileAssumed(d)...)
	return append(out, p.fileHost(d, p.Say("Only the file was checked, not memory, disks and kernel. Describe a "+
		"machine with --for 'ram=…,cpus=…', or use this host with --on.")))
}

// setElsewhere says what to do instead of ALTER SYSTEM where it has no effect, or does not exist.
func setElsewhere(d document.File) say.Message {
	if conftext.Form(d.Form) == conftext.Patroni {
		return say.M("Patroni sets these parameters: where a finding says ALTER SYSTEM, use patronictl edit-config " +
			"instead.")
	}
	if len(d.Findings) == 0 {
		return say.Message{}
	}
	if d.Names != nil && d.Names.Managed != "" {
		return say.M("{service} does not allow ALTER SYSTEM: where a finding says it, change the parameter in the "+
			"configuration of the service instead.", "service", d.Names.Managed)
	}
	switch conftext.Form(d.Form) {
	case conftext.CommandLine, conftext.Compose:
		return say.M("Options of the command line override ALTER SYSTEM: where a finding says ALTER SYSTEM, " +
			"change the option instead, and restart.")
	case conftext.CNPG, conftext.Zalando, conftext.Crunchy, conftext.Percona, conftext.StackGres, conftext.KubeBlocks,
		conftext.Manifest, conftext.Helm, conftext.Terraform:
		return say.M("Another program sets these parameters: where a finding says ALTER SYSTEM, change this text " +
			"instead, and apply it.")
	case conftext.AlterSystem:
		return say.Message{}
	}
	for _, f := range d.Findings {
		last, _ := f.Seen.Args["last"].(string)
		old := d.Names != nil && (strings.HasPrefix(d.Names.Version, "8.") ||
			strings.HasPrefix(d.Names.Version, "9.") && d.Names.Version < "9.4")
		if d.From == "oldest" && old || d.From == "newest" && strings.HasPrefix(last, "9.") && last < "9.5" {
			return say.M("ALTER SYSTEM exists since PostgreSQL 9.4: for an older server, change " +
				"postgresql.conf instead.")
		}
	}
	return say.Message{}
}

// fileForm is what a text was taken for; nothing for what the server reads itself.
func fileForm(f conffile.Form) say.Message {
	switch conftext.Form(f) {
	case conftext.Plain:
		return say.Message{}
	case conftext.Pasted:
		return say.M("postgresql.conf lines within other text")
	case conftext.Recovery:
		return say.M("recovery.conf (PostgreSQL 12 and later does not start with this file)")
	case conftext.AlterSystem:
		return say.M("ALTER SYSTEM statements")
	case conftext.CommandLine:
		return say.M("command-line options")
	case conftext.ShowAll:
		return say.M("output of SHOW ALL")
	case conftext.PgSettings:
		return say.M("rows of pg_settings")
	case conftext.List:
		return say.M("list of parameters")
	case conftext.Program:
		return say.M("settings in the text of another program")
	}
	return say.M("{name} configuration", "name", string(f))
}

// fileNames reports where the text names a version other than the one it was judged for.
func (p Words) fileNames(d document.File) (out []string) {
	if d.Names != nil && d.Names.Version != "" && d.From != "file" && d.Names.Version != strconv.Itoa(d.Major) {
		out = append(out, p.Say("The text names PostgreSQL {version} (line {line}).",
			"version", typeset.Clean(d.Names.Version), "line", d.Names.Line))
	}
	if d.Product != "" {
		out = append(out, p.Say("It sets parameters of {product}, which is based on PostgreSQL. They were not "+
			"checked.",
			"product", d.Product))
	}
	for _, a := range d.Also {
		form, lines := foreignForm(a.Form), say.N(a.Lines, "{n} line", "{n} lines")
		switch {
		case form.IsZero():
			out = append(out, p.Say("It also contains lines of another file, which were not checked: {form}, {lines}.",
				"form", string(a.Form), "lines", lines))
		case a.Checked:
			out = append(out, p.Say("It also contains lines of another file, which were checked too: {form}, {lines}.",
				"form", form, "lines", lines))
		}
	}
	for _, f := range d.NotGiven {
		out = append(out, p.Say("It includes {file}, which was not provided.",
			"file", typeset.Clean(f)))
	}
	return out
}

// fileRest says what was seen and not understood.
func (p Words) fileRest(d document.File) (out []string) {
	if d.Unread != nil {
		out = append(out, p.Many(d.Unread.Lines, "{n} line was not understood: line {line}: {text}",
			"{n} lines were not understood. The first is line {line}: {text}", "line", d.Unread.First, "text",
			typeset.Clean(d.Unread.Text)))
	}
	templates := 0
	for _, r := range d.Read {
		if r.Template {
			templates++
		}
	}
	if templates > 0 {
		out = append(out, p.Many(templates,
			"{n} value is filled in by a template and was not checked.",
			"{n} values are filled in by a template and were not checked."))
	}
	return out
}

// fileAssumed says what is assumed for what the description of the host does not give.
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
		return p.Say("Checked for this host.")
	}
	return p.Say("Checked for the described host: {host}.", "host", typeset.Clean(d.For))
}

// foreignForm is what a file of another program has; nothing for one that is not checked.
func foreignForm(f conffile.Form) say.Message {
	switch f {
	case conffile.Sysctl:
		return say.M("kernel parameters in sysctl.d format")
	case conffile.Unit:
		return say.M("systemd unit")
	case conffile.Tuned:
		return say.M("TuneD profile")
	case conffile.Limits:
		return say.M("limits in limits.conf format")
	case conffile.Grub:
		return say.M("kernel command line parameters")
	case conffile.Fstab:
		return say.M("mounts in fstab format")
	}
	return say.Message{}
}

// foreignSubject is fileSubject for a file that the server does not read.
func (p Words) foreignSubject(d document.File) []string {
	what := foreignForm(d.Form)
	var how string
	host := p.Say("Memory, swap and disks are unknown, so rules that depend on them were not applied. Describe a " +
		"machine with --for 'ram=…,cpus=…', or use this host with --on.")
	switch d.Form {
	case conffile.Sysctl, conffile.Tuned:
		how = host
	case conffile.Unit:
		how = p.Say("It was checked as the unit of a server with default settings.")
	case conffile.Limits:
		how = p.Say("These limits apply to login sessions. A service that systemd starts does not read them: see its " +
			"LimitNOFILE.")
	case conffile.Grub:
		how = p.Say("Only transparent_hugepage was checked.")
	case conffile.Fstab:
		how = p.Say("Each mount was checked as if a data directory were on it.")
	}
	out := []string{p.Say("Checked {file} ({form}): {lines}.", "file", typeset.Clean(d.Main), "form", what, "lines",
		say.N(d.Settings, "{n} line", "{n} lines"))}
	for _, profile := range d.NotGiven {
		out = append(out, p.Say("It includes the profile {profile}, which is not in the file: values that only that "+
			"profile sets were not checked.", "profile", typeset.Clean(profile)))
	}
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
		s = p.Many(d.Left, "{n} more line was not checked, because there are too many findings.",
			"{n} more lines were not checked, because there are too many findings.") + " " + s
	}
	return s
}
