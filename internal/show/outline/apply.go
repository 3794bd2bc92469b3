package outline

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Unselected is what of a plan is omitted and why, those of one reason and one instance together.
func Unselected(left []selection.Left, c *say.Catalogue) Outline {
	var o Outline
	if len(left) == 0 {
		return o
	}
	p := WordsIn(c)
	type part struct{ instance, reason string }
	var order []part
	of := map[part][]string{}
	for _, l := range left {
		at := part{l.Change.Instance, l.Reason}
		if of[at] == nil {
			order = append(order, at)
		}
		of[at] = append(of[at], typeset.Clean(string(l.Change.Address)))
	}
	var items []Item
	for _, at := range order {
		names := strings.Join(of[at], ", ")
		if at.instance != "" {
			names = p.Say("{names} of {instance}", "names", names, "instance",
				typeset.Clean(at.instance))
		}
		items = append(items, ItemOf(Join(names, p.Colon()), at.reason))
	}
	o.Heading(2, p.Say("Not applied"))
	o.List(items)
	return o
}

// Forewarned is what to know before anything is changed, except what the plan's warnings have already said.
func Forewarned(list []selection.Warning, told []string, c *say.Catalogue) Outline {
	var out []string
	for _, f := range list {
		if slices.ContainsFunc(told, func(t string) bool { return strings.HasSuffix(t, ": "+f.Text) }) {
			continue
		}
		var names []string
		for _, of := range f.Of {
			names = append(names, of.String())
		}
		out = append(out, strings.Join(names, ", ")+": "+f.Text)
	}
	var o Outline
	WordsIn(c).Warned(&o, out)
	return o
}
