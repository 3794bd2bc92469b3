// Package shapes has every way in which a reason gets into a gap.
package shapes

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

const constant = "a constant"

type held struct{ why string }

func gaps(err error, n int, some bool) []known.Gap {
	closure := func(reason string) known.Gap { return known.Gap{Reason: reason} }
	way := "one way"
	if some {
		way = "another way"
	}
	h := held{why: "a field"}
	g := known.Gap{Reason: constant}
	g.Reason = "an assignment"
	return []known.Gap{{Reason: "a literal", Reveal: "shown"}, {Reason: "with " + err.Error()}, {Reason: way}, g,
		{Reason: fmt.Sprintf("formatted %d twice", n)}, {Reason: h.why}, closure("of a closure"), missed("an argument"),
		{Reason: nested("in a call")}, {Reason: say.M("of a message {n}", "n", n).String()}}
}

func missed(why string) known.Gap { return known.Gap{Fact: "x", Reason: why} }

func nested(what string) string { return "nested: " + what }

var _ = gaps
