package say_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestErrorsFollowTheLanguage verifies that an error is shown in the language of its reader wherever it is in a chain,
// and in English letter for letter as it was written.
func TestErrorsFollowTheLanguage(t *testing.T) {
	c := russian(t, "\nmsgid \"{path} is empty\"\nmsgstr \"{path}: пусто\"\n"+
		"\nmsgid \"{value} is not a number\"\nmsgstr \"{value} — не число\"\n"+
		"\nmsgid \"file: {error}\"\nmsgstr \"файл: {error}\"\n")
	empty := say.Err("{path} is empty", "path", "/x")
	_, number := unit.ParseGUC("x", "")
	for _, tt := range []struct {
		err         error
		english, ru string
	}{
		{empty, "/x is empty", "/x: пусто"},
		{fmt.Errorf("a=b: %w", empty), "a=b: /x is empty", "a=b: /x: пусто"},
		{say.Err("file: {error}", "error", fmt.Errorf("a=b: %w", empty)), "file: a=b: /x is empty",
			"файл: a=b: /x: пусто"},
		{number, `"x" is not a number`, "«x» — не число"},
		{errors.Join(empty, number), "/x is empty\n\"x\" is not a number", "/x: пусто\n«x» — не число"},
		{fs.ErrNotExist, "file does not exist", "file does not exist"},
	} {
		if got := tt.err.Error(); got != tt.english {
			t.Errorf("%q, want %q", got, tt.english)
		}
		if got := say.ErrorIn(tt.err, c); got != tt.ru {
			t.Errorf("%q, want %q", got, tt.ru)
		}
	}
	if !errors.Is(say.Err("{path} is empty", "path", "/x", "kind", fs.ErrNotExist), fs.ErrNotExist) {
		t.Error("an error does not wrap its argument")
	}
}

// TestAroundAProblem verifies that the text before the words of a problem follows the language as they do.
func TestAroundAProblem(t *testing.T) {
	c := russian(t, "\nmsgid \"file: {reason}\"\nmsgstr \"файл: {reason}\"\n"+
		"\nmsgid \"{reason} (twice)\"\nmsgstr \"{reason} (дважды)\"\n\nmsgid \"it is full\"\nmsgstr \"нет места\"\n")
	p := &say.Problem{Message: say.M("it is full")}
	for _, tt := range []struct {
		err         error
		english, ru string
	}{
		{p, "", ""},
		{say.Err("file: {reason}", "reason", p), "file: ", "файл: "},
		{say.Named("a=b", say.Err("file: {reason}", "reason", p)), "a=b: file: ", "a=b: файл: "},
		{fmt.Errorf("a=b: %w", say.Err("file: {reason}", "reason", p)), "a=b: file: ", "a=b: файл: "},
		{say.Err("{reason} (twice)", "reason", p), "", ""},
	} {
		around := say.Around{Err: tt.err, Inner: p}
		if got := around.String(); got != tt.english {
			t.Errorf("%q, want %q", got, tt.english)
		}
		if got := around.In(c); got != tt.ru {
			t.Errorf("%q, want %q", got, tt.ru)
		}
		if got := say.ErrorIn(tt.err, c); got != tt.ru+"нет места" && tt.ru != "" {
			t.Errorf("%q", got)
		}
	}
}

// TestBytesAreText holds that what a server answered is shown as its text.
func TestBytesAreText(t *testing.T) {
	if got := say.Err("it calls {name}", "name", []byte("set_config")).Error(); got != "it calls set_config" {
		t.Error(got)
	}
}
