package jsonschema

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

type inner struct {
	Size int64 `json:"size"`
	gone int
}

type embedded struct {
	Deep float64
}

type document struct {
	Schema string `json:"schema"`
	embedded
	Embedded
	Fact  known.Fact[[]inner] `json:"fact"`
	Map   map[int]inner       `json:"map,omitempty"`
	Kind  kind                `json:"kind"`
	Point *inner              `json:"point"`
	Never chan int            `json:"-"`
}

// Embedded is flattened as encoding/json does.
type Embedded struct {
	Flat uint8 `json:"flat"`
}

type kind string

func TestRender(t *testing.T) {
	_ = inner{gone: 1}
	_ = embedded{}
	source := fstest.MapFS{"internal/gen/jsonschema/x.go": {
		Data: []byte("package jsonschema\n// inner is inside.\ntype inner struct {\n Size int64 // in bytes,\n}\n")}}
	d := Document{Title: "T", Description: "D", Type: reflect.TypeFor[document](), Version: "x/1",
		Module: "github.com/pgfettle/pgfettle", Source: source,
		Enums: map[string][]any{"jsonschema.kind": {"a", "b"}}}
	b, err := Render(d)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(string(b)), " ")
	for _, want := range []string{
		`"schema": { "const": "x/1" }`,
		`"kind": { "enum": [ "a", "b" ] }`,
		`"flat": { "minimum": 0, "type": "integer" }`,
		`"jsonschema.inner": { "additionalProperties": false, "description": "inner is inside.", "properties": { ` +
			`"size": { "description": "in bytes,", "type": "integer" } }, "required": [ "size" ], "type": "object" }`,
		`"is": { "items": { "$ref": "#/$defs/jsonschema.inner" }, "type": [ "array", "null" ] }`,
		`{ "$ref": "#/$defs/missing" }`,
		`"required": [ "schema", "flat", "fact", "kind", "point" ]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, b)
		}
	}
	for _, never := range []string{"gone", "Never", "Deep"} {
		if strings.Contains(got, never) {
			t.Errorf("%s stands in it", never)
		}
	}
	d.Type = reflect.TypeFor[struct {
		Schema string `json:"schema"`
		Bad    chan int
	}]()
	if _, err := Render(d); err == nil || !strings.Contains(err.Error(), "Bad") {
		t.Errorf("a channel: %v", err)
	}
	d.Type = reflect.TypeFor[Embedded]()
	if _, err := Render(d); err == nil {
		t.Error("a document without a field schema")
	}
}
