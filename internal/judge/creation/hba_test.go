package creation

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
)

// TestHBAPassesTheChecks: whatever is asked for of --auth-local, --auth-host, --allow and the hand, the order is
// refused or no check of the area security finds anything of a warning or above in the lines.
func TestHBAPassesTheChecks(t *testing.T) {
	methods := []string{"", "peer", "trust", "md5", "password", "scram-sha-256", "gss", "sspi", "ident", "pam", "ldap",
		"radius", "cert", "reject", "none"}
	networks := [][]netip.Prefix{nil, prefixes("10.0.0.0/8"), prefixes("192.168.1.7/32", "fd00::/16"),
		prefixes("0.0.0.0/0"), prefixes("::/0", "10.0.0.0/8")}
	written := 0
	for _, hand := range []newcluster.Hand{newcluster.Debian, newcluster.InitDB} {
		for _, local := range methods {
			for _, host := range methods {
				for _, allow := range networks {
					open := slices.ContainsFunc(allow, func(n netip.Prefix) bool { return n.Bits() == 0 })
					o := Order{Name: "a", Hand: hand, AuthLocal: local, AuthHost: host, Allow: allow, OpenNetwork: open,
						Password: true}
					if hand == newcluster.InitDB {
						o.DataDir = "/srv/a"
					}
					l, err := Lay(o, debian())
					if err != nil {
						continue
					}
					written++
					for _, f := range found(t, made(t, l.Order, debian(), nil)) {
						if open && f.ID == "tls_off" {
							continue // what was accepted as open-network
						}
						t.Errorf("%s, %q %q %v: %s %s: %s", hand, local, host, allow, f.Severity, f.ID, f.Seen)
					}
				}
			}
		}
	}
	if written < 100 {
		t.Errorf("only %d orders were not refused", written)
	}
}

// found is what the checks of the area find of a plan's lines and settings.
func found(t *testing.T, p *Plan) []check.Finding {
	t.Helper()
	set := pg.Settings{"listen_addresses": {Name: "listen_addresses", Value: "localhost"}, "ssl": {Name: "ssl",
		Value: "off"}}
	for _, s := range p.Settings {
		set[s.Name] = pg.Setting{Name: s.Name, Value: s.Value}
	}
	in := snapshot.Instance{Key: "1", Running: known.Is(true)}
	in.Server.Settings = known.Is(set)
	in.Server.HBA = known.Is(rules(t, p))
	var only []string
	for _, c := range checks.All() {
		if c.Area == check.Security {
			only = append(only, c.ID)
		}
	}
	r := check.Run(&snapshot.Snapshot{Instances: []snapshot.Instance{in}}, checks.All(), check.Options{Only: only})
	return slices.DeleteFunc(r.Findings, func(f check.Finding) bool { return f.Severity < check.Warning })
}

// rules are the lines of a plan as pg_hba_file_rules shows them.
func rules(t *testing.T, p *Plan) (out []pg.HBARule) {
	t.Helper()
	for n, line := range p.HBA {
		f := strings.Fields(line)
		r := pg.HBARule{Line: int64(n + 1), Type: f[0], Method: f[len(f)-1], Reach: "socket", Replication: f[1] ==
			"replication", AllUsers: f[2] == "all", Superusers: f[2] == "all" || f[2] == p.Owner.Name}
		if f[0] != "local" {
			at, err := netip.ParsePrefix(f[3])
			switch {
			case err != nil:
				t.Fatalf("%s: %v", line, err)
			case at.Addr().IsLoopback():
				r.Reach = "loopback"
			case at.Bits() == 0:
				r.Reach = "anywhere"
			default:
				r.Reach = "network"
			}
		}
		out = append(out, r)
	}
	return out
}
