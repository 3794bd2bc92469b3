package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/act/apply"
)

// StatusSchema names the version of the JSON form.
const StatusSchema = "pgfettle.status/1"

var holdTone = map[apply.Hold]tone{apply.Holds: green, apply.Changed: red, apply.Lost: red, apply.Waits: yellow, apply.Unknown: yellow}

// StatusText writes which applied values no longer hold, then those that do.
func StatusText(w io.Writer, list []apply.Drift, st Style) error {
	p := newPage(st)
	name, n := 0, map[apply.Hold]int{}
	for _, d := range list {
		name = max(name, runes(clean(string(d.Address))))
		n[d.Hold]++
	}
	name = min(name, 44)
	for _, h := range []apply.Hold{apply.Lost, apply.Changed, apply.Waits, apply.Unknown, apply.Holds} {
		if n[h] == 0 {
			continue
		}
		p.line(p.tint(strong, p.word(holdWords[h])))
		for _, d := range list {
			if d.Hold != h {
				continue
			}
			p.line("  ", p.tint(holdTone[h], pad(clean(string(d.Address)), name)), "  ", p.drift(d))
			if d.Instance != "" {
				p.para("      ", faint, d.Instance)
			}
			if d.By != "" {
				p.para("      ", plain, p.say("show/status/by", "set by {who}", "who", d.By))
			}
			if d.Reason != "" {
				p.para("      ", plain, d.Reason)
			}
			if h != apply.Holds {
				p.para("      ", faint, p.say("show/status/in", "applied in {where}, journal {journal}", "where", d.Where, "journal", d.Journal))
			}
		}
		p.gap()
	}
	p.para("", strong, p.statusSummary(list, n))
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) drift(d apply.Drift) string {
	if d.Found != "" {
		return p.say("show/status/drift", "applied {applied}, now {found}", "applied", shown(d.Applied), "found", shown(d.Found))
	}
	return p.say("show/status/applied", "applied {applied}", "applied", shown(d.Applied))
}

func (p *page) statusSummary(list []apply.Drift, n map[apply.Hold]int) string {
	switch {
	case len(list) == 0:
		return p.say("show/status/none", "Nothing is applied here that was not taken back.")
	case n[apply.Holds] == len(list):
		return p.many("show/status/all_hold", len(list), "{n} applied value holds.", "All of {n} applied values hold.")
	}
	return p.many("show/status/some_hold", len(list), "{held} of {n} applied value hold.", "{held} of {n} applied values hold.", "held", n[apply.Holds])
}

// StatusJSON writes every applied value and how it stands.
func StatusJSON(w io.Writer, list []apply.Drift) error {
	return writeJSON(w, struct {
		Schema string        `json:"schema"`
		Knobs  []apply.Drift `json:"knobs"`
	}{StatusSchema, append([]apply.Drift{}, list...)})
}
