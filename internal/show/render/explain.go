package render

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// CheckPage is the page of a check. Here is what it found on a host; nil when
// no host was looked at.
type CheckPage struct {
	Check check.Check
	Pages []advice.Page // that tell more of it
	Here  *Check
}

// ExplainCheck writes the page of a check.
func ExplainCheck(w io.Writer, c CheckPage, st Style) error {
	p := newPage(st)
	k := c.Check.In(st.Words)
	p.line(p.tint(strong, k.ID), "  ", p.say("show/explain/check", "check, {area}, {severity}", "area", string(k.Area), "severity", severityWords[k.Severity]))
	p.para("", strong, k.Title)
	p.section(p.say("show/explain/why", "Why it matters"), k.Why)
	p.section(p.say("show/explain/do", "What to do"), k.Do)
	if k.Scope == check.PerInstance {
		p.versions(k.From, k.To)
	}
	if len(k.DependsOn) > 0 {
		p.section(p.say("show/explain/silent", "Silent while one of these stands"), strings.Join(k.DependsOn, ", "))
	}
	p.pages(c.Pages)
	p.sources(k.Sources)
	if c.Here != nil {
		p.gap()
		p.line(p.tint(strong, p.say("show/explain/here", "Here")))
		for _, f := range c.Here.Report.In(st.Words).Findings {
			p.para("  "+strings.ToUpper(p.word(severityWords[f.Severity]))+"  ", plain, p.place(f)+p.colon()+clean(f.Seen))
		}
		for _, a := range c.Here.Report.In(st.Words).Accepted {
			p.para("  "+p.word(labelAccepted)+"  ", plain, p.place(a.Finding)+p.colon()+clean(a.Seen)+" ("+p.word(until(a))+p.colon()+clean(a.Reason)+")")
		}
		for _, g := range c.Here.Unknown {
			p.para("  ~ ", plain, p.gapLine(g))
		}
		if len(c.Here.Findings)+len(c.Here.Accepted)+len(c.Here.Unknown) == 0 {
			p.para("  ", plain, p.say("show/explain/nothing", "It finds nothing here."))
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// KnobHere is what one knob is and would be, on the host or for one instance.
type KnobHere struct {
	Instance string // label; "" for the host
	Subject  string // the device or the mount, where there is one of the knob for each; else ""
	Present  known.Fact[rule.Value]
	Planned  string // as SHOW prints it; "" where the rule has no opinion
	Reason   string
	English  string // the reason in English, as the inputs are
	Inputs   []rule.Input
	Changes  bool
}

// KnobPage is the page of a knob. Looked says whether a host was looked at.
type KnobPage struct {
	Rule   rule.Rule
	Pages  []advice.Page // that tell more of it
	Looked bool
	Here   []KnobHere
	Gaps   []known.Gap
}

// ExplainKnob writes the page of a knob.
func ExplainKnob(w io.Writer, k KnobPage, st Style) error {
	p := newPage(st)
	r := k.Rule.In(st.Words)
	what := string(r.Address.Layer()) + " knob"
	if r.Address.Prefix() != "pg" {
		what += ", " + p.word(effectWords[r.Effect])
	}
	if r.Risk != "" && r.Risk != knob.Low {
		what += ", " + strings.Replace(p.word(riskWords[r.Risk]), ":", "", 1)
	}
	p.line(p.tint(strong, string(r.Address)), "  ", what)
	p.para("", strong, r.Title)
	p.section(p.say("show/explain/trades", "What it trades"), r.Why)
	p.section(p.say("show/explain/formula", "How the value is decided"), r.Formula)
	if len(r.Needs) > 0 {
		names := make([]string, len(r.Needs))
		for i, n := range r.Needs {
			names[i] = string(n)
		}
		p.section(p.say("show/explain/after", "Decided after"), strings.Join(names, ", "))
	}
	if r.Tolerance > 0 {
		p.section(p.say("show/explain/alone", "Left alone"), p.say("show/explain/tolerance", "A present value within {percent} % of the wanted one stays.", "percent", int(100*r.Tolerance+0.5)))
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

// UnplannedPage is the page of a knob that is read and left alone.
type UnplannedPage struct {
	rule.Unplanned
	Pages  []advice.Page
	Looked bool
	Here   []KnobHere // present values
	Gaps   []known.Gap
}

// ExplainUnplanned writes the page of a knob that no rule decides.
func ExplainUnplanned(w io.Writer, k UnplannedPage, st Style) error {
	p := newPage(st)
	p.line(p.tint(strong, string(k.Address)), "  ", string(k.Address.Layer()), " knob, read and not planned")
	p.section(p.say("show/explain/why_not", "Why no plan changes it"), p.say("show/explain/left_alone", "It is looked at and left alone: {why}.", "why", k.Why))
	p.pages(k.Pages)
	if k.Looked {
		p.here(KnobPage{Looked: true, Here: k.Here, Gaps: k.Gaps})
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) here(k KnobPage) {
	p.gap()
	p.line(p.tint(strong, p.say("show/explain/here", "Here")))
	for _, h := range k.Here {
		lead := "  "
		if h.Instance != "" {
			p.para("  ", plain, clean(h.Instance))
			lead = "    "
		}
		if h.Subject != "" {
			p.para("  ", plain, clean(h.Subject))
			lead = "    "
		}
		now := p.say("show/here/unknown", "not known")
		if v, ok := h.Present.Get(); ok {
			now = shown(v.Show())
		} else if h.Present.State() == known.Absent {
			now = p.say("show/here/none", "none")
		}
		switch {
		case h.Planned == "":
			p.para(lead, plain, p.say("show/here/no_opinion", "now {now}; no opinion on it here", "now", now))
		case h.Changes:
			p.para(lead, plain, p.say("show/here/planned", "now {now} → planned {planned}", "now", now, "planned", shown(h.Planned)))
		default:
			p.para(lead, plain, p.say("show/here/stays", "now {now}; it stays", "now", now))
		}
		if h.Reason != "" {
			p.para(lead+p.say("show/here/because", "because")+" ", plain, clean(h.Reason))
		}
		if in := unsaid(h.Reason+h.English, h.Inputs); in != "" {
			p.para(lead+p.say("show/here/inputs", "inputs")+"  ", faint, in)
		}
	}
	for _, g := range k.Gaps {
		p.para("  ~ ", plain, p.gapLine(g))
	}
	if len(k.Here)+len(k.Gaps) == 0 {
		p.para("  ", plain, p.say("show/explain/nowhere", "There is nothing here that it applies to."))
	}
}

func (p *page) gapLine(g known.Gap) string {
	t := clean(g.Fact) + ": " + clean(g.Reason)
	if g.Reveal != "" {
		t += "; " + p.say("show/reveal", "to know it:") + " " + clean(g.Reveal)
	}
	return t
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
	t := p.say("show/versions/all", "Every version of PostgreSQL that is looked at.")
	switch {
	case from > 0 && to > 0:
		t = p.say("show/versions/both", "PostgreSQL {from} to {to}.", "from", from, "to", to)
	case from > 0:
		t = p.say("show/versions/from", "PostgreSQL {from} and later.", "from", from)
	case to > 0:
		t = p.say("show/versions/to", "PostgreSQL up to {to}.", "to", to)
	}
	p.section(p.say("show/explain/versions", "Versions"), t)
}

func (p *page) sources(ids []string) {
	p.gap()
	p.line(p.tint(strong, p.say("show/explain/sources", "Sources")))
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
		width = max(width, runes(c.ID))
	}
	for _, r := range rules {
		width = max(width, runes(string(r.Address)))
	}
	for _, a := range pages {
		width = max(width, runes(a.ID))
	}
	p.line(p.tint(strong, p.many("show/explain/checks", len(checks), "{n} check", "{n} checks")))
	for _, c := range checks {
		p.para("  "+pad(c.ID, width)+"  "+pad(p.word(severityWords[c.Severity]), p.severityColumn()-2)+"  ", plain, c.In(st.Words).Title)
	}
	p.gap()
	p.line(p.tint(strong, p.many("show/explain/knobs", len(rules), "{n} knob", "{n} knobs")))
	for _, r := range rules {
		p.para("  "+pad(string(r.Address), width)+"  ", plain, r.In(st.Words).Title)
	}
	p.gap()
	p.line(p.tint(strong, p.many("show/explain/pages", len(pages), "{n} page", "{n} pages")))
	for _, a := range pages {
		p.para("  "+pad(a.ID, width)+"  "+pad(string(a.Kind), len(advice.Application))+"  ", plain, a.Title)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
