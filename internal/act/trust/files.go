package trust

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Files is the target with the rights of an instance's account to files, as which all that is the instance's is read:
// its configuration, its logs, whatever it names. If we are not root it is the target itself. The error is a *Refusal
// if there is no account.
func Files(t target.Target, in *snapshot.Instance) (target.Target, error) {
	if t.UID() != 0 || t.Reach("/") != "/" { // in a tree of files nothing runs
		return t, nil
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return nil, fmt.Errorf("data directory: %s", in.DataDirectory.Gap().Reason)
	}
	a, err := Instance(t, dir)
	if err != nil {
		return nil, err
	}
	return t.As(a.User()), nil
}

// Named is the target with the rights of the account that controls where a configuration file named by the user leads:
// its owner, or the owner of a directory or a link on the way to it. What the file includes was written by that
// account, which must not get access to root's files that way. If we are not root, or if everything is root's, it is
// the target itself.
func Named(t target.Target, file string) (target.Target, error) {
	if t.UID() != 0 || t.Reach("/") != "/" { // in a tree of files all is one person's
		return t, nil
	}
	way, err := t.Way(file)
	if err != nil {
		return t, err
	}
	for _, s := range way {
		if s.UID != 0 {
			return t.As(Of(s.UID, s.GID).User()), nil
		}
	}
	return t, nil
}
