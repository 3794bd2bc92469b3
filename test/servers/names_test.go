package servers

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/page"
)

// foreign are names that any user of a database may give: each means something to
// what reads one of our outputs. None has more than 63 bytes.
var foreign = []string{
	"a\n::error::pwned",                      // GitHub Actions
	"b\npwned 1\n# HELP pwned c",             // Prometheus, a shell, a configuration
	"c\r\x1b]0;pwned\x07\x1b[2J",             // a terminal
	"d$(touch pwned)`touch pwned`",           // a shell
	"e'; touch pwned; '",                     // the same, and SQL
	`f"; touch pwned; "\`,                    //
	"g<script>pwned()</script>&amp;",         // a browser
	"h|[i](javascript:pwned())|",             // Markdown
	"j{{ lookup('pipe','touch pwned') }}",    // Ansible
	"k\u202edenwp\u2066\u200b",               // a reader's eyes
	"l\n- name: pwned\n  shell: touch pwned", // YAML
	`m%n\u0041$$*/ --pwned`,                  //
}

// TestNamesInjectNothing: names of roles, databases, schemas, tables, indexes and sessions, as any user can choose
// them, are in every output as text.
func TestNamesInjectNothing(t *testing.T) {
	live.On(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"fsync": "off", "autovacuum": "off", "work_mem": "64MB",
			"log_connections": "on"})
		admin := connect(t, i.ConnString())
		for _, n := range foreign {
			name := pgconf.SQLName(n)
			sql(t, admin, "create role "+name+" superuser login")
			sql(t, admin, "alter role "+name+" set work_mem = '2GB'")
			sql(t, admin, "create database "+name+" owner "+name)
			sql(t, admin, "alter database "+name+" set enable_seqscan = off")
			sql(t, admin, "create schema "+name)
			sql(t, admin, "create table "+name+"."+name+" ("+name+" int)")
			sql(t, admin, "insert into "+name+"."+name+" select 1 from generate_series(1, 2000)")
			sql(t, admin, "create index "+pgconf.SQLName("1"+n)+" on "+name+"."+name+" ("+name+")")
			sql(t, admin, "create index "+pgconf.SQLName("2"+n)+" on "+name+"."+name+" ("+name+")")
			sql(t, admin, "alter role "+name+" in database "+name+" set jit = off")
			c := connect(t, i.ConnString())
			sql(t, c, "set application_name = "+pgconf.SQLString(n))
			sql(t, c, "set role "+name)
			sql(t, c, "begin; select 1 as "+name)
		}
		dir := t.TempDir()
		t.Chdir(dir)
		outputs := [][]string{{"snapshot"}, {"report"}, {"check", "--deep"}, {"top", "--once"},
			{"top", "--once", "--format", "json"}, {"metrics"}, {"metrics", "--format", "openmetrics"},
			{"check", "--lang", "ru"}, {"check", "--all", "--deep"}}
		for _, form := range []string{"json", "html", "markdown", "github", "sarif"} {
			outputs = append(outputs, []string{"check", "--deep", "--all", "--format", form})
		}
		for _, form := range []string{"text", "json", "html", "markdown", "conf", "alter-system", "sysctl", "ansible",
			"script", "patroni", "cnpg", "docker"} {
			outputs = append(outputs, []string{"plan", "--format", form})
		}
		for _, form := range []string{"text", "json", "html", "markdown"} {
			outputs = append(outputs, []string{"diagnose", "memory", "--format", form})
		}
		for _, args := range outputs {
			t.Run(strings.Join(args, " "), func(t *testing.T) {
				var out, talk bytes.Buffer
				code := cli.Main(t.Context(), append(args, i.DataDir), strings.NewReader(""), &out, &talk, os.Environ())
				if code != 0 || out.Len() == 0 {
					t.Fatalf("ended with %d: %s", code, talk.String())
				}
				harmless(t, args, out.String())
			})
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("something was made: %v %v", left, err)
		}
	})
}

// sample is a line of the exposition formats.
var sampleLine = regexp.MustCompile(
	`^(# (HELP|TYPE|UNIT|EOF).*|pgfettle_[a-z0-9_]+(\{([a-z_]+="([^"\\\n]|\\[\\n"])*",?)*\})? [-+0-9.eE]+( ` +
		`[0-9.]+)?|(pgfettle_[a-z0-9_]+(\{.*\})? (NaN|\+Inf|-Inf)))$`)

// harmless verifies that an output means to its reader what was meant.
func harmless(t *testing.T, args []string, out string) {
	t.Helper()
	kind := args[0]
	if n := len(args); n > 2 && args[n-2] == "--format" {
		kind += " " + args[n-1]
	}
	isJSON := kind == "snapshot" || strings.HasSuffix(kind, " json") || strings.HasSuffix(kind, " sarif")
	isHTML := kind == "report" || strings.HasSuffix(kind, " html")
	for _, r := range out {
		// JSON escapes what controls; what only misleads an eye is its reader's matter
		spaced := slices.Contains(args,
			"--lang") && (r == '\u00a0' || r == '\u202f') // before a unit, as languages have it
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) && (unicode.IsControl(r) || !isJSON) && !spaced {
			t.Fatalf("an unprintable character (%U): %q", r, around(out, string(r)))
		}
	}
	switch {
	case kind == "snapshot": // what was found, as it was found; its reader is a program
		return
	case isJSON:
		d := json.NewDecoder(strings.NewReader(out))
		for {
			var doc any
			if err := d.Decode(&doc); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	for line := range strings.Lines(out) {
		if s := strings.TrimLeft(line, " \t-"); strings.HasPrefix(s, "::error::pwned") ||
			strings.HasPrefix(s, "pwned 1") || strings.HasPrefix(s, "name: pwned") ||
			strings.HasPrefix(s, "shell: touch") {
			t.Errorf("a name has become a line: %q", line)
		}
	}
	switch {
	case isHTML:
		for _, p := range page.Problems([]byte(out), true) {
			t.Error(p)
		}
		if strings.Contains(out, "<script>pwned") || strings.Contains(out, `href="javascript:`) {
			t.Error("a name is markup")
		}
	case strings.HasSuffix(kind, " markdown"):
		for _, raw := range []string{"<script>pwned", "[i](javascript:"} {
			if strings.Contains(strings.ReplaceAll(out, `\`+raw, ""), raw) {
				t.Errorf("a name is markup: %q", around(out, raw))
			}
		}
	case args[0] == "metrics":
		for line := range strings.Lines(out) {
			if !sampleLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("not a line of the format: %q", line)
			}
		}
	case args[0] == "plan" && kind != "plan text" && kind != "plan":
		for line := range strings.Lines(out) {
			// in a comment it says what it is about; anywhere else it would be run, or set
			if strings.Contains(line, "pwned") && !strings.HasPrefix(strings.TrimSpace(line), "#") &&
				!strings.HasPrefix(strings.TrimSpace(line), "--") {
				t.Errorf("a name stands in what is carried out: %q", line)
			}
		}
		if kind == "plan script" {
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.Command("sh", "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, said)
			}
		}
	}
}

// around is what stands about a text.
func around(s, what string) string {
	at := strings.Index(s, what)
	return s[max(0, at-80):min(len(s), at+80)]
}
