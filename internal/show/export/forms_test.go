package export

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// hostileTexts mean something to one or another of those that the forms are for.
var hostileTexts = []string{
	"", "off", "1e3", "~", "it's", `"`, `\`, `\n`, "a\nb", "a b", "$HOME", "$(id)", "`id`", "a;b", "#x", "x: y", "- x",
	"{a: b}", "[1]", "&a *a !x %m",
	"{{ lookup('pipe','id') }}", "{% x %}", "=cmd", "-rf", "é→", "'\\''", "''", "\t", "*", "?", "!!", "~root",
	"a\\'b", `'"'"'`,
}

// TestShellQuoteComesBack verifies that a shell makes of a quoted word the text that it was.
func TestShellQuoteComesBack(t *testing.T) {
	for _, v := range hostileTexts {
		out, err := exec.Command("sh", "-c", "printf %s "+shell.Quote(v)).Output()
		if err != nil || string(out) != v {
			t.Errorf("%q came back as %q (%v)", v, out, err)
		}
	}
}

// TestFormsRefuse verifies that what a form cannot carry is an error that names it, and no altered value.
func TestFormsRefuse(t *testing.T) {
	of := func(a, to string) (document.Plan, *snapshot.Snapshot) {
		c := plan.Change{Address: knob.Address(a), Layer: knob.Address(a).Layer(), Key: "1", Instance: "/d", To: to,
			ToBase: to, Effect: knob.Reload}
		if c.Layer != knob.Instance {
			c.Key, c.Instance = "", ""
		}
		return document.Plan{Plan: &plan.Plan{Changes: []plan.Change{c}}},
			&snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1", DataDirectory: known.Is("/d")}}}
	}
	var b bytes.Buffer
	for name, form := range map[string]func(document.Plan, *snapshot.Snapshot) error{
		"ansible": func(d document.Plan, s *snapshot.Snapshot) error { return Ansible(&b, d, s) },
		"patroni": func(d document.Plan, s *snapshot.Snapshot) error { return Patroni(&b, d, s, "1") },
		"cnpg":    func(d document.Plan, s *snapshot.Snapshot) error { return CNPG(&b, d, s, "1") },
	} {
		if err := form(of("pg:log_line_prefix", "\xff")); err == nil ||
			!strings.Contains(err.Error(), "pg:log_line_prefix") {
			t.Errorf("%s: a value that is no UTF-8: %v", name, err)
		}
	}
	for _, v := range []string{"\x1b[2J", "a\x00b", "\u202e", "\xff"} {
		if d, s := of("pg:log_line_prefix", v); Docker(&b, d, s, "1") == nil {
			t.Errorf("docker takes %q", v)
		}
		// SQL has escapes for those of ASCII
		if d, s := of("pg:log_line_prefix", v); strings.Trim(v, "\x1b\x00[2Jab") != "" && Script(&b, d, s) == nil {
			t.Errorf("script takes %q for a setting", v)
		}
		if d, s := of("sysctl:vm.x", v); Script(&b, d, s) == nil {
			t.Errorf("script takes %q", v)
		}
	}
}

// TestScriptCarriesControlCharacters verifies that SQL spells them out, so that a script shows every byte of a value.
func TestScriptCarriesControlCharacters(t *testing.T) {
	d := document.Plan{Plan: &plan.Plan{Changes: []plan.Change{{Address: "pg:log_line_prefix", Layer: knob.Instance,
		Key: "1", To: "a\x1b'b", Effect: knob.Reload}}}}
	var b bytes.Buffer
	if err := Script(&b, d, &snapshot.Snapshot{Instances: []snapshot.Instance{
		{Key: "1", DataDirectory: known.Is("/d")}}}); err != nil {
		t.Fatal(err)
	}
	if want := `'ALTER SYSTEM SET log_line_prefix = E'\''a\x1b'\'''\''b'\'';'`; !strings.Contains(b.String(), want) ||
		strings.Contains(b.String(), "\x1b") {
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
		"four queries of two workers, 12 processes of 128 MB, and 1 GB": {of(work, hash, maintenance, workers, gather),
			"2560m"},
		"no parallel query": {of(work, hash, maintenance, workers,
			pg.Setting{Name: "max_parallel_workers_per_gather", Value: "0"}), "1024m"},
		"a setting missing": {of(work, hash, maintenance, workers), ""},
	} {
		got, ok := shmSize(carried{Plan: document.Plan{Plan: &plan.Plan{}}}, c.s, "1")
		if ok != (c.want != "") || ok && mebibytes(got) != c.want {
			t.Errorf("%s: %s, %v, want %q", name, mebibytes(got), ok, c.want)
		}
	}
}

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
		{"shared_preload_libraries", "pg_stat_statements,auto_explain",
			"ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements', 'auto_explain';"},
		{"shared_preload_libraries", `pg_stat_statements, "$libdir/My, lib"`,
			"ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements', '$libdir/My, lib';"},
		{"shared_preload_libraries", "", "ALTER SYSTEM RESET shared_preload_libraries;"},
		{"auto_explain.log_analyze", "on", "ALTER SYSTEM SET auto_explain.log_analyze = 'on';"},
		{"x; DROP TABLE y", "1", `ALTER SYSTEM SET "x; DROP TABLE y" = '1';`},
	} {
		if got := alterSystem(c.name, c.value); got != c.want {
			t.Errorf("%s = %q:\n got %s\nwant %s", c.name, c.value, got, c.want)
		}
	}
}

// TestScriptFstab: of fstab the script changes one field of one line, and what is
// not one line it leaves alone.
func TestScriptFstab(t *testing.T) {
	const other = "# UUID=0 /srv ext4 x\nUUID=1  /   ext4 errors=remount-ro 0 1\n"
	for name, c := range map[string]struct{ point, before, after string }{
		"a line with blanks and tabs": {"/srv", other + " UUID=2\t/srv/ \text4\tdefaults,strictatime  0 2 # data\n",
			other + " UUID=2\t/srv/ \text4\tdefaults,noatime  0 2 # data\n"},
		"no numbers after it": {"/srv", other + "UUID=2 /srv ext4 strictatime",
			other + "UUID=2 /srv ext4 defaults,noatime\n"},
		"a path with a blank": {`/srv/my\040data`, other + "UUID=2 /srv/my\\040data ext4 x 0 0\n",
			other + "UUID=2 /srv/my\\040data ext4 defaults,noatime 0 0\n"},
		"the root": {"/", other, strings.Replace(other, "errors=remount-ro", "defaults,noatime", 1)},
		"it is so already": {"/srv", "a /srv ext4 defaults,noatime 0 0\n",
			"a /srv ext4 defaults,noatime 0 0\n"},
		"no line":    {"/data", other, ""},
		"two lines":  {"/srv", "a /srv ext4 x 0 0\nb /srv/ ext4 y 0 0\n", ""},
		"no options": {"/srv", "a /srv ext4\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fstab := filepath.Join(dir, "fstab")
			if err := os.WriteFile(fstab, []byte(c.before), 0o640); err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(scriptHead, "[ \"$(id -u)\"")
			text := head + scriptMounts + "kept=" + dir + "/kept\nmkdir -p $kept\ntouch $kept/was-not-there\noptions " +
				shell.Quote(c.point) + " defaults,noatime\n"
			cmd := exec.Command("sh")
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, "/etc/fstab", fstab))
			out, err := cmd.CombinedOutput()
			got, _ := os.ReadFile(fstab)
			switch {
			case c.after == "" && (err == nil || string(got) != c.before ||
				!strings.Contains(string(out), "not one line mounts "+c.point)):
				t.Errorf("%v %s\n%s", err, out, got)
			case c.after != "" && (err != nil || string(got) != c.after):
				t.Errorf("%v %s\n%q, want\n%q", err, out, got, c.after)
			}
			if st, err := os.Stat(fstab); err != nil || st.Mode().Perm() != 0o640 {
				t.Errorf("the mode of the file: %v %v", st, err)
			}
			if left, _ := filepath.Glob(fstab + ".*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// FuzzYAMLString verifies that a quoted string stays on its line, acts on no terminal, and reads back as what it was.
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
		if strings.ContainsFunc(got, typeset.Hidden) {
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
