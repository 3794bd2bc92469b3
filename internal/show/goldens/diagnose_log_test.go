package goldens

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	generate "github.com/pgfettle/pgfettle/internal/gen/jsonschema"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/golden"
)

// TestLogSchemaIsCurrent holds the published schema to the types that it is made of.
func TestLogSchemaIsCurrent(t *testing.T) {
	want, err := generate.Render(generate.Document{
		Title: "pgfettle diagnose log --format json",
		Description: "What a server's log shows, worst first. Amounts are bytes, spans seconds; times are those of " +
			"the log, by the clock of its zone.",
		Type:    reflect.TypeFor[serverlog.Report](),
		Version: serverlog.Schema,
		File:    "diagnose-log.schema.json",
		Module:  "github.com/pgfettle/pgfettle",
		Source:  os.DirFS("../../.."),
	})
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		if err := os.WriteFile(schemaFile("diagnose-log"), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile("diagnose-log"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), string(want)); diff != "" {
		t.Errorf(
			"schema/diagnose-log.schema.json is not what the types say; go test ./internal/show/goldens -update:\n%s",
			diff)
	}
	s, err := jsonschema.NewCompiler().Compile(schemaFile("diagnose-log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{`{}`, `{"schema":"pgfettle.diagnose.log/2"}`} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(v) == nil {
			t.Errorf("the schema takes %s", doc)
		}
	}
}

// TestLogForms reads logs as they are and holds what is said of them, in each form.
// A case is a txtar file: its first line says it, files below log/ are the logs in
// the order of their names, those below want/ the forms: text-80, text-80-redacted,
// json.
func TestLogForms(t *testing.T) {
	golden.Files(t, "testdata/log/*.txtar", func(t *testing.T, c *golden.File) map[string][]byte {
		out := map[string][]byte{}
		for _, full := range c.Wants {
			name, redact := strings.CutSuffix(strings.TrimPrefix(full, "want/"), "-redacted")
			r := logReport(t, c.Archive, redact)
			var b bytes.Buffer
			var err error
			if name == "json" {
				err = json.Log(&b, r)
				valid(t, "diagnose-log", b.Bytes())
			} else {
				err = term.Write(&b, reports.Log(r, nil), style(t, name))
			}
			if err != nil {
				t.Fatal(err)
			}
			out[full] = b.Bytes()
		}
		return out
	})
}

func logReport(t *testing.T, ar *txtar.Archive, redact bool) *serverlog.Report {
	t.Helper()
	c := serverlog.NewCollector(serverlog.Options{Redact: redact})
	for _, f := range ar.Files {
		name, is := strings.CutPrefix(f.Name, "log/")
		if !is {
			continue
		}
		src, err := pglog.Read(bytes.NewReader(f.Data), pglog.Options{}, c)
		if err != nil {
			t.Fatal(err)
		}
		c.File(name, src, false)
	}
	return c.Report()
}
