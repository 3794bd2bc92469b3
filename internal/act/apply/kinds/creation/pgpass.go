package creation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/provision"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pgpass"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// passline is a line of the password file of who runs this: whom it is for, and never the password, so that a resume
// cannot write it.
type passline struct {
	Host
	whole
}

// Look implements apply.Kind.
func (p passline) Look(_ context.Context, k apply.Knob) (journal.State, error) {
	e, _, err := creation.ParsePgpass(k.To)
	if err != nil {
		return journal.State{}, say.Named(k.Address, err)
	}
	text, err := provision.PasswordFile(p.Target, k.Address.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !e.In(text):
		return live(newcluster.Absent), nil
	case err != nil:
		return journal.State{}, err
	}
	return live(k.To), nil
}

// Want implements apply.Kind.
func (p passline) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	if value != newcluster.Absent {
		if _, _, err := creation.ParsePgpass(value); err != nil {
			return journal.State{}, say.Named(k.Address, err)
		}
	}
	return live(value), nil
}

// Set implements apply.Kind.
func (p passline) Set(_ context.Context, k apply.Knob, s journal.State) error {
	at := k.Address.Name()
	e, made, err := creation.ParsePgpass(k.To)
	if err != nil {
		return say.Named(k.Address, err)
	}
	text, err := provision.PasswordFile(p.Target, at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	next := e.Remove(text)
	switch {
	case !absent(s) && p.Password == "":
		return say.Err("the password is not kept, and has to be given again: 'pgfettle undo', then create it again")
	case !absent(s):
		line, ok := e.Line(p.Password)
		if !ok {
			return say.Err("the password has a line break, which a password file cannot have")
		}
		next = pgpass.Append(next, line)
	case next == text:
		return nil
	case made && strings.TrimSpace(next) == "":
		return p.Target.Remove(at)
	}
	mode, gid := fs.FileMode(0o600), os.Getegid()
	if in, err := p.Target.Lstat(at); err == nil {
		mode, gid = in.Mode.Perm(), in.GID
	}
	return p.Target.Put(at, []byte(next), mode, p.Target.UID(), gid)
}
