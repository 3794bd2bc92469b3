package conftext

import (
	"strings"
)

// options reads the options of a server's command line: in a shell, in a compose file,
// in a manifest, as a list of one word a line.
func (r *reader) options() Text {
	t := Text{Form: CommandLine}
	switch s := &r.sign; {
	case s.compose:
		t.Form = Compose
	case s.kube:
		t.Form = Manifest
	}
	flag, flagLine, server, short := false, 0, false, ""
	var service service
	for _, l := range r.lines {
		s := strings.TrimSpace(unmark(l.text))
		if s == "" || s[0] == '#' {
			continue
		}
		if t.Form == Compose {
			service.look(l.text)
		}
		before := len(t.Settings)
		words, open := shell(s)
		for _, w := range words {
			switch {
			case flag:
				flag = false
				t.option(w, flagLine, l.n)
			case short != "":
				if strings.Trim(w, "0123456789") == "" && w != "" {
					t.Settings = append(t.Settings, setting(short, w, l.n))
				}
				short = ""
			case server && w == "-N":
				short = "max_connections"
			case server && w == "-B":
				short = "shared_buffers"
			case w == "-c", strings.HasSuffix(w, ":[-c"): // args:['-c', …
				flag, flagLine = true, l.n
			case strings.Contains(w, " -c ") || strings.HasPrefix(w, "-c "): // an argument: pg_ctl -o "…"
				t.within(w, l.n)
			case strings.HasPrefix(w, "-c") && strings.Contains(w, "="):
				t.option(w[2:], l.n, l.n)
			case strings.HasPrefix(w, "--") && strings.Contains(w, "="):
				k, v, _ := strings.Cut(w[2:], "=")
				n := strings.ToLower(strings.ReplaceAll(k, "-", "_"))
				if n != "config_file" && (telling(n) || server && parameter(n)) {
					t.Settings = append(t.Settings, setting(n, v, l.n))
				}
			case strings.HasSuffix(w, "postgres") || strings.HasSuffix(w, "postmaster"):
				server = true
			case server && w == "-F":
				t.Settings = append(t.Settings, Setting{Name: "fsync", Value: "off", Line: l.n})
			}
		}
		for i := before; i < len(t.Settings); i++ {
			t.Settings[i].Server = service.name
		}
		if open {
			t.Unread.add(l.n, l.text)
		}
	}
	if flag {
		t.Unread.add(flagLine, "-c")
	}
	return t
}

// service follows which service of a compose file a line belongs to.
type service struct {
	name   string
	in     bool // below services:
	indent int  // of the names of services; 0 where none was seen
}

func (s *service) look(text string) {
	body := strings.TrimLeft(text, " ")
	indent := len(text) - len(body)
	switch key, rest, ok := strings.Cut(body, ":"); {
	case indent == 0:
		s.in, s.name, s.indent = ok && key == "services", "", 0
	case s.in && ok && strings.TrimSpace(rest) == "" && (s.indent == 0 || indent == s.indent):
		s.indent, s.name = indent, key
	}
}

// option adds NAME=VALUE.
func (t *Text) option(w string, at, n int) {
	k, v, ok := strings.Cut(w, "=")
	name := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(k), "-", "_"))
	if !ok || !ident(name) || name == "config_file" || strings.Contains(k, " ") {
		return
	}
	t.Settings = append(t.Settings, setting(name, unquote(v), n))
}

func (t *Text) within(w string, n int) {
	words, _ := shell(w)
	for i, x := range words {
		if x == "-c" && i+1 < len(words) {
			t.option(words[i+1], n, n)
		}
	}
}

// shell takes a line apart as a shell does, and a list of YAML or JSON: quotes go,
// commas and brackets between the words too. open says that a quote does not end.
func shell(s string) (words []string, open bool) {
	s = strings.TrimPrefix(s, "- ")
	var b strings.Builder
	in, quote, ended := false, byte(0), -1
	flush := func() {
		if in {
			words = append(words, b.String())
			b.Reset()
			in = false
		}
	}
	for i := 0; i < len(s) && len(words) < maxSettings; i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote, ended = 0, i
			} else if c == '\\' && quote == '"' && i+1 < len(s) {
				i++
				b.WriteByte(s[i])
			} else {
				b.WriteByte(c)
			}
		case c == '\'' || c == '"':
			if in && s[i-1] == '(' { // the first argument of a call
				flush()
			}
			quote, in = c, true
		case c == ' ' || c == '\t':
			flush()
		case (c == ',' || c == ']') && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '"' || s[i+1] == ']'):
			flush()
		case c == ')' && ended == i-1 && i > 0: // of a call
			flush()
		case c == '[' && !in:
		case c == '\\' && i+1 == len(s):
		case c == '#' && !in:
			flush()
			return words, false
		default:
			b.WriteByte(c)
			in = true
		}
	}
	open = quote != 0
	if !open {
		flush()
	}
	return words, open
}
