// Package trust says on whose behalf something may be done, in the one place where that is decided: which account an
// instance has, whether its program and its directories are that account's or root's alone, and whose instances count.
//
// The rule: pgfettle, as root, does nothing on behalf of an instance that the account of that instance could not do
// itself, and never lends one account's rights to another's files. So what is judged here is only whether there is one
// account; what is then done is done as that account, and the kernel decides it (target.Target.As, target.Command.As).
// Nothing may depend on a judgment alone: what was checked can be something else a moment later. docs/security.md has
// the picture.
package trust

import (
	"fmt"
	"os/user"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// Account is that of an instance: the user that its postmaster runs as.
type Account struct {
	UID, GID int
	Groups   []int  // further ones that the user database gives it
	Name     string // "user 1234" where the database has none
}

// Nobody is the account for programs that root runs and that belong to no instance, if there is no user postgres: the
// overflow user of every kernel.
const Nobody = 65534

// Of returns the account of a user ID as the user database has it. gid is its group where the database does not know
// it, such as a process's.
func Of(uid, gid int) Account {
	a := Account{UID: uid, GID: gid, Name: "user " + strconv.Itoa(uid)}
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return a
	}
	a.Name = u.Username
	if n, err := strconv.Atoi(u.Gid); err == nil {
		a.GID = n
	}
	ids, err := u.GroupIds()
	if err != nil {
		return a // it has fewer rights then, never more
	}
	for _, id := range ids {
		if n, err := strconv.Atoi(id); err == nil && n != a.GID && n != 0 {
			a.Groups = append(a.Groups, n)
		}
	}
	return a
}

// User is the account as files are opened and written: with its groups.
func (a Account) User() target.User { return target.User{UID: a.UID, GID: a.GID, Groups: a.Groups} }

// Alone is the account as its programs are run that are only asked something:
// without its further groups, which they do not need.
func (a Account) Alone() target.User { return target.User{UID: a.UID, GID: a.GID} }

// String names it for people: "postgres (uid 101)".
func (a Account) String() string {
	if a.Name == "user "+strconv.Itoa(a.UID) {
		return a.Name
	}
	return fmt.Sprintf("%s (uid %d)", a.Name, a.UID)
}

// Refusal says why there is no account on whose behalf something could be done.
type Refusal struct {
	Reason string // a clause: "its data directory belongs to root"
	Hint   string // what would mend or allow it
}

func (r *Refusal) Error() string { return r.Reason }

func refuse(hint, format string, args ...any) error {
	return &Refusal{Reason: fmt.Sprintf(format, args...), Hint: hint}
}
