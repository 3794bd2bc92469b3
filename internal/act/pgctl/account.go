package pgctl

import (
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Account returns the account on whose behalf something is done to the instance of a data directory; nil if that is
// ourselves: who is not root has no other rights, and in a tree of files nothing runs. The error is a *say.Problem.
func Account(t target.Target, dir string) (*trust.Account, error) {
	if t.UID() != 0 || t.Reach("/") != "/" {
		return nil, nil
	}
	a, err := trust.Instance(t, dir)
	if err == nil {
		return &a, nil
	}
	var no *trust.Refusal
	if errors.As(err, &no) {
		return nil, &say.Problem{Message: say.M("nothing is done on behalf of {dir}", "dir", dir),
			Detail: gapwords.Of(no.Reason), Hint: gapwords.Of(no.Hint),
			Code: say.CodeRefused}
	}
	return nil, say.Err("account of {dir}: {reason}", "dir", dir, "reason", err)
}

// account is accountIn, remembered: a server that is down for a restart still has
// the account that it ran as.
func (p *Server) account(dir string) (*trust.Account, error) {
	p.lock.Lock()
	known, ok := p.accounts[dir]
	p.lock.Unlock()
	if ok {
		if st, err := p.Target.Stat(dir); err == nil && st.UID == known.UID {
			return known, nil
		}
	}
	a, err := Account(p.Target, dir)
	if err != nil || a == nil {
		return nil, err
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.accounts == nil {
		p.accounts = map[string]*trust.Account{}
	}
	p.accounts[dir] = a
	return a, nil
}

// Files is the target with the account's rights to files, with which all files of an instance are read and written.
func (p *Server) Files(dir string) (target.Target, error) {
	a, err := p.account(dir)
	if err != nil || a == nil {
		return p.Target, err
	}
	return p.Target.As(a.User()), nil
}

// FilesOf is files of an instance. One whose data directory is not known has none
// that root could touch.
func (p *Server) FilesOf(in *snapshot.Instance) (target.Target, error) {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		if p.Target.UID() != 0 {
			return p.Target, nil
		}
		return nil, noDirectory(in)
	}
	return p.Files(dir)
}
