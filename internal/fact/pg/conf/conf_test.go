package conf

import (
	"strings"
	"testing"
)

// TestLines: what the server's lexer takes and what it does not. The servers
// tier holds the same against pg_file_settings.
func TestLines(t *testing.T) {
	for _, c := range []struct{ line, name, value, fault string }{
		{"work_mem = 4MB", "work_mem", "4MB", ""},
		{"work_mem 4MB # comment", "work_mem", "4MB", ""},
		{"\t Work_Mem\t=\r 4MB\r", "Work_Mem", "4MB", ""},
		{"a='it''s \\'here\\''", "a", "it's 'here'", ""},
		{`a = 'x\101\tb\q\\'`, "a", "xA\tbq\\", ""},
		{`a = 'tail\0gone'`, "a", "tail", ""},
		{"a = '# no comment' # one", "a", "# no comment", ""},
		{"a = ''", "a", "", ""},
		{"auto_explain.log_analyze = on", "auto_explain.log_analyze", "on", ""},
		{"a = -1.5e-3", "a", "-1.5e-3", ""},
		{"a = 0x1Fkb", "a", "0x1Fkb", ""},
		{"a = foo-bar.baz:/x", "a", "foo-bar.baz:/x", ""},
		{"a = ümlaut", "a", "ümlaut", ""},
		{"", "", "", ""},
		{"  # only a comment", "", "", ""},
		{"a = 0.5ms", "", "", `syntax error near "ms"`},
		{"a = 1e5", "", "", `syntax error near "5"`},
		{"a = foo.bar", "", "", `syntax error near "foo.bar"`},
		{"a = 'open", "", "", `syntax error near "'"`},
		{"a = 'x''", "", "", `syntax error near "'"`},
		{"a", "", "", "syntax error near the end of the line"},
		{"a =", "", "", "syntax error near the end of the line"},
		{"a = = 1", "", "", `syntax error near "="`},
		{"a = 1 2", "", "", `syntax error near "2"`},
		{"1a = 2", "", "", `syntax error near "1a"`},
		{"a.b.c = 2", "", "", `syntax error near "a.b.c"`},
		{"a = $x", "", "", `syntax error near "$"`},
		{"a = 'z\x00z'", "", "", "syntax error near \"'z\\x00z'\""},
	} {
		l := Parse(c.line + "\n")
		if c.line == "" && len(l) != 1 || len(l) != 1 {
			t.Fatalf("%q: %d lines", c.line, len(l))
		}
		if l[0].Name != c.name || l[0].Value != c.value || l[0].Err != c.fault {
			t.Errorf("%q: %q = %q, %q", c.line, l[0].Name, l[0].Value, l[0].Err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a = 1\n# b\n\nc 'd''e' # f", "'", "a = 'x\\", "\r\n\x00\n",
		"include 'x'\ninclude_dir y"} {
		f.Add(s, "name", "va'l\\ue")
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		lines := Parse(text)
		if got := Format(lines); got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
		for _, l := range lines {
			if strings.Count(l.Text, "\n") > 1 || l.Err != "" && l.Name != "" {
				t.Fatalf("line %+v", l)
			}
		}
		set, err := Set(text, name, value)
		if err != nil {
			return
		}
		if got, ok := Get(set, name); !ok || got != value {
			t.Fatalf("%q set to %q in %q reads %q", name, value, text, got)
		}
		if before, had := Get(text, name); !had {
			gone := Remove(set, name)
			if gone != text && gone != text+"\n" {
				t.Fatalf("%q: set and removed gives %q (%q)", text, gone, before)
			}
		}
		if auto, err := AlterSystem(text, name, &value); err == nil {
			again, err := AlterSystem(auto, name, &value)
			if err != nil || again != auto {
				t.Fatalf("%q is rewritten to %q, %v", auto, again, err)
			}
		}
		if _, ours, _, _, err := block(text); err == nil && ours == "" {
			in, err := SetInBlock(text, name, value)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := GetInBlock(in, name); !ok || got != value {
				t.Fatalf("%q in a block of %q reads %q", value, in, got)
			}
		}
	})
}
