package web

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// changeView is one change: a row of the table, and its reasons that unfold.
type changeView struct {
	Name, Title, Href, From, To string
	Risk, RiskClass, Pinned     string
	Why, Sources, Inputs        string // the words for them
	Reason, SourceText          string
	Given                       []rule.Input
}

// effectView is the changes of one part that take effect alike.
type effectView struct {
	Heading string
	Changes []changeView
}

// layerView is the changes of the host or of one instance.
type layerView struct {
	Heading string
	Head    []string
	Effects []effectView
}

// step is one command of what to do next.
type step struct{ Text, Command string }

type planView struct {
	Subject                subjectView
	Summary, Profile       string
	Budget                 template.HTML
	BudgetHeading, Misfit  string
	Shared                 []string
	WarnHeading            string
	Warnings               []string
	ChangeHeading, Nothing string
	Layers                 []layerView
	LeftHeading            string
	Left                   []leftView
	StepHeading            string
	Steps                  []step
	Unknown                unknownView
}

// leftView is a finding that the plan leaves.
type leftView struct{ Name, Href, Severity, Why string }

// Plan is the sections of a plan: the memory before and after, what to know
// before one acts, the changes with their reasons, how to carry it out.
func Plan(d document.Plan, v View) (template.HTML, error) {
	p, err := v.plan(d)
	if err != nil {
		return "", err
	}
	return fragment("plan", p)
}

// PlanPage is the page of a plan.
func PlanPage(d document.Plan, v View) (Page, error) {
	body, err := Plan(d, v)
	title := v.say("show/web/plan", "Plan")
	if d.Subject.Host != "" {
		title = v.say("show/web/plan_for", "Plan for {host}", "host", typeset.Clean(d.Subject.Host))
	}
	return Page{Title: title, Lang: v.lang(), Body: body}, err
}

func (v View) plan(d document.Plan) (planView, error) {
	t := outline.WordsIn(v.Words)
	d.Plan = d.Plan.In(v.Words)
	d.Applying = true // no advice on what to do next: the page has a section for it
	out := planView{
		Subject: v.subject(v.say("show/plan/about", "Plan for"), d.Subject), Summary: t.PlanSummary(d)[0],
		Profile:       v.say("show/plan/profile", "Profile:") + " " + t.Profile(d.Profile),
		BudgetHeading: BudgetHeading(d.Budget, v), Misfit: t.BudgetMisfit(d.Budget),
		WarnHeading: t.Warnings(), Warnings: say.Strings(d.Warnings),
		ChangeHeading: v.say("show/web/changes", "Changes"),
		Layers:        v.layers(d.Changes), Unknown: v.unknown(d.Unknown),
	}
	for _, s := range d.Shared {
		out.Shared = append(out.Shared, t.Shared(s))
	}
	for _, l := range d.Left {
		name, why := t.Left(l)
		out.LeftHeading = t.LeftHeading()
		out.Left = append(out.Left, leftView{name, v.explain(l.ID),
			v.say("show/severity/"+l.Severity.String(), l.Severity.String()), why})
	}
	if len(d.Changes) > 0 {
		out.StepHeading, out.Steps = v.say("show/web/next", "To carry it out, and to take it back"), v.steps(d)
	}
	var err error
	out.Budget, err = Budget(d.Budget, v, "budget")
	return out, err
}

// layers divides the changes as the text does: by layer and instance, in each by
// effect from the gentlest.
func (v View) layers(list []plan.Change) []layerView {
	t := outline.WordsIn(v.Words)
	head := []string{v.say("show/web/setting", "setting"), v.say("show/web/present", "present"),
		v.say("show/web/planned", "planned"), v.say("show/web/note", "note")}
	var out []layerView
	for _, g := range outline.Groups(list) {
		name := capital(strings.ToLower(t.Layer(g.Layer)))
		if g.Instance != "" {
			name += " " + g.Instance
		}
		if n := len(out); n == 0 || out[n-1].Heading != name {
			out = append(out, layerView{Heading: name, Head: head})
		}
		e := effectView{Heading: capital(t.Effect(g.Effect))}
		for _, c := range g.Changes {
			e.Changes = append(e.Changes, v.change(c))
		}
		last := &out[len(out)-1]
		last.Effects = append(last.Effects, e)
	}
	return out
}

func (v View) change(c plan.Change) changeView {
	t := outline.WordsIn(v.Words)
	out := changeView{
		Name: outline.ShortName(c.Address), Title: c.Title, Href: v.explain(string(c.Address)),
		From: outline.Shown(c.From), To: outline.Shown(c.To) + outline.Measure(c),
		Risk: t.Risk(c.Risk), Why: t.Why(), Sources: t.Sources(), Inputs: v.say("show/web/inputs", "inputs"),
		Reason: c.Reason.String(), SourceText: outline.SourceTitles(say.SourcesOf(c.Sources)),
	}
	switch c.Risk {
	case knob.High:
		out.RiskClass = "critical"
	case knob.Medium:
		out.RiskClass = "warning"
	}
	if c.Pinned {
		out.Pinned = v.say("show/web/pinned", "pinned")
	}
	for _, in := range c.Inputs {
		out.Given = append(out.Given, rule.Input{Name: strings.ReplaceAll(in.Name, "_", " "), Value: in.Value})
	}
	return out
}

// steps are the commands that carry the plan out and take it back.
func (v View) steps(d document.Plan) []step {
	out := []step{
		{v.say("show/web/apply",
			"On the host: show it again, ask for each group, note every change in a journal before it is made."),
			"pgfettle apply"},
	}
	restart := false
	for _, c := range d.Changes {
		restart = restart || c.Effect >= knob.Restart
	}
	if restart {
		out = append(out, step{v.say("show/web/apply_gently", "Only what needs no restart and no reboot."),
			"pgfettle apply --max-effect reload"})
	}
	return append(out,
		step{v.say("show/web/undo", "Take it back: each value as it was, where nobody has changed it since."),
			"pgfettle undo"},
		step{v.say("show/web/out", "Or by other hands: the files, each with its place; a playbook; a shell script."),
			fmt.Sprintf("%s\n%s\n%s", "pgfettle plan --out DIR", "pgfettle plan --format ansible",
				"pgfettle plan --format script")})
}
