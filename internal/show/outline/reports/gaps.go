package reports

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// gaps lists what is unknown, below a separate heading.
func gaps(o *outline.Outline, p outline.Words, level int, title string, list []gap.Gap) {
	if len(list) == 0 {
		return
	}
	o.Add(outline.Heading{Level: level, Text: outline.Join(title), Part: level == 2})
	o.Kind(outline.Gaps, gapItems(p, list))
}

func gapItems(p outline.Words, list []gap.Gap) (out []outline.Item) {
	for _, g := range list {
		text := say.M("{fact}: {reason}.", "fact", g.Fact, "reason", g.Reason)
		if !g.Reveal.IsZero() {
			text = say.M("{fact}: {reason}. To include it: {reveal}", "fact", g.Fact, "reason", g.Reason, "reveal",
				g.Reveal)
		}
		out = append(out, outline.Item{Text: outline.Join(typeset.Flat(p.Word(text)))})
	}
	return out
}
