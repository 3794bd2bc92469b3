package outline

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Brief is a check as one line for each finding, below the host or the instance that it is of, and what was not
// checked only counted. worstLast turns the order around, for a terminal, where the last lines are what a person sees.
func Brief(d document.Check, worstLast bool, c *say.Catalogue) Outline {
	p := WordsIn(c)
	d.Report = d.Report.In(c)
	var o Outline
	o.title("pgfettle check", d.Subject.Host)
	summary := []string{p.CheckSummary(d)}
	if len(d.Accepted) > 0 {
		summary = append(summary, p.Kept(d))
	}
	o.Summary(summary...)
	groups := byPlace(d.Findings)
	if worstLast {
		slices.Reverse(groups)
	}
	for _, g := range groups {
		if worstLast {
			slices.Reverse(g)
		}
		o.Heading(2, p.briefPlace(g[0], d.Subject))
		rows := Rows{Longest: []string{p.LongestSeverity()}}
		for _, alike := range Alike(g) {
			f, title := alike[0], alike[0].Title
			if n := len(alike); n > 1 {
				title += " (" + p.Many(n, "{n} finding", "{n} findings") + ")"
			}
			row := RowOf(p.Word(check.SeverityWords[f.Severity]), Join(title, "  ",
				Piece{Text: "[" + typeset.Clean(f.ID) + "]", As: AsName, Topic: f.ID}))
			row.Tone = severityTones[f.Severity]
			rows.List = append(rows.List, row)
		}
		o.Add(rows)
	}
	return o
}

// byPlace gathers findings by where they are, in the order of the first, which is the worst, of each.
func byPlace(list []check.Finding) (out [][]check.Finding) {
	at := map[string]int{}
	for _, f := range list {
		i, ok := at[f.Instance]
		if !ok {
			i = len(out)
			at[f.Instance] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}

// briefPlace is the host or the instance of a finding, with its name or version.
func (p Words) briefPlace(f check.Finding, s document.Subject) string {
	if f.Instance == "" {
		if s.Host == "" {
			return p.Say("Host")
		}
		return p.Say("Host {name}", "name", typeset.Clean(s.Host))
	}
	for _, in := range s.Instances {
		if in.Label == f.Instance {
			return p.Instance(in)
		}
	}
	return p.Place(f)
}

// LongestSeverity is the longest word for a severity, for the width of a column.
func (p Words) LongestSeverity() (longest string) {
	for _, w := range check.SeverityWords {
		if t := p.Word(w); typeset.Width(t) > typeset.Width(longest) {
			longest = t
		}
	}
	return longest
}
