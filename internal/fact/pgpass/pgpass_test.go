package pgpass

import (
	"strings"
	"testing"
)

// TestLine: what is spelled is found again, and for no one else.
func TestLine(t *testing.T) {
	e := Entry{Host: "fd00::1", Port: "5433", Database: "*", User: `a\b`}
	line, ok := e.Line(`p:a\s's`)
	if want := `fd00\:\:1:5433:*:a\\b:p\:a\\s's` + "\n"; line != want || !ok {
		t.Fatalf("%q, %v", line, ok)
	}
	who := e
	who.Database = "sales"
	if got, ok := Find("# fd00:x\n\nlocalhost:1:2\n"+line, who); !ok || got != `p:a\s's` {
		t.Errorf("%q, %v", got, ok)
	}
	who.User = "ab"
	if got, ok := Find(line, who); ok {
		t.Errorf("%q", got)
	}
	if !e.Is(line) || !e.Is(strings.TrimSuffix(line, "\n")) || who.Is(line) || e.Is("#"+line) {
		t.Error("a line is not told from others")
	}
	if _, ok := e.Line("a\nb"); ok {
		t.Error("a line break in a password")
	}
}

// FuzzFind: a line is found by what it was made of, whatever stands before it, unless that is for the same.
func FuzzFind(f *testing.F) {
	f.Add("x:1:*:u:p\\:q\n#x:1:d:u:z\n", "a", "1", "d", "u", "secret")
	f.Add("a\\", "", "", "", "", "")
	f.Fuzz(func(t *testing.T, text, host, port, database, user, password string) {
		e := Entry{host, port, database, user}
		line, ok := e.Line(password)
		if !ok || strings.HasPrefix(line, "#") {
			return
		}
		if got, ok := Find(line, e); !ok || got != password || !e.Is(line) {
			t.Fatalf("%q: %q, %v", line, got, ok)
		}
		if before, found := Find(text, e); found {
			if got, ok := Find(text+"\n"+line, e); !ok || got != before {
				t.Errorf("%q, and alone %q", got, before)
			}
		}
	})
}

// TestAppend: what is added is taken out again, and nothing else of the file changes.
func TestAppend(t *testing.T) {
	e := Entry{Host: "localhost", Port: "5433", Database: "*", User: "postgres"}
	if again, ok := ParseEntry(e.String()); !ok || again != e {
		t.Errorf("%+v, %v", again, ok)
	}
	line, _ := e.Line("a:b")
	for _, text := range []string{"", "x\n", "x", "# c\n\nlocalhost:5433:postgres:postgres:p\n", "x\n\n"} {
		with := Append(text, line)
		if got, ok := Find(with, e); !ok || got != "a:b" || !e.In(with) {
			t.Errorf("%q: %q is found", with, got)
		}
		if got := e.Remove(with); got != text || e.In(text) {
			t.Errorf("%q is left of %q", got, with)
		}
	}
	if _, ok := ParseEntry("a:b:c"); ok {
		t.Error("three fields are an entry")
	}
}
