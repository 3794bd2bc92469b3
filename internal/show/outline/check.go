package outline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Check is a report before any form: the findings as a table, then each
// with its details, then what could not be judged.
func Check(d document.Check, c *say.Catalogue) Outline { return checkOutline(d, false, c) }

// ShortCheck is Check as a terminal has it: the beginning of each explanation, and no sources. pgfettle explain has
// the rest.
func ShortCheck(d document.Check, c *say.Catalogue) Outline { return checkOutline(d, true, c) }

func checkOutline(d document.Check, short bool, c *say.Catalogue) Outline {
	p := WordsIn(c)
	d.Report = d.Report.In(c)
	if short {
		d.Findings = shortened(d.Findings)
	}
	var o Outline
	o.title("pgfettle check", d.Subject.Host)
	p.subjectOutline(&o, d.Subject)
	summary := []string{p.CheckSummary(d)}
	if len(d.Accepted) > 0 {
		summary = append(summary, p.Kept(d))
	}
	for _, r := range d.Upgrades {
		summary = append(summary, p.UpgradeSummary(r))
	}
	o.Summary(summary...)
	p.upgrades(&o, d.Upgrades)
	p.findingOutline(&o, d)
	if len(d.Unknown) > 0 {
		o.Heading(2, p.Unknown())
		o.Kind(Gaps, p.unknownItems(d.Unknown, d.Unjudged))
	}
	return o
}

// whySentences is how much of an explanation a terminal shows: what happens, and what follows from it.
const whySentences = 2

// shortened are findings as a terminal shows them.
func shortened(list []check.Finding) []check.Finding {
	out := slices.Clone(list)
	for i := range out {
		out[i].Why, out[i].Sources = firstSentences(out[i].Why, whySentences), nil
	}
	return out
}

// firstSentences cuts a text after some of its sentences. A period that no space and capital follow ends none.
func firstSentences(text string, most int) string {
	runes := []rune(text)
	for i := range runes {
		if runes[i] == '.' && i+2 < len(runes) && runes[i+1] == ' ' && !unicode.IsLower(runes[i+2]) {
			if most--; most == 0 {
				return string(runes[:i+1])
			}
		}
	}
	return text
}

// Findings are those of a check alone, as Check has them.
func Findings(d document.Check, c *say.Catalogue) Outline {
	d.Report = d.Report.In(c)
	var o Outline
	WordsIn(c).findingOutline(&o, d)
	return o
}

func (p Words) findingOutline(o *Outline, d document.Check) {
	groups := Alike(d.Findings)
	p.findingTable(o, groups)
	for _, g := range groups {
		o.Add(p.findingOf(g))
	}
	if d.All {
		for _, a := range d.Accepted {
			o.Add(p.acceptedOf(a))
		}
	}
}

// findingTable is for readers who read no further.
func (p Words) findingTable(o *Outline, groups [][]check.Finding) {
	if len(groups) == 0 {
		return
	}
	t := Table{Caption: p.Say("finding"),
		Head: []string{p.Say("severity"), p.Say("finding"),
			p.Word(labelWhere), p.Say("check")}}
	for _, g := range groups {
		t.Rows = append(t.Rows, []Prose{Join(p.Word(check.SeverityWords[g[0].Severity])), Join(g[0].Title),
			Join(p.Places(g)),
			Join(Code(g[0].ID))})
	}
	o.Add(Contents{t})
}

var severityTones = map[check.Severity]Tone{check.Critical: ToneBad, check.Warning: ToneMind, check.Notice: ToneInfo,
	check.Info: ToneNote}

// findingOf is a finding, or several that differ only in where and what was seen.
func (p Words) findingOf(g []check.Finding) Finding {
	f := g[0]
	out := Finding{Severity: p.Word(check.SeverityWords[f.Severity]), Colon: p.Colon(), Tone: severityTones[f.Severity],
		Title: f.Title, ID: f.ID, Fields: Fields{List: p.details(g)},
		Group: typeset.Capital(p.Severity(f.Severity)), Count: len(g)}
	for _, m := range findingLabels {
		out.Fields.Labels = append(out.Fields.Labels, p.Word(m))
	}
	return out
}

// acceptedOf is a finding that the policy accepts.
func (p Words) acceptedOf(a check.Accepted) Finding {
	f := p.findingOf([]check.Finding{a.Finding})
	f.Group, f.Accepted = p.Say("Accepted"), p.Word(Until(a))+p.Colon()+a.Reason
	f.Fields.List = append(f.Fields.List, Field{Name: p.Word(labelAccepted), Items: []Item{ItemOf(nil, f.Accepted)}})
	return f
}

// details are the fields of findings that differ only in where and what was seen.
func (p Words) details(g []check.Finding) []Field {
	one := func(m say.Message, text string) Field {
		return Field{Name: p.Word(m), Items: []Item{ItemOf(nil, text)}}
	}
	field := func(m say.Message, of func(check.Finding) string) (f Field, same bool) {
		if !slices.ContainsFunc(g, func(f check.Finding) bool { return of(f) != of(g[0]) }) {
			return one(m, of(g[0])), true
		}
		f.Name = p.Word(m)
		for _, x := range g {
			f.Items = append(f.Items, ItemOf(Join(p.Place(x), p.Colon()), of(x)))
		}
		return f, false
	}
	seen, same := field(labelSeen, func(f check.Finding) string { return f.Seen.String() })
	var out []Field
	if same {
		out = append(out, one(labelWhere, p.Places(g)))
	}
	do, _ := field(labelDo, func(f check.Finding) string { return f.Do.String() })
	out = append(out, seen, one(labelWhy, g[0].Why), markCommands(do, commandsOf(g)))
	if len(g[0].Sources) > 0 {
		sources := one(labelSources, p.sourceTitles(g[0].Sources))
		sources.Tone = ToneNote
		out = append(out, sources)
	}
	return out
}

// Kept names what the policy keeps out of the findings.
func (p Words) Kept(d document.Check) string {
	var ids []string
	for _, a := range d.Accepted {
		if !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	s := p.Many(len(d.Accepted), "{n} finding is accepted by {file}: {ids}.",
		"{n} findings are accepted by {file}: {ids}.",
		"file", typeset.Clean(d.Policy), "ids", strings.Join(ids, ", "))
	if !d.All {
		s += " " + p.Say("To show accepted findings, use --all.")
	}
	return s
}

// Until is how long an acceptance holds.
func Until(a check.Accepted) say.Message {
	if a.Expires == check.Never {
		return say.M("without an expiry date")
	}
	return say.M("until {day}", "day", a.Expires)
}

// Alike gathers findings of one check that differ only in where and what was
// seen, so that ten instances with one fault are one paragraph. They stand side
// by side in a report.
func Alike(list []check.Finding) [][]check.Finding {
	var out [][]check.Finding
	for _, f := range list {
		if n := len(out); n > 0 {
			if g := out[n-1][0]; g.ID == f.ID && g.Severity == f.Severity && g.Title == f.Title && g.Why == f.Why {
				out[n-1] = append(out[n-1], f)
				continue
			}
		}
		out = append(out, []check.Finding{f})
	}
	return out
}

// Place is where a finding is.
func (p Words) Place(f check.Finding) string {
	if f.Instance == "" {
		return p.Say("the host")
	}
	return typeset.Clean(f.Instance)
}

func (p Words) Places(g []check.Finding) string {
	var out []string
	for _, f := range g {
		if place := p.Place(f); !slices.Contains(out, place) {
			out = append(out, place)
		}
	}
	return strings.Join(out, ", ")
}

// commandsOf are the commands of findings, longer ones first.
func commandsOf(g []check.Finding) []check.Command {
	var out []check.Command
	for _, f := range g {
		out = append(out, f.Commands...)
	}
	slices.SortStableFunc(out, func(a, b check.Command) int { return len(b.Text) - len(a.Text) })
	return slices.Compact(out)
}

// missing counts the facts that are unavailable.
func missing(n int) say.Message {
	return say.N(int64(n), "{n} fact is unknown", "{n} facts are unknown")
}

func (p Words) CheckSummary(d document.Check) string {
	unjudged, most := unjudged(d.Unjudged)
	if len(d.Findings) == 0 {
		switch n := len(d.Unknown); {
		case unjudged > 0:
			return p.Say(
				"The check is incomplete: {checks} ({facts}, mostly because {reason}). The other checks found nothing.",
				"checks", notRun(unjudged), "facts", missing(n), "reason", gapwords.Arg(typeset.Clean(most)))
		case n > 0:
			return p.Say("No findings, but {facts}.", "facts", missing(n))
		}
		return p.Say("No findings.")
	}
	n := map[check.Severity]int{}
	for _, f := range d.Findings {
		n[f.Severity]++
	}
	var parts []string
	for sev := check.Critical; sev >= check.Info; sev-- {
		if n[sev] > 0 {
			parts = append(parts, p.SeverityCount(sev, n[sev]))
		}
	}
	findings := say.N(int64(len(d.Findings)), "{n} finding", "{n} findings")
	list, id := strings.Join(parts, ", "), d.Findings[0].ID
	switch u := len(d.Unknown); {
	case unjudged > 0:
		return p.Say("{findings} ({parts}); {checks} ({facts}). Details: pgfettle explain {id}",
			"findings", findings, "parts", list, "checks", notRun(unjudged), "facts", missing(u), "id", id)
	case u > 0:
		return p.Say("{findings} ({parts}); {facts}. Details: pgfettle explain {id}",
			"findings", findings, "parts", list, "facts", missing(u), "id", id)
	}
	return p.Say("{findings} ({parts}). Details: pgfettle explain {id}", "findings", findings,
		"parts", list, "id", id)
}

// notRun counts the checks that could not run.
func notRun(n int) say.Message { return say.N(n, "{n} check not run", "{n} checks not run") }

// unjudged counts the checks that could not be judged, each once for however
// many instances, and returns the reason of most; of several the first.
func unjudged(list []check.Unjudged) (n int, most string) {
	ids, reasons := map[string]bool{}, map[string]int{}
	for _, u := range list {
		ids[u.ID] = true
		if reasons[u.Reason]++; reasons[u.Reason] > reasons[most] {
			most = u.Reason
		}
	}
	return len(ids), most
}

// UnjudgedLine counts and names the checks that could not run for one reason.
func (p Words) UnjudgedLine(g unjudgedGroup) string {
	return p.Many(len(g.ids), "{n} check not run: {ids}", "{n} checks not run: {ids}", "ids",
		say.Names(g.ids, checksShown))
}

// unjudgedGroup is what could not be judged for one reason.
type unjudgedGroup struct {
	reason string
	ids    []string // sorted, each once
}

// UnjudgedBy gathers the checks by reason, that of most of them first.
func UnjudgedBy(list []check.Unjudged) []unjudgedGroup {
	var out []unjudgedGroup
	at := map[string]int{}
	for _, u := range list {
		if _, ok := at[u.Reason]; !ok {
			at[u.Reason] = len(out)
			out = append(out, unjudgedGroup{reason: u.Reason})
		}
		if g := &out[at[u.Reason]]; !slices.Contains(g.ids, u.ID) {
			g.ids = append(g.ids, typeset.Clean(u.ID))
		}
	}
	for _, g := range out {
		slices.Sort(g.ids)
	}
	slices.SortStableFunc(out, func(a, b unjudgedGroup) int { return len(b.ids) - len(a.ids) })
	return out
}
