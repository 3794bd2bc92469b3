package serve

import (
	"fmt"
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
	var judged, knobs, pages, left []entry
	for _, c := range append(checks.All(), conffile.Kinds()...) {
		c = c.In(s.o.Words)
		judged = append(judged, entry{c.ID, c.Title, c.Severity.String(), c.Severity.String()})
	}
	for _, k := range rules.All() {
		k = k.In(s.o.Words)
		knobs = append(knobs, entry{string(k.Address), k.Title, string(k.Address.Layer()), ""})
	}
	for _, a := range advice.All() {
		pages = append(pages, entry{a.ID, a.Title, string(a.Kind), ""})
	}
	for _, u := range rules.ReadNotPlanned() {
		left = append(left, entry{string(u.Address), u.Why, "", ""})
	}
	groups := []map[string]any{
		{"ID": "checks", "Title": "Checks", "List": keep(judged)},
		{"ID": "knobs", "Title": "Knobs", "List": keep(knobs)},
		{"ID": "pages", "Title": "Pages", "List": keep(pages)},
		{"ID": "left", "Title": "Read, not planned", "List": keep(left)},
	}
	n := 0
	for _, g := range groups {
		n += len(g["List"].([]entry))
	}
	return s.page(w, r, http.StatusOK, sheet{Title: "Explain", Here: "/explain", Name: "explainindex",
		Data: map[string]any{"Groups": groups, "Q": r.URL.Query().Get("q"), "None": n == 0}})
}

// explained is a page about one check, one knob or one subject.
type explained struct {
	What     string // "check, memory, warning"
	Title    string
	Read     string // what one may read elsewhere
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

// more links to pages and sources that tell more.
func (e *explained) more(pages []advice.Page, sources []string) {
	for _, p := range pages {
		e.See = append(e.See, web.Link{Href: "/explain/" + p.ID, Text: p.Title})
	}
	for _, id := range sources {
		t := id
		if src, ok := say.SourceByID(id); ok {
			t = src.Title + ", " + src.Publisher
			if src.Version != "" {
				t += ", " + src.Version
			}
		}
		e.Sources = append(e.Sources, t)
	}
}

// explain shows the page of what the address names.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	e := s.explained(id)
	if e == nil {
		return &problem{http.StatusNotFound, say.M("There is no check, no knob and no page {id}.", "id",
			say.Quoted(id)),
			say.DidYouMean(id, explainable(), say.M("The list of all is under «Explain»."))}
	}
	return s.page(w, r, http.StatusOK, sheet{Title: id, Here: "/explain", Name: "explain", Data: e})
}

func (s *Server) explained(id string) *explained {
	for _, c := range append(checks.All(), conffile.Kinds()...) {
		if strings.EqualFold(c.ID, id) {
			return s.explainCheck(c)
		}
	}
	if k, ok := knobNamed(id); ok {
		return s.explainKnob(k)
	}
	for _, u := range rules.ReadNotPlanned() {
		if strings.EqualFold(string(u.Address), id) {
			e := &explained{What: string(u.Address.Layer()) + " knob, read and not planned",
				Title: "No plan changes it"}
			e.add("Why", "It is looked at and left alone: "+u.Why+".")
			e.more(advice.Of(string(u.Address)), nil)
			return e
		}
	}
	if pages := advice.ByName(id); len(pages) == 1 {
		p := pages[0]
		e := &explained{What: "page, " + string(p.Kind), Title: p.Title, Read: p.Verdict()}
		e.add("", strings.Join(p.Text, "\n"))
		e.add("How to see it", p.Verify)
		for _, to := range p.See {
			e.See = append(e.See, web.Link{Href: "/explain/" + to, Text: to})
		}
		e.more(nil, p.Sources)
		return e
	}
	return nil
}

func (s *Server) explainCheck(c check.Check) *explained {
	c = c.In(s.o.Words)
	e := &explained{What: fmt.Sprintf("check, %s, %s", c.Area, c.Severity), Title: c.Title,
		Here: []web.Link{{Href: "/findings", Text: "What it finds here is among the findings"}}}
	e.add("Why it matters", c.Why)
	e.add("What to do", c.Do)
	if c.Scope == check.PerInstance {
		e.add("Versions", versions(c.From, c.To))
	}
	if len(c.DependsOn) > 0 {
		e.add("Silent while one of these stands", strings.Join(c.DependsOn, ", "))
	}
	e.more(advice.Of(c.ID), c.Sources)
	return e
}

func (s *Server) explainKnob(k rule.Rule) *explained {
	k = k.In(s.o.Words)
	e := &explained{What: string(k.Address.Layer()) + " knob", Title: k.Title,
		Here: []web.Link{{Href: "/plan", Text: "What it is and would be here is in the plan"}}}
	if k.Address.Prefix() != "pg" {
		e.What += ", in force " + effect(k.Effect)
	}
	if k.Risk != "" && k.Risk != knob.Low {
		e.What += ", risk " + string(k.Risk)
	}
	e.add("What it trades", k.Why)
	e.add("How the value is decided", k.Formula)
	var after []string
	for _, a := range k.Needs {
		if _, planned := rules.For(a); planned {
			after = append(after, string(a))
		}
	}
	e.add("Decided after", strings.Join(after, ", "))
	if k.Tolerance > 0 {
		e.add("Left alone", fmt.Sprintf("A present value within %.0f %% of the wanted one stays.", 100*k.Tolerance))
	}
	if from, to := k.Versions(); from+to > 0 {
		e.add("Versions", versions(from, to))
	}
	e.more(advice.Of(string(k.Address)), k.Sources)
	return e
}

func effect(e knob.Effect) string {
	if e == knob.Now {
		return "at once"
	}
	return "after a " + e.String()
}

func versions(from, to int) string {
	switch {
	case from > 0 && to > 0:
		return fmt.Sprintf("PostgreSQL %d to %d.", from, to)
	case from > 0:
		return fmt.Sprintf("PostgreSQL %d and later.", from)
	case to > 0:
		return fmt.Sprintf("PostgreSQL up to %d.", to)
	}
	return "Every version of PostgreSQL that is looked at."
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
