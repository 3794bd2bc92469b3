package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/advice"
)

// ExplainPage writes a page that belongs to no check and no knob.
func ExplainPage(w io.Writer, a advice.Page, st Style) error {
	p := newPage(st)
	what := string(a.Kind)
	if a.Since != "" {
		what += " since " + a.Since
	}
	p.line(p.tint(strong, a.ID), "  ", what)
	p.para("", strong, a.Title)
	p.section(p.say("show/explain/not_so", "Not so"), a.Verdict())
	head := p.say("show/explain/right", "What is right")
	if a.Kind != advice.NotSo {
		head = p.say("show/explain/advice", "Advice")
	}
	p.gap()
	p.line(p.tint(strong, head))
	for i, t := range a.Text {
		if i > 0 {
			p.gap()
		}
		p.para("  ", plain, t)
	}
	p.section(p.say("show/explain/verify", "See for yourself"), a.Verify)
	p.section(p.say("show/explain/found_by", "Found by"), strings.Join(a.Names, ", "))
	p.section(p.say("show/explain/also", "Read also: pgfettle explain"), strings.Join(a.See, ", "))
	p.sources(a.Sources)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// pages lists the pages that tell more of a check or a knob.
func (p *page) pages(list []advice.Page) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, p.say("show/explain/pages_on", "Pages on it")))
	for _, a := range list {
		p.para("  ", plain, strings.TrimSpace(a.Title+". "+a.Verdict())+" "+p.say("show/explain/more", "More: pgfettle explain {id}", "id", a.ID))
	}
}

// AdvicePages returns docs/pages.md: every page, made from its own words.
func AdvicePages(pages []advice.Page) string {
	var b strings.Builder
	b.WriteString("# Pages\n\nWhat no check can see and no knob can set, and what one may still read elsewhere that is outdated or wrong.\n" +
		"Made from the pages' own words (`make generate`); do not edit. `pgfettle explain NAME` shows the same page, found by any of its names.\n\n" +
		"| page | kind | what | found by |\n|---|---|---|---|\n")
	for _, a := range pages {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", a.ID, a.ID, a.Kind, cell(a.Title), cell(strings.Join(a.Names, ", ")))
	}
	for _, a := range pages {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Kind: %s.\n\n", a.ID, a.Title, a.Kind)
		if v := a.Verdict(); v != "" {
			b.WriteString(v + "\n\n")
		}
		b.WriteString(strings.Join(a.Text, "\n\n") + "\n\n")
		if a.Verify != "" {
			b.WriteString("See for yourself: " + a.Verify + "\n\n")
		}
		if len(a.See) > 0 {
			b.WriteString("Read also: " + strings.Join(a.See, ", ") + ".\n\n")
		}
		b.WriteString(sourceList(a.Sources))
	}
	return b.String()
}

// cell makes a text fit for one cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
