package conftext

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

var (
	// [root@host data]#, user@host:~$, postgres=#, C:\>, $ before a command
	prompt = regex.New(
		`^(\[[^\]]*@[^\]]*\]\s*[$#%>]|[\w.\-]+@[\w.\-]+[: ][^$#]{0,80}[$#] ?|[\w\-]+=[#>*] ?|\$ )`)
	// cat -n, grep -n, less -N, an editor's margin
	numbered = regex.New(`^\s*\d{1,5}(\s*[:|]|\s|$)\s*`)
	// grep over several files
	grepped = regex.New(`^[\w./\-]+\.conf(:\d+)?:\s?`)
	echoed  = regex.New(`^(?:sudo\s+)?(?:echo|printf)\s+(?:-\w+\s+)?(["'])(.*)["']\s*(?:\\\s*)?(?:>>|\|)`)
	// of a batch file, or within braces whose output is redirected as a whole
	echoedBare = regex.New(`^@?(?i:echo)\s+([A-Za-z_][\w.]*\s*=\s*[^"|>]*?)\s*(?:>>?.*)?$`)
	bullet     = regex.New(`^(?:[*•·‣▪–—-]|\d{1,3}[.)])\s+`)
	fence      = regex.New("^(```|~~~)")
	// an assignment with anything behind it
	assigned = regex.New(
		`^["'\x60]?([A-Za-z_][\w.]*)["'\x60]?\s*(=>|=|:|\bto\b)\s*` +
			`('(?:[^'\\]|''|\\.)*'|"[^"]*"|[^\s,;()"'\x60]+)["'\x60]?\s*(.*)$`)
	// a value that a template of Jinja, ERB, Go or a shell fills in
	filled = regex.New(`^([A-Za-z_][\w.]*)\s*[=:]\s*(.*(?:\{\{|<%|\$\{|\{%).*)$`)
	// the value that a setting had and the one that it gets
	arrowed = regex.New(`^([A-Za-z_][\w.]*\s*[=:]\s*)['"]?[\w.%-]{1,40}['"]?\s*(?:=>|->|→|➜|⇒)\s*` +
		`(['"]?\d[\w.%-]{0,40}['"]?|['"]?(?:on|off)['"]?)(\s*(?:[#(,;]|--).*)?$`)
	// a variable of the environment that an image makes a parameter of
	variable = regex.New(`^(?:export\s+|ENV\s+|-e\s+|--env[ =])?["']?(?:POSTGRES(?:QL)?|PG)_([A-Z][A-Z_]{3,60})["']?` +
		`\s*[=:]\s*["']?([^"'\s]{1,100})["']?(\s+(?:#|\\).*)?$`)
	// what a line was and what it is now, both in full; the name is the same one twice
	changed = regex.New(`^#?\s*([A-Za-z_][\w.]*)\s*[=:].*?(?:=>|->|→)\s*(#?\s*([A-Za-z_][\w.]*)\s*[=:].*)$`)
	// what may stand behind a value that a person wrote down: a remark, another setting
	remark = regex.New("^$|^[#(,;/←⇐（]|^--|^-> ?|^<-|^\\\\$|^\\\\#|^[–—-] |^`")
	// a dash in the place of the equals sign
	dashes = regex.New(`^([A-Za-z_][\w.]*)\s+[–—-]\s+('(?:[^']|'')*'|[^\s,;()"'\x60]+)\s*(.*)$`)
)

var quotes = strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "“", "'", "”", "'", "„", "'", "«", "'", "»",
	"'", "′", "'",
	"″", "'", "\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u200b", "", "\ufeff", "", "&quot;", `"`, "&#39;", "'",
	"&nbsp;", " ", "&gt;", ">", "＝", "=")

// wrapped is a line of a paste without what carries it.
type wrapped struct {
	text    string
	name    string // of the setting that it begins with, where it is one
	carried bool   // something was taken off
}

// unprefixed takes off what mails, web pages, shells and diffs put before a line.
func unprefixed(l string) wrapped {
	w := wrapped{text: strings.TrimSpace(l)}
	for range 4 {
		before := w.text
		now := isNow(w.text)
		switch t := w.text; {
		case t == "":
		case edits(t):
			if list := edited(t); len(list) > 0 {
				w.name = list[0].Name
			}
			w.text, w.carried = "", true
			return w
		case prompt.MatchString(t) && !strings.HasPrefix(t, "$ #"):
			return wrapped{text: "", carried: true}
		case fence.MatchString(t):
			return wrapped{text: "", carried: true}
		case t[0] == '>' || t[0] == '|':
			w.text = strings.TrimSpace(t[1:])
		case strings.HasPrefix(t, "+++") || strings.HasPrefix(t, "@@") || strings.HasPrefix(t, "diff --git"):
			return wrapped{text: "", carried: true}
		case t[0] == '+':
			w.text = strings.TrimSpace(t[1:])
		case bullet.MatchString(t):
			w.text = t[len(bullet.FindString(t)):]
		case now != "":
			w.text = now
		case environment(t) != "":
			w.text = environment(t)
		case grepped.MatchString(t):
			w.text = t[len(grepped.FindString(t)):]
		case numbered.MatchString(t):
			rest := t[len(numbered.FindString(t)):]
			if rest != "" && rest[0] != '#' && !assigned.MatchString(rest) && conf.Parse(rest)[0].Name == "" {
				break
			}
			w.text = rest
		case echoed.MatchString(t):
			w.text = echoed.FindStringSubmatch(t)[2]
		case echoedBare.MatchString(t):
			w.text = echoedBare.FindStringSubmatch(t)[1]
		case t[0] == '`' || strings.HasPrefix(t, "**"):
			w.text = strings.Trim(t, "`*")
		}
		if w.text == before {
			break
		}
		w.carried = true
	}
	if list := meant(w.text); len(list) > 0 {
		w.name = list[0].Name
	}
	return w
}

// environment is the setting that a variable stands for, POSTGRESQL_SHARED_BUFFERS=4GB; "" where it is for another
// thing.
func environment(t string) string {
	if !strings.Contains(t, "PG_") && !strings.Contains(t, "POSTGRES") {
		return ""
	}
	m := variable.FindStringSubmatch(t)
	if m == nil {
		return ""
	}
	name := strings.ToLower(m[1])
	if !telling(name) || !valued(m[2]) {
		return ""
	}
	return name + " = " + m[2]
}

// isNow is the setting of a line that has what it was, an arrow, and what it is now; "" for any other.
func isNow(t string) string {
	if !strings.Contains(t, "=>") && !strings.Contains(t, "->") && !strings.Contains(t, "→") {
		return ""
	}
	if m := arrowed.FindStringSubmatch(t); m != nil && parameter(strings.ToLower(strings.TrimRight(m[1], "=: \t"))) {
		return m[1] + m[2] + m[3]
	}
	m := changed.FindStringSubmatch(t)
	if m == nil || !strings.EqualFold(m[1], m[3]) || !parameter(strings.ToLower(m[1])) {
		return ""
	}
	return m[2]
}

// meant reads what a person means by a line: an assignment with typographic quotes,
// a colon in the place of the equals sign, remarks behind it, several of them. nil where
// it is none.
func meant(text string) []Setting {
	t := strings.TrimSpace(quotes.Replace(text))
	if bare := strings.TrimRight(t, "`"); strings.HasSuffix(bare, "**") { // the end of what is in bold
		t = strings.TrimRight(bare, "*")
	}
	if t == "" || t[0] == '#' {
		return nil
	}
	if m := filled.FindStringSubmatch(t); m != nil && parameter(m[1]) {
		return []Setting{{Name: strings.ToLower(m[1]), Value: strings.TrimSpace(m[2]), Template: true}}
	}
	if set, ok := dashedSetting(t); ok {
		return []Setting{set}
	}
	if l := conf.Parse(t)[0]; l.Err == "" && l.Name != "" && !strings.Contains(t, "\n") {
		_, rest, has := strings.Cut(t, "=")
		low := strings.ToLower(l.Name)
		switch {
		case has && rest != "" && (parameter(low) || strings.ContainsAny(low, "_.") || directive(low)),
			telling(low) && valued(l.Value), directive(low):
			return []Setting{setting(low, l.Value, 0)}
		}
		return nil
	}
	var out []Setting
	for t != "" && len(out) < 100 {
		m := assigned.FindStringSubmatch(t)
		if m == nil || !telling(m[1]) && !(parameter(m[1]) && m[2] == "=") || !remark.MatchString(m[4]) {
			break
		}
		v, rest := m[3], m[4]
		if items := furtherItems(m[1], v, rest); items > 0 {
			v, rest = v+rest[:items], rest[items:]
		}
		if q := v[0]; (q == '\'' || q == '"') && (len(v) < 2 || v[len(v)-1] != q) || q == '>' {
			break // it does not end: the text was cut; or what a program computes
		}
		set := setting(m[1], unquote(v), 0)
		// In a program, a bare word behind an arrow is a name of its own.
		set.Template = set.Template || m[2] == "=>" && v[0] != '\'' && v[0] != '"' && !valued(v) &&
			!enumerated(strings.ToLower(m[1]), v)
		if strings.HasSuffix(v, "$") && strings.HasPrefix(rest, "(") { // what a shell puts in
			set.Value, set.Template = v+rest, true
		}
		out = append(out, set)
		t = strings.TrimLeft(rest, ",;` ")
		if strings.HasPrefix(t, "and ") {
			t = t[4:]
		}
	}
	return out
}

// unquotedSize is a line of a configuration whose value needs quotes: 1.5GB, 64 MB.
var unquotedSize = regex.New(`^[a-z_]+\s*=\s*\d+(?:\.\d+)? ?(?:[kMGT]?B|ms|s|min|h|d)\s*(?:#.*)?$`)

// lists are parameters whose value may be a list.
var lists = map[string]bool{
	"shared_preload_libraries": true, "session_preload_libraries": true, "local_preload_libraries": true,
	"search_path": true, "listen_addresses": true, "log_destination": true, "temp_tablespaces": true,
	"unix_socket_directories": true, "synchronous_standby_names": true, "wal_consistency_checking": true,
	"datestyle": true, "log_connections": true, "debug_io_direct": true, "synchronized_standby_slots": true,
	"oauth_validator_libraries": true, "createrole_self_grant": true,
}

// listItem is a further item of a list, and what parts a name from a value if it is another setting instead.
var listItem = regex.New(`^\s*,\s*("?[$\w.*/-]+(?::\d+)?"?)(\s*(?:=|:\s))?`)

// furtherItems is how many bytes behind a value are further items of its list, which stands there without quotes.
func furtherItems(name, value, rest string) int {
	if !lists[strings.ToLower(name)] || value[0] == '\'' || value[0] == '"' {
		return 0
	}
	n := 0
	for n < len(rest) {
		m := listItem.FindStringSubmatch(rest[n:])
		if m == nil || m[2] != "" {
			break
		}
		n += len(m[0])
	}
	return n
}

// dashedSetting reads a line such as "fsync - off". A word behind a dash may be one of a sentence, so the value must be
// a value of that parameter.
func dashedSetting(t string) (Setting, bool) {
	if !strings.Contains(t, " - ") && !strings.Contains(t, " – ") && !strings.Contains(t, " — ") {
		return Setting{}, false
	}
	m := dashes.FindStringSubmatch(t)
	if m == nil || !parameter(m[1]) || !remark.MatchString(m[3]) {
		return Setting{}, false
	}
	v, name := m[2], strings.ToLower(m[1])
	if v[0] != '\'' && !enumerated(name, v) && !switched(name, v) && !(telling(name) && v[0] >= '0' && v[0] <= '9') {
		return Setting{}, false
	}
	return setting(name, unquote(v), 0), true
}

func directive(name string) bool {
	return name == "include" || name == "include_dir" || name == "include_if_exists"
}

// valued says whether a word is a value and no word of a sentence: "work_mem 64MB".
func valued(v string) bool {
	switch strings.ToLower(v) {
	case "on", "off", "true", "false", "none", "all", "replica", "minimal", "logical":
		return true
	}
	return v != "" && (v[0] >= '0' && v[0] <= '9' || v[0] == '-' || v[0] == '/')
}

func unquote(v string) string {
	if n := len(v); n > 1 && v[0] == v[n-1] && (v[0] == '\'' || v[0] == '"') {
		if v[0] == '\'' {
			return strings.ReplaceAll(v[1:n-1], "''", "'")
		}
		return v[1 : n-1]
	}
	return v
}

// pasted reads a postgresql.conf that something carried. Names that nobody has are
// taken as settings too where they stand among those that are: they may be slips.
func (r *reader) pasted() Text {
	t := Text{Form: Pasted}
	var maybe []Setting
	var prose, code Unread // outside of the fences, and within them
	within := 0
	poolers := r.poolerLines()
	for _, l := range r.lines {
		trimmed := strings.TrimSpace(l.text)
		if trimmed == "" || poolers[l.n] {
			continue
		}
		for _, s := range edited(l.text) {
			s.Line = l.n
			t.Settings = append(t.Settings, s)
		}
		w := unprefixed(l.text)
		if w.text == "" || comment(w.text) || rule(w.text) || strings.HasPrefix(w.text, "{%") ||
			strings.HasPrefix(w.text, "<%") || strings.HasPrefix(w.text, "{{") {
			continue // of a template, what decides over lines
		}
		list := meant(w.text)
		if r.diffed = r.diffed || hunk.MatchString(w.text); len(list) == 0 && !r.beside(w.text) && !r.rows[l.n] {
			if r.fences[l.n] < 0 {
				prose.add(l.n, l.text)
			} else {
				code.add(l.n, l.text)
			}
		}
		for _, s := range list {
			if s.Line = l.n; r.fences[l.n] >= 0 {
				within++
			}
			if len(list) == 1 && r.fences[l.n] > 0 && unquotedSize.MatchString(w.text) &&
				conf.Parse(w.text)[0].Err != "" {
				s.Refused = w.text
			}
			switch {
			case directive(s.Name):
				t.Includes = append(t.Includes, s.Value)
			case parameter(s.Name) || strings.Contains(s.Name, "."):
				t.Settings = append(t.Settings, s)
			default:
				maybe = append(maybe, s)
			}
		}
	}
	if t.Unread = code; within == 0 || len(t.Settings)+len(maybe) > within { // else what is around the fences is prose
		t.Unread = sum(code, prose)
	}
	sure := map[int]int{} // names that are known, by fence: one without any is of another program
	for _, s := range t.Settings {
		sure[r.fences[s.Line]]++
	}
	maybe = slices.DeleteFunc(maybe, func(s Setting) bool { return sure[r.fences[s.Line]] == 0 })
	if len(maybe) <= count(t.Settings) {
		t.Settings = merge(t.Settings, maybe)
	}
	if known := plainForm(t.Settings); known == Recovery {
		t.Form = Recovery
	}
	return t
}

// sum is the lines of two.
func sum(a, b Unread) Unread {
	if a.First == 0 || b.First != 0 && b.First < a.First {
		a.First, a.Text = b.First, b.Text
	}
	a.Lines += b.Lines
	return a
}

// hunk is the head of a change in the output of diff.
var hunk = regex.New(`^\d{1,6}(?:,\d{1,6})?[acd]\d{1,6}(?:,\d{1,6})?$`)

// beside says whether a line is understood and sets nothing: one that diff takes out, or one of pg_hba.conf.
func (r *reader) beside(t string) bool {
	return hunk.MatchString(t) || hbaLine.MatchString(t) || r.diffed && strings.HasPrefix(t, "< ")
}

// rule says whether a line is only drawn.
func rule(t string) bool { return strings.Trim(t, "-=_*~+|─═╪┼├┤ ") == "" }

// merge joins two lists in the order of their lines.
func merge(a, b []Setting) []Setting {
	out := make([]Setting, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Line <= b[0].Line {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Meant is what a person means by a line of a postgresql.conf that the server refuses,
// or takes for another name: typographic quotes, a no-break space. why says what is in
// the way; "" where nothing of that kind is.
func Meant(text string) (list []Setting, why string) {
	for _, m := range []struct{ mark, why string }{
		{bom, "a byte order mark (U+FEFF) stands before the name: the server takes it as a part of it"},
		{"\u00a0", "a no-break space (U+00A0) stands where a space belongs: the server takes it for a letter"},
		{"\u200b", "a zero-width space (U+200B) stands in the line: the server takes it for a letter"},
		{"‘’“”„‚", "typographic quotation marks (‘ ’ “ ”): the server knows only '"},
	} {
		if m.mark[0] != 0xe2 || len(m.mark) == 3 {
			if strings.Contains(text, m.mark) {
				why = m.why
			}
		} else if strings.ContainsAny(text, m.mark) {
			why = m.why
		}
		if why != "" {
			break
		}
	}
	if why == "" && merging(text) {
		return nil, "a mark that an unfinished merge left"
	}
	return meant(text), why
}

// merging says whether a line is a mark of a merge that a person has to finish.
func merging(text string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "<<<<<<<") || strings.HasPrefix(t, "=======") || strings.HasPrefix(t, ">>>>>>>")
}
