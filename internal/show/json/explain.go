package json

import (
	"io"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/search"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// ExplainSchema names the version of the JSON form of a page.
const ExplainSchema = "pgfettle.explain/1"

// pageHead is what every page begins with.
type pageHead struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind"` // check, knob, unplanned, page; index and search have no ID
	ID     string `json:"id"`   // of a check or page; a knob's address
}

func pageHeadOf(kind, id string) pageHead { return pageHead{ExplainSchema, kind, id} }

func pageIDs(pages []advice.Page) []string {
	out := []string{}
	for _, p := range pages {
		out = append(out, p.ID)
	}
	return out
}

// checkHere is what a check found on a host.
type checkHere struct {
	Findings []check.Finding  `json:"findings"`
	Accepted []check.Accepted `json:"accepted,omitempty"`
	Unknown  []known.Gap      `json:"unknown"`
}

// ExplainCheck writes the page of a check; words is the language, nil for
// English.
func ExplainCheck(w io.Writer, c document.CheckPage, words *say.Catalogue) error {
	k := c.Check.In(words)
	d := struct {
		pageHead
		Area      check.Area     `json:"area"`
		Severity  check.Severity `json:"severity"`
		Scope     string         `json:"scope"`
		Title     string         `json:"title"`
		Why       string         `json:"why"`
		Do        string         `json:"do"`
		From      int            `json:"from,omitempty"`
		To        int            `json:"to,omitempty"`
		DependsOn []string       `json:"silent_while"`
		Pages     []string       `json:"pages"`
		Sources   []say.Source   `json:"sources"`
		Here      *checkHere     `json:"here,omitempty"`
	}{pageHeadOf("check", k.ID), k.Area, k.Severity, "instance", k.Title, k.Why, k.Do, k.From, k.To,
		append([]string{}, k.DependsOn...), pageIDs(c.Pages), say.SourcesIn(say.SourcesOf(k.Sources), words), nil}
	if k.Scope == check.PerHost {
		d.Scope = "host"
	}
	if c.Here != nil {
		r := c.Here.Report.In(words)
		d.Here = &checkHere{append([]check.Finding{}, r.Findings...), slices.Clone(r.Accepted),
			append([]known.Gap{}, r.Unknown...)}
		for i := range d.Here.Findings {
			filled(&d.Here.Findings[i])
		}
		for i := range d.Here.Accepted {
			filled(&d.Here.Accepted[i].Finding)
		}
	}
	return Write(w, d)
}

// knobHere is what one knob is and would be.
type knobHere struct {
	Instance string       `json:"instance,omitempty"`
	Subject  string       `json:"subject,omitempty"`
	Present  string       `json:"present,omitempty"`
	State    string       `json:"state"` // of the present value: known, absent, unknown
	Planned  string       `json:"planned,omitempty"`
	Changes  bool         `json:"changes"`
	Reason   string       `json:"reason,omitempty"`
	Inputs   []rule.Input `json:"inputs"`
}

func knobsHere(list []document.KnobHere) []knobHere {
	out := []knobHere{}
	for _, h := range list {
		d := knobHere{Instance: h.Instance, Subject: h.Subject, State: "unknown", Planned: h.Planned,
			Changes: h.Changes,
			Reason:  h.Reason, Inputs: append([]rule.Input{}, h.Inputs...)}
		if v, ok := h.Present.Get(); ok {
			d.State, d.Present = "known", v.Show()
		} else if h.Present.State() == known.Absent {
			d.State = "absent"
		}
		out = append(out, d)
	}
	return out
}

// knobPart is what the pages of knobs have in common. Here and Unknown are omitted where no host was examined.
type knobPart struct {
	Layer   knob.Layer  `json:"layer"`
	Why     string      `json:"why"`
	Pages   []string    `json:"pages"`
	Here    *[]knobHere `json:"here,omitempty"`
	Unknown []known.Gap `json:"unknown,omitempty"`
}

func knobPartOf(a knob.Address, why string, pages []advice.Page, looked bool, list []document.KnobHere,
	gaps []known.Gap) knobPart {
	d := knobPart{Layer: a.Layer(), Why: why, Pages: pageIDs(pages), Unknown: gaps}
	if looked {
		all := knobsHere(list)
		d.Here = &all
	}
	return d
}

// ExplainKnob writes the page of a knob.
func ExplainKnob(w io.Writer, k document.KnobPage, words *say.Catalogue) error {
	r := k.Rule.In(words)
	from, to := r.Versions()
	d := struct {
		pageHead
		knobPart
		Title     string         `json:"title"`
		Formula   string         `json:"formula"`
		Effect    string         `json:"effect,omitempty"`
		Risk      knob.Risk      `json:"risk"`
		After     []knob.Address `json:"after"`
		Tolerance float64        `json:"tolerance,omitempty"` // a share of the wanted value
		From      int            `json:"from,omitempty"`
		To        int            `json:"to,omitempty"`
		Sources   []say.Source   `json:"sources"`
	}{pageHeadOf("knob", string(r.Address)), knobPartOf(r.Address, r.Why, k.Pages, k.Looked, k.Here, k.Gaps), r.Title,
		r.Formula, "", r.Risk,
		append([]knob.Address{}, r.Needs...), r.Tolerance, from, to, say.SourcesIn(say.SourcesOf(r.Sources), words)}
	if r.Address.Prefix() != "pg" { // a server setting's follows from its context
		d.Effect = r.Effect.String()
	}
	if d.Risk == "" {
		d.Risk = knob.Low
	}
	return Write(w, d)
}

// ExplainUnplanned writes the page of a knob that no rule decides; words is the language, nil for English.
func ExplainUnplanned(w io.Writer, k document.UnplannedPage, words *say.Catalogue) error {
	k.Unplanned = k.In(words)
	return Write(w, struct {
		pageHead
		knobPart
	}{pageHeadOf("unplanned", string(k.Address)), knobPartOf(k.Address, k.Why, k.Pages, k.Looked, k.Here, k.Gaps)})
}

// ExplainPage writes a page that belongs to no check and no knob; words is the language,
// nil for English.
func ExplainPage(w io.Writer, a advice.Page, words *say.Catalogue) error {
	a = a.In(words)
	return Write(w, struct {
		pageHead
		PageKind advice.Kind  `json:"page_kind"`
		Title    string       `json:"title"`
		Names    []string     `json:"names"`
		Verdict  string       `json:"verdict,omitempty"`
		Text     []string     `json:"text"`
		Verify   string       `json:"verify,omitempty"`
		See      []string     `json:"see"`
		Sources  []say.Source `json:"sources"`
	}{pageHeadOf("page", a.ID), a.Kind, a.Title, append([]string{}, a.Names...), a.Verdict().In(words),
		append([]string{}, a.Text...), a.Verify,
		append([]string{}, a.See...), say.SourcesIn(say.SourcesOf(a.Sources), words)})
}

// entry is one line of the index.
type entry struct {
	Kind     string          `json:"kind"`
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Severity *check.Severity `json:"severity,omitempty"`
}

// Index lists every check, knob and page.
func Index(w io.Writer, checks []check.Check, rules []rule.Rule, pages []advice.Page, words *say.Catalogue) error {
	list := []entry{}
	for _, c := range checks {
		list = append(list, entry{"check", c.ID, c.In(words).Title, &c.Severity})
	}
	for _, r := range rules {
		list = append(list, entry{"knob", string(r.Address), r.In(words).Title, nil})
	}
	for _, a := range pages {
		list = append(list, entry{"page", a.ID, a.In(words).Title, nil})
	}
	return Write(w, struct {
		Schema string  `json:"schema"`
		Kind   string  `json:"kind"`
		Pages  []entry `json:"index"`
	}{ExplainSchema, "index", list})
}

// ExplainFound lists the pages that a search found, the best first.
func ExplainFound(w io.Writer, query string, found []*search.Page, words *say.Catalogue) error {
	type page struct {
		ID    string `json:"id"` // of a check or page; a knob's address
		Title string `json:"title"`
	}
	list := []page{}
	for _, f := range found {
		list = append(list, page{f.Name, document.FoundTitle(f, words)})
	}
	return Write(w, struct {
		Schema string `json:"schema"`
		Kind   string `json:"kind"`
		Query  string `json:"query"`
		Found  []page `json:"found"`
	}{ExplainSchema, "search", query, list})
}
