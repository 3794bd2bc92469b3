package term

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// ExplainCheck writes the page of a check.
func ExplainCheck(w io.Writer, c document.CheckPage, st Style) error {
	p := newPage(st)
	k := c.Check.In(st.Words)
	p.line(p.tint(strong, k.ID), "  ", p.Say("show/explain/check", "check, {area}, {severity}", "area", string(k.Area),
		"severity", outline.SeverityWords[k.Severity]))
	p.para("", strong, k.Title)
	p.section(p.Say("show/explain/why", "Why it matters"), k.Why)
	p.section(p.Say("show/explain/do", "What to do"), k.Do)
	if k.Scope == check.PerInstance {
		p.versions(k.From, k.To)
	}
	if len(k.DependsOn) > 0 {
		p.section(p.Say("show/explain/silent", "Silent while one of these stands"), strings.Join(k.DependsOn, ", "))
	}
	p.pages(c.Pages)
	p.sources(k.Sources)
	if c.Here != nil {
		p.gap()
		p.line(p.tint(strong, p.Say("show/explain/here", "Here")))
		for _, f := range c.Here.Report.In(st.Words).Findings {
			p.para("  "+strings.ToUpper(p.Word(outline.SeverityWords[f.Severity]))+"  ", plain,
				p.Place(f)+p.Colon()+typeset.Clean(f.Seen.String()))
		}
		for _, a := range c.Here.Report.In(st.Words).Accepted {
			p.para("  "+p.Word(outline.LabelAccepted)+"  ", plain, p.Place(a.Finding)+p.Colon()+
				typeset.Clean(a.Seen.String())+" ("+p.Word(outline.Until(a))+p.Colon()+typeset.Clean(a.Reason)+")")
		}
		for _, g := range c.Here.Unknown {
			p.para("  ~ ", plain, p.GapLine(g))
		}
		if len(c.Here.Findings)+len(c.Here.Accepted)+len(c.Here.Unknown) == 0 {
			p.para("  ", plain, p.Say("show/explain/nothing", "It finds nothing here."))
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// ExplainKnob writes the page of a knob.
func ExplainKnob(w io.Writer, k document.KnobPage, st Style) error {
	p := newPage(st)
	r := k.Rule.In(st.Words)
	what := string(r.Address.Layer()) + " knob"
	if r.Address.Prefix() != "pg" {
		what += ", " + p.Word(outline.EffectWords[r.Effect])
	}
	if r.Risk != "" && r.Risk != knob.Low {
		what += ", " + strings.Replace(p.Word(outline.RiskWords[r.Risk]), ":", "", 1)
	}
	p.line(p.tint(strong, string(r.Address)), "  ", what)
	p.para("", strong, r.Title)
	p.section(p.Say("show/explain/trades", "What it trades"), r.Why)
	p.section(p.Say("show/explain/formula", "How the value is decided"), r.Formula)
	if len(r.Needs) > 0 {
		names := make([]string, len(r.Needs))
		for i, n := range r.Needs {
			names[i] = string(n)
		}
		p.section(p.Say("show/explain/after", "Decided after"), strings.Join(names, ", "))
	}
	if r.Tolerance > 0 {
		p.section(p.Say("show/explain/alone", "Left alone"),
			p.Say("show/explain/tolerance", "A present value within {percent} % of the wanted one stays.", "percent",
				int(100*r.Tolerance+0.5)))
	}
	if from, to := r.Versions(); from+to > 0 {
		p.versions(from, to)
	}
	p.pages(k.Pages)
	p.sources(r.Sources)
	if k.Looked {
		p.here(k)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// ExplainUnplanned writes the page of a knob that no rule decides.
func ExplainUnplanned(w io.Writer, k document.UnplannedPage, st Style) error {
	p := newPage(st)
	p.line(p.tint(strong, string(k.Address)), "  ", string(k.Address.Layer()), " knob, read and not planned")
	p.section(p.Say("show/explain/why_not", "Why no plan changes it"),
		p.Say("show/explain/left_alone", "It is looked at and left alone: {why}.", "why", k.Why))
	p.pages(k.Pages)
	if k.Looked {
		p.here(document.KnobPage{Looked: true, Here: k.Here, Gaps: k.Gaps})
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) here(k document.KnobPage) {
	p.gap()
	p.line(p.tint(strong, p.Say("show/explain/here", "Here")))
	for _, h := range k.Here {
		lead := "  "
		if h.Instance != "" {
			p.para("  ", plain, typeset.Clean(h.Instance))
			lead = "    "
		}
		if h.Subject != "" {
			p.para("  ", plain, typeset.Clean(h.Subject))
			lead = "    "
		}
		now := p.Say("show/here/unknown", "not known")
		if v, ok := h.Present.Get(); ok {
			now = outline.Shown(v.Show())
		} else if h.Present.State() == known.Absent {
			now = p.Say("show/here/none", "none")
		}
		switch {
		case h.Planned == "":
			p.para(lead, plain, p.Say("show/here/no_opinion", "now {now}; no opinion on it here", "now", now))
		case h.Changes:
			p.para(lead, plain, p.Say("show/here/planned", "now {now} → planned {planned}", "now", now, "planned",
				outline.Shown(h.Planned)))
		default:
			p.para(lead, plain, p.Say("show/here/stays", "now {now}; it stays", "now", now))
		}
		if h.Reason != "" {
			p.para(lead+p.Say("show/here/because", "because")+" ", plain, typeset.Clean(h.Reason))
		}
		if in := outline.Unsaid(h.Reason+h.English, h.Inputs); in != "" {
			p.para(lead+p.Say("show/here/inputs", "inputs")+"  ", faint, in)
		}
	}
	for _, g := range k.Gaps {
		p.para("  ~ ", plain, p.GapLine(g))
	}
	if len(k.Here)+len(k.Gaps) == 0 {
		p.para("  ", plain, p.Say("show/explain/nowhere", "There is nothing here that it applies to."))
	}
}

func (p *page) section(title, text string) {
	if text == "" {
		return
	}
	p.gap()
	p.line(p.tint(strong, title))
	p.para("  ", plain, text)
}

func (p *page) versions(from, to int) {
	t := p.Say("show/versions/all", "Every version of PostgreSQL that is looked at.")
	switch {
	case from > 0 && to > 0:
		t = p.Say("show/versions/both", "PostgreSQL {from} to {to}.", "from", from, "to", to)
	case from > 0:
		t = p.Say("show/versions/from", "PostgreSQL {from} and later.", "from", from)
	case to > 0:
		t = p.Say("show/versions/to", "PostgreSQL up to {to}.", "to", to)
	}
	p.section(p.Say("show/explain/versions", "Versions"), t)
}

func (p *page) sources(ids []string) {
	p.gap()
	p.line(p.tint(strong, p.Say("show/explain/sources", "Sources")))
	for _, id := range ids {
		s, ok := say.SourceByID(id)
		if !ok {
			p.para("  ", plain, id)
			continue
		}
		t := s.Title + ", " + s.Publisher
		if s.Version != "" {
			t += ", " + s.Version
		}
		if s.Date != "" {
			t += ", as of " + s.Date
		}
		p.para("  ", plain, t)
	}
}

// Index lists every check, knob and page with its title, aligned.
func Index(w io.Writer, checks []check.Check, rules []rule.Rule, pages []advice.Page, st Style) error {
	p := newPage(st)
	width := 0
	for _, c := range checks {
		width = max(width, typeset.Width(c.ID))
	}
	for _, r := range rules {
		width = max(width, typeset.Width(string(r.Address)))
	}
	for _, a := range pages {
		width = max(width, typeset.Width(a.ID))
	}
	p.line(p.tint(strong, p.Many("show/explain/checks", len(checks), "{n} check", "{n} checks")))
	for _, c := range checks {
		p.para("  "+typeset.Pad(c.ID, width)+"  "+typeset.Pad(p.Word(outline.SeverityWords[c.Severity]),
			p.severityColumn()-2)+"  ", plain, c.In(st.Words).Title)
	}
	p.gap()
	p.line(p.tint(strong, p.Many("show/explain/knobs", len(rules), "{n} knob", "{n} knobs")))
	for _, r := range rules {
		p.para("  "+typeset.Pad(string(r.Address), width)+"  ", plain, r.In(st.Words).Title)
	}
	p.gap()
	p.line(p.tint(strong, p.Many("show/explain/pages", len(pages), "{n} page", "{n} pages")))
	for _, a := range pages {
		p.para("  "+typeset.Pad(a.ID, width)+"  "+typeset.Pad(string(a.Kind), len(advice.Application))+"  ",
			plain, a.Title)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// ExplainPage writes a page that belongs to no check and no knob.
func ExplainPage(w io.Writer, a advice.Page, st Style) error {
	p := newPage(st)
	what := string(a.Kind)
	if a.Since != "" {
		what += " since " + a.Since
	}
	p.line(p.tint(strong, a.ID), "  ", what)
	p.para("", strong, a.Title)
	p.section(p.Say("show/explain/not_so", "Not so"), a.Verdict())
	head := p.Say("show/explain/right", "What is right")
	if a.Kind != advice.NotSo {
		head = p.Say("show/explain/advice", "Advice")
	}
	p.gap()
	p.line(p.tint(strong, head))
	for i, t := range a.Text {
		if i > 0 {
			p.gap()
		}
		p.para("  ", plain, t)
	}
	p.section(p.Say("show/explain/verify", "See for yourself"), a.Verify)
	p.section(p.Say("show/explain/found_by", "Found by"), strings.Join(a.Names, ", "))
	p.section(p.Say("show/explain/also", "Read also: pgfettle explain"), strings.Join(a.See, ", "))
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
	p.line(p.tint(strong, p.Say("show/explain/pages_on", "Pages on it")))
	for _, a := range list {
		p.para("  ", plain, strings.TrimSpace(a.Title+". "+a.Verdict())+" "+
			p.Say("show/explain/more", "More: pgfettle explain {id}", "id", a.ID))
	}
}
