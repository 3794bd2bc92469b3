package creation

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pgpass"
)

// Pgpass is a line that is added to a password file.
type Pgpass struct {
	File    string
	Entry   pgpass.Entry
	New     bool // the file is made
	Covered bool // an earlier line is for the same, and wins
}

// newFile begins the value of a line whose file was made for it.
const newFile = "new file, "

// value is what the step of a line has: whom it is for, and never the password.
func (p *Pgpass) value() string {
	if p.New {
		return newFile + p.Entry.String()
	}
	return p.Entry.String()
}

// ParsePgpass reads the value of the step of a line; made says that its file was made for it.
func ParsePgpass(value string) (e pgpass.Entry, made bool, err error) {
	text, made := strings.CutPrefix(value, newFile)
	e, ok := pgpass.ParseEntry(text)
	if !ok {
		return e, made, say.Err("{value} is not a line of a password file", "value", say.Quoted(value))
	}
	return e, made, nil
}
