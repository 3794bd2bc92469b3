package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// PolicyPlace is the default location of a site's policy.
const PolicyPlace = "/etc/pgfettle/policy.toml"

// PolicyChoice says which policy is meant: that of the site if neither is set.
type PolicyChoice struct {
	File string // this one
	None bool   // no policy
}

// Policy reads the policy that is meant: an empty one if there is none. site reports whether the one of this host may
// be meant.
func (h *Host) Policy(c PolicyChoice, site bool) (*policy.Policy, error) {
	switch {
	case c.File != "" && c.None:
		return nil, say.Usage(say.M("--policy and --no-policy cannot be used together"), say.M("Use only one of them."))
	case c.File != "":
		return h.ReadPolicy(c.File, true)
	case c.None || !site:
		return &policy.Policy{}, nil
	}
	return h.sitePolicy()
}

// sitePolicy reads the policy of this site; an empty one if there is none.
func (h *Host) sitePolicy() (*policy.Policy, error) {
	p, err := h.ReadPolicy(PolicyPlace, false)
	if errors.Is(err, fs.ErrNotExist) {
		return &policy.Policy{}, nil
	}
	return p, err
}

// ReadPolicy reads a file; named says that the user named it. Its content decides what root does, so root does not read
// it if others could have written it.
func (h *Host) ReadPolicy(name string, named bool) (*policy.Policy, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO would wait for a writer
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: say.M("could not open policy {name}: permission denied", "name",
			say.Quoted(name)),
			Hint: say.M("Run pgfettle as a user with read permission, or ignore the policy with --no-policy."),
			Code: say.CodeNoAccess}
	case errors.Is(err, fs.ErrNotExist) && named:
		return nil, say.Usage(say.M("policy {name} does not exist", "name", say.Quoted(name)),
			say.M("Create a policy: pgfettle policy example > policy.toml"))
	case err != nil:
		return nil, say.Err("policy: {error}", "error", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, say.Err("policy: {error}", "error", err)
	}
	if !st.Mode().IsRegular() {
		return nil, say.Usage(say.M("policy {name} is not a regular file", "name", say.Quoted(name)),
			say.M("Name a policy file. To create one: pgfettle policy example > policy.toml"))
	}
	if h.Target.UID() == 0 {
		if why := writable(st, named); why != "" {
			return nil, &say.Problem{Message: say.M("policy {name} is not trusted: {why}", "name", say.Quoted(name),
				"why", why),
				Hint: say.M("Let only root write it (chown root: FILE; chmod go-w FILE), or ignore it with " +
					"--no-policy."),
				Code: say.CodeRefused}
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, policy.MaxFile+1))
	if err != nil {
		return nil, say.Err("policy: {error}", "error", err)
	}
	known := policy.All()
	for _, k := range conffile.Kinds() { // of files, in addition to the checks
		known.Checks = append(known.Checks, k.ID)
	}
	return policy.Parse(name, b, known)
}

// writable says who but root and its owner could have written a file. The owner
// of one that the command line names is trusted by who named it.
func writable(st fs.FileInfo, named bool) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	mode := st.Mode().Perm()
	switch {
	case !ok:
		return "its owner is unknown"
	case sys.Uid != 0 && !named:
		return "it is not owned by root"
	case mode&0o002 != 0:
		return "it is world-writable"
	case mode&0o020 != 0 && sys.Gid != 0:
		return "it is group-writable"
	}
	return ""
}

// owners says whose instances count: those of the policy that was read, else of this
// site's, and those of the trusted data directories.
func (h *Host) owners(p *policy.Policy) (trust.Owners, error) {
	o := trust.Owners{}
	if p == nil {
		var err error
		if p, err = h.sitePolicy(); err != nil {
			return o, err // root does not continue with a guess about which accounts to trust
		}
	}
	o.Names = p.Trust.Owners
	for _, dir := range h.Trusted {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return o, say.Named("--trust", err)
		}
		real, err := h.Target.Resolve(abs)
		if err != nil {
			return o, say.Usage(say.M("--trust: {error}", "error", err),
				say.M("Name the data directory of an instance on this host. To find it, run in psql: SHOW "+
					"data_directory"))
		}
		o.DataDirs = append(o.DataDirs, real)
	}
	if id, err := strconv.Atoi(h.Getenv("SUDO_UID")); err == nil && id > 0 && h.Target.UID() == 0 {
		o.Caller = id
	}
	return o, nil
}
