package security

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// isRule says whether a line of pg_hba.conf lets somebody in or keeps him out.
func isRule(r pg.HBARule) bool { return r.Type != "" && !r.Broken }

// isRemote says whether a rule is for clients on other hosts.
func isRemote(r pg.HBARule) bool { return r.Reach == "network" || r.Reach == "anywhere" }

// lineOf names a line: its number, and its file where it is an included one.
func lineOf(r pg.HBARule) string {
	if r.File == "" || strings.HasSuffix(r.File, "/pg_hba.conf") {
		return fmt.Sprintf("line %d", r.Line)
	}
	return fmt.Sprintf("line %d of %s", r.Line, r.File)
}

// ruleText tells a rule: its line, whom it is for and from where.
func ruleText(r pg.HBARule) string {
	who := "some users"
	if r.AllUsers {
		who = "all users"
	}
	if r.Replication {
		who += " for replication"
	}
	from := map[string]string{"socket": "over the socket", "loopback": "from this host", "network": "from a network",
		"anywhere": "from anywhere"}[r.Reach]
	return fmt.Sprintf("%s (%s %s)", lineOf(r), who, from)
}
