package servers

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/page"
)

// TestReportOfAServer verifies that a report on a real server of each version obeys the rules of a page, shows file and
// line of what is set, and is the same from the snapshot of that moment; redacted, it has none of the names in it.
func TestReportOfAServer(t *testing.T) {
	t.Parallel() // beside what waits
	on(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"fsync": "off", "work_mem": "64MB", "cluster_name": "<b>\"quoted\" & cut"})
		admin := connect(t, i.ConnString())
		sql(t, admin, "create role harriet_the_auditor login")
		sql(t, admin, `create database "<script>payroll"`)
		connect(t, strings.NewReplacer("user=postgres", "user=harriet_the_auditor", "dbname=postgres",
			"dbname='<script>payroll'").Replace(i.ConnString()))
		dir := t.TempDir()
		run := func(args ...string) string {
			t.Helper()
			var out, talk bytes.Buffer
			if code := cli.Main(t.Context(), args, strings.NewReader(""), &out, &talk, os.Environ()); code != 0 {
				t.Fatalf("pgfettle %v ended with %d: %s", args, code, talk.String())
			}
			return out.String()
		}
		file := filepath.Join(dir, "report.html")
		run("report", "--no-policy", "-o", file, i.DataDir)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Problems(text, true) {
			t.Error(p)
		}
		for _, want := range []string{"fsync is off", "postgresql.conf:", `<th scope="row">work_mem</th>`,
			"harriet_the_auditor", "&lt;script&gt;payroll", `<svg class="budget"`, `<h2 id="memory">`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the report does not have %q", want)
			}
		}
		kept := filepath.Join(dir, "host.evidence")
		run("snapshot", "-o", kept, i.DataDir)
		if again := run("report", kept); !strings.Contains(again, "harriet_the_auditor") ||
			!strings.Contains(again, "fsync is off") {
			t.Error("the report of the snapshot has another story")
		}
		if a, b := run("report", kept), run("report", kept); a != b {
			t.Error("one snapshot gives two reports")
		}
		redacted := run("report", "--no-policy", "--redact", i.DataDir)
		for _, p := range page.Problems([]byte(redacted), true) {
			t.Errorf("redacted: %s", p)
		}
		for _, name := range []string{"harriet", "payroll"} {
			if strings.Contains(redacted, name) {
				t.Errorf("%q is in a redacted report", name)
			}
		}
	})
}
