package render

import (
	"encoding/json"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func TestConfValues(t *testing.T) {
	for v, want := range map[string]string{
		"16GB": "16GB", "-1": "-1", "0.9": "0.9", "on": "on", "remote_apply": "remote_apply",
		"0.5ms":   "'0.5ms'", // the server's lexer knows no fraction with a unit
		"a,b":     "'a,b'",
		"":        "''",
		"it's":    "'it''s'",
		`a\b`:     `'a\\b'`,
		"x\ny=1":  `'x\012y=1'`,
		"%m [%p]": "'%m [%p]'",
		"1 # no":  "'1 # no'",
		"on\n":    `'on\012'`,
	} {
		if got := confValue(v); got != want {
			t.Errorf("confValue(%q) = %s, want %s", v, got, want)
		}
	}
}

func TestAlterSystemStatements(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"work_mem", "64MB", "ALTER SYSTEM SET work_mem = '64MB';"},
		{"log_line_prefix", "%m 'x' ", "ALTER SYSTEM SET log_line_prefix = '%m ''x'' ';"},
		{"archive_command", `copy "%p" c:\x`, `ALTER SYSTEM SET archive_command = E'copy "%p" c:\\x';`},
		{"shared_preload_libraries", "pg_stat_statements,auto_explain", "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements', 'auto_explain';"},
		{"shared_preload_libraries", `pg_stat_statements, "$libdir/My, lib"`, "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements', '$libdir/My, lib';"},
		{"shared_preload_libraries", "", "ALTER SYSTEM RESET shared_preload_libraries;"},
		{"auto_explain.log_analyze", "on", "ALTER SYSTEM SET auto_explain.log_analyze = 'on';"},
		{"x; DROP TABLE y", "1", `ALTER SYSTEM SET "x; DROP TABLE y" = '1';`},
	} {
		if got := alterSystem(c.name, c.value); got != c.want {
			t.Errorf("%s = %q:\n got %s\nwant %s", c.name, c.value, got, c.want)
		}
	}
}

func TestShareFillsEveryCell(t *testing.T) {
	for _, c := range []struct {
		amounts []unit.Bytes
		cells   int
		want    string
	}{
		{[]unit.Bytes{1, 1, 2}, 8, "2 2 4"},
		{[]unit.Bytes{1, 1, 1}, 10, "4 3 3"},
		{[]unit.Bytes{0, 5}, 3, "0 3"},
		{[]unit.Bytes{0, 0}, 3, "0 0"},
		{[]unit.Bytes{999, 1}, 10, "9 1"}, // what is in the legend is in the picture
		{[]unit.Bytes{5, 1, 1}, 1, "1 0 0"},
	} {
		var got []string
		for _, n := range share(c.amounts, c.cells) {
			got = append(got, digits(n))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("share(%v, %d) = %s, want %s", c.amounts, c.cells, s, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 7, "one two|three"},
		{"a-word-that-is-too-long b", 5, "a-word-that-is-too-long|b"},
		{"", 5, ""},
		{"  many   spaces ", 40, "many spaces"},
		{"αβγ δεζ", 7, "αβγ δεζ"},
	} {
		if got := strings.Join(wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// FuzzClean holds that nothing that acts on a terminal gets through, and that
// harmless text comes through as it was.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J", "a\u009bm", "\u202eevil", "tab\tnl\n", "\xff\xfe", "bidi\u2066", "é→"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, hidden) && got != s {
			t.Errorf("clean changed %q to %q", s, got)
		}
	})
}

// FuzzEscapeHidden holds that the JSON means the same after what a terminal
// acts upon was escaped in it.
func FuzzEscapeHidden(f *testing.F) {
	f.Add("\u009b \u202e \U000e0041 é")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out := escapeHidden(b)
		if strings.ContainsFunc(string(out), hidden) {
			t.Errorf("%q still acts on a terminal", out)
		}
		var before, after string
		if json.Unmarshal(b, &before) != nil || json.Unmarshal(out, &after) != nil || before != after {
			t.Errorf("%q became %q", before, after)
		}
	})
}

// FuzzSplitList holds that names put together as the server writes them come
// apart again.
func FuzzSplitList(f *testing.F) {
	f.Add("a", "b,c")
	f.Add(`q"uote`, " spaced ")
	f.Fuzz(func(t *testing.T, a, b string) {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		got := conf.SplitList(quote(a) + ", " + quote(b))
		if len(got) != 2 || got[0] != a || got[1] != b {
			t.Errorf("%q, %q came apart as %q", a, b, got)
		}
	})
}
