package cli

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// chosenPart is what of a plan will be carried out: what the flags allow, less
// what a person says no to.
type chosenPart struct {
	options   selection.Options
	plan      *plan.Plan
	snapshot  *snapshot.Snapshot
	acceptAll bool
	files     target.Target // --root: the tree; nil: a host

	chosen []plan.Change
	left   []selection.Left
	barred map[selection.Which]string // what is in options.Skip for another reason than a person, and why
}

// choose applies the bounds. Risks that were not accepted are left out rather
// than ending the whole: what does not rest on them is done.
func (s *chosenPart) choose() {
	if s.barred == nil {
		s.barred = map[selection.Which]string{}
	}
	for _, c := range s.plan.Changes {
		if !s.asked(&c) {
			continue
		}
		if c.Risk == knob.High && s.acceptAll {
			s.options.AcceptRisk = append(s.options.AcceptRisk, selection.WhichOf(&c))
		}
		if why := s.bars(&c); why != "" && s.barred[selection.WhichOf(&c)] == "" {
			s.barred[selection.WhichOf(&c)] = why
			s.options.Skip = append(s.options.Skip, selection.WhichOf(&c))
		}
	}
	s.chosen, s.left = selection.Select(s.plan, s.snapshot, s.options)
	s.left = slices.DeleteFunc(s.left, func(l selection.Left) bool { return !s.asked(&l.Change) }) // nobody needs to be told
	for i := range s.left {
		if why := s.barred[selection.WhichOf(&s.left[i].Change)]; why != "" {
			s.left[i].Reason = why
		}
	}
}

// shown is the document of what will be done, where --only names it: those changes, and
// of the warnings of the plan those that are about them. Where nothing will be done it
// has what was named, whose reasons are to be read.
func (s *chosenPart) shown(d document.Plan) document.Plan {
	if len(s.options.Only) == 0 {
		return d
	}
	of := *s.plan
	d.Plan, d.Of, of.Changes, of.Warnings = &of, len(s.plan.Changes), s.chosen, nil
	if len(s.chosen) == 0 {
		for _, l := range s.left {
			of.Changes = append(of.Changes, l.Change)
		}
	}
	// A rule's warning has the rule's address in its id; what overrides a value stands
	// behind its address.
	about := func(a knob.Address, m say.Message) bool {
		if m.ID != "" {
			return m.ID == "rule/"+string(ruleOf(a))+"/warning"
		}
		return slices.Contains(strings.Split(strings.SplitN(m.String(), ": ", 2)[0], ", "), string(a))
	}
	for _, w := range s.plan.Warnings {
		if slices.ContainsFunc(of.Changes, func(c plan.Change) bool { return about(c.Address, w) }) {
			of.Warnings = append(of.Warnings, w)
		}
	}
	return d
}

// ruleOf is the address of the rule that decides a knob: of a device or a mount that of
// its family.
func ruleOf(a knob.Address) knob.Address {
	if r, ok := rules.For(a); ok {
		return r.Address
	}
	return a
}

// named refuses a name with an instance that the plan is not for.
func (s *chosenPart) named() error {
	var labels []string
	for i := range s.snapshot.Instances {
		labels = append(labels, s.snapshot.Instances[i].Label())
	}
	for _, c := range s.plan.Changes {
		labels = append(labels, c.Instance)
	}
	slices.Sort(labels)
	labels = slices.DeleteFunc(slices.Compact(labels), func(l string) bool { return l == "" })
	for _, list := range [][]selection.Which{s.options.Only, s.options.AcceptRisk} {
		for _, w := range list {
			if w.Instance != "" && !slices.Contains(labels, w.Instance) {
				return usage(fmt.Sprintf("%s: there is no instance %q here", w, w.Instance),
					say.DidYouMean(w.Instance, labels, "write the data directory as the plan shows it: pg:work_mem@/srv/pg/17"))
			}
		}
	}
	return nil
}

// asked says whether --only lets a change through.
func (s *chosenPart) asked(c *plan.Change) bool {
	return len(s.options.Only) == 0 || selection.Named(s.options.Only, c)
}

// notAccepted is why a change of high risk is left out.
const notAccepted = "the risk is high and was not accepted: read the reason, then add it to --accept-risk"

func (s *chosenPart) bars(c *plan.Change) string {
	switch {
	case c.Effect > s.options.MaxEffect:
		return "" // the reason that comes first
	case c.Risk == knob.High && !selection.Named(s.options.AcceptRisk, c):
		return notAccepted
	case s.files == nil:
		return ""
	case c.Layer == knob.Units:
		return "which unit runs the instance is not known in a tree of files"
	case c.Address.Prefix() == "tablespace":
		return "it stands in a catalog of the server, and in no file"
	case c.Layer == knob.Instance:
		if _, err := s.files.Stat(path.Join(c.Instance, "PG_VERSION")); err != nil {
			return "its data directory is not in the tree of files"
		}
	}
	return ""
}

// nothing ends an apply of which everything was left out. That is a refusal only
// where a risk or a person stood against it: who says what may be done at most, or
// applies again what is applied, gets what he asked for.
func (s *chosenPart) nothing(env *Env) error {
	for _, l := range s.left {
		if l.Reason == notAccepted || l.Reason == declined {
			return &say.Problem{Message: "nothing was changed: all of the plan is left out", Hint: "the reasons stand above", Code: exitRefused}
		}
	}
	text := say.M("show/apply/nothing", "Nothing was changed: the bounds leave nothing of the plan. --max-effect says what may be needed; a server can do without a pool of huge pages with --pin pg:huge_pages=off.")
	if len(s.options.Only) > 0 && len(s.left) == 0 {
		text = say.M("show/apply/nothing_named", "Nothing was changed: what --only names is not in the plan.")
	}
	_, err := fmt.Fprintf(env.Stdout, "\n%s\n", text.In(env.words))
	return err
}

// declined is why a part is left out that a person said no to.
const declined = "you said no to it"

// ask asks a person for each part of what was chosen.
func (s *chosenPart) ask(ctx context.Context, env *Env) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: "nothing was changed: there is no terminal to ask at", Hint: "read the plan above, then say --yes", Code: exitRefused}
	}
	lines := newLines(env.Stdin)
	for _, g := range outline.Groups(s.chosen) {
		answer, err := lines.choose(ctx, env, say.N("show/apply/ask", int64(len(g.Changes)), "{group}: {names}. Make it?", "{group}: {names}. Make them?", "group", outline.WordsIn(env.words).Heading(g), "names", g.Names()).In(env.words), answerYes, answerSkip, answerQuit)
		if err != nil {
			return err
		}
		switch answer {
		case "quit":
			return &say.Problem{Message: "nothing was changed: you quit", Code: exitRefused}
		case "skip":
			s.decline(g.Changes)
		}
	}
	before := len(s.left)
	s.choose()
	if len(s.left) > before {
		if err := term.Write(env.Stdout, outline.Unselected(s.left, env.words), env.Style().Under()); err != nil {
			return err
		}
	}
	return nil
}

// decline leaves changes out that a person said no to: these, and not those of the
// same knobs in another instance.
func (s *chosenPart) decline(list []plan.Change) {
	for i := range list {
		s.barred[selection.WhichOf(&list[i])] = declined
		s.options.Skip = append(s.options.Skip, selection.WhichOf(&list[i]))
	}
}

// perUnit gives a property of systemd units, which a plan has once, to each unit
// that has another value, where there are several. The world knows of one alone.
func perUnit(p *plan.Plan, s *snapshot.Snapshot) *plan.Plan {
	names, of := units(s)
	if len(names) < 2 {
		return p
	}
	out := *p
	out.Changes = nil
	for _, c := range p.Changes {
		if c.Layer != knob.Units || c.Instance != "" {
			out.Changes = append(out.Changes, c)
			continue
		}
		for _, name := range names {
			in := of[name]
			if u, _ := in.Unit.Get(); u.Properties[c.Address.Name()] == c.To {
				continue
			}
			one := c
			one.Instance, one.Key = in.Label(), in.Key
			out.Changes = append(out.Changes, one)
		}
	}
	return &out
}

// highRisks are the knobs that need --accept-risk.
func highRisks() []string {
	var out []string
	for _, r := range rules.All() {
		if r.Risk == knob.High {
			out = append(out, string(r.Address))
		}
	}
	return out
}
