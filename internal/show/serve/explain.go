package serve

import (
	"net/http"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/outline/pages"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// entry is one line of the list of what can be explained.
type entry struct {
	ID, Title, Tag string
	Class          string // of the tag
}

// explainIndex lists the checks, the knobs and the pages.
func (s *Server) explainIndex(w http.ResponseWriter, r *http.Request) error {
	find := strings.ToLower(strings.TrimSpace(r.URL.Query().Get("q")))
	keep := func(list []entry) []entry {
		return slices.DeleteFunc(list, func(e entry) bool {
			return !strings.Contains(strings.ToLower(e.ID+" "+e.Title), find)
		})
	}
	t := tongueOf(r)
	var judged, knobs, articles, left []entry
	for _, c := range append(checks.All(), conffile.Kinds()...) {
		c = c.In(t.words)
		judged = append(judged, entry{c.ID, c.Title, t.Severity(c.Severity), c.Severity.String()})
	}
	for _, k := range rules.All() {
		k = k.In(t.words)
		knobs = append(knobs, entry{string(k.Address), k.Title, t.Layer(k.Address.Layer()), ""})
	}
	for _, a := range advice.All() {
		articles = append(articles, entry{a.ID, a.In(t.words).Title, t.Word(a.Kind.Message()), ""})
	}
	for _, u := range rules.ReadNotPlanned() {
		left = append(left, entry{string(u.Address), u.In(t.words).Why, "", ""})
	}
	groups := []map[string]any{
		{"ID": "checks", "Title": t.Say("Checks"), "List": keep(judged)},
		{"ID": "knobs", "Title": t.Say("Settings"), "List": keep(knobs)},
		{"ID": "pages", "Title": t.Say("Pages"), "List": keep(articles)},
		{"ID": "left", "Title": t.Say("Read but not planned"), "List": keep(left)},
	}
	n := 0
	for _, g := range groups {
		n += len(g["List"].([]entry))
	}
	return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/explain"), Here: "/explain", Name: "explainindex",
		Data: map[string]any{"Groups": groups, "Q": r.URL.Query().Get("q"), "None": n == 0}})
}

// explained is a page about one check, one knob or one subject.
type explained struct {
	What     string // "check, memory, warning"
	Title    string
	Read     string // a claim that is outdated or wrong
	Sections []section
	See      []web.Link
	Sources  []string
	Here     []web.Link
}

type section struct{ Title, Text string }

func (e *explained) add(title, text string) {
	if text != "" {
		e.Sections = append(e.Sections, section{title, text})
	}
}

// more links to pages and sources with more.
func (e *explained) more(pages []advice.Page, sources []string, words *say.Catalogue) {
	for _, p := range pages {
		e.See = append(e.See, web.Link{Href: "/explain/" + p.ID, Text: p.In(words).Title})
	}
	for _, id := range sources {
		text := id
		if src, ok := say.SourceByID(id); ok {
			src = src.In(words)
			text = src.Title + ", " + src.Publisher
			if src.Version != "" {
				text += ", " + src.Version
			}
		}
		e.Sources = append(e.Sources, text)
	}
}

// explain shows the page of what the address names.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	e := tongueOf(r).explained(id)
	if e == nil {
		return &problem{http.StatusNotFound, say.M("There is no check, setting, or page {id}.", "id", say.Quoted(id)),
			say.DidYouMean(id, explainable(), say.M("The page {page} lists all of them.", "page",
				pageNamed("/explain")))}
	}
	return s.page(w, r, http.StatusOK, sheet{Title: say.Text(id), Here: "/explain", Name: "explain", Data: e})
}

func (t *tongue) explained(id string) *explained {
	for _, c := range append(checks.All(), conffile.Kinds()...) {
		if strings.EqualFold(c.ID, id) {
			return t.explainCheck(c)
		}
	}
	if k, ok := knobNamed(id); ok {
		return t.explainKnob(k)
	}
	for _, u := range rules.ReadNotPlanned() {
		if strings.EqualFold(string(u.Address), id) {
			e := &explained{What: t.Word(pages.UnplannedTag(u.Address)), Title: string(u.Address)}
			e.add(t.Say("Why it is not planned"),
				t.Say("Not planned: {why}.", "why", u.In(t.words).Why))
			e.more(advice.Of(string(u.Address)), nil, t.words)
			return e
		}
	}
	if found := advice.ByName(id); len(found) == 1 {
		a := found[0].In(t.words)
		e := &explained{What: t.Word(a.Kind.Message()), Title: a.Title, Read: t.Word(a.Verdict())}
		e.add("", strings.Join(a.Text, "\n"))
		e.add(t.Say("How to verify"), a.Verify)
		for _, to := range a.See {
			e.See = append(e.See, web.Link{Href: "/explain/" + to, Text: to})
		}
		e.more(nil, a.Sources, t.words)
		return e
	}
	return nil
}

func (t *tongue) explainCheck(c check.Check) *explained {
	c = c.In(t.words)
	e := &explained{What: t.Word(pages.CheckTag(c)), Title: c.Title,
		Here: []web.Link{{Href: "/findings", Text: t.Say("Findings on this host")}}}
	e.add(t.Say("Why it matters"), c.Why)
	e.add(t.Say("What to do"), c.Do)
	if c.Scope == check.PerInstance {
		e.add(t.Say("Versions"), t.Word(pages.Versions(c.From, c.To)))
	}
	if len(c.DependsOn) > 0 {
		e.add(t.Say("Not reported together with"), strings.Join(c.DependsOn, ", "))
	}
	e.more(advice.Of(c.ID), c.Sources, t.words)
	return e
}

func (t *tongue) explainKnob(k rule.Rule) *explained {
	k = k.In(t.words)
	e := &explained{What: t.Word(pages.KnobTag(k)), Title: k.Title,
		Here: []web.Link{{Href: "/plan", Text: t.Say("Current and planned value")}}}
	e.add(t.Say("Benefits and costs"), k.Why)
	e.add(t.Say("How the value is chosen"), k.Formula)
	var after []string
	for _, a := range k.Needs {
		if _, planned := rules.For(a); planned {
			after = append(after, string(a))
		}
	}
	e.add(t.Say("Depends on"), strings.Join(after, ", "))
	if k.Tolerance > 0 {
		e.add(t.Say("Tolerance"), t.Say("A current value within {percent}% of the recommended value is kept.",
			"percent", int(100*k.Tolerance+0.5)))
	}
	if from, to := k.Versions(); from+to > 0 {
		e.add(t.Say("Versions"), t.Word(pages.Versions(from, to)))
	}
	e.more(advice.Of(string(k.Address)), k.Sources, t.words)
	return e
}

// knobNamed finds a knob by its address, by that of one device or mount of it, or
// by its name where one knob alone has it.
func knobNamed(name string) (rule.Rule, bool) {
	var found []rule.Rule
	for _, k := range rules.All() {
		if strings.EqualFold(string(k.Address), name) {
			return k, true
		}
		if strings.EqualFold(k.Address.Name(), name) {
			found = append(found, k)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	if a, err := knob.Parse(name); err == nil {
		return rules.For(a)
	}
	return rule.Rule{}, false
}

// explainable are the names of all pages.
func explainable() []string {
	var out []string
	for _, c := range checks.All() {
		out = append(out, c.ID)
	}
	for _, c := range conffile.Kinds() {
		out = append(out, c.ID)
	}
	for _, k := range rules.All() {
		out = append(out, string(k.Address))
	}
	for _, u := range rules.ReadNotPlanned() {
		out = append(out, string(u.Address))
	}
	return append(out, advice.Names()...)
}
