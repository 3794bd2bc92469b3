package render

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
)

// StatusSchema names the version of the JSON form.
const StatusSchema = "pgfettle.status/1"

var holdTone = map[apply.Hold]tone{apply.Holds: green, apply.Changed: red, apply.Lost: red, apply.Waits: yellow, apply.Unknown: yellow}

// holdWords say how an applied value stands, for people.
var holdWords = map[apply.Hold]string{
	apply.Holds: "holds", apply.Changed: "another value is in force", apply.Lost: "its file no longer has it",
	apply.Waits: "waits for a restart or a reboot", apply.Unknown: "could not be looked at",
}

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
		p.line(p.tint(strong, strings.ToUpper(holdWords[h][:1])+holdWords[h][1:]))
		for _, d := range list {
			if d.Hold != h {
				continue
			}
			p.line("  ", p.tint(holdTone[h], pad(clean(string(d.Address)), name)), "  ", driftWords(d))
			if d.Instance != "" {
				p.para("      ", faint, d.Instance)
			}
			if d.By != "" {
				p.para("      ", plain, "set by "+d.By)
			}
			if d.Reason != "" {
				p.para("      ", plain, d.Reason)
			}
			if h != apply.Holds {
				p.para("      ", faint, "applied in "+d.Where+", journal "+d.Journal)
			}
		}
		p.gap()
	}
	p.para("", strong, statusSummary(list, n))
	_, err := io.WriteString(w, p.b.String())
	return err
}

func driftWords(d apply.Drift) string {
	s := "applied " + shown(d.Applied)
	if d.Found != "" {
		s += ", now " + shown(d.Found)
	}
	return s
}

func statusSummary(list []apply.Drift, n map[apply.Hold]int) string {
	switch {
	case len(list) == 0:
		return "Nothing is applied here that was not taken back."
	case n[apply.Holds] == len(list):
		return "All of " + count(len(list), "applied value", "applied values") + " hold."
	}
	return digits(n[apply.Holds]) + " of " + count(len(list), "applied value", "applied values") + " hold."
}

// StatusJSON writes every applied value and how it stands.
func StatusJSON(w io.Writer, list []apply.Drift) error {
	return writeJSON(w, struct {
		Schema string        `json:"schema"`
		Knobs  []apply.Drift `json:"knobs"`
	}{StatusSchema, append([]apply.Drift{}, list...)})
}
