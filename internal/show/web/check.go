package web

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// placed is a text and where it holds; Place is "" where it holds everywhere.
type placed struct{ Place, Text string }

// findingView is one finding, or several of one check that differ only in where
// and what was seen.
type findingView struct {
	Class, Severity, Title, ID, Href, Anchor   string
	Where, Seen, Why, Do, Sources, AcceptLabel string // the words for them
	Places, WhyText, SourceText, Accepted      string
	SeenTexts, DoTexts                         []placed
}

// severityView is the findings of one severity.
type severityView struct {
	Class, Heading string
	Findings       []findingView
}

// causeView is facts that are missing for one reason.
type causeView struct {
	Facts          []string
	Reason, Reveal string
}

// unknownView is all that is missing.
type unknownView struct {
	Heading, Reveal string
	Causes          []causeView
}

// subjectView is what a document is about.
type subjectView struct {
	Line      string
	Instances []string
}

type checkView struct {
	Subject        subjectView
	Summary, Quiet string
	Severities     []severityView
	AcceptHeading  string
	AcceptSummary  string
	Accepted       []findingView
	Unknown        unknownView
}

// Check is the sections of a check: the findings by severity, those that are
// accepted, what could not be judged.
func Check(d document.Check, v View) (template.HTML, error) {
	return fragment("check", v.check(d))
}

// CheckPage is the page of a check.
func CheckPage(d document.Check, v View) (Page, error) {
	body, err := Check(d, v)
	title := v.say("show/web/check", "Check")
	if d.Subject.Host != "" {
		title = v.say("show/web/check_of", "Check of {host}", "host", typeset.Clean(d.Subject.Host))
	}
	return Page{Title: title, Lang: v.lang(), Body: body}, err
}

// lang is the language that the view is told in.
func (v View) lang() string {
	if v.Words == nil {
		return say.English
	}
	return v.Words.Lang
}

func (v View) subject(verb string, s document.Subject) subjectView {
	t := outline.WordsIn(v.Words)
	out := subjectView{Line: t.Subject(verb, s)}
	for _, in := range s.Instances {
		out.Instances = append(out.Instances, t.Instance(in))
	}
	for _, a := range s.Assumed {
		out.Instances = append(out.Instances, t.Assumed(a))
	}
	return out
}

func (v View) check(d document.Check) checkView {
	t := outline.WordsIn(v.Words)
	d.Report, d.All = d.Report.In(v.Words), true // what is accepted unfolds here; there is no flag for it
	out := checkView{
		Subject: v.subject(v.say("show/check/about", "Checked"), d.Subject), Summary: t.CheckSummary(d),
		Severities: v.severities(d.Findings), Unknown: v.unknown(d.Unknown),
	}
	if len(d.Accepted) > 0 {
		out.AcceptHeading, out.AcceptSummary = v.say("show/web/accepted", "Accepted"), t.Kept(d)
		for _, a := range d.Accepted {
			f := v.finding([]check.Finding{a.Finding})
			f.AcceptLabel, f.Accepted = t.Accepted(), t.Word(outline.Until(a))+t.Colon()+a.Reason
			out.Accepted = append(out.Accepted, f)
		}
	}
	return out
}

// severities divides findings, which come worst first.
func (v View) severities(list []check.Finding) []severityView {
	t := outline.WordsIn(v.Words)
	var out []severityView
	for sev := check.Critical; sev >= check.Info; sev-- {
		var of []check.Finding
		for _, f := range list {
			if f.Severity == sev {
				of = append(of, f)
			}
		}
		if len(of) == 0 {
			continue
		}
		s := severityView{Class: sev.String(), Heading: fmt.Sprintf("%s (%d)", capital(t.Severity(sev)), len(of))}
		for _, g := range outline.Alike(of) {
			s.Findings = append(s.Findings, v.finding(g))
		}
		out = append(out, s)
	}
	return out
}

// finding tells a group of findings that are alike.
func (v View) finding(g []check.Finding) findingView {
	t, f := outline.WordsIn(v.Words), g[0]
	out := findingView{Class: f.Severity.String(), Severity: t.Severity(f.Severity), Title: f.Title, ID: f.ID,
		Href:  v.explain(f.ID),
		Where: t.Where(), Seen: t.Seen(), Why: t.Why(), Do: t.Do(), Sources: t.Sources(), WhyText: f.Why,
		SourceText: outline.SourceTitles(f.Sources)}
	var places []string
	for _, f := range g {
		places = append(places, t.Place(f))
	}
	out.Places = strings.Join(places, ", ")
	out.SeenTexts = placedTexts(g, places, func(f check.Finding) string { return f.Seen.String() })
	out.DoTexts = placedTexts(g, places, func(f check.Finding) string { return f.Do.String() })
	return out
}

// placedTexts tells a field once where all say the same, else each with its place.
func placedTexts(g []check.Finding, places []string, of func(check.Finding) string) []placed {
	same := true
	for _, f := range g {
		same = same && of(f) == of(g[0])
	}
	if same {
		return []placed{{"", of(g[0])}}
	}
	var out []placed
	for i, f := range g {
		out = append(out, placed{places[i], of(f)})
	}
	return out
}

func (v View) unknown(gaps []known.Gap) unknownView {
	t := outline.WordsIn(v.Words)
	out := unknownView{Heading: t.Unknown(), Reveal: t.Reveal()}
	for _, c := range outline.Causes(gaps) {
		out.Causes = append(out.Causes, causeView{c.Facts, c.Reason, c.Reveal})
	}
	return out
}

// Unknown is the list of what could not be seen, with what would reveal it.
func Unknown(gaps []known.Gap, v View) (template.HTML, error) {
	return fragment("unknown", v.unknown(gaps))
}

// capital begins a text with a capital letter: the words of a margin as a heading.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
