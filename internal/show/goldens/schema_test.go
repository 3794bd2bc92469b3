package goldens

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func schemaFile(kind string) string {
	return filepath.Join("..", "..", "..", "schema", kind+".schema.json")
}

func version(n int) known.Fact[unit.Version] { return known.Is(unit.Version(n)) }

// valid verifies that a document is what its published schema says, and that no array in it is null.
func valid(t *testing.T, kind string, doc []byte) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile(kind))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v", kind, err)
	}
	if hasNull(v) {
		t.Errorf("%s: a null stands in it", kind)
	}
}

// hasNull reports whether a null is anywhere in a document.
func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, hasNull)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasNull)
	}
	return false
}

// TestSchemasRefuse verifies that the schemas do say something: a document with one thing wrong is refused.
func TestSchemasRefuse(t *testing.T) {
	for kind, bad := range map[string][]string{
		"check": {`{}`,
			`{"schema":"pgfettle.check/1","findings":null,"unknown":[],"subject":{"host":"","host_seen":true,` +
				`"instances":[]}}`,
			`{"schema":"pgfettle.check/1","findings":[{"id":"x"}],"unknown":[],"subject":{"host":"","host_seen":true,` +
				`"instances":[]}}`},
		"plan": {`{}`, `{"schema":"pgfettle.plan/1"}`},
		"policy": {`{}`,
			`{"schema":"pgfettle.policy/1","file":"p","today":"today","pins":[],"accepted":[],"limits":{}}`,
			`{"schema":"pgfettle.policy/1","file":"p","today":"2027-01-31","pins":[],"accepted":[{"id":"x"}],` +
				`"limits":{}}`},
		"read": {`{}`, `{"schema":"pgfettle.read/1","parts":[{"kind":"free"}]}`},
		"explain": {`{}`, `{"schema":"pgfettle.explain/1","kind":"check","id":"x"}`,
			`{"schema":"pgfettle.explain/1","kind":"index","index":[{"kind":"x","id":"x","title":"x"}]}`},
		"journal": {`{}`, `{"schema":"pgfettle.journal.show/1"}`,
			`{"schema":"pgfettle.journal.show/1","journals":[{"id":"x"}]}`},
		"status": {`{}`, `{"schema":"pgfettle.status/1","knobs":[{"hold":"maybe"}]}`},
		"diagnose-memory": {`{}`,
			`{"schema":"pgfettle.diagnose.memory/1","taken_at":1,"level":"bad","verdict":"","instances":[],"oom":[],` +
				`"unknown":[]}`, `{"schema":"pgfettle.diagnose.memory/1","taken_at":1,"level":"fine","verdict":"",` +
				`"instances":null,"oom":[],"unknown":[]}`},
		"demo-oom": {`{}`,
			`{"schema":"pgfettle.demo.oom/1","server":"18.6","overcommit":"stand-in","limit":1,"cgroup_version":3,` +
				`"sessions":4,"work_mem":"1MB","query":"","rounds":[],"swept":[],"removed":[]}`},
		"diagnose-oom": {`{}`,
			`{"schema":"pgfettle.diagnose.oom/1","kills":[{"time":""}],"unexplained":[],"refused":[],"lines":[],` +
				`"read":{"lines":0,"reports":0,"server_events":0,"cut":false},"missing":[]}`},
		"diagnose-slow": {`{}`,
			`{"schema":"pgfettle.diagnose.slow/1","slow":{"name":"a"},"fast":{"name":"b"},"verdict":"",` +
				`"same_plan":true,"buffers":"none","spread":"unknown","diff":[],"nodes":[],"verdicts":[],` +
				`"ruled_out":[],"missing":[]}`},
		"probe": {`{}`, `{"schema":"pgfettle.probe/1"}`,
			`{"schema":"pgfettle.probe/1","subject":{"host":"","host_seen":true,"instances":[]},` +
				`"measured":{"schema":"x"},"methods":[],"findings":[],"follows":[]}`},
		"diagnose-slow-sample": {`{}`,
			`{"schema":"pgfettle.diagnose.slow-sample/1","instance":"","seconds":1,"cpus":1,"verdict":"",` +
				`"verdicts":[{"id":"x"}],"figures":{},"waits":[],"asked":0,"blockers":[],"processes":[],` +
				`"functions":[],"missing":[]}`},
	} {
		s, err := jsonschema.NewCompiler().Compile(schemaFile(kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range bad {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(doc)))
			if err != nil {
				t.Fatal(err)
			}
			if s.Validate(v) == nil {
				t.Errorf("%s takes %s", kind, doc)
			}
		}
	}
}

// TestSharedDefinitionsAgree verifies that what both schemas define is the same: each stands alone, so that one file is
// enough for a reader.
func TestSharedDefinitionsAgree(t *testing.T) {
	defs := map[string]map[string]any{}
	for _, kind := range []string{"check", "plan"} {
		b, err := os.ReadFile(schemaFile(kind))
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Defs map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
		defs[kind] = s.Defs
	}
	for _, name := range []string{"gap", "subject"} {
		if defs["check"][name] == nil || !reflect.DeepEqual(defs["check"][name], defs["plan"][name]) {
			t.Errorf("$defs/%s differs between the two schemas", name)
		}
	}
}
