package trust

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// Owners say whose instances count: they are asked, and the kernel's plan is made
// for them. Instances of others are strangers.
type Owners struct {
	Names    []string // accounts that the policy names; nil: every system account
	DataDirs []string // data directories that the user named: their instances are included whoever owns them
	Caller   int      // user id of the caller of sudo, whose own servers are no strangers; 0: none
}

const (
	// firstPerson is UID_MIN of login.defs if that file has none: IDs below it belong to services.
	firstPerson = 1000
	maxDefs     = 1 << 20
)

// usual are accounts that packages and guides make for servers, also where they were made manually with the id of a
// person.
var usual = []string{"postgres", "enterprisedb", "pgsql", "_postgresql"}

// Counts reports whether the instances of an account count; where not, why.
func (o Owners) Counts(t target.Target, a Account, dataDir string) (bool, string) {
	if dataDir != "" && slices.Contains(o.DataDirs, dataDir) {
		return true, ""
	}
	if o.Names != nil {
		if slices.Contains(o.Names, a.Name) || slices.Contains(o.Names, strconv.Itoa(a.UID)) {
			return true, ""
		}
		return false, a.String() + " is not among the owners that the policy trusts"
	}
	if a.UID == t.UID() || o.Caller != 0 && a.UID == o.Caller || slices.Contains(usual, a.Name) || a.UID < uidMin(t) {
		return true, ""
	}
	return false, a.String() + " is no system account"
}

// uidMin reads the first user ID of a person.
func uidMin(t target.Target) int {
	b, err := t.ReadFile("/etc/login.defs", maxDefs)
	if err != nil {
		return firstPerson
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "UID_MIN" {
			if n, err := strconv.Atoi(f[1]); err == nil && n > 0 {
				return n
			}
		}
	}
	return firstPerson
}
