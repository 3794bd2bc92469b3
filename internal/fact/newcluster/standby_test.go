package newcluster

import (
	"strings"
	"testing"
)

func follows() Spec {
	s := good()
	s.InitDB = nil
	s.Standby = &Standby{Conninfo: "host='db1' user='repl'", Passfile: "/var/lib/pgsql/.pgpass", Slot: "pgfettle_main",
		System: "7712935843349953643", Program: "/usr/lib/postgresql/17/bin/pg_basebackup"}
	return s
}

// TestParseStandby: a copy is read as it was written, and one that no plan makes is refused.
func TestParseStandby(t *testing.T) {
	if s, err := Parse(follows().Text()); err != nil || s.Text() != follows().Text() {
		t.Fatalf("%+v, %v", s, err)
	}
	for what, change := range map[string]func(*Standby){
		"no primary":             func(s *Standby) { s.Conninfo = "" },
		"a password":             func(s *Standby) { s.Conninfo = "host='a' password='x'" },
		"a password of a key":    func(s *Standby) { s.Conninfo = "sslpassword='x'" },
		"a line break":           func(s *Standby) { s.Conninfo = "host='a\nb'" },
		"a relative file":        func(s *Standby) { s.Passfile = ".pgpass" },
		"a slot of another form": func(s *Standby) { s.Slot = "a'b" },
		"no system":              func(s *Standby) { s.System = "" },
		"another program":        func(s *Standby) { s.Program = "/bin/sh" },
	} {
		s := follows()
		change(s.Standby)
		if _, err := Parse(s.Text()); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	s := follows()
	s.Standby.Conninfo = "host='a' user='the password='"
	if _, err := Parse(s.Text()); err != nil {
		t.Errorf("a word in a value: %v", err)
	}
}

// TestCopy: the command has no password in it, and makes the slot only where it is asked to.
func TestCopy(t *testing.T) {
	s := follows()
	s.WAL = "/wal"
	want := "/usr/lib/postgresql/17/bin/pg_basebackup|-D|/srv/pg|-d|host='db1' user='repl'|--no-password|" +
		"--wal-method=stream|--slot=pgfettle_main|--checkpoint=spread|--waldir=/wal"
	if got := strings.Join(s.Copy(false), "|"); got != want {
		t.Error(got)
	}
	s.Standby.Fast = true
	if got := strings.Join(s.Copy(true), "|"); !strings.Contains(got, "--checkpoint=fast|--create-slot") {
		t.Error(got)
	}
	if got := strings.Join(s.Standby.Environment(), " "); got != "PGPASSFILE=/var/lib/pgsql/.pgpass" {
		t.Error(got)
	}
	own := s.Own()
	if last := own[len(own)-1]; last.Name != Signal {
		t.Errorf("%s is written last", last.Name)
	}
}

// TestParseSlot: likewise of the step of a slot, which people see in short.
func TestParseSlot(t *testing.T) {
	slot := Slot{Conninfo: "host='db1' user='repl'", System: "1", Owner: good().Owner, Data: "/srv/pg",
		Where: "db1:5432"}
	if got, err := ParseSlot(slot.Text()); err != nil || got != slot || Short(slot.Text()) != "on db1:5432" {
		t.Errorf("%+v, %v, %s", got, err, Short(slot.Text()))
	}
	for what, change := range map[string]func(*Slot){
		"root":           func(s *Slot) { s.Owner.UID = 0 },
		"a way up":       func(s *Slot) { s.Data = "/srv/../etc" },
		"no primary":     func(s *Slot) { s.Conninfo = "" },
		"another system": func(s *Slot) { s.System = "x" },
	} {
		s := slot
		change(&s)
		if _, err := ParseSlot(s.Text()); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}

func TestSystemOf(t *testing.T) {
	if got := SystemOf([]byte{1, 2, 3}); got != "" {
		t.Error(got)
	}
	if got := SystemOf(make([]byte, 9)); got != "0" {
		t.Error(got)
	}
}

// TestMapping: a directory may have an equals sign, as pg_basebackup takes it; what is no mapping is not read.
func TestMapping(t *testing.T) {
	for text, want := range map[string]Mapping{"/a=/b": {"/a", "/b"}, `/a\=1/=/b\=2/../c`: {"/a=1", "/c"},
		`/a\b=/c`: {`/a\b`, "/c"}} {
		m, ok := ParseMapping(text)
		if again, ok2 := ParseMapping(m.String()); !ok || m != want || !ok2 || again != m {
			t.Errorf("%q: %+v, %v, %+v", text, m, ok, again)
		}
	}
	for _, text := range []string{"", "/a", "/a=", "=/b", "/a=/b=/c", "a=/b", "/a=b", "/=/b", "/a=/", "/a\n=/b",
		"/a=/b'", "/a=/%i"} {
		if m, ok := ParseMapping(text); ok {
			t.Errorf("%q is read: %+v", text, m)
		}
	}
}
