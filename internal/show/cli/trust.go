package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

const trustHelp = "count the instance of the data directory `DATADIR` as one that root may ask and plan for, whoever's it is; may be repeated ([trust] owners in the policy does so for accounts)"

// owners says whose instances count: those of the policy that the command has
// read, or else of this site's, and those that --trust names.
func (e *Env) owners() (trust.Owners, error) {
	o := trust.Owners{}
	if e.site == nil {
		p, err := readPolicy(e, policyPlace, false)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			p = &policy.Policy{}
		case err != nil:
			return o, err // root does not go on with a guess of whom to trust
		}
		e.site = &p.Trust
	}
	o.Names = e.site.Owners
	for _, dir := range e.Trusted {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return o, fmt.Errorf("--trust: %w", err)
		}
		real, err := e.Target.Resolve(abs)
		if err != nil {
			return o, usage(fmt.Sprintf("--trust: %v", err), "name the data directory of a server on this host: 'SHOW data_directory' tells it")
		}
		o.DataDirs = append(o.DataDirs, real)
	}
	if id, err := strconv.Atoi(e.Getenv("SUDO_UID")); err == nil && id > 0 && e.Target.UID() == 0 {
		o.Caller = id
	}
	return o, nil
}
