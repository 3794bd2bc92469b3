package collect

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// dataDir collects the host and the instance of one data directory. Of the other instances of the host only what their
// memory depends on.
func (c *collector) dataDir(ctx context.Context) error {
	at := c.req.Value
	if !path.IsAbs(at) {
		abs, err := filepath.Abs(at)
		if err != nil {
			return &say.Problem{Message: say.M("{at} is no path", "at", say.Quoted(at)), Detail: say.OfError(err),
				Code: say.CodeUsage}
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
		in.known(c.registry(), c.t.Resolve)
		c.doubt(in, found)
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
		if o, err := in.view.Stat(in.dataDir); in.dataDir == real && !in.inside ||
			err == nil && o.Dev == st.Dev && o.Inode == st.Inode {
			return in, nil
		}
	}
	if !st.Mode.IsDir() {
		return nil, &say.Problem{Message: say.M("{at} is not a data directory", "at", at),
			Detail: say.M("it is not a directory"),
			Code:   say.CodeUsage,
			Hint:   say.M("a data directory contains PG_VERSION; a file must be one that 'pgfettle snapshot' wrote")}
	}
	in := &instance{view: c.t, dataDir: real, account: trust.Of(st.UID, st.GID)}
	if c.root {
		in.account, err = trust.Instance(c.t, real)
		switch {
		case err == nil:
			in.view = c.t.As(in.account.User())
		case st.UID == 0 && target.RootsOwn(c.t, real) == nil:
			in.account.UID = -1 // such as a backup that root has restored: root reads its own, and runs nothing
		case c.req.Why && st.UID != 0 && st.Mode.Perm()&0o022 != 0 && isCluster(c.t.As(in.account.User()), real):
			in.shut() // its server does not start like that, and nothing else is reported
			return in, nil
		default:
			return nil, notTrusted(at, err)
		}
	}
	_, err = in.view.ReadFile(path.Join(real, "PG_VERSION"), maxFile)
	if c.req.Why && c.root && errors.Is(err, fs.ErrPermission) {
		if there, e := c.t.Lstat(path.Join(real, "PG_VERSION")); e == nil && there.Mode.IsRegular() {
			in.shut()
			return in, nil
		}
	}
	if err != nil {
		return nil, notDataDir(at, err)
	}
	return in, nil
}

// isCluster reports whether a directory looks like a data directory, with the rights of its owner. Nothing is opened.
func isCluster(view target.Target, dir string) bool {
	st, err := view.Stat(path.Join(dir, "PG_VERSION"))
	return err == nil && st.Mode.IsRegular()
}

// shut keeps everybody out of an instance: nothing in its directory is read.
func (in *instance) shut() {
	in.view, in.closed, in.owner, in.account.UID = closed{in.view}, true, in.account, -1
}

// doubt reports why it is uncertain that no server runs in a data directory.
func (c *collector) doubt(in *instance, found []*instance) {
	unsure := func(why string) { in.unsure, in.whyUnsure = true, why }
	b, err := in.view.ReadFile(path.Join(in.dataDir, "postmaster.pid"), maxFile)
	if gone(err) {
		return
	}
	if err != nil {
		if !c.root { // from root no postmaster hides
			unsure("postmaster.pid is closed to us")
		}
		return
	}
	for _, other := range found {
		if _, shut := other.view.(closed); other.inside && (shut || other.dataDir == "") {
			unsure("a server runs in a container whose files are closed to us, and its data directory may be this one")
		}
	}
	f, err := parsePIDFile(b)
	if err != nil {
		return
	}
	pid := max(f.pid, -f.pid)
	if !host.IsServerName(text(c.t, "proc/"+strconv.Itoa(pid)+"/comm")) {
		return
	}
	switch c.standsIn(pid) {
	case "":
		unsure("the process that postmaster.pid names is closed to us")
	case in.dataDir:
		unsure("a process of the server runs in the data directory, but cannot be identified as the postmaster")
	}
}

// again finds the instance of a stranger once more, now that it was named.
func (c *collector) again(ctx context.Context, in *instance) error {
	if !c.named(&in) {
		return &say.Problem{Message: say.M("the server of {value} has ended meanwhile", "value", c.req.Value),
			Hint: say.M("try again"),
			Code: say.CodeError}
	}
	c.everything(ctx, c.beside(in))
	return nil
}

// notTrusted reports a data directory whose owner is no account that commands can run as.
func notTrusted(at string, err error) error {
	var no *trust.Refusal
	if !errors.As(err, &no) {
		return notDataDir(at, err)
	}
	return &say.Problem{Message: say.M("nothing is done on behalf of {at}", "at", at), Detail: gapwords.Of(no.Reason),
		Hint: gapwords.Of(no.Hint),
		Code: say.CodeRefused}
}

func notDataDir(at string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: say.M("permission denied for {at}", "at", at), Hint: say.M(asOwner),
			Code: say.CodeNoAccess}
	case errors.Is(err, fs.ErrNotExist) && path.Base(errPath(err)) == "PG_VERSION":
		return &say.Problem{Message: say.M("{at} is not a data directory", "at", at),
			Detail: say.M("it holds no file PG_VERSION"),
			Code:   say.CodeUsage,
			Hint:   say.M("give the directory that SHOW data_directory; returns")}
	case errors.Is(err, fs.ErrNotExist):
		return &say.Problem{Message: say.M("there is no {at}", "at", at),
			Hint: say.M("give a data directory, a connection string or an evidence file"), Code: say.CodeUsage}
	}
	return &say.Problem{Message: say.M("cannot read {at}", "at", at), Detail: say.Text(plainly(err)),
		Code: say.CodeError}
}

func errPath(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Path
	}
	return ""
}
