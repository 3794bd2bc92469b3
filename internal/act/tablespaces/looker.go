package tablespaces

import (
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Looker looks at instances of one host.
type Looker struct {
	Target  target.Target
	Server  *pgctl.Server
	Folders func(*target.User) target.Folders // those of a user; nil is ourselves
}

// dataDir is the data directory of an instance with links resolved, and the files of its account.
func (l *Looker) dataDir(in *snapshot.Instance) (dir string, view target.Target, err error) {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return "", nil, &say.Problem{Message: say.M("the data directory of {label} is not known", "label", in.Label()),
			Detail: gapwords.Of(in.DataDirectory.Gap().Reason), Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root or as the owner of the data directory")}
	}
	if view, err = l.Server.Files(dir); err != nil {
		return "", nil, err
	}
	dir, err = view.Resolve(dir)
	if err != nil {
		return "", nil, target.NoAccess("the data directory", err)
	}
	return dir, view, nil
}

// folders are those of the account of an instance.
func (l *Looker) folders(dir string) (target.Folders, error) {
	a, err := pgctl.Account(l.Target, dir)
	if err != nil || a == nil {
		return l.Folders(nil), err
	}
	u := a.User()
	return l.Folders(&u), nil
}

// Session connects to a database of the server of an instance, which has to run: no file holds what is in a catalog.
func Session(ctx context.Context, p *pgctl.Server, in *snapshot.Instance, database string) (*pgctl.Session, error) {
	if in == nil {
		return nil, errors.New("no instance")
	}
	s, err := p.SessionIn(ctx, in, database)
	if err == nil && s == nil {
		err = &say.Problem{Message: say.M("the server of {label} is not running", "label", in.Label()),
			Detail: say.M("the tablespaces are listed in its catalogs"), Hint: say.M("start the server first"),
			Code: say.CodeRefused}
	}
	return s, err
}
