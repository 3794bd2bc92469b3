package newcluster

import (
	"encoding/json"
	"strings"
	"testing"
)

func good() Spec {
	return Spec{Token: "0123456789abcdef", Hand: InitDB, Major: 17, Name: "main", Bin: "/usr/lib/postgresql/17/bin",
		Owner: Account{Name: "postgres", Group: "postgres", UID: 26, GID: 26}, Data: "/srv/pg", Config: "/srv/pg",
		Port: 5432, InitDB: []string{"--encoding=UTF8"},
		Files: []File{{Name: "conf.d/50-pgfettle.conf", Text: "port = 5432\n"}}}
}

// TestParse: a description is read as it was written, and one that no plan makes is refused.
func TestParse(t *testing.T) {
	if s, err := Parse(good().Text()); err != nil || s.Text() != good().Text() {
		t.Fatalf("%+v, %v", s, err)
	}
	for what, change := range map[string]func(*Spec){
		"no token":                func(s *Spec) { s.Token = "" },
		"a token of others":       func(s *Spec) { s.Token = "../../../../etc" },
		"no hand":                 func(s *Spec) { s.Hand = "" },
		"a name with a dash":      func(s *Spec) { s.Name = "a-b" },
		"a name that is a path":   func(s *Spec) { s.Name = "../a" },
		"root as the owner":       func(s *Spec) { s.Owner.UID = 0 },
		"nobody as the owner":     func(s *Spec) { s.Owner.UID = -1 },
		"no port":                 func(s *Spec) { s.Port = 0 },
		"a large port":            func(s *Spec) { s.Port = 65536 },
		"the root directory":      func(s *Spec) { s.Data = "/" },
		"a relative directory":    func(s *Spec) { s.Data = "srv" },
		"a way up":                func(s *Spec) { s.Data = "/srv/../etc" },
		"WAL with a way up":       func(s *Spec) { s.WAL = "/wal/.." },
		"a quote":                 func(s *Spec) { s.Socket = "/s'" },
		"a line break":            func(s *Spec) { s.Log = "/var/log/a\nb" },
		"programs nowhere":        func(s *Spec) { s.Bin = "" },
		"a file elsewhere":        func(s *Spec) { s.Files[0].Name = "../../etc/passwd" },
		"an absolute file":        func(s *Spec) { s.Files[0].Name = "/etc/passwd" },
		"a file without a name":   func(s *Spec) { s.Files[0].Name = "" },
		"an argument of another":  func(s *Spec) { s.InitDB = []string{"-D/etc"} },
		"an argument, not option": func(s *Spec) { s.InitDB = []string{"/etc"} },
	} {
		s := good()
		change(&s)
		if _, err := Parse(s.Text()); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	for _, text := range []string{"", "absent", "[]", `{"token":1}`,
		strings.Replace(good().Text(), `"port"`, `"ports"`, 1),
		strings.Repeat(" ", MaxSpec+1)} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%.40q is taken", text)
		}
	}
}

func TestShort(t *testing.T) {
	for value, want := range map[string]string{good().Text(): "PostgreSQL 17, port 5432, owner postgres",
		"a\nb\n": "2 lines", Absent: Absent} {
		if got := Short(value); got != want {
			t.Errorf("%q", got)
		}
	}
}

// FuzzParse: whatever is read is spelled and read again as the same, and names no place beside its own.
func FuzzParse(f *testing.F) {
	f.Add(good().Text())
	f.Add(`{"token":"0123456789abcdef","hand":"debian"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.Text())
		if err != nil || again.Text() != s.Text() {
			t.Errorf("%s, %v", again.Text(), err)
		}
		for _, file := range s.Files {
			if strings.HasPrefix(file.Name, "/") || strings.HasPrefix(file.Name, "..") {
				t.Errorf("%q", file.Name)
			}
		}
		if s.Owner.UID <= 0 || !strings.HasPrefix(s.Data, "/") || strings.Contains(s.Data, "/../") {
			t.Errorf("%+v", s)
		}
	})
}

// FuzzParseMade: what is taken for our file has a token and a name.
func FuzzParseMade(f *testing.F) {
	b, err := json.Marshal(Made{Schema: MadeSchema, Token: "0123456789abcdef", Hand: Debian, Major: 15, Name: "main",
		Data: "/srv/pg", Sums: map[string]string{"/srv/pg/postgresql.conf": "00"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseMade(b)
		if err == nil && (!ValidName(m.Name) || len(m.Token) != 16) {
			t.Errorf("%+v", m)
		}
	})
}
