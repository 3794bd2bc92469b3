// Package translated tests that a document is put into a language as a whole.
package translated

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Whole verifies that a document in the language of a catalog has each of its messages in that language, and that the
// document itself stays as it was. The catalog has a translation for every text of the document. A message whose path
// ends with one of the names stays English: to a program it is a value.
func Whole[T any](t *testing.T, d T, in func(T, *say.Catalogue) T, but ...string) {
	t.Helper()
	messages := map[string]say.Message{}
	walk("", reflect.ValueOf(d), func(path, _ string, m say.Message) { messages[path] = m })
	c := catalog(t, messages)
	found := 0
	walk("", reflect.ValueOf(in(d, c)), func(path, field string, m say.Message) {
		want := messages[path].In(c)
		if slices.Contains(but, field) {
			want = messages[path].English()
		}
		if m.String() != want {
			t.Errorf("%s: %q, want %q", path, m.String(), want)
		}
		if want != messages[path].English() {
			found++
		}
	})
	if found == 0 {
		t.Error("no message of the document is translated")
	}
	walk("", reflect.ValueOf(d), func(path, _ string, m say.Message) {
		if m.String() != m.English() {
			t.Errorf("%s was changed: %q", path, m.String())
		}
	})
}

// walk calls see for each message of a document, with its path and the name of the last field in it.
func walk(path string, v reflect.Value, see func(path, field string, m say.Message)) {
	walkField(path, "", v, see)
}

func walkField(path, field string, v reflect.Value, see func(path, field string, m say.Message)) {
	if m, ok := v.Interface().(say.Message); ok {
		see(path, field, m)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkField(path, field, v.Elem(), see)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkField(fmt.Sprintf("%s[%d]", path, i), field, v.Index(i), see)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				walkField(path+"."+f.Name, f.Name, v.Field(i), see)
			}
		}
	}
}

// catalog has a translation for each text of messages: itself behind a mark.
func catalog(t *testing.T, messages map[string]say.Message) *say.Catalogue {
	t.Helper()
	const mark = "§ "
	entries := map[string]say.Entry{}
	var note func(m say.Message)
	note = func(m say.Message) {
		for _, text := range m.Templates() {
			if text == "" {
				continue
			}
			e := say.Entry{English: text, Forms: []string{mark + text}}
			if m.Many != "" {
				e.Many, e.Forms = m.Many, []string{mark + text, mark + m.Many}
			}
			if had, ok := entries[text]; !ok || had.Many == "" {
				entries[text] = e
			}
		}
		for _, a := range m.Args {
			if inner, ok := a.(say.Message); ok {
				note(inner)
			}
		}
	}
	for _, m := range messages {
		note(m)
	}
	var list []say.Entry
	for _, e := range entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b say.Entry) int { return slices.Compare([]string{a.English}, []string{b.English}) })
	c, err := say.ReadCatalogue("fr", say.WritePO("fr", list))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
