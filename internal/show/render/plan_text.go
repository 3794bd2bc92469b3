package render

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var riskTone = map[knob.Risk]tone{knob.Medium: yellow, knob.High: red}

// PlanText writes a plan for a person: what it is for, the memory before and
// after, the changes by layer and effect, warnings, what is not known, and one
// line of summary.
func PlanText(w io.Writer, d Plan, st Style) error {
	p := newPage(st)
	d.Plan = d.Plan.In(st.Words)
	p.subject(p.say("show/plan/about", "Plan for"), d.Subject)
	p.profile(d.Profile)
	if d.Of == 0 { // the memory is that of the whole plan, and so is what it lacks
		p.budget(d.Budget)
		p.shared(d.Shared)
	}
	p.changes(d.Changes)
	p.warnings(d.Warnings)
	if d.Of == 0 {
		p.left(d.Left)
		p.unknown(d.Unknown)
	}
	p.gap()
	for _, l := range p.planSummary(d) {
		p.para("", strong, l)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) profile(have rule.Profile) {
	lead := p.say("show/plan/profile", "Profile:") + " "
	this, others := p.profileTold(have)
	p.para(lead, plain, this)
	p.line(pad("", runes(lead)), others)
}

// profileTold says what was planned for, and how to ask for something else.
func (p *page) profileTold(have rule.Profile) (this, others string) {
	list := []string{}
	for _, o := range rule.Profiles {
		if o != have {
			list = append(list, string(o))
		}
	}
	this = p.say("show/plan/profile_words", "{profile} ({words})", "profile", string(have), "words", profileWords[have])
	if have == rule.Mixed {
		this = p.say("show/plan/profile_default", "{profile}, the default ({words})", "profile", string(have), "words", profileWords[have])
	}
	return this, p.say("show/plan/profile_others", "for another use: --profile {others}", "others", strings.Join(list, "|"))
}

// shared tells how much shared memory each instance will ask for, and how that
// is known: the number of huge pages rests on it.
func (p *page) shared(list []plan.Shared) {
	if len(list) == 0 {
		return
	}
	p.gap()
	for _, s := range list {
		p.para("  ", plain, p.sharedLine(s))
	}
}

func (p *page) sharedLine(s plan.Shared) string {
	t := p.say("show/plan/shared", "Shared memory of {instance}: {size}", "instance", clean(s.Instance), "size", s.Bytes)
	if s.Pages > 0 {
		t += " = " + p.many("show/plan/huge_pages", int(s.Pages), "{n} huge page", "{n} huge pages")
	}
	if s.Exact {
		return t + ", " + p.say("show/plan/shared_exact", "the server's own answer")
	}
	return t + ", " + p.say("show/plan/shared_estimated", "estimated and never too low; exact where the installed server can be asked")
}

// group is a heading of the list of changes.
type group struct {
	layer    knob.Layer
	instance string
	effect   knob.Effect
}

// changes lists them by layer and instance, then by effect from the gentlest;
// within one heading the plan's order stays, which is that of carrying it out.
func (p *page) changes(list []plan.Change) {
	for _, g := range groupsOf(list) {
		p.gap()
		p.line(p.tint(strong, p.heading(g)))
		p.changeGroup(g.of(list))
	}
}

// groupsOf returns the headings under which changes stand, in their order.
func groupsOf(list []plan.Change) []group {
	var order []group
	for _, layer := range knob.Layers {
		for _, instance := range instancesOf(list, layer) {
			for eff := knob.Now; eff <= knob.Reboot; eff++ {
				if g := (group{layer, instance, eff}); len(g.of(list)) > 0 {
					order = append(order, g)
				}
			}
		}
	}
	return order
}

// of returns the changes that stand under a heading.
func (g group) of(list []plan.Change) []plan.Change {
	var out []plan.Change
	for _, c := range list {
		if c.Layer == g.layer && c.Instance == g.instance && c.Effect == g.effect {
			out = append(out, c)
		}
	}
	return out
}

func (p *page) heading(g group) string {
	head := p.word(layerWords[g.layer])
	if g.instance != "" {
		head += " " + clean(g.instance)
	}
	return head + ", " + p.word(effectWords[g.effect])
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

func (p *page) changeGroup(list []plan.Change) {
	name, from := 0, 0
	for _, c := range list {
		name = max(name, runes(shortName(c.Address)))
		from = max(from, runes(shown(c.From)))
	}
	// Beyond these, one long name or value would push all others out of sight.
	name, from = min(name, 36), min(from, 16)
	for _, c := range list {
		l := "  " + p.tint(strong, pad(shortName(c.Address), name)) + "  " + padLeft(shown(c.From), from) + " → " + p.tint(green, shown(c.To)+measure(c))
		if c.Risk != knob.Low && c.Risk != "" {
			l += p.tint(riskTone[c.Risk], "  "+p.word(riskWords[c.Risk]))
		}
		p.line(l)
		const indent = "      "
		p.para(indent, plain, c.Reason)
		if in := unsaidOf(&c); in != "" {
			p.para(indent+p.say("show/plan/inputs", "inputs:")+" ", faint, in)
		}
		if len(c.Sources) > 0 {
			p.para(indent+p.say("show/plan/source", "source:")+" ", faint, sourceTitles(c.Sources))
		}
	}
}

// shortName is the address without the prefix that the heading tells already.
func shortName(a knob.Address) string {
	if a.Prefix() == "pg" || a.Prefix() == "sysctl" {
		return clean(a.Name())
	}
	return clean(string(a))
}

// shown is a value for people; an empty one has to be seen too.
func shown(v string) string {
	if v == "" {
		return "''"
	}
	return clean(v)
}

// measure is the unit of a kernel's value, which its file has without one; the
// server's values carry theirs.
func measure(c plan.Change) string {
	if c.Layer == knob.Instance || c.Unit == "" {
		return ""
	}
	return " " + clean(c.Unit)
}

// unsaidOf lists the inputs of a change whose numbers its reason does not say.
func unsaidOf(c *plan.Change) string {
	said := c.Reason
	if !c.Because.IsZero() { // the reason in English, as the inputs are
		said = c.Because.String()
	}
	return unsaid(said, c.Inputs)
}

// unsaid lists the inputs whose numbers the reason does not already say.
func unsaid(reason string, inputs []rule.Input) string {
	var out []string
	for _, in := range inputs {
		if !strings.Contains(reason, in.Value) {
			out = append(out, strings.ReplaceAll(in.Name, "_", " ")+" "+clean(in.Value))
		}
	}
	return strings.Join(out, ", ")
}

func (p *page) warnings(list []string) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(yellow, p.say("show/plan/warnings", "Before you act")))
	for _, w := range list {
		p.para("  ! ", plain, w)
	}
}

func (p *page) planSummary(d Plan) []string {
	kept := say.N("show/plan/kept", int64(d.Kept), "{n} knob stays as it is", "{n} knobs stay as they are")
	if len(d.Changes) == 0 {
		s := p.say("show/plan/nothing", "Nothing to change; {kept}.", "kept", kept)
		if n := len(d.Unknown); n > 0 {
			s += " " + p.word(missing(n)) + "."
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
			by = append(by, p.effectCount(eff, n[eff]))
		}
	}
	changes := say.N("show/plan/changes", int64(len(d.Changes)), "{n} change", "{n} changes")
	if d.Of > 0 {
		return []string{p.say("show/plan/summary_of", "{changes} ({by}), of {all} in the plan.", "changes", changes, "by", strings.Join(by, ", "), "all", d.Of)}
	}
	sum := p.say("show/plan/summary", "{changes} ({by}); {kept}.", "changes", changes, "by", strings.Join(by, ", "), "kept", kept)
	if d.Applying {
		return []string{sum}
	}
	return []string{
		sum + " " + p.say("show/plan/unchanged", "Nothing was changed."),
		p.say("show/plan/next", "Next: the same command with --out DIR writes the files; 'pgfettle explain {knob}' tells more of one knob.", "knob", clean(string(d.Changes[0].Address))),
	}
}
