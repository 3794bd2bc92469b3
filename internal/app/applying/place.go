// Package applying holds the use cases that change a host and take it back: apply,
// resume, undo, status, the journals, the move of pg_wal, tablespaces, and the part of the demo that
// applies. One file a use case.
//
// A Place says which files are changed and where the journals lie. What a person sees or agrees to on the way is a
// function in the request: it shows, asks, and returns an error if the answer is no, which ends the use case before
// anything is changed.
package applying

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Place says where things are changed and where that is noted.
type Place struct {
	Host *app.Host
	Root string       // --root: a tree of files; "": the host
	Dir  string       // --journal: the directory of the journals; "": the usual one
	Tell func(string) // shows a step as it is made; nil: nothing is shown

	Password string // of a new instance's superuser, for a password file; "": none is written
	Verifier string // SCRAM verifier of the password of a new instance's superuser; "": none is set
}

// Files is the target that the files of the host are on: the host, or --root.
func (p *Place) Files() (target.Target, error) {
	if p.Root == "" {
		return p.Host.Target, nil
	}
	abs, err := filepath.Abs(p.Root)
	if err != nil {
		return nil, say.Named("--root", err)
	}
	p.Root = abs
	if abs == "/" {
		return nil, say.Usage(say.M("--root / is this host itself"), say.M("To change this host, omit --root."))
	}
	t, err := p.Host.Target.Sub(abs)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: say.M("--root: could not open {root}: permission denied", "root",
			say.Quoted(p.Root)),
			Hint: say.M("Run pgfettle as its owner."), Code: say.CodeNoAccess}
	case err != nil:
		return nil, say.Usage(say.M("--root: {root} is not a directory", "root", say.Quoted(p.Root)),
			say.M("Name the root directory of an image, which contains etc and usr."))
	}
	return t, nil
}

// Journals is the directory of the journals on that target. Root does not trust what others could have written there,
// and does not write where they could redirect it.
func (p *Place) Journals() (string, error) {
	dir, err := p.journalDir()
	if err != nil || p.Root != "" || p.Host.Target.UID() != 0 {
		return dir, err
	}
	err = target.RootsOwn(p.Host.Target, dir)
	if c, ok := errors.AsType[*target.Changeable](err); ok {
		return "", &say.Problem{Message: say.M("journals in {dir} are not trusted", "dir", dir),
			Detail: say.M("{path} {why}", "path", c.Path, "why", c.Why),
			Code:   say.CodeRefused,
			Hint: say.M("Find out who created it. Then let only root write it (chown root: DIR; chmod go-w DIR), " +
				"or name another directory with --journal.")}
	}
	return dir, err
}

func (p *Place) journalDir() (string, error) {
	switch {
	case p.Dir != "" && p.Root == "":
		return filepath.Abs(p.Dir)
	case p.Dir != "":
		return filepath.Clean("/" + p.Dir), nil
	case p.Root != "" || p.Host.Target.UID() == 0:
		return journalfile.Dir, nil
	}
	state, ok := p.Host.StateHome()
	if !ok {
		return "", say.Usage(say.M("no journal directory: HOME is not set"), say.M("Name a directory with --journal "+
			"DIR."))
	}
	return filepath.Join(state, "pgfettle", "journal"), nil
}

// open returns the target that the journals are on, and their directory there.
func (p *Place) open() (app.Target, string, error) {
	t, err := p.Files()
	if err != nil {
		return nil, "", err
	}
	dir, err := p.Journals()
	return t, dir, err
}

// Restart says how servers are restarted, stopped, and started: shell lines; "": through
// what runs them.
type Restart struct{ Command, Stop, Start string }

func (r Restart) check() error {
	if (r.Stop == "") != (r.Start == "") {
		return say.Usage(say.M("--stop-command and --start-command require each other"), say.M("Use both."))
	}
	return nil
}
