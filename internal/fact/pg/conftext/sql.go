package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	alterSet = regex.New(
		`(?i)\balter\s+system\s+set\s+"?([A-Za-z_][\w.]*)"?\s*(?:=|\bto\b)\s*((?:'(?:[^']|'')*'\s*,\s*)*` +
			`(?:'(?:[^']|'')*'|"[^"]*"|[^\s;,']+(?:\s*,\s*[^\s;,']+)*))[ \t]*(;|\n|$)`)
	alterAny   = regex.New(`(?i)\balter\s+system\s+`)
	alterReset = regex.New(`(?i)^alter\s+system\s+reset\s+(all|"?[A-Za-z_][\w.]*"?)`)
	blockNote  = regex.New(`(?s)/\*.*?\*/`)
	gpSet      = regex.New(
		`^gpconfig\s.*?(?:-c|--change)[ =]["']?([\w.]+)["']?\s.*?(?:-v|--value)[ =]("[^"]*"|'[^']*'|\S+)`)
)

// alterSystem reads statements of SQL, each over as many lines as it has.
func (r *reader) alterSystem() Text {
	t := Text{Form: AlterSystem}
	var b strings.Builder
	starts := make([]int, 0, len(r.lines)) // where each line begins
	for _, l := range r.lines {
		starts = append(starts, b.Len())
		b.WriteString(withoutNote(l.text) + "\n")
	}
	text := blockNote.ReplaceAllStringFunc(b.String(), func(s string) string {
		return strings.Map(func(c rune) rune {
			if c == '\n' {
				return c
			}
			return ' '
		}, strings.ToValidUTF8(s, "?"))
	})
	at := 0 // the line of the last look-up: positions ascend
	lineOf := func(pos int) int {
		for at+1 < len(starts) && starts[at+1] <= pos {
			at++
		}
		return at + 1
	}
	reset, all := map[string]int{}, 0 // how many settings were read when one was reset
	starting := alterAny.FindAllStringIndex(text, maxSettings)
	for i, begin := range starting {
		stop := len(text)
		if i+1 < len(starting) {
			stop = starting[i+1][0]
		}
		part := text[begin[0]:stop]
		m := alterSet.FindStringSubmatchIndex(part)
		switch {
		case m != nil && m[0] == 0 && strings.EqualFold(part[m[4]:m[5]], "default"):
			reset[strings.ToLower(part[m[2]:m[3]])] = len(t.Settings)
		case m != nil && m[0] == 0:
			n := lineOf(begin[0] + m[2])
			t.Settings = append(t.Settings, setting(part[m[2]:m[3]], listValue(part[m[4]:m[5]]), n))
		case alterReset.MatchString(part):
			name := strings.ToLower(strings.Trim(alterReset.FindStringSubmatch(part)[1], `"`))
			if name == "all" {
				all = len(t.Settings)
			}
			reset[name] = len(t.Settings)
		default:
			n := lineOf(begin[0])
			if strings.TrimSpace(r.lines[n-1].text) != "ALTER SYSTEM" { // what psql answers
				t.Unread.add(n, r.lines[n-1].text)
			}
		}
	}
	kept := t.Settings[:0]
	for i, s := range t.Settings {
		if i >= all && i >= reset[s.Name] {
			kept = append(kept, s)
		}
	}
	t.Settings = kept
	if m := reloads.FindStringIndex(text); m != nil && !restarts.MatchString(noRestart.ReplaceAllString(r.text, "")) {
		at = 0
		t.Reload = lineOf(m[0])
	}
	return t
}

var (
	reloads = regex.New(`(?i)\bpg_reload_conf\s*\(\)`)
	// a restart in the languages that texts are written in: a person knows of it
	restarts = regex.New(`(?i)\bre-?start|\bneu ?start|redémarr|\breinici|riavvi|ponown|перезапу|рестарт|` +
		`重启|重新启动|再起動|재시작`)
)

// noRestart says that none is needed.
var noRestart = regex.New(`(?i)\b(?:without|no|sin|sans|ohne|sem|senza|без|bez)\s+` +
	`(?:a |any |un |einen? |need(?:ing)? (?:to |a )?)?` +
	`(?:re-?start\w*|neustart\w*|reinici\w*|redémarr\p{L}*|riavvi\w*|перезапуск\p{L}*|рестарт\p{L}*)|` +
	`无需重启|不需要重启|再起動不要`)

// listValue spells a value of SQL as a file has it: a list of quoted words becomes one.
func listValue(v string) string {
	v = strings.TrimSpace(v)
	if n := len(v); n > 1 && v[0] == '"' && v[n-1] == '"' {
		return v[1 : n-1]
	}
	if !strings.HasPrefix(v, "'") {
		return v
	}
	var words []string
	for _, w := range quotedWord.FindAllString(v, -1) {
		words = append(words, unquote(w))
	}
	return strings.Join(words, ", ")
}

var quotedWord = regex.New(`'(?:[^']|'')*'`)

// withoutNote leaves the comment of a line of SQL, or of the shell around it, out.
func withoutNote(s string) string {
	if t := strings.TrimSpace(s); strings.HasPrefix(t, "#") || strings.HasPrefix(t, "--") {
		return ""
	}
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], "--"):
			return s[:i]
		}
	}
	return s
}

// gpconfig reads calls of Greenplum's tool.
func (r *reader) gpconfig() Text {
	t := Text{Form: Gpconfig}
	for _, l := range r.lines {
		s := strings.TrimSpace(l.text)
		if !strings.HasPrefix(s, "gpconfig ") {
			continue
		}
		if m := gpSet.FindStringSubmatch(s); m != nil {
			t.Settings = append(t.Settings, setting(m[1], unquote(m[2]), l.n))
		} else if strings.Contains(s, " -c ") {
			t.Unread.add(l.n, l.text)
		}
	}
	return t
}
