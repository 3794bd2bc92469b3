package goldens

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pgfettle/pgfettle/internal/gen/jsonschema"
)

// TestSchemas walks all published schemas: each has the $id under which it is
// published, and all properties are spelled alike, in snake_case.
func TestSchemas(t *testing.T) {
	files, err := filepath.Glob(schemaFile("*"))
	if err != nil || len(files) < 19 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	var walk func(at string, v any)
	// A document may itself have a field named properties, as units of systemd do.
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(at, e)
			}
		case map[string]any:
			if p, ok := v["properties"].(map[string]any); ok && path.Base(at) != "properties" {
				for name := range p {
					if !snake.MatchString(name) {
						t.Errorf("%s: property %s is not snake_case", at, name)
					}
				}
			}
			for k, e := range v {
				walk(at+"/"+k, e)
			}
		}
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if want := jsonschema.Published + filepath.Base(f); v["$id"] != want {
			t.Errorf("%s: $id is %v, not %s", f, v["$id"], want)
		}
		walk(filepath.Base(f), v)
	}
}
