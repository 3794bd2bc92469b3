package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// inventory reads what an inventory of hosts has of settings: rows of a CSV without a head that have names and values
// among their fields, GROUP,postgresql_shared_buffers,8GB,…, and variables that a prefix tells from others,
// postgresql_shared_buffers=8GB. A removed line of a diff is none.
func (r *reader) inventory() Text {
	t := Text{Form: List}
	added := false
	for _, l := range r.lines {
		added = added || strings.HasPrefix(l.text, "+") || strings.HasPrefix(l.text, "@@")
	}
	for _, l := range r.lines {
		s := strings.TrimSpace(l.text)
		if added && (strings.HasPrefix(s, "@@") || strings.HasPrefix(s, "-")) {
			continue
		}
		s = strings.TrimSpace(strings.TrimPrefix(s, "+"))
		if k, v, ok := strings.Cut(s, "="); ok && strings.Contains(k, "_") {
			k, v = strings.TrimSpace(k), unquote(strings.TrimSpace(v))
			n := spelled(k)
			if telling(n) && !parameter(strings.ToLower(k)) && v != "" && !strings.Contains(v, " ") {
				t.Settings = append(t.Settings, setting(n, v, l.n))
				continue
			}
		}
		sep := ','
		if !strings.Contains(s, ",") {
			if sep = ';'; !strings.Contains(s, ";") {
				continue
			}
		}
		cells := cellsOf(s, sep)
		for i := 0; i+1 < len(cells); i++ {
			name, value := strings.TrimSpace(cells[i]), strings.TrimSpace(cells[i+1])
			n := spelled(name)
			if telling(n) && (valued(value) || enumerated(n, value)) && !strings.Contains(value, " ") {
				t.Settings = append(t.Settings, setting(n, value, l.n))
				break
			}
		}
	}
	if count(t.Settings) < 2 {
		t.Settings = nil
	}
	return t
}

// enumerated says whether a word is one of those that a parameter takes.
func enumerated(name, value string) bool {
	newest := params.Newest()
	p, ok := params.Find(newest, name)
	return ok && p.Type == "enum" && p.Accepts(newest, value) == nil
}

// switched says whether a word turns a parameter on or off.
func switched(name, value string) bool {
	newest := params.Newest()
	p, ok := params.Find(newest, name)
	return ok && p.Type == "bool" && p.Accepts(newest, value) == nil
}
