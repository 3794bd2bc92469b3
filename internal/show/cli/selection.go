package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// shown is the document of what will be done, where --only names it: those changes, and of the warnings of the plan
// those that are about them. If nothing will be done it has what was named, whose reasons are to be read.
func shown(s *applying.Choice, d document.Plan) document.Plan {
	if len(s.Options.Only) == 0 {
		return d
	}
	of := *s.Plan
	d.Plan, d.Of, of.Changes, of.Warnings = &of, len(s.Plan.Changes), s.Chosen, nil
	if len(s.Chosen) == 0 {
		for _, l := range s.Left {
			of.Changes = append(of.Changes, l.Change)
		}
	}
	// A rule's warning is about the rule's address; what overrides a value follows its address.
	about := func(a knob.Address, m say.Message) bool {
		if m.About != "" {
			return m.About == string(ruleOf(a))
		}
		return slices.Contains(strings.Split(strings.SplitN(m.String(), ": ", 2)[0], ", "), string(a))
	}
	for _, w := range s.Plan.Warnings {
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

// nothing reports that the flags allow none of the changes.
func nothing(env *Env, s *applying.Choice) error {
	text := say.M("Nothing was changed: --max-effect allows none of the planned changes. To allow more, raise " +
		"--max-effect. To plan without huge pages, add --pin pg:huge_pages=off.")
	if len(s.Options.Only) > 0 && len(s.Left) == 0 {
		text = say.M("Nothing was changed: none of the changes named with --only is in the plan.")
	}
	_, err := fmt.Fprintf(env.Stdout, "\n%s\n", text.In(env.words))
	return err
}

// askParts asks a person for each part of what was chosen.
func askParts(ctx context.Context, env *Env, s *applying.Choice) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: say.M("nothing was changed: cannot ask for confirmation without a terminal"),
			Hint: say.M("Review the plan above, then run the command with --yes."), Code: exitRefused}
	}
	lines := newLines(env.Stdin)
	for _, g := range outline.Groups(s.Chosen) {
		answer, err := lines.choose(ctx, env, say.N(int64(len(g.Changes)),
			"{group}: {names}. Apply this change?", "{group}: {names}. Apply these changes?", "group",
			outline.WordsIn(env.words).Heading(g), "names", g.Names()).In(env.words), answerYes, answerSkip, answerQuit)
		if err != nil {
			return err
		}
		switch answer {
		case "quit":
			return &say.Problem{Message: say.M("nothing was changed: canceled"), Code: exitRefused}
		case "skip":
			s.Decline(g.Changes)
		}
	}
	before := len(s.Left)
	s.Choose()
	if len(s.Left) > before {
		if err := term.Write(env.Stdout, outline.Unselected(s.Left, env.words), env.Style().Under()); err != nil {
			return err
		}
	}
	return nil
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
