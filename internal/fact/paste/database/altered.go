package database

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// Parameters that ALTER SYSTEM sets: what pgtune and its kin propose, what a person typed. Whether it ran is not known,
// so they are no state of the server.
var reAltered = regex.New(`(?i)^(?:psql\s[^;]{0,200}?["'])?ALTER\s+SYSTEM\s+SET\s+"?([\w.]{1,64})"?\s*(?:=|\sTO\b)\s*` +
	`('(?:[^']|'')*'|"[^"]*"|[^\s;'"][^;'"]{0,200}?)\s*(?:;|["']|$)`)

// Altered reads the parameter that a command sets.
func Altered(t string) (part.Fact, bool) {
	if len(t) < 18 || len(t) > prompt.MaxCommand || !strings.Contains(t, "SYSTEM") && !strings.Contains(t, "system") {
		return part.Fact{}, false
	}
	m := reAltered.FindStringSubmatch(t)
	if m == nil {
		return part.Fact{}, false
	}
	v := m[2]
	if q := v[0]; len(v) > 1 && (q == '\'' || q == '"') {
		v = strings.ReplaceAll(v[1:len(v)-1], "''", "'")
	}
	return setting.Of(strings.ToLower(m[1]), v, ""), true
}

// ReadAltered reads such commands in a row.
func ReadAltered(w *part.Window) (f part.Found) {
	for i := range w.Lines {
		if w.Lines[i].Is == part.Blank || f.N > 0 && strings.HasPrefix(w.Text(i), "--") {
			continue
		}
		v, ok := Altered(w.Text(i))
		if !ok {
			break
		}
		f.Add(v)
		f.N = i + 1
	}
	if f.N > 0 {
		f.Sure, f.Notes = part.Likely, []string{prompt.NotSeen}
	}
	return f
}
