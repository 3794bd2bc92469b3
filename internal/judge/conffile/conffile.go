// Package conffile judges a configuration file without a server: whether a given
// major version accepts each line of it, which lines take effect, and which of the
// values in effect are dangerous. It is pure: a resolved configuration in, findings
// with file and line out.
package conffile

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Schema names the version of the JSON form of Report.
const Schema = "pgfettle.conf/1"

// Finding is a check's finding with its place.
type Finding struct {
	check.Finding
	File    string `json:"file"`
	Line    int    `json:"line"`              // from 1; 0: the file as a whole
	Setting string `json:"setting,omitempty"` // lower case, as the line names it
}

// Report is the document of a run.
type Report struct {
	Schema string `json:"schema"`
	Form   Form   `json:"form"` // which program reads the file, or what the text was taken for
	Main   string `json:"main"`
	Major  int    `json:"major"` // 0 for a file that is none of the server's
	// Candidate is the release candidate that the facts of this version were read from; "" for a release
	Candidate string     `json:"candidate,omitempty"`
	Files     []string   `json:"files"`                    // read, each once, in their order
	Settings  int        `json:"settings"`                 // lines that set something
	Read      []Read     `json:"read"`                     // what they set, in the order read; bounded
	Unread    *Unread    `json:"not_understood,omitempty"` // of a text that no program reads as it is; nil for none
	Names     *Names     `json:"names,omitempty"`          // what the text says of the server and its machine
	Product   string     `json:"product,omitempty"`        // made from PostgreSQL, whose parameters the text sets
	Machine   string     `json:"machine,omitempty"`        // that Names describes, if the text was judged for it
	NotGiven  []string   `json:"not_given,omitempty"`      // files that the text includes
	Also      []Also     `json:"also,omitempty"`           // files of other programs that the text contains too
	Findings  []Finding  `json:"findings"`                 // by file in the order read, then by line
	Left      int        `json:"left_out"`                 // findings past the bound
	Accepted  []Accepted `json:"accepted,omitempty"`       // in the same order; none of them is among Findings
}

// Read is a setting as it was read.
type Read struct {
	Name     string `json:"name"`
	Value    string `json:"value"` // without passwords
	File     string `json:"file"`
	Line     int    `json:"line"`
	Counts   bool   `json:"counts"`             // no later line sets it again
	Template bool   `json:"template,omitempty"` // a template fills the value in
}

// Unread are lines that were seen and not understood.
type Unread struct {
	Lines int    `json:"lines"`
	First int    `json:"first"` // its number, from 1
	Text  string `json:"text"`
}

// Names is what a text says about the server and the host that it is for; what it does
// not say is absent.
type Names struct {
	Version string `json:"version,omitempty"` // as written: "14", "9.6"
	Line    int    `json:"version_line,omitempty"`
	RAM     uint64 `json:"ram,omitempty"` // bytes
	RAMLine int    `json:"ram_line,omitempty"`
	CPUs    int    `json:"cpus,omitempty"`
	Storage string `json:"storage,omitempty"` // ssd, hdd, san
	OS      string `json:"os,omitempty"`      // windows
	Managed string `json:"managed,omitempty"` // the service that runs the server, which does not allow ALTER SYSTEM
}

// Also is a file of another program in the same text.
type Also struct {
	Form    Form `json:"form"`
	Lines   int  `json:"lines"`   // that set something, or all of it if it was not checked
	Checked bool `json:"checked"` // its findings are among the others
}

// Accepted is a finding with the acceptance that keeps it out of the others.
type Accepted struct {
	Finding
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
}

// Accept removes accepted findings. The instance of an acceptance is the file as
// findings show it.
func (r *Report) Accept(o check.Options) {
	kept := []Finding{}
	for _, f := range r.Findings {
		at := f.Finding
		at.Instance = f.File
		if a := o.Accepts(&at); a != nil {
			r.Accepted = append(r.Accepted, Accepted{f, a.Reason, a.Expires})
			continue
		}
		kept = append(kept, f)
	}
	r.Findings = kept
}

// Worst returns the worst severity; ok is false without findings.
func (r *Report) Worst() (worst check.Severity, ok bool) {
	for _, f := range r.Findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(r.Findings) > 0
}

// In returns the report in the language of a catalog, as check.Finding.In.
func (r Report) In(c *say.Catalogue) Report {
	if c == nil {
		return r
	}
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		r.Findings[i].Finding = r.Findings[i].Finding.In(c)
	}
	r.Accepted = slices.Clone(r.Accepted)
	for i := range r.Accepted {
		r.Accepted[i].Finding.Finding = r.Accepted[i].Finding.Finding.In(c)
	}
	return r
}

// most bounds the findings of a hostile file: each unknown name costs a comparison
// with all known ones.
const most = 1000

// Judge judges what conf.Resolve read for a major version that params covers.
// show spells a file's path for people; main is the file that was named. host is
// the host that the file is for, with one instance; nil if none is named: then the
// checks judge settings alone.
func Judge(r conf.Resolved, main string, major int, show func(string) string, host *snapshot.Snapshot,
	checks []check.Check) Report {
	return judgeAs(r, conftext.Text{Form: conftext.Plain}, main, major, show, host, false, checks)
}

// judgeAs judges settings that are in a text of some form.
func judgeAs(r conf.Resolved, text conftext.Text, main string, major int, show func(string) string,
	host *snapshot.Snapshot, named bool, checks []check.Check) Report {
	given := r.Settings
	r.Settings = withMeant(r)
	j := &judge{
		major: major, show: show, main: main, last: map[string]conf.Setting{}, told: told(text),
		named: named, form: text.Form, rules: rulesOf(text.Rules), sets: map[string]conf.Setting{},
		windows: text.Named.Windows, older: olderOf(text.Named), fragment: fragment(text.Form),
		huge: unit.Bytes(text.Named.Huge),
		out: Report{Schema: Schema, Form: Form(text.Form), Main: show(main), Major: major,
			Candidate: params.Candidate(major), Files: []string{}, Settings: len(r.Settings), Findings: []Finding{}},
	}
	j.out.Read = j.read(r.Settings)
	for _, s := range r.Settings {
		j.sets[s.Name] = s
	}
	rank := map[string]int{}
	for _, f := range r.Files {
		if _, ok := rank[show(f)]; !ok {
			rank[show(f)] = len(rank)
			j.out.Files = append(j.out.Files, show(f))
		}
	}
	for _, f := range r.Faults {
		j.fault(f)
	}
	for _, s := range given {
		if odd(s) && text.Form == conftext.Plain {
			j.fault(conf.Fault{File: s.File, Line: s.Line, Reason: "syntax error", Text: s.Name + " = " + s.Value})
		}
	}
	for _, s := range r.Settings {
		j.name(s)
	}
	j.places(r.Settings)
	j.conflicts()
	j.onlyReloaded(text.Reload)
	j.server(host, checks)
	sort.SliceStable(j.out.Findings, func(a, b int) bool {
		x, y := &j.out.Findings[a], &j.out.Findings[b]
		if x.File != y.File {
			return rank[x.File] < rank[y.File]
		}
		return x.Line < y.Line
	})
	return j.out
}

type judge struct {
	major   int
	show    func(string) string
	main    string
	order   []string                // the names of last, as the files set them
	last    map[string]conf.Setting // the line that counts, by the name that the server has for it
	bad     map[string]bool         // settings whose value the server rejects, so that no other check uses it
	asked   int                     // names that were compared with all known ones
	told    map[place]conftext.Setting
	sets    map[string]conf.Setting // the last line of each name, in effect or not
	form    conftext.Form
	rules   []pg.HBARule // among the settings
	windows bool         // the text says that the server runs on it
	older   string       // the version that the text names, if it is older than all that are known; else ""
	// the text is not the whole configuration: what it does not set may be set elsewhere
	fragment bool
	huge     unit.Bytes // of huge pages that a container may use in addition to its memory limit
	// the host is one that the text names: what the file as a whole lacks is not reported
	named bool
	out   Report
}

// found reports at the kind's own severity; text has {name} placeholders.
func (j *judge) found(k *check.Check, at conf.Setting, text say.Template, pairs ...any) {
	j.report(k, k.Severity, say.M(k.Remedy(), pairs...), at, say.M(text, pairs...))
}

func (j *judge) report(k *check.Check, sev check.Severity, do say.Message, at conf.Setting, seen say.Message) {
	if len(j.out.Findings) >= most {
		j.out.Left++
		return
	}
	j.out.Findings = append(j.out.Findings, Finding{
		Finding: k.Finding(sev, do, seen), // no kind has the name of a check
		File:    j.show(at.File), Line: at.Line, Setting: at.Name,
	})
}

// where names another line: "other.conf line 3", "line 3" within the same file.
func (j *judge) where(s conf.Setting, from string) say.Message {
	if s.File == from {
		return say.M("line {line}", "line", fmt.Sprint(s.Line))
	}
	return say.M("{file} line {line}", "file", j.show(s.File), "line", fmt.Sprint(s.Line))
}

func (j *judge) fault(f conf.Fault) {
	k := &Syntax
	if !strings.HasPrefix(f.Reason, "syntax error") {
		k = &Include
	}
	if _, why := conftext.Meant(f.Text); why != "" {
		j.found(k, conf.Setting{File: f.File, Line: f.Line}, "{reason}: {why}.", "reason", f.Reason, "why", why)
		return
	}
	j.found(k, conf.Setting{File: f.File, Line: f.Line}, "{reason}.", "reason", f.Reason)
}

// name judges one line by its name, and by its value if the name is known.
func (j *judge) name(s conf.Setting) {
	if len(j.out.Findings) >= most {
		j.out.Left++ // not examined: at most one finding each
		return
	}
	if j.told[at(s)].Template {
		return // its value is not known
	}
	p, ok := params.Find(j.major, s.Name)
	if ok {
		j.known(s, p)
		return
	}
	if strings.Contains(s.Name, ".") {
		j.counts(s.Name, s)
		j.module(s)
		return
	}
	if g, ok := params.GoneBy(j.major, s.Name); ok {
		k, text := &Removed, say.Template("{name} exists only in PostgreSQL {last} and earlier; {major} does not "+
			"have it.")
		if g.To != "" {
			k, text = &Renamed, "{name} exists only in PostgreSQL {last} and earlier; {major} has {to} instead."
		}
		pairs := []any{"name", s.Name, "last", g.Last, "major", j.major, "to", g.To}
		if j.older != "" && !laterThan(j.older, g.Last) {
			j.stillThere(s, g)
			return
		}
		var here say.Message
		if v, ok := g.Value(s.Value); ok {
			here = say.M("Here: {to} = {value}.", "to", g.To, "value", v)
		}
		if by, ok := j.sets[g.To]; ok && g.To != "" { // a second line would have no effect
			j.report(k, k.Severity, say.M("Remove the line: {by} already sets {to}.", "by", j.where(by, s.File), "to",
				g.To), s, say.M(text, pairs...))
			return
		}
		j.report(k, k.Severity, say.All(" ", say.M(g.How), here, say.M(k.Remedy(), pairs...)), s, say.M(text, pairs...))
		return
	}
	if first, ok := params.Since(j.major, s.Name); ok {
		j.found(&NotYet, s, "{name} exists only in PostgreSQL {first} and later; {major} does not have it.", "name",
			s.Name, "first",
			first, "major", j.major)
		return
	}
	if product, ok := params.ForkOf(s.Name); ok {
		j.found(&Fork, s, "{name} is a parameter of {product}; PostgreSQL {major} does not have it.", "name", s.Name,
			"product", product, "major", j.major)
		return
	}
	if near := j.near(s.Name); len(near) > 0 {
		j.found(&Unknown, s, "PostgreSQL {major} has no parameter {name}. Did you mean {near}?", "major", j.major,
			"name",
			s.Name, "near", say.OneOf(near))
		return
	}
	j.found(&Unknown, s, "PostgreSQL {major} has no parameter {name}.", "major", j.major, "name", s.Name)
}

// stillThere reports a parameter that the version has which the text names, and that later ones do not have.
func (j *judge) stillThere(s conf.Setting, g params.Gone) {
	pairs := []any{"name", s.Name, "last", g.Last, "version", j.older, "major", j.major, "to", g.To, "value", ""}
	k, text := &Removed, say.Template("PostgreSQL {version}, which the text names, still accepts {name}. It exists "+
		"only in {last} and earlier; {major} does not have it.")
	do := say.M("Change nothing for {version}. Before an upgrade to a version later than {last}, remove the line.",
		pairs...)
	if g.To != "" {
		k, text = &Renamed, "PostgreSQL {version}, which the text names, still accepts {name}. It exists only in "+
			"{last} and earlier; {major} has {to} instead."
		do = say.M("Change nothing for {version}. Before an upgrade to a version later than {last}, replace the line.",
			pairs...)
		if v, ok := g.Value(s.Value); ok {
			do = say.All(" ", do, say.M("Here: {to} = {value}.", "to", g.To, "value", v))
		}
	}
	j.report(k, check.Notice, do, s, say.M(text, pairs...))
}

// olderOf is the version that a text names, if it is older than all that are known.
func olderOf(n conftext.Named) string {
	if n.Older {
		return n.Version
	}
	return ""
}

// fragment reports whether a text of a form is only a part of what a server is configured with.
func fragment(f conftext.Form) bool {
	switch f {
	case conftext.Plain, conftext.Recovery, conftext.ShowAll, conftext.PgSettings:
		return false
	}
	return true
}

// laterThan compares two versions as people write them: 9.2, 10, 12.4. Minor releases of 10 and later do not count.
func laterThan(a, b string) bool {
	number := func(v string) (n int) {
		head, rest, _ := strings.Cut(v, ".")
		n, _ = strconv.Atoi(head)
		if n *= 100; n < 1000 {
			minor, _, _ := strings.Cut(rest, ".")
			m, _ := strconv.Atoi(minor)
			n += m
		}
		return n
	}
	return number(a) > number(b)
}

// counts keeps the line as the one in effect until a later one comes.
func (j *judge) counts(key string, s conf.Setting) {
	j.order = slices.DeleteFunc(j.order, func(n string) bool { return n == key })
	j.order = append(j.order, key)
	j.last[key] = s
}

// clip bounds a name for comparisons: no parameter has more than 63 letters.
func clip(name string) string { return name[:min(len(name), 63)] }

// hints bounds how many unknown names are compared with all known ones: typing errors
// are few, and a hostile file has many lines.
const hints = 50

func (j *judge) near(name string) []string {
	if j.asked++; j.asked > hints {
		return nil
	}
	return say.Similar(clip(name), j.names())
}

func (j *judge) names() []string {
	var out []string
	for _, p := range params.All(j.major) {
		if p.Context != "internal" {
			out = append(out, p.Name)
		}
	}
	return out
}

// known judges a line whose name the version has. An old name that it still accepts is treated as the new one.
func (j *judge) known(s conf.Setting, p params.Param) {
	key := strings.ToLower(p.Name)
	if key != s.Name {
		g, _ := params.GoneBy(j.major, s.Name)
		j.report(&Renamed, check.Notice, say.All(" ", say.M(g.How),
			say.M("Change to the new name before the old one is removed.")), s,
			say.M("{name} is the old name of {to}; PostgreSQL {major} still accepts it.", "name", s.Name, "to", p.Name,
				"major", j.major))
	}
	if p.Context == "internal" || p.Name == "config_file" {
		// a server shows it without a line in a file; and it ignores lines that are overridden
		if s.Wins && !j.told[at(s)].Shown && (p.Context == "internal" || conftext.File(j.form)) {
			j.found(&Fixed, s, "{name} cannot be set in a file.", "name", p.Name)
		}
		return
	}
	j.counts(key, s)
	r := p.Accepts(j.major, s.Value)
	if j.windows {
		r = j.onWindows(p, s.Value, r)
	}
	if r == nil {
		if s.Wins && !j.told[at(s)].Shown {
			j.slip(s, p)
		}
		return
	}
	k := kindOf[r.Fault]
	if r.Fault != params.BuildDecides && s.Wins {
		if j.bad == nil {
			j.bad = map[string]bool{}
		}
		j.bad[key] = true
	}
	if !s.Wins || j.told[at(s)].Shown {
		return // the server ignores it, and a finding reports that; or it has accepted what it shows
	}
	j.found(k, s, "{name} = {value}: {reason}.", "name", p.Name, "value", quoted(s.Value), "reason", r.Text)
}

// onWindows is what a server on Windows says of a value, where another one says r.
func (j *judge) onWindows(p params.Param, value string, r *params.Refusal) *params.Refusal {
	switch p.Name {
	case "dynamic_shared_memory_type", "shared_memory_type":
		if strings.EqualFold(value, "windows") {
			return nil
		}
	case "effective_io_concurrency", "maintenance_io_concurrency":
		if n, ok := p.Number(value); ok && n != 0 && r == nil && j.major < 18 {
			return &params.Refusal{Fault: params.OutOfRange, Text: say.M("on Windows, PostgreSQL 17 and earlier " +
				"accept only 0, because it has no posix_fadvise()")}
		}
	}
	return r
}

// quoted formats a value as in a line, truncated if long.
func quoted(v string) string {
	const long = 80 // a line of a terminal
	if len(v) > long {
		v = v[:long] + "…"
	}
	if v == "" || strings.ContainsAny(v, " \t'\",#") {
		return "'" + v + "'"
	}
	return v
}
