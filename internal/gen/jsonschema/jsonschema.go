// Package jsonschema writes the JSON Schema of a document from its Go type: the
// fields and their JSON names by reflection, the descriptions from the comments
// beside them in the source. A schema that is made so cannot fall behind.
package jsonschema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"strings"
)

// Published is where the schemas are read from: the $id of each is this and its file's name.
const Published = "https://github.com/pgfettle/pgfettle/raw/main/schema/"

// Document is what a schema says of the whole document.
type Document struct {
	Title       string
	Description string
	Type        reflect.Type
	Version     string           // the only value of its field "schema"
	File        string           // its name in the directory schema; $id is where it is published
	Module      string           // path of the module that Source is the root of
	Source      fs.FS            // where the comments stand
	Enums       map[string][]any // by type name, such as "snapshot.PlaceRole": the only values
}

// Render returns the schema. Every object names all of its properties; a list or
// map without entries may be null.
func Render(d Document) ([]byte, error) {
	w := &writer{doc: d, defs: map[string]any{}, comments: map[string]map[string]string{}}
	root, err := w.object(d.Type)
	if err != nil {
		return nil, err
	}
	props := root["properties"].(map[string]any)
	if _, ok := props["schema"]; !ok {
		return nil, fmt.Errorf("%s has no field schema", d.Type)
	}
	props["schema"] = map[string]any{"const": d.Version}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = Published + d.File
	root["title"], root["description"], root["$defs"] = d.Title, d.Description, w.defs
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type writer struct {
	doc      Document
	defs     map[string]any
	comments map[string]map[string]string // by package path: "Type" or "Type.Field"
}

var (
	text   = reflect.TypeFor[encoding.TextMarshaler]()
	figure = reflect.TypeFor[json.Marshaler]()
)

// of returns the schema of a type: in place for what is small, in $defs for
// structs.
func (w *writer) of(t reflect.Type) (map[string]any, error) {
	if values, ok := w.doc.Enums[t.String()]; ok {
		return map[string]any{"enum": values}, nil
	}
	if inner, ok := fact(t); ok {
		return w.fact(inner)
	}
	if t.Kind() != reflect.Pointer && (t.Implements(text) || reflect.PointerTo(t).Implements(text)) {
		return map[string]any{"type": "string"}, nil
	}
	if t.Kind() == reflect.Float64 && t.Implements(figure) { // one that may be unknown
		return map[string]any{"type": []string{"number", "null"}}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}, nil
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}, nil
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}, nil
	case reflect.Slice:
		items, err := w.of(t.Elem())
		return map[string]any{"type": []string{"array", "null"}, "items": items}, err
	case reflect.Map:
		values, err := w.of(t.Elem())
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": values}, err
	case reflect.Pointer:
		s, err := w.of(t.Elem())
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}, err
	case reflect.Struct:
		name := t.String()
		if _, seen := w.defs[name]; !seen {
			w.defs[name] = nil // a type that holds itself ends here
			s, err := w.object(t)
			if err != nil {
				return nil, err
			}
			w.defs[name] = s
		}
		return map[string]any{"$ref": "#/$defs/" + name}, nil
	}
	return nil, fmt.Errorf("%s: no schema for a %s", t, t.Kind())
}

// fact returns the type of the value of a known.Fact.
func fact(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || !strings.HasSuffix(t.PkgPath(), "/base/known") ||
		!strings.HasPrefix(t.Name(), "Fact[") {
		return nil, false
	}
	get, ok := t.MethodByName("Get")
	if !ok {
		return nil, false
	}
	return get.Type.Out(0), true
}

func (w *writer) fact(value reflect.Type) (map[string]any, error) {
	is, err := w.of(value)
	if err != nil {
		return nil, err
	}
	one := func(name string, s any) map[string]any {
		return map[string]any{"type": "object", "required": []string{name}, "additionalProperties": false,
			"properties": map[string]any{name: s}}
	}
	if w.defs["missing"] == nil {
		gap := map[string]any{
			"type": "object", "required": []string{"fact", "reason"}, "additionalProperties": false,
			"properties": map[string]any{
				"fact": map[string]any{"type": "string"}, "reason": map[string]any{"type": "string"},
				"reveal": map[string]any{"type": "string",
					"description": "The right or command that would reveal it; left out when nothing would."},
			},
		}
		w.defs["gap"] = gap
		ref := map[string]any{"$ref": "#/$defs/gap"}
		w.defs["missing"] = map[string]any{
			"description": "A fact that could not be had: this host does not have it, a right was missing, or " +
				"nobody could look.",
			"oneOf": []any{one("absent", ref), one("forbidden", ref), one("unread", ref)},
		}
	}
	return map[string]any{"oneOf": []any{one("is", is), map[string]any{"$ref": "#/$defs/missing"}}}, nil
}

// object returns the schema of a struct.
func (w *writer) object(t reflect.Type) (map[string]any, error) {
	props, required := map[string]any{}, []string{}
	if err := w.fields(t, props, &required); err != nil {
		return nil, err
	}
	s := map[string]any{"type": "object", "additionalProperties": false, "properties": props, "required": required}
	if c, err := w.comment(t, ""); err != nil {
		return nil, err
	} else if c != "" {
		s["description"] = c
	}
	return s, nil
}

func (w *writer) fields(t reflect.Type, props map[string]any, required *[]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" && options == "" || !f.IsExported():
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			if err := w.fields(f.Type, props, required); err != nil {
				return err
			}
			continue
		case name == "":
			name = f.Name
		}
		s, err := w.of(f.Type)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		c, err := w.comment(t, f.Name)
		if err != nil {
			return err
		}
		if c != "" {
			s["description"] = c
		}
		props[name] = s
		if !strings.Contains(options, "omit") {
			*required = append(*required, name)
		}
	}
	return nil
}

// comment returns what the source says of a type, or of a field of it.
func (w *writer) comment(t reflect.Type, field string) (string, error) {
	pkg := t.PkgPath()
	of, seen := w.comments[pkg]
	if !seen {
		of = map[string]string{}
		w.comments[pkg] = of
		dir, ours := strings.CutPrefix(pkg, w.doc.Module+"/")
		if !ours {
			return "", nil
		}
		if err := read(w.doc.Source, dir, of); err != nil {
			return "", err
		}
	}
	if field == "" {
		return of[t.Name()], nil
	}
	return of[t.Name()+"."+field], nil
}

// read notes the comments of the structs of a directory.
func read(source fs.FS, dir string, into map[string]string) error {
	names, err := fs.Glob(source, path.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				ts := spec.(*ast.TypeSpec)
				st, ok := ts.Type.(*ast.StructType)
				if !ok {
					continue
				}
				into[ts.Name.Name] = words(gen.Doc)
				for _, f := range st.Fields.List {
					c := words(f.Comment)
					if c == "" {
						c = words(f.Doc)
					}
					for _, n := range f.Names {
						into[ts.Name.Name+"."+n.Name] = c
					}
				}
			}
		}
	}
	return nil
}

func words(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
