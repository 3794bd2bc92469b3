package conffile

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
)

// rulesOf are lines of pg_hba.conf among the settings, as the server's view pg_hba_file_rules shows them. Whether the
// users of a line have a superuser among them is known for all of them alone.
func rulesOf(list []conftext.Rule) (out []pg.HBARule) {
	for _, r := range list {
		f := r.Fields
		if len(f) < 4 {
			continue
		}
		h := pg.HBARule{Line: int64(r.Line), Type: f[0], Replication: inList(f[1], "replication"),
			AllUsers: inList(f[2], "all"), Superusers: inList(f[2], "all"), Reach: "socket"}
		rest := f[3:]
		if h.Type != "local" {
			address, mask := f[3], ""
			if rest = f[4:]; len(rest) > 1 && strings.Trim(rest[0], "0123456789.") == "" {
				mask, rest = rest[0], rest[1:]
			}
			h.Reach = reachOf(address, mask)
		}
		if len(rest) == 0 {
			continue
		}
		h.Method = rest[0]
		out = append(out, h)
	}
	return out
}

// reachOf is how far an address reaches, as the query of the view calls it.
func reachOf(address, mask string) string {
	ip, bits, _ := strings.Cut(address, "/")
	switch {
	case address == "samehost", address == "localhost", strings.HasPrefix(ip, "127."), ip == "::1":
		return "loopback"
	case address == "all", bits == "0", mask == "0.0.0.0":
		return "anywhere"
	}
	return "network"
}

func inList(names, name string) bool { return slices.Contains(strings.Split(names, ","), name) }
