package goldens

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/test/golden"
)

// oomLog is where a log stands: of the kernel, or of a server.
func oomLog(name string) string {
	if strings.HasPrefix(name, "pg") {
		return "../../judge/diagnose/oom/testdata/" + name
	}
	return "../../fact/kernlog/testdata/" + name
}

// TestDiagnoseOOM writes the post-mortem of every real report that the reader
// has, each with the logs that belong together.
func TestDiagnoseOOM(t *testing.T) {
	kernel, err := filepath.Glob(oomLog("k*.log"))
	if err != nil || len(kernel) < 12 {
		t.Fatalf("%d reports, %v", len(kernel), err)
	}
	beside := map[string][]string{
		"k618_memcg_v1_backend":      {"pg15_log_backend_sigkill.log"},
		"k601_global_numa2_journal":  {"systemd_unit_journal.json", "pg15_log_oom_then_systemd_stop.log"},
		"k418_wrapped_no_pid_column": {"pg_log_pasted_without_prefix.log"},
	}
	cases := map[string][]string{"server_alone": {"pg15_log_overcommit2_oom.log", "pg17_log.csv", "pg17_log.json"},
		"nothing": {}}
	for _, k := range kernel {
		name := strings.TrimSuffix(filepath.Base(k), ".log")
		cases[name] = append([]string{filepath.Base(k)}, beside[name]...)
	}
	for name, files := range cases {
		t.Run(name, func(t *testing.T) {
			r := oom.NewReader()
			for _, f := range files {
				b, err := os.ReadFile(oomLog(f))
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Add(bytes.NewReader(b)); err != nil {
					t.Fatal(err)
				}
			}
			d := oom.Diagnose(r.Log(), oom.Facts{})
			var j, b bytes.Buffer
			if err := json.OOM(&j, d); err != nil {
				t.Fatal(err)
			}
			valid(t, "diagnose-oom", j.Bytes())
			if err := term.Write(&b, reports.OOM(d, nil), term.Style{Width: 100}); err != nil {
				t.Fatal(err)
			}
			goldenFile(t, name+".txt", b.String())
			if name == "k618_memcg_v1_backend" {
				goldenFile(t, name+".json", j.String())
			}
		})
	}
}

func goldenFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "diagnose_oom", name)
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// FuzzDiagnoseOOM verifies that no log makes the post-mortem panic, write what acts on a terminal, or a JSON that its
// schema refuses.
func FuzzDiagnoseOOM(f *testing.F) {
	for _, pattern := range []string{"k*.log", "pg*.log", "pg*.csv", "pg*.json", "systemd*.json"} {
		files, err := filepath.Glob(oomLog(pattern))
		if err != nil || len(files) == 0 {
			f.Fatalf("no logs %s: %v", pattern, err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	schema, err := jsonschema.NewCompiler().Compile(schemaFile("diagnose-oom"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := oom.NewReader()
		if err := r.Add(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		d := oom.Diagnose(r.Log(), oom.Facts{})
		var text, j bytes.Buffer
		if err := term.Write(&text, reports.OOM(d, nil), term.Style{Width: 60}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(strings.ReplaceAll(text.String(), "\n", ""), typeset.Hidden) {
			t.Errorf("acts on the terminal: %q", text.String())
		}
		if err := json.OOM(&j, d); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&j)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil || hasNull(v) {
			t.Errorf("the schema refuses it, or a null is in it: %v", err)
		}
	})
}
