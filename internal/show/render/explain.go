package render

import (
	"fmt"
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
	k := c.Check
	p.line(p.tint(strong, k.ID), "  check, ", string(k.Area), ", ", k.Severity.String())
	p.para("", strong, k.Title)
	p.section("Why it matters", k.Why)
	p.section("What to do", k.Do)
	if k.Scope == check.PerInstance {
		p.versions(k.From, k.To)
	}
	if len(k.DependsOn) > 0 {
		p.section("Silent while one of these stands", strings.Join(k.DependsOn, ", "))
	}
	p.pages(c.Pages)
	p.sources(k.Sources)
	if c.Here != nil {
		p.gap()
		p.line(p.tint(strong, "Here"))
		for _, f := range c.Here.Findings {
			where := "the host"
			if f.Instance != "" {
				where = clean(f.Instance)
			}
			p.para("  "+strings.ToUpper(f.Severity.String())+"  ", plain, where+": "+clean(f.Seen))
		}
		for _, g := range c.Here.Unknown {
			p.para("  ~ ", plain, gapLine(g))
		}
		if len(c.Here.Findings)+len(c.Here.Unknown) == 0 {
			p.para("  ", plain, "It finds nothing here.")
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
	r := k.Rule
	what := string(r.Address.Layer()) + " knob"
	if r.Address.Layer() != knob.Instance {
		what += ", " + effectWords[r.Effect]
	}
	if r.Risk != "" && r.Risk != knob.Low {
		what += ", risk " + string(r.Risk)
	}
	p.line(p.tint(strong, string(r.Address)), "  ", what)
	p.para("", strong, r.Title)
	p.section("What it trades", r.Why)
	p.section("How the value is decided", r.Formula)
	if len(r.Needs) > 0 {
		names := make([]string, len(r.Needs))
		for i, n := range r.Needs {
			names[i] = string(n)
		}
		p.section("Decided after", strings.Join(names, ", "))
	}
	if r.Tolerance > 0 {
		p.section("Left alone", fmt.Sprintf("A present value within %.0f %% of the wanted one stays.", 100*r.Tolerance))
	}
	if r.Address.Layer() == knob.Instance && r.From+r.To > 0 {
		p.versions(r.From, r.To)
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
	p.section("Why no plan changes it", "It is looked at and left alone: "+k.Why+".")
	p.pages(k.Pages)
	if k.Looked {
		p.here(KnobPage{Looked: true, Here: k.Here, Gaps: k.Gaps})
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) here(k KnobPage) {
	p.gap()
	p.line(p.tint(strong, "Here"))
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
		now := "not known"
		if v, ok := h.Present.Get(); ok {
			now = shown(v.Show())
		} else if h.Present.State() == known.Absent {
			now = "none"
		}
		switch {
		case h.Planned == "":
			p.para(lead, plain, "now "+now+"; no opinion on it here")
		case h.Changes:
			p.para(lead, plain, "now "+now+" → planned "+shown(h.Planned))
		default:
			p.para(lead, plain, "now "+now+"; it stays")
		}
		if h.Reason != "" {
			p.para(lead+"because ", plain, clean(h.Reason))
		}
		if in := unsaid(h.Reason, h.Inputs); in != "" {
			p.para(lead+"inputs  ", faint, in)
		}
	}
	for _, g := range k.Gaps {
		p.para("  ~ ", plain, gapLine(g))
	}
	if len(k.Here)+len(k.Gaps) == 0 {
		p.para("  ", plain, "There is nothing here that it applies to.")
	}
}

func gapLine(g known.Gap) string {
	t := clean(g.Fact) + ": " + clean(g.Reason)
	if g.Reveal != "" {
		t += "; to know it: " + clean(g.Reveal)
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
	t := "Every version of PostgreSQL that is looked at."
	switch {
	case from > 0 && to > 0:
		t = fmt.Sprintf("PostgreSQL %d to %d.", from, to)
	case from > 0:
		t = fmt.Sprintf("PostgreSQL %d and later.", from)
	case to > 0:
		t = fmt.Sprintf("PostgreSQL up to %d.", to)
	}
	p.section("Versions", t)
}

func (p *page) sources(ids []string) {
	p.gap()
	p.line(p.tint(strong, "Sources"))
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
	p.line(p.tint(strong, fmt.Sprintf("%d checks", len(checks))))
	for _, c := range checks {
		p.para("  "+pad(c.ID, width)+"  "+pad(c.Severity.String(), len("critical"))+"  ", plain, c.Title)
	}
	p.gap()
	p.line(p.tint(strong, fmt.Sprintf("%d knobs", len(rules))))
	for _, r := range rules {
		p.para("  "+pad(string(r.Address), width)+"  ", plain, r.Title)
	}
	p.gap()
	p.line(p.tint(strong, fmt.Sprintf("%d pages", len(pages))))
	for _, a := range pages {
		p.para("  "+pad(a.ID, width)+"  "+pad(string(a.Kind), len(advice.Application))+"  ", plain, a.Title)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
