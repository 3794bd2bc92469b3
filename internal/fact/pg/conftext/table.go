package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// table reads what SHOW ALL, SHOW NAME and queries on pg_settings print: aligned by
// psql, as Markdown, as CSV, as one field a line.
func (r *reader) table() Text {
	t := Text{Form: PgSettings}
	c := columns{setting: 1, unit: -1, source: -1}
	sep := r.separator()
	var starts []int
	ruler := 0
	if sep == 0 {
		if starts, ruler = r.aligned(); ruler == 0 {
			return r.shown()
		}
	}
	var row Setting // of the expanded form
	cells3, described, width := 0, 0, 0
	for _, l := range r.lines {
		s := strings.TrimRight(l.text, " \t")
		if strings.TrimSpace(s) == "" || rule(s) {
			continue
		}
		var cells []string
		if sep != 0 {
			cells = cellsOf(s, sep)
		} else if l.n >= ruler-1 {
			cells = cut(s, starts)
		}
		if len(cells) < 2 {
			continue
		}
		if head, ok := header(cells); ok {
			c, width, t.headed = head, len(cells), true
			continue
		}
		switch cells[0] {
		case "name":
			row = Setting{Name: strings.ToLower(cells[1]), Line: l.n, Shown: true}
			continue
		case "setting":
			if parameter(row.Name) || strings.Contains(row.Name, ".") {
				row.Value = cells[1]
				t.Settings = append(t.Settings, row)
			}
			row = Setting{}
			continue
		}
		if c.name >= len(cells) || c.setting >= len(cells) || c.setting < 0 {
			continue
		}
		name := strings.ToLower(strings.TrimSpace(cells[c.name]))
		if !ident(name) || !parameter(name) && !strings.Contains(name, ".") {
			if c.header && ident(name) && len(cells) > 2 && len(cells) == width {
				t.Settings = append(t.Settings, Setting{Name: name, Value: cells[c.setting], Line: l.n, Shown: true})
			}
			continue
		}
		value := cells[c.setting]
		if name != "log_line_prefix" { // spaces at its end belong to it
			value = unspelled(strings.Trim(value, " *`"))
			switch in := strings.TrimSuffix(strings.TrimPrefix(value, "("), ")"); {
			case len(in) != len(value)-2:
			case in == "empty" || in == "none":
				value = ""
			default: // it is not set, or has its default
				continue
			}
		}
		if strings.ContainsAny(value, " –→(（") && refused(name, value) {
			continue // guidance in words
		}
		if c.plausible && !valued(value) && !enumerated(name, value) && !switched(name, value) {
			continue
		}
		set := Setting{Name: name, Value: value, Line: l.n, Shown: true}
		if c.source >= 0 && c.source < len(cells) {
			source := strings.TrimSpace(cells[c.source])
			set.Default = source == "default" || source == "system-default"
		}
		if len(cells) == 3 {
			if cells3++; strings.Count(cells[2], " ") > 2 {
				described++
			}
		}
		t.Settings = append(t.Settings, set)
	}
	if !c.rest && (c.described && c.source < 0 && c.unit < 0 || cells3 > 0 && 2*described > cells3) {
		t.Form = ShowAll
	}
	if count(t.Settings) < 2 {
		return Text{Form: PgSettings}
	}
	return t
}

// explained is a number with what it means in brackets, as programs that show settings, and people, write it:
// 524288 (4.0 GiB), 4 MB (512*8kB), -1 (off).
var explained = regex.New(`^(-?[0-9.]+(?: ?[a-zA-Z0-9]{1,3})?) ?[(（][^()（）]{1,40}[)）]$`)

// refused says whether no version takes a value.
func refused(name, value string) bool {
	newest := params.Newest()
	p, ok := params.Find(newest, name)
	return ok && p.Type != "string" && p.Accepts(newest, value) != nil
}

// unspelled takes what a number means off it.
func unspelled(value string) string {
	if strings.HasSuffix(value, ")") || strings.HasSuffix(value, "）") {
		if m := explained.FindStringSubmatch(value); m != nil {
			return m[1]
		}
	}
	return value
}

// aligned finds a table whose columns a line of dashes with spaces between them rules, as
// az and other command-line tools print it. It returns where the columns begin, in runes,
// and the number of that line; 0 where there is none.
func (r *reader) aligned() (starts []int, ruler int) {
	for i, l := range r.lines {
		if i == 0 || !strings.Contains(l.text, "--") || strings.Trim(l.text, "- ") != "" {
			continue
		}
		starts = starts[:0]
		for at := range l.text {
			if l.text[at] == '-' && (at == 0 || l.text[at-1] == ' ') {
				starts = append(starts, at)
			}
		}
		if len(starts) < 2 {
			continue
		}
		if _, ok := header(cut(r.lines[i-1].text, starts)); ok {
			return starts, l.n
		}
	}
	return nil, 0
}

// cut takes a row apart at the places where columns begin.
func cut(s string, starts []int) []string {
	runes := []rune(s)
	out := make([]string, 0, len(starts))
	for i, from := range starts {
		to := len(runes)
		if i+1 < len(starts) {
			to = min(to, starts[i+1])
		}
		if from > to {
			break
		}
		out = append(out, strings.TrimSpace(string(runes[from:to])))
	}
	return out
}

// separator returns what parts the columns: a bar, or the sign of a CSV whose head names
// them; 0 where the text is no table.
func (r *reader) separator() rune {
	bars, all := 0, 0
	for _, l := range r.lines {
		s := strings.TrimSpace(l.text)
		if s == "" {
			continue
		}
		all++
		if strings.ContainsAny(s, "|│") && strings.TrimLeft(s, "|│ ") != "" {
			bars++
		}
		for _, sep := range []rune{',', ';', '\t'} {
			if cells := cellsOf(s, sep); len(cells) > 1 {
				if h, ok := header(cells); ok && h.setting >= 0 {
					return sep
				}
			}
		}
	}
	if 3*bars >= all && bars > 0 || bars > 4 {
		return '|'
	}
	return 0
}

// cellsOf takes a row apart; borders at its ends are no cells. Quotes of CSV go.
func cellsOf(s string, sep rune) []string {
	if sep == '|' {
		s = strings.ReplaceAll(s, "│", "|")
		s = strings.TrimSpace(s)
		if strings.HasPrefix(s, "|") {
			s = strings.TrimSuffix(s[1:], "|")
		}
		out := strings.Split(s, "|")
		for i := range out {
			out[i] = strings.Trim(strings.TrimSpace(out[i]), "`")
		}
		return out
	}
	var out []string
	var b strings.Builder
	quoted := false
	for _, c := range s {
		switch {
		case c == '"':
			quoted = !quoted
		case c == sep && !quoted:
			out = append(out, b.String())
			b.Reset()
		default:
			b.WriteRune(c)
		}
	}
	return append(out, b.String())
}

// shown reads the answers of SHOW NAME: the name, a line, the value.
func (r *reader) shown() Text {
	t := Text{Form: PgSettings}
	for i := 0; i+2 < len(r.lines); i++ {
		name := strings.ToLower(strings.TrimSpace(r.lines[i].text))
		if !ident(name) || !parameter(name) {
			continue
		}
		bar := strings.TrimSpace(r.lines[i+1].text)
		if len(bar) < 3 || strings.Trim(bar, "-") != "" {
			continue
		}
		t.Settings = append(t.Settings, Setting{Name: name, Value: strings.TrimSpace(r.lines[i+2].text),
			Line: r.lines[i].n, Shown: true})
	}
	return t
}
