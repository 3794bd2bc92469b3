package goldens

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export/findings"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// hostileConf has what an attacker would put into a file that a pipeline reads.
const hostileConf = "checkpoint_segments = 3\nwork_mem = '%0A::error::x,y:z\\n::set-output " +
	"name=a::b\\r\x1b[31m'\n'broken\x1b]0;x\x07\ninclude 'a b%,:ü.conf'\nfsync = off\n"

func checkedFile() document.File {
	fsys := fstest.MapFS{"r/my conf,1:2%.conf": {Data: []byte(hostileConf)}}
	main := "/r/my conf,1:2%.conf"
	return document.File{Report: conffile.Judge(conf.Resolve(fsys, main, ""), main, 17, func(p string) string {
		return strings.TrimPrefix(p, "/r/")
	}, nil, checks.All()), From: "--pg"}
}

func hostReport() document.Check {
	return document.Check{Report: check.Report{Findings: []check.Finding{{ID: "swap_none", Severity: check.Notice,
		Title: "No swap", Seen: say.Text("100 % of it: none\nat all"), Why: "Because.", Do: say.Text("Add some."),
		Sources: say.SourcesOf([]string{"linux-vm"})}}}}
}

// TestFileJSONIsValid holds the document against its published schema.
func TestFileJSONIsValid(t *testing.T) {
	var b bytes.Buffer
	if err := json.File(&b, checkedFile()); err != nil {
		t.Fatal(err)
	}
	valid(t, "conf", b.Bytes())
	b.Reset()
	if err := json.File(&b, document.File{Report: conffile.Judge(conf.Resolved{}, "x", 17, func(p string) string {
		return p
	}, nil, checks.All()), From: "newest"}); err != nil {
		t.Fatal(err)
	}
	valid(t, "conf", b.Bytes())
	b.Reset()
	named := checkedFile()
	named.Names = &conffile.Names{Version: "16.3", Line: 2, RAM: 8 << 30, RAMLine: 3, CPUs: 4, Storage: "ssd",
		OS: "windows", Managed: "Amazon RDS"}
	if err := json.File(&b, named); err != nil {
		t.Fatal(err)
	}
	valid(t, "conf", b.Bytes())
}

// TestSARIFIsValid holds both documents against the standard's own schema.
func TestSARIFIsValid(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("testdata/sarif/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	write := map[string]func(*bytes.Buffer) error{
		"file": func(b *bytes.Buffer) error { return findings.FileSARIF(b, checkedFile(), "1.0") },
		"host": func(b *bytes.Buffer) error { return findings.CheckSARIF(b, hostReport(), "1.0") },
		"accepted": func(b *bytes.Buffer) error {
			d := hostReport()
			d.Accepted = []check.Accepted{{Finding: d.Findings[0], Reason: "r", Expires: check.Never}}
			return findings.CheckSARIF(b, d, "1.0")
		},
		"no findings": func(b *bytes.Buffer) error { return findings.CheckSARIF(b, document.Check{}, "1.0") },
	}
	for name, w := range write {
		var b bytes.Buffer
		if err := w(&b); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		run := v.(map[string]any)["runs"].([]any)[0].(map[string]any)
		rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
		for _, r := range run["results"].([]any) {
			r := r.(map[string]any)
			index, err := r["ruleIndex"].(interface{ Int64() (int64, error) }).Int64()
			if err != nil || rules[index].(map[string]any)["id"] != r["ruleId"] {
				t.Errorf("%s: result of %v points at rule %v", name, r["ruleId"], index)
			}
		}
	}
	bad, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}`))
	if s.Validate(bad) == nil {
		t.Error("the schema takes a tool without a name")
	}
	var b bytes.Buffer
	if err := findings.FileSARIF(&b, checkedFile(), "1.0"); err != nil ||
		!strings.Contains(b.String(), `"uri": "my%20conf,1:2%25.conf"`) &&
			!strings.Contains(b.String(), `"uri": "./my%20conf,1:2%25.conf"`) {
		t.Errorf("%v: the path is not a URI in\n%s", err, b.String())
	}
}

// TestGitHubEscapes: one finding is one line, whatever is in the file, and nothing in it can end a property or begin a
// command.
func TestGitHubEscapes(t *testing.T) {
	var b bytes.Buffer
	d := checkedFile()
	if err := findings.FileGitHub(&b, d); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(d.Findings) || len(lines) < 5 {
		t.Fatalf("%d lines for %d findings:\n%s", len(lines), len(d.Findings), b.String())
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, "::error file=my conf%2C1%3A2%25.conf,line=") || strings.ContainsAny(l, "\x1b\r\x07") {
			t.Errorf("%q", l)
		}
	}
	if !strings.Contains(b.String(), `%250A::error`) {
		t.Errorf("a percent sign of the file is not escaped:\n%s", b.String())
	}
	b.Reset()
	if err := findings.CheckGitHub(&b, hostReport()); err != nil ||
		b.String() != "::notice title=No swap [swap_none]::the host: 100 %25 of it: none%0Aat all%0AAdd some.\n" {
		t.Errorf("%v %q", err, b.String())
	}
}

// TestFileTextIsClean: nothing of a file reaches the terminal as it is.
func TestFileTextIsClean(t *testing.T) {
	var b bytes.Buffer
	if err := term.Write(&b, outline.File(checkedFile(), nil), term.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\r\x07") || !strings.Contains(b.String(), "CRITICAL") {
		t.Errorf("%q", b.String())
	}
}
