package web

import (
	"html/template"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// File is the sections of a check of a configuration file: findings by severity,
// each with its place, and those that are accepted.
func File(d document.File, v View) (template.HTML, error) {
	t := outline.WordsIn(v.Words)
	d.Report = d.Report.In(v.Words)
	list := make([]check.Finding, 0, len(d.Findings))
	for _, f := range d.Findings {
		g := f.Finding
		g.Instance = outline.FilePlace(f)
		list = append(list, g)
	}
	sort.SliceStable(list, func(a, b int) bool { // those of one kind stand together
		if list[a].Severity != list[b].Severity {
			return list[a].Severity > list[b].Severity
		}
		return list[a].ID < list[b].ID
	})
	out := checkView{Subject: subjectView{Line: strings.Join(t.FileSubject(d), " ")}, Summary: t.FileSummary(d),
		Severities: v.severities(list)}
	if len(d.Accepted) > 0 {
		kept := document.Check{Policy: d.Policy, All: true}
		for _, a := range d.Accepted {
			f := a.Finding.Finding
			f.Instance = outline.FilePlace(a.Finding)
			acc := check.Accepted{Finding: f, Reason: a.Reason, Expires: a.Expires}
			kept.Accepted = append(kept.Accepted, acc)
			one := v.finding([]check.Finding{f})
			one.AcceptLabel, one.Accepted = t.Accepted(), t.Word(outline.Until(acc))+t.Colon()+a.Reason
			out.Accepted = append(out.Accepted, one)
		}
		out.AcceptHeading, out.AcceptSummary = v.say("show/web/accepted", "Accepted"), t.Kept(kept)
	}
	return fragment("check", out)
}

// FilePage is the page of a check of a configuration file.
func FilePage(d document.File, v View) (Page, error) {
	body, err := File(d, v)
	return Page{Title: v.say("show/web/check_of", "Check of {host}", "host", typeset.Clean(d.Main)), Lang: v.lang(),
		Body: body}, err
}
