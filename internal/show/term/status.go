package term

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var holdTone = map[journal.Hold]tone{journal.Holds: green, journal.Changed: red, journal.Lost: red, journal.Waits: yellow, journal.Unseen: yellow}

// Status writes which applied values no longer hold, then those that do.
func Status(w io.Writer, list []journal.Drift, st Style) error {
	p := newPage(st)
	name, n := 0, map[journal.Hold]int{}
	for _, d := range list {
		name = max(name, typeset.Width(typeset.Clean(string(d.Address))))
		n[d.Hold]++
	}
	name = min(name, 44)
	for _, h := range []journal.Hold{journal.Lost, journal.Changed, journal.Waits, journal.Unseen, journal.Holds} {
		if n[h] == 0 {
			continue
		}
		p.line(p.tint(strong, p.Word(outline.HoldWords[h])))
		for _, d := range list {
			if d.Hold != h {
				continue
			}
			p.line("  ", p.tint(holdTone[h], typeset.Pad(typeset.Clean(string(d.Address)), name)), "  ", p.Drift(d))
			if d.Instance != "" {
				p.para("      ", faint, d.Instance)
			}
			if d.By != "" {
				p.para("      ", plain, p.Say("show/status/by", "set by {who}", "who", d.By))
			}
			if d.Reason != "" {
				p.para("      ", plain, d.Reason)
			}
			if h != journal.Holds {
				p.para("      ", faint, p.Say("show/status/in", "applied in {where}, journal {journal}", "where", d.Where, "journal", d.Journal))
			}
		}
		p.gap()
	}
	p.para("", strong, p.StatusSummary(list, n))
	_, err := io.WriteString(w, p.b.String())
	return err
}
