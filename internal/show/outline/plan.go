package outline

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Plan is a plan before any form: the memory before and after as a table,
// the changes by layer and effect, each with its reason, and what to mind.
func Plan(d document.Plan, c *say.Catalogue) Outline {
	p := WordsIn(c)
	d.Plan = d.Plan.In(c)
	var o Outline
	o.title("pgfettle plan", d.Subject.Host)
	p.subjectOutline(&o, d.Subject)
	p.upgradeHead(&o, d.Upgrades)
	this, others := p.PlannedFor(d.Profile)
	o.Para(Bold(p.Say("Profile:")), " ", this, p.Semicolon(), others)
	o.Summary(p.PlanSummary(d)...)
	whole := d.Of == 0 // else the memory is that of the whole plan, and so is what it lacks
	if whole {
		p.budgetOutline(&o, d.Budget)
	}
	p.planned(&o, d)
	if whole {
		p.gapOutline(&o, d.Unknown)
	}
	return o
}

// Planned is what a plan changes, what to know before, and what it leaves, as Plan has them.
func Planned(d document.Plan, c *say.Catalogue) Outline {
	d.Plan = d.Plan.In(c)
	var o Outline
	WordsIn(c).planned(&o, d)
	return o
}

func (p Words) planned(o *Outline, d document.Plan) {
	whole := d.Of == 0
	if whole {
		var shared []Item
		for _, s := range d.Shared {
			shared = append(shared, Item{Text: Join(p.Shared(s))})
		}
		o.Kind(Lines, shared)
	}
	for _, g := range Groups(d.Changes) {
		g.NewCluster = slices.ContainsFunc(d.Upgrades,
			func(c upgrade.Configuration) bool { return c.Instance == g.Instance })
		p.changeOutline(o, g)
	}
	p.Warned(o, say.Strings(d.Warnings))
	if whole {
		p.leftOutline(o, d.Left)
		for _, c := range d.Upgrades {
			p.configuration(o, c)
		}
	}
}

// Warned adds what to know before acting.
func (p Words) Warned(o *Outline, list []string) {
	if len(list) == 0 {
		return
	}
	o.Add(Heading{Level: 2, Text: Join(p.Warnings()), Tone: ToneMind})
	var items []Item
	for _, text := range list {
		items = append(items, ItemOf(nil, text))
	}
	o.Kind(Warnings, items)
}

var riskTones = map[knob.Risk]Tone{knob.Medium: ToneMind, knob.High: ToneBad}

// changeOutline is the changes that are under one heading: their values side by side, then why.
func (p Words) changeOutline(o *Outline, g Group) {
	o.Heading(2, p.Heading(g))
	out := Changes{Caption: p.Heading(g), Words: p.changeWords(), Effect: typeset.Capital(p.Effect(g.Effect)),
		Part: p.Layer(g.Layer)}
	if g.NewCluster {
		out.Effect = p.Say("At the first start of the new server")
	}
	if g.Instance != "" {
		out.Part += " " + g.Instance
	}
	risky := false
	for _, c := range g.Changes {
		x := Change{Name: ShortName(c.Address), From: Shown(c.From), To: Shown(c.To) + Measure(c),
			Reason: c.Reason.String(), Title: c.Title, Topic: string(c.Address)}
		if c.Pinned {
			x.Pinned = p.Say("pinned")
		}
		for _, in := range c.Inputs {
			x.Inputs = append(x.Inputs, Input{strings.ReplaceAll(in.Name, "_", " "), in.Value})
		}
		if c.Risk != knob.Low && c.Risk != "" {
			risky, x.Risk, x.RiskTone = true, p.Risk(c.Risk), riskTones[c.Risk]
		}
		if in := UnsaidOf(&c); in != "" {
			x.Notes = append(x.Notes, Note{Lead: p.Say("inputs:"), Text: in, Tone: ToneNote,
				Unsaid: true})
		}
		if len(c.Sources) > 0 {
			x.Notes = append(x.Notes, Note{Lead: p.Say("source:"),
				Text: p.sourceTitles(say.SourcesOf(c.Sources)), Tone: ToneNote})
		}
		out.List = append(out.List, x)
	}
	if risky {
		out.Words.Risk = p.Say("risk")
	}
	o.Add(out)
}

// changeWords head the columns that every table of changes has.
func (p Words) changeWords() ChangeWords {
	return ChangeWords{Setting: p.Say("setting"), Before: p.Before(), After: p.After(),
		Note: p.Say("note"), Why: p.Why(), Inputs: p.Say("inputs"),
		Colon: p.Colon()}
}

// PlannedFor says what was planned for, and how to ask for something else.
func (p Words) PlannedFor(have rule.Profile) (this, others string) {
	list := []string{}
	for _, o := range rule.Profiles {
		if o != have {
			list = append(list, string(o))
		}
	}
	this = p.Say("{profile} ({words})", "profile", string(have), "words", profileWords[have])
	if have == rule.Mixed {
		this = p.Say("{profile}, the default ({words})", "profile", string(have), "words",
			profileWords[have])
	}
	return this, p.Say("for other workloads: --profile {others}", "others",
		strings.Join(list, "|"))
}

func (p Words) Shared(s plan.Shared) string {
	pairs := []any{"instance", typeset.Clean(s.Instance), "size", s.Bytes}
	if s.Pages > 0 {
		pairs = append(pairs, "pages", say.N(s.Pages, "{n} huge page", "{n} huge pages"))
	}
	switch {
	case s.Exact && s.Pages > 0:
		return p.Say("Shared memory of {instance}: {size} = {pages}, reported by the server", pairs...)
	case s.Exact:
		return p.Say("Shared memory of {instance}: {size}, reported by the server", pairs...)
	case s.Pages > 0:
		return p.Say("Shared memory of {instance}: {size} = {pages}, estimated and never too low; exact if the "+
			"server's programs are installed", pairs...)
	}
	return p.Say("Shared memory of {instance}: {size}, estimated and never too low; exact if the server's programs "+
		"are installed", pairs...)
}

// Group is a part of a plan that a person says yes or no to as a whole: the
// changes of one layer and instance that take effect alike.
type Group struct {
	Layer    knob.Layer
	Instance string
	Effect   knob.Effect
	Changes  []plan.Change

	NewCluster bool // it is the one that the instance is upgraded to
}

// Groups divides changes by layer and instance, in each by effect from the gentlest.
func Groups(list []plan.Change) []Group {
	var out []Group
	for _, layer := range knob.Layers {
		for _, instance := range instancesOf(list, layer) {
			for eff := knob.Now; eff <= knob.Reboot; eff++ {
				g := Group{Layer: layer, Instance: instance, Effect: eff}
				for _, c := range list {
					if c.Layer == layer && c.Instance == instance && c.Effect == eff {
						g.Changes = append(g.Changes, c)
					}
				}
				if len(g.Changes) > 0 {
					out = append(out, g)
				}
			}
		}
	}
	return out
}

// Names lists the changes of a group as the plan above it does.
func (g Group) Names() string {
	var out []string
	for _, c := range g.Changes {
		out = append(out, ShortName(c.Address))
	}
	return strings.Join(out, ", ")
}

// Heading names a group.
func (p Words) Heading(g Group) string {
	if g.NewCluster {
		return p.Say("New cluster of {instance}", "instance", typeset.Clean(g.Instance))
	}
	if g.Instance != "" {
		return p.Say("{layer} {instance}, {effect}", "layer", layerWords[g.Layer], "instance",
			typeset.Clean(g.Instance),
			"effect", EffectWords[g.Effect])
	}
	return p.Say("{layer}, {effect}", "layer", layerWords[g.Layer], "effect", EffectWords[g.Effect])
}

func instancesOf(list []plan.Change, layer knob.Layer) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range list {
		if c.Layer == layer && !seen[c.Instance] {
			seen[c.Instance] = true
			out = append(out, c.Instance)
		}
	}
	return out
}

// ShortName is the address without the prefix that the heading already contains.
func ShortName(a knob.Address) string {
	if a.Prefix() == "pg" || a.Prefix() == "sysctl" {
		return typeset.Clean(a.Name())
	}
	return typeset.Clean(string(a))
}

// Shown is a value for people; an empty one has to be seen too.
func Shown(v string) string {
	if v == "" {
		return "''"
	}
	return typeset.Clean(v)
}

// Measure is the unit of a kernel's value, which its file has without one; the
// server's values carry theirs.
func Measure(c plan.Change) string {
	if c.Layer == knob.Instance || c.Unit == "" {
		return ""
	}
	return " " + typeset.Clean(c.Unit)
}

// UnsaidOf lists the inputs of a change whose numbers its reason does not say.
func UnsaidOf(c *plan.Change) string {
	return Unsaid(c.Reason.English(), c.Inputs) // in English, as the inputs are
}

// Unsaid lists the inputs whose numbers the reason does not already say.
func Unsaid(reason string, inputs []rule.Input) string {
	var out []string
	for _, in := range inputs {
		if !strings.Contains(reason, in.Value) {
			out = append(out, strings.ReplaceAll(in.Name, "_", " ")+" "+typeset.Clean(in.Value))
		}
	}
	return strings.Join(out, ", ")
}

func (p Words) PlanSummary(d document.Plan) []string {
	if len(d.Upgrades) > 0 {
		return p.upgradeSummary(d)
	}
	kept := say.N(int64(d.Kept), "{n} setting stays unchanged", "{n} settings stay unchanged")
	if len(d.Changes) == 0 {
		s := p.Say("Nothing to change; {kept}.", "kept", kept)
		if n := len(d.Unknown); n > 0 {
			s += " " + p.Word(missing(n)) + "."
		}
		return []string{s}
	}
	n := map[knob.Effect]int{}
	for _, c := range d.Changes {
		n[c.Effect]++
	}
	var by []string
	for eff := knob.Now; eff <= knob.Reboot; eff++ {
		if n[eff] > 0 {
			by = append(by, p.EffectCount(eff, n[eff]))
		}
	}
	changes := say.N(int64(len(d.Changes)), "{n} change", "{n} changes")
	if d.Of > 0 {
		return []string{p.Say("{changes} ({by}), of {all} in the plan.", "changes", changes,
			"by", strings.Join(by, ", "), "all", d.Of)}
	}
	sum := p.Say("{changes} ({by}); {kept}.", "changes", changes, "by", strings.Join(by, ", "),
		"kept", kept)
	if d.Applying {
		return []string{sum}
	}
	return []string{
		sum + " " + p.Say("Nothing was changed."),
		p.Say("Next: add --out DIR to write the files. Details of a setting: pgfettle explain {knob}",
			"knob", typeset.Clean(string(d.Changes[0].Address))),
	}
}
