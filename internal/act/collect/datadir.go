package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// dataDir collects the host and the instance of one data directory. Of the other
// instances of the host only what their memory rests on.
func (c *collector) dataDir(ctx context.Context) error {
	at := c.req.Value
	if !path.IsAbs(at) {
		abs, err := filepath.Abs(at)
		if err != nil {
			return &say.Problem{Message: fmt.Sprintf("%q is no path", at), Detail: err.Error(), Code: say.CodeUsage}
		}
		at = abs
	}
	found := c.discover()
	in, err := c.instanceAt(found, at)
	if err != nil {
		return err
	}
	if in.distrust != nil {
		return notTrusted(at, in.distrust)
	}
	if in.stranger != "" { // a person has named it
		return c.again(ctx, in)
	}
	if in.pid == 0 {
		c.say("no server runs in %s", in.dataDir)
	}
	c.everything(ctx, c.beside(in))
	return nil
}

// instanceAt returns the running instance of a data directory, or a stopped
// one. The error is a *say.Problem.
func (c *collector) instanceAt(found []*instance, at string) (*instance, error) {
	real, err := c.t.Resolve(at)
	if err != nil {
		return nil, notDataDir(at, err)
	}
	st, err := c.t.Stat(real)
	if err != nil {
		return nil, notDataDir(at, err)
	}
	for _, in := range found {
		if in.dataDir == "" {
			continue
		}
		if o, err := in.view.Stat(in.dataDir); in.dataDir == real && !in.inside || err == nil && o.Dev == st.Dev && o.Inode == st.Inode {
			return in, nil
		}
	}
	if !st.Mode.IsDir() {
		return nil, &say.Problem{Message: at + " is not a data directory", Detail: "it is not a folder", Code: say.CodeUsage,
			Hint: "a data directory is a folder that holds PG_VERSION; a file must be one that 'pgfettle snapshot' wrote"}
	}
	in := &instance{view: c.t, dataDir: real, account: trust.Of(st.UID, st.GID)}
	if c.root {
		in.account, err = trust.Instance(c.t, real)
		switch {
		case err == nil:
			in.view = c.t.As(in.account.User())
		case st.UID == 0 && target.RootsOwn(c.t, real) == nil:
			in.account.UID = -1 // such as a backup that root has restored: root reads its own, and runs nothing
		default:
			return nil, notTrusted(at, err)
		}
	}
	if _, err := in.view.ReadFile(path.Join(real, "PG_VERSION"), maxFile); err != nil {
		return nil, notDataDir(at, err)
	}
	return in, nil
}

// again finds the instance of a stranger once more, now that it was named.
func (c *collector) again(ctx context.Context, in *instance) error {
	if !c.named(&in) {
		return &say.Problem{Message: "the server of " + c.req.Value + " has ended meanwhile", Hint: "try again", Code: say.CodeError}
	}
	c.everything(ctx, c.beside(in))
	return nil
}

// notTrusted tells of a data directory that belongs to nobody as whom something
// could be done.
func notTrusted(at string, err error) error {
	var no *trust.Refusal
	if !errors.As(err, &no) {
		return notDataDir(at, err)
	}
	return &say.Problem{Message: "nothing is done on behalf of " + at, Detail: no.Reason, Hint: no.Hint, Code: say.CodeRefused}
}

func notDataDir(at string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: "permission denied for " + at, Hint: asOwner, Code: say.CodeNoAccess}
	case errors.Is(err, fs.ErrNotExist) && path.Base(errPath(err)) == "PG_VERSION":
		return &say.Problem{Message: at + " is not a data directory", Detail: "it holds no file PG_VERSION", Code: say.CodeUsage,
			Hint: "give the folder that SHOW data_directory names"}
	case errors.Is(err, fs.ErrNotExist):
		return &say.Problem{Message: "there is no " + at, Hint: "give a data directory, a connection string or an evidence file", Code: say.CodeUsage}
	}
	return &say.Problem{Message: "cannot read " + at, Detail: plainly(err), Code: say.CodeError}
}

func errPath(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Path
	}
	return ""
}
