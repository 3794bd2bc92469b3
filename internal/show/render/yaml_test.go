package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// yamlRoundTrip holds of every quoted string of a document that it is one that
// JSON reads too, but for the escapes that YAML alone has, and that nothing
// stands after it: there is no YAML reader among the dependencies, and double
// quotes mean the same to both.
func yamlRoundTrip(t *testing.T, doc []byte) {
	t.Helper()
	for line := range strings.Lines(string(doc)) {
		at := strings.IndexByte(line, '"')
		if trimmed := strings.TrimSpace(line); at < 0 || strings.HasPrefix(trimmed, "#") {
			continue
		}
		text := strings.TrimSuffix(line[at:], "\n")
		text = strings.TrimSuffix(text, ":") // a quoted key without a value
		if key, value, ok := strings.Cut(text, `": "`); ok {
			text = `"` + value
			if err := json.Unmarshal([]byte(key+`"`), new(string)); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if err := json.Unmarshal([]byte(text), new(string)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// FuzzYAMLString holds that a quoted string stays on its line, acts on no
// terminal, and reads back as what it was.
func FuzzYAMLString(f *testing.F) {
	for _, v := range hostileTexts {
		f.Add(v)
	}
	f.Add("\u009b\u202e\U000e0041\x00\x7f")
	f.Fuzz(func(t *testing.T, v string) {
		if !utf8.ValidString(v) {
			return // refused before it comes so far
		}
		got := yamlString(v)
		if strings.ContainsFunc(got, hidden) {
			t.Errorf("%q acts on a terminal", got)
		}
		if back := unYAML(t, got); back != v {
			t.Errorf("%q came back as %q", v, back)
		}
	})
}

// unYAML reads a double-quoted string by the rules of YAML 1.2, section 7.3.1:
// \xNN, \uNNNN and \UNNNNNNNN are code points.
func unYAML(t *testing.T, s string) string {
	t.Helper()
	s = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`)
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == '"' {
			t.Fatalf("a bare quote in %q", s)
		}
		if r != '\\' {
			b.WriteRune(r)
			s = s[n:]
			continue
		}
		width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
		if width == 0 {
			b.WriteByte(map[byte]byte{'n': '\n', 't': '\t', '"': '"', '\\': '\\'}[s[1]])
			s = s[2:]
			continue
		}
		var code rune
		for _, c := range s[2 : 2+width] {
			code = code<<4 | rune(strings.IndexRune("0123456789abcdef", c))
		}
		b.WriteRune(code)
		s = s[2+width:]
	}
	return b.String()
}
