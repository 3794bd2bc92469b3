package pgsetting

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// dropInName is our file in a directory that an include_dir reads. It has to sort behind the others, as the last line
// of a name wins.
const dropInName = "zz-pgfettle.conf"

// dropInHead starts it.
const dropInHead = "# Server settings, set by pgfettle.\n" +
	"# \"pgfettle journal\" shows when and why, \"pgfettle undo\" undoes it.\n"

// form is how a setting is in one of the three kinds of file.
type form int

const (
	autoForm   form = iota // postgresql.auto.conf, as ALTER SYSTEM writes it
	dropInForm             // our own file in a directory of drop-ins
	blockForm              // lines between marks in a file that is not ours
)

// formOf derives the form from the name of the file.
func formOf(file string) form {
	switch path.Base(file) {
	case conf.AutoFile:
		return autoForm
	case dropInName:
		return dropInForm
	}
	return blockForm
}

// get returns our value of a setting.
func (f form) get(text *string, name string) (value string, ok bool) {
	if text == nil {
		return "", false
	}
	if f == blockForm {
		return conf.GetInBlock(*text, name)
	}
	return conf.Get(*text, name)
}

// set returns the text with a value, spelled as SHOW has it; nil takes it out.
// A drop-in that says nothing any more goes.
func (f form) set(text *string, name string, value *string) (*string, error) {
	old := ""
	if text != nil {
		old = *text
	}
	var out string
	var err error
	switch {
	case f == autoForm:
		if value != nil {
			v := conf.Spelled(name, *value)
			value = &v
		}
		out, err = conf.AlterSystem(old, name, value)
	case f == blockForm && value == nil:
		out, err = conf.RemoveFromBlock(old, name)
	case f == blockForm:
		out, err = conf.SetInBlock(old, name, *value)
	case value == nil:
		if out = conf.Remove(old, name); conf.Empty(out) {
			return nil, nil
		}
	default:
		if text == nil {
			old = dropInHead
		}
		out, err = conf.Set(old, name, *value)
	}
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// with returns a file with another value of a setting.
func (f form) with(file journal.File, name string, value *string) (*journal.File, error) {
	text, err := f.set(file.Text, name, value)
	if err != nil {
		return nil, err
	}
	file.Text = text
	return &file, nil
}
