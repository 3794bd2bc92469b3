package term

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var holdTone = map[apply.Hold]tone{apply.Holds: green, apply.Changed: red, apply.Lost: red, apply.Waits: yellow, apply.Unknown: yellow}

// Status writes which applied values no longer hold, then those that do.
func Status(w io.Writer, list []apply.Drift, st Style) error {
	p := newPage(st)
	name, n := 0, map[apply.Hold]int{}
	for _, d := range list {
		name = max(name, typeset.Width(typeset.Clean(string(d.Address))))
		n[d.Hold]++
	}
	name = min(name, 44)
	for _, h := range []apply.Hold{apply.Lost, apply.Changed, apply.Waits, apply.Unknown, apply.Holds} {
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
			if h != apply.Holds {
				p.para("      ", faint, p.Say("show/status/in", "applied in {where}, journal {journal}", "where", d.Where, "journal", d.Journal))
			}
		}
		p.gap()
	}
	p.para("", strong, p.StatusSummary(list, n))
	_, err := io.WriteString(w, p.b.String())
	return err
}
