package say

import (
	"errors"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// fault is an error that is one clause: a part of a problem, or a reason within one.
type fault struct{ message Message }

// Err returns an error that follows the language of its reader. Its English is its text, and it wraps the errors among
// its arguments, also those that the text does not show.
func Err(text Template, pairs ...any) error { return &fault{M(text, pairs...)} }

// Named returns an error that puts a name, such as that of a file, before the words of another.
func Named(name any, err error) error { return Err("{name}: {error}", "name", name, "error", err) }

// ErrOf is the error of a message.
func ErrOf(m Message) error { return &fault{m} }

// Error returns it in English.
func (f *fault) Error() string { return f.message.English() }

// In returns it in the language of a catalog.
func (f *fault) In(c *Catalogue) string { return f.message.In(c) }

// Unwrap returns the errors among its arguments.
func (f *fault) Unwrap() []error {
	var out []error
	for _, name := range f.message.names {
		if err, ok := f.message.Args[name].(error); ok {
			out = append(out, err)
		}
	}
	return out
}

// spoken is an error that follows the language.
type spoken interface {
	error
	In(c *Catalogue) string
}

// OfError is the text of an error as a message.
func OfError(err error) Message { return M("{error}", "error", err) }

// ErrorIn returns the text of an error in the language of a catalog: of a problem, also of
// one that is wrapped, and of what is recognized. What a server said stays as it is.
func ErrorIn(err error, c *Catalogue) string {
	if c == nil {
		return err.Error()
	}
	switch e := err.(type) {
	case spoken:
		return e.In(c)
	case *unit.Fault:
		return ofUnit(e).In(c)
	case interface{ Unwrap() []error }:
		lines := e.Unwrap()
		if joined := errors.Join(lines...); joined != nil && joined.Error() == err.Error() {
			var out []string
			for _, line := range lines {
				if line != nil {
					out = append(out, ErrorIn(line, c))
				}
			}
			return strings.Join(out, "\n")
		}
	}
	if inner, ok := errors.AsType[spoken](err); ok {
		if text := before(err, inner, nil); text != "" || err.Error() == inner.Error() {
			return text + inner.In(c)
		}
	}
	if inner, ok := errors.AsType[*unit.Fault](err); ok {
		if text := before(err, inner, nil); text != "" || err.Error() == inner.Error() {
			return text + ofUnit(inner).In(c)
		}
	}
	if recognize != nil {
		return recognize(err.Error()).In(c)
	}
	return err.Error()
}

// recognize finds the message that an English text was made of.
var recognize func(english string) Message

// Recognize sets what finds the message that the English text of an error was made of, if it is none itself: the
// package that knows them is above this one.
func Recognize(find func(english string) Message) { recognize = find }

// Around is what an error puts before the words of one that it wraps, as an argument of a message.
type Around struct{ Err, Inner error }

// In returns it in the language of a catalog.
func (a Around) In(c *Catalogue) string { return before(a.Err, a.Inner, c) }

// String returns it in English.
func (a Around) String() string { return a.In(nil) }

// before is what an error puts before the words of another in the language of a catalog: "" if these are not its last.
func before(err, inner error, c *Catalogue) string {
	whole, words := ErrorIn(err, c), ErrorIn(inner, c)
	if n := len(whole) - len(words); n > 0 && whole[n:] == words {
		return whole[:n]
	}
	return ""
}

// ofUnit is the message of what was read as a number: the package of units is below this one, and its texts are
// listed for the catalogs as it has them.
func ofUnit(f *unit.Fault) Message {
	return M(Template(f.Text), "value", Quoted(f.Value), "unit", f.Unit)
}

// Speaks reports whether the text of an error follows the language, or is only what a system or a server said.
func Speaks(err error) bool {
	_, ours := errors.AsType[spoken](err)
	_, number := errors.AsType[*unit.Fault](err)
	return ours || number
}
