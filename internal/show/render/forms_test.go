package render

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// shellReads holds that a POSIX shell takes a text for a script.
func shellReads(t *testing.T, text string) {
	t.Helper()
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, "…", "_"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("sh -n: %v: %s", err, out)
	}
}

// hostileTexts mean something to one or another of those that the forms are for.
var hostileTexts = []string{
	"", "off", "1e3", "~", "it's", `"`, `\`, `\n`, "a\nb", "a b", "$HOME", "$(id)", "`id`", "a;b", "#x", "x: y", "- x", "{a: b}", "[1]", "&a *a !x %m",
	"{{ lookup('pipe','id') }}", "{% x %}", "=cmd", "-rf", "é→", "'\\''", "''", "\t", "*", "?", "!!", "~root", "a\\'b", `'"'"'`,
}

// TestShellQuoteComesBack holds that a shell makes of a quoted word the text
// that it was.
func TestShellQuoteComesBack(t *testing.T) {
	for _, v := range hostileTexts {
		out, err := exec.Command("sh", "-c", "printf %s "+shellQuote(v)).Output()
		if err != nil || string(out) != v {
			t.Errorf("%q came back as %q (%v)", v, out, err)
		}
	}
}

// TestFormsRefuse holds that what a form cannot carry is an error that names
// it, and no altered value.
func TestFormsRefuse(t *testing.T) {
	of := func(a, to string) (Plan, *snapshot.Snapshot) {
		c := plan.Change{Address: knob.Address(a), Layer: knob.Address(a).Layer(), Key: "1", Instance: "/d", To: to, ToBase: to, Effect: knob.Reload}
		if c.Layer != knob.Instance {
			c.Key, c.Instance = "", ""
		}
		return Plan{Plan: &plan.Plan{Changes: []plan.Change{c}}}, &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1", DataDirectory: known.Is("/d")}}}
	}
	var b bytes.Buffer
	for name, form := range map[string]func(Plan, *snapshot.Snapshot) error{
		"ansible": func(d Plan, s *snapshot.Snapshot) error { return Ansible(&b, d, s) },
		"patroni": func(d Plan, s *snapshot.Snapshot) error { return Patroni(&b, d, s, "1") },
		"cnpg":    func(d Plan, s *snapshot.Snapshot) error { return CNPG(&b, d, s, "1") },
	} {
		if err := form(of("pg:log_line_prefix", "\xff")); err == nil || !strings.Contains(err.Error(), "pg:log_line_prefix") {
			t.Errorf("%s: a value that is no UTF-8: %v", name, err)
		}
	}
	for _, v := range []string{"\x1b[2J", "a\x00b", "\u202e", "\xff"} {
		if d, s := of("pg:log_line_prefix", v); Docker(&b, d, s, "1") == nil {
			t.Errorf("docker takes %q", v)
		}
		if d, s := of("pg:log_line_prefix", v); strings.Trim(v, "\x1b\x00[2Jab") != "" && Script(&b, d, s) == nil { // SQL has escapes for those of ASCII
			t.Errorf("script takes %q for a setting", v)
		}
		if d, s := of("sysctl:vm.x", v); Script(&b, d, s) == nil {
			t.Errorf("script takes %q", v)
		}
	}
}

// TestScriptCarriesControlCharacters holds that SQL spells them out, so that a
// script shows every byte of a value.
func TestScriptCarriesControlCharacters(t *testing.T) {
	d := Plan{Plan: &plan.Plan{Changes: []plan.Change{{Address: "pg:log_line_prefix", Layer: knob.Instance, Key: "1", To: "a\x1b'b", Effect: knob.Reload}}}}
	var b bytes.Buffer
	if err := Script(&b, d, &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1", DataDirectory: known.Is("/d")}}}); err != nil {
		t.Fatal(err)
	}
	if want := `'ALTER SYSTEM SET log_line_prefix = E'\''a\x1b'\'''\''b'\'';'`; !strings.Contains(b.String(), want) || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%s is not in\n%s", want, b.String())
	}
}

func TestShmSize(t *testing.T) {
	of := func(settings ...pg.Setting) *snapshot.Snapshot {
		m := pg.Settings{}
		for _, v := range settings {
			m[v.Name] = v
		}
		in := snapshot.Instance{Key: "1"}
		in.Server.Settings = known.Is(m)
		return &snapshot.Snapshot{Instances: []snapshot.Instance{in}}
	}
	work := pg.Setting{Name: "work_mem", Value: "65536", Unit: "kB"}
	hash := pg.Setting{Name: "hash_mem_multiplier", Value: "2"}
	maintenance := pg.Setting{Name: "maintenance_work_mem", Value: "1048576", Unit: "kB"}
	workers := pg.Setting{Name: "max_parallel_workers", Value: "8"}
	gather := pg.Setting{Name: "max_parallel_workers_per_gather", Value: "2"}
	for name, c := range map[string]struct {
		s    *snapshot.Snapshot
		want string
	}{
		"four queries of two workers, 12 processes of 128 MB, and 1 GB": {of(work, hash, maintenance, workers, gather), "2560m"},
		"no parallel query": {of(work, hash, maintenance, workers, pg.Setting{Name: "max_parallel_workers_per_gather", Value: "0"}), "1024m"},
		"a setting missing": {of(work, hash, maintenance, workers), ""},
	} {
		got, ok := shmSize(Plan{Plan: &plan.Plan{}}, c.s, "1")
		if ok != (c.want != "") || ok && mebibytes(got) != c.want {
			t.Errorf("%s: %s, %v, want %q", name, mebibytes(got), ok, c.want)
		}
	}
}
