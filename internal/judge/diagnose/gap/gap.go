// Package gap is what a diagnosis does not know, as texts that can be translated. A fact of
// the snapshot that is missing (known.Gap) is one of them.
package gap

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// Gap is what is not known, why, and what would reveal it.
type Gap struct {
	Fact   say.Message `json:"fact"`
	Reason say.Message `json:"reason"` // one or more clauses, lower case, no full stop
	// the right, command or file that would reveal it; omitted if nothing would
	Reveal say.Message `json:"reveal,omitzero"`
}

// Of is a missing fact, with the texts of the part that missed it.
func Of(g known.Gap) Gap {
	return Gap{gapwords.Of(g.Fact), gapwords.Of(g.Reason), gapwords.Of(g.Reveal)}
}

// All are several of them.
func All(list []known.Gap) []Gap {
	out := make([]Gap, len(list))
	for i, g := range list {
		out[i] = Of(g)
	}
	return out
}

// Known is the gap with its texts as they read.
func (g Gap) Known() known.Gap {
	return known.Gap{Fact: g.Fact.String(), Reason: g.Reason.String(), Reveal: g.Reveal.String()}
}

// Is reports whether it is about a fact of that name.
func (g Gap) Is(fact say.Template) bool { return g.Fact.Text == string(fact) }

// Add appends one to a list, unless one that reads the same is there.
func Add(list []Gap, g Gap) []Gap {
	if slices.ContainsFunc(list, func(o Gap) bool { return o.Known() == g.Known() }) {
		return list
	}
	return append(list, g)
}

// In returns a list in the language of a catalog.
func In(list []Gap, c *say.Catalogue) []Gap {
	out := make([]Gap, len(list))
	for i, g := range list {
		out[i] = Gap{g.Fact.Translated(c), g.Reason.Translated(c), g.Reveal.Translated(c)}
	}
	return out
}
