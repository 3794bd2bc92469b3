package render

import (
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
)

// CheckedFile is the report on a configuration file with where its version is from.
type CheckedFile struct {
	conffile.Report
	From    string    `json:"version_from"`      // why this version: "--pg", "PG_VERSION", "newest", "--for"
	For     string    `json:"for,omitempty"`     // the machine: a description, or "this host"; "": settings alone were judged
	Assumed []Assumed `json:"assumed,omitempty"` // of a described machine what nobody told
	Policy  string    `json:"policy,omitempty"`  // the file that says what is accepted
	All     bool      `json:"-"`                 // accepted findings in full
}

// FileJSON writes the report as JSON: the same document, the same bytes.
func FileJSON(w io.Writer, d CheckedFile) error { return writeJSON(w, d) }

// FileText writes the report for a person: the findings of one kind together,
// worst first, each with its place.
func FileText(w io.Writer, d CheckedFile, st Style) error {
	p := newPage(st)
	d.Report = d.Report.In(st.Words)
	for _, l := range p.fileSubject(d) {
		p.para("", plain, l)
	}
	for _, g := range alike(fileFindings(d)) {
		p.gap()
		f := g[0]
		word := pad(p.word(severityWords[f.Severity]), p.severityColumn())
		p.line(p.tint(severityTone[f.Severity], strings.ToUpper(word)), p.tint(strong, clean(f.Title)), p.tint(faint, "  ["+clean(f.ID)+"]"))
		lead := p.label(labelSeen)
		for _, f := range g {
			p.para(lead, plain, p.place(f)+p.colon()+f.Seen)
			lead = pad("", runes(lead))
		}
		p.para(p.label(labelWhy), plain, f.Why)
		same := true
		for _, f := range g {
			same = same && f.Do == g[0].Do
		}
		lead = p.label(labelDo)
		for i, f := range g {
			switch {
			case same && i > 0:
			case same:
				p.para(lead, plain, f.Do)
			default:
				p.para(lead, plain, p.place(f)+p.colon()+f.Do)
				lead = pad("", runes(lead))
			}
		}
		p.para(p.label(labelSources), faint, sourceTitles(f.Sources))
	}
	if d.All {
		for _, a := range d.Accepted {
			f := a.Finding.Finding
			f.Instance = filePlace(a.Finding)
			p.gap()
			p.findings([]check.Finding{f})
			p.para(p.label(labelAccepted), plain, p.word(until(check.Accepted{Expires: a.Expires}))+p.colon()+a.Reason)
		}
	}
	p.gap()
	p.para("", strong, p.fileSummary(d))
	if len(d.Accepted) > 0 {
		p.para("", plain, p.accepted(acceptedFile(d)))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// fileSubject says what was read, and for which version.
func (p *page) fileSubject(d CheckedFile) []string {
	why := map[string]say.Message{
		"--pg":       say.M("show/file/flag", "as --pg says"),
		"PG_VERSION": say.M("show/file/cluster", "as the PG_VERSION of its data directory says"),
		"--for":      say.M("show/file/described", "as --for says"),
		"newest":     say.M("show/file/newest", "the newest that is known, as neither --pg nor a PG_VERSION beside it names one"),
	}[d.From]
	text := p.say("show/file/checked", "Checked: {file}", "file", clean(d.Main))
	if d.Form != conffile.PostgreSQL {
		return p.foreignSubject(d, text)
	}
	if n := len(d.Files); n > 1 {
		text += " " + p.many("show/file/more", n-1, "and {n} file that are read with it", "and {n} files that are read with it")
	}
	text += ", " + p.many("show/file/settings", d.Settings, "{n} setting", "{n} settings") + ", " + p.say("show/file/for", "for PostgreSQL {major} ({why}).", "major", d.Major, "why", why)
	out := []string{text}
	if d.Preview {
		out = append(out, p.say("show/file/preview", "PostgreSQL {major} is a preview: what is known of it is from its sources, no server was asked.", "major", d.Major))
	}
	out = append(out, p.fileAssumed(d)...)
	return append(out, p.fileHost(d, p.say("show/file/alone", "The file alone was judged, not memory, disks and kernel: name the machine with --for 'ram=…,cpus=…', or this one with --on.")))
}

// fileAssumed says what stands in for what the description of the machine does not tell.
func (p *page) fileAssumed(d CheckedFile) (out []string) {
	for _, a := range d.Assumed {
		out = append(out, p.assumed(a)+".")
	}
	return out
}

// fileHost says which machine the file was judged for; alone where none was named.
func (p *page) fileHost(d CheckedFile, alone string) string {
	switch d.For {
	case "":
		return alone
	case "this host":
		return p.say("show/file/here", "On this host.")
	}
	return p.say("show/file/host", "On a described host: {host}.", "host", clean(d.For))
}

// foreignSubject is fileSubject for a file that the server does not read.
func (p *page) foreignSubject(d CheckedFile, text string) []string {
	var what, how string
	switch d.Form {
	case conffile.Sysctl:
		what = p.say("show/file/sysctl", "kernel parameters as of sysctl.d")
		how = p.say("show/file/sysctl/alone", "What depends on memory, swap and disks was not judged: name the machine with --for 'ram=…,cpus=…', or this one with --on.")
	case conffile.Unit:
		what = p.say("show/file/unit", "a unit of systemd")
		how = p.say("show/file/unit/alone", "It was judged as the unit of a server with default settings.")
	case conffile.Fstab:
		what = p.say("show/file/fstab", "mounts as of fstab")
		how = p.say("show/file/fstab/alone", "Each mount was judged as if a data directory lay on it.")
	}
	out := []string{text + ", " + what + ", " + p.many("show/file/lines", d.Settings, "{n} line", "{n} lines") + "."}
	return append(append(out, p.fileAssumed(d)...), p.fileHost(d, how))
}

// fileFindings are the findings with their places, those of one kind together.
func fileFindings(d CheckedFile) []check.Finding {
	list := make([]check.Finding, 0, len(d.Findings))
	for _, f := range d.Findings {
		g := f.Finding
		g.Instance = filePlace(f)
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

// acceptedFile is what page.accepted asks for.
func acceptedFile(d CheckedFile) Check {
	c := Check{Policy: d.Policy, All: d.All}
	for _, a := range d.Accepted {
		c.Accepted = append(c.Accepted, check.Accepted{Finding: a.Finding.Finding})
	}
	return c
}

// filePlace is where a finding on a file is: "postgresql.conf:12".
func filePlace(f conffile.Finding) string {
	if f.Line == 0 {
		return f.File
	}
	return f.File + ":" + strconv.Itoa(f.Line)
}

func (p *page) fileSummary(d CheckedFile) string {
	plain := Check{}
	for _, f := range d.Findings {
		plain.Findings = append(plain.Findings, f.Finding)
	}
	sort.SliceStable(plain.Findings, func(a, b int) bool { return plain.Findings[a].Severity > plain.Findings[b].Severity })
	s := p.checkSummary(plain)
	if d.Left > 0 {
		s += ". " + p.many("show/file/left", d.Left, "There are more: {n} line was not judged after so many findings", "There are more: {n} lines were not judged after so many findings")
	}
	return s
}
