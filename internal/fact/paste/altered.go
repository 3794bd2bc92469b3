package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Parameters that ALTER SYSTEM sets: what pgtune and its kin propose, what a person typed. Whether it ran is not known,
// so they are no state of the server.
var reAltered = regex.New(`(?i)^(?:psql\s[^;]{0,200}?["'])?ALTER\s+SYSTEM\s+SET\s+"?([\w.]{1,64})"?\s*(?:=|\sTO\b)\s*` +
	`('(?:[^']|'')*'|"[^"]*"|[^\s;'"][^;'"]{0,200}?)\s*(?:;|["']|$)`)

// altered reads the parameter that a command sets.
func altered(t string) (Fact, bool) {
	if len(t) < 18 || len(t) > maxCommand || !strings.Contains(t, "SYSTEM") && !strings.Contains(t, "system") {
		return Fact{}, false
	}
	m := reAltered.FindStringSubmatch(t)
	if m == nil {
		return Fact{}, false
	}
	v := m[2]
	if q := v[0]; len(v) > 1 && (q == '\'' || q == '"') {
		v = strings.ReplaceAll(v[1:len(v)-1], "''", "'")
	}
	return setting(strings.ToLower(m[1]), v, ""), true
}

// readAltered reads such commands in a row.
func readAltered(w *window) (f found) {
	for i := range w.lines {
		if w.lines[i].is == blank || f.n > 0 && strings.HasPrefix(w.t(i), "--") {
			continue
		}
		v, ok := altered(w.t(i))
		if !ok {
			break
		}
		f.add(v)
		f.n = i + 1
	}
	if f.n > 0 {
		f.sure, f.notes = Likely, []string{ofSets}
	}
	return f
}
