package database

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// Parameters of PostgreSQL in YAML, as Patroni and the operators of Kubernetes keep them.
var (
	reParameters = regex.New(`^["']?(?:parameters|postgresql_parameters|postgresqlConfiguration|parametrs)["']?:` +
		`(?:\s*\{)?$`)
	reYAMLLine = regex.New(`^"?([a-z_]\w*(?:\.\w+)?)"?: +("[^"]*"|'(?:[^']|'')*'|[^\s#"'][^#]*?)\s*(?:#.*)?$`)
)

// yamlSettings says whether parameters stand here without what they are in: two lines in a row, of names that nothing
// else has.
func yamlSettings(w *part.Window) bool {
	for i := range 2 {
		t := strings.TrimSuffix(w.Text(i), ",")
		if i >= len(w.Lines) || w.Lines[i].Is != part.Content || !strings.Contains(t, ": ") ||
			w.Lines[i].Depth() != w.Lines[0].Depth() {
			return false
		}
		m := reYAMLLine.FindStringSubmatch(t)
		if m == nil || !strings.Contains(m[1], "_") || !setting.Known(m[1]) ||
			!setting.Plausible(m[1], strings.Trim(m[2], `"'`)) {
			return false
		}
	}
	return true
}

// mostUnknown is how many names that are none stand before the first parameter.
const mostUnknown = 10

// ReadYAML reads the parameters in the configuration of Patroni and of operators: what a
// server shall have.
func ReadYAML(w *part.Window) (f part.Found) {
	from := 1
	if !reParameters.MatchString(w.Text(0)) {
		if !yamlSettings(w) {
			return
		}
		from = 0
	} else if w.In(2, "pgbouncer", "pgBouncer", "pooler") {
		return
	}
	depth := func(i int) int { return w.Lines[i].Depth() }
	rows, unknown := 0, false
	for i := from; i < len(w.Lines); i++ {
		t := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank, w.Lines[i].Is == part.Elided:
			continue
		case depth(i) < depth(0)+from:
			goto end
		case strings.HasPrefix(t, "#"):
			f.N = i + 1
			continue
		}
		m := reYAMLLine.FindStringSubmatch(strings.TrimSuffix(t, ","))
		if m == nil || !setting.Known(m[1]) && !strings.Contains(m[1], ".") {
			if rows == 0 && (m == nil || from == 0 || i > mostUnknown) {
				return part.Found{}
			} else if rows == 0 { // of an extension, or misspelled
				unknown = true
				continue
			}
			break
		}
		if unknown && rows == 0 && !strings.Contains(m[1], "_") { // port: of anything
			return part.Found{}
		}
		v := m[2]
		if n := len(v); n > 1 && (v[0] == '"' || v[0] == '\'') && v[n-1] == v[0] {
			v = strings.ReplaceAll(v[1:n-1], "''", "'")
		}
		rows++
		f.N = i + 1
		if !setting.Known(m[1]) || !setting.Plausible(m[1], v) {
			continue
		}
		f.Add(setting.Of(m[1], v, ""))
		f.Body = append(f.Body, m[1]+" = '"+strings.ReplaceAll(v, "'", "''")+"'")
	}
end:
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.Sure = part.Likely
	f.Notes = append(f.Notes, "these are the parameters in the configuration of a cluster manager or operator")
	return f
}
