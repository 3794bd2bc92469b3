package creating

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// Who connects: another machine with two networks, of which the first one is allowed, and a single address of a third.
const (
	allowed = "10.99.1.0/24,fd99:1::/64,10.99.3.2/32,fd99:3::2/128"
	theirs  = "10.7.0.0/16" // whom a rule of somebody else's lets in
)

// peer is another machine, connected with the site.
type peer struct{ net string }

func (s *site) peer() peer {
	s.t.Helper()
	p := peer{net: s.network()}
	pid := strings.Split(p.net, "/")[2]
	s.ip("", "link", "add", "site", "type", "veth", "peer", "name", "peer", "netns", pid)
	for net, side := range map[string]struct{ name, host string }{"": {"site", "1"}, p.net: {"peer", "2"}} {
		for n := 1; n <= 3; n++ {
			s.ip(net, "addr", "add", fmt.Sprintf("10.99.%d.%s/24", n, side.host), "dev", side.name)
			s.ip(net, "addr", "add", fmt.Sprintf("fd99:%d::%s/64", n, side.host), "dev", side.name, "nodad")
		}
		s.ip(net, "link", "set", side.name, "up")
	}
	return p
}

// ip runs ip(8) in a network: "" is the site's own.
func (s *site) ip(net string, args ...string) {
	s.t.Helper()
	if r := s.in(net, append([]string{"ip"}, args...)...); r.Code != 0 {
		s.t.Fatal(r)
	}
}

// in runs a program in a network.
func (s *site) in(net string, argv ...string) cell.Ran {
	s.t.Helper()
	one := *s
	if net != "" {
		one.net = net
	}
	return one.run(nil, []string{"PGCONNECT_TIMEOUT=2"}, argv...)
}

// reaches reports whether a server answers at an address, whatever it says.
func (s *site) reaches(net, address string, port int) bool {
	s.t.Helper()
	r := s.in(net, "psql", "-X", "-w", "-h", address, "-p", strconv.Itoa(port), "-U", "somebody", "-d", "postgres")
	return strings.Contains(r.Stderr, "FATAL:") || strings.Contains(r.Stderr, "no password supplied")
}

// firewalls are the programs that open a port, each with what it has of rules, and what puts some of another's there.
var firewalls = []struct {
	name         string
	start        func(s *site)
	lay          string // lines of the shell
	seen, closed string
}{
	{"nft", func(*site) {}, `nft -f - <<'E'
table inet theirs {
	set blocked { type ipv4_addr; elements = { 10.1.1.1 } }
	chain input { type filter hook input priority filter; policy accept; ip saddr @blocked drop; tcp dport 22 accept
	}
}
table ip pgfettle {
	chain input { tcp dport 5432 accept; }
}
E`, "nft -nn list ruleset", "true"},
	{"firewalld", (*site).firewalld, `firewall-cmd -q --add-rich-rule='` + richOfTheirs + `'
firewall-cmd -q --permanent --add-rich-rule='` + richOfTheirs + `'
firewall-cmd -q --permanent --add-service=ssh`,
		"firewall-cmd --list-all-zones; firewall-cmd --permanent --list-all-zones; firewall-cmd --get-active-zones",
		"firewall-cmd --reload"},
}

const richOfTheirs = `rule family="ipv4" source address="` + theirs + `" port port="5432" protocol="tcp" accept`

// firewalld starts the real one, with a message bus of its own.
func (s *site) firewalld() {
	s.t.Helper()
	s.Sh(`mkdir -p /run/dbus; mount -t tmpfs none /run/dbus; rm -rf /etc/firewalld/zones/*`)
	for _, argv := range [][]string{{"dbus-daemon", "--system", "--nofork", "--nopidfile"}, {"/usr/bin/python3",
		"/usr/sbin/firewalld", "--nofork", "--nopid", "--log-target", "console"}} {
		cmd := s.cmd(nil, nil, argv...)
		out := file(s.t)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
			out.Close()
		})
	}
	await.That(s.t, "firewalld", func() (bool, any) {
		r := s.run(nil, nil, "firewall-cmd", "--state")
		return r.Code == 0, r
	})
}

// TestFirewall: the networks that are allowed reach the port, others do not, and loopback does in any case. Undo takes
// away what was added, and nothing else; a kill in the middle changes neither.
func TestFirewall(t *testing.T) {
	for _, f := range firewalls {
		t.Run(f.name, func(t *testing.T) {
			for _, program := range []string{"ip", f.name, "dbus-daemon"} {
				if _, err := exec.LookPath(program); err != nil {
					tier.Missing(t, tier.Kernel, "%v", err)
				}
			}
			live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
				s := newSite(t, b)
				far := s.peer()
				f.start(s)
				s.Shin(f.lay)
				rules := s.Shin(f.seen)
				flags := []string{"--allow", allowed, "--firewall", f.name}
				p := s.create(flags...)
				for _, c := range []struct {
					net, address string
					want         bool
				}{{far.net, "10.99.1.1", true}, {far.net, "fd99:1::1", true}, {far.net, "10.99.2.1", false},
					{far.net, "fd99:2::1", false}, {far.net, "10.99.3.1", true}, {far.net, "fd99:3::1", true},
					{"", "127.0.0.1", true}, {"", "::1", true}} {
					if got := s.reaches(c.net, c.address, p.Port); got != c.want {
						t.Errorf("%s: reached %v\n%s", c.address, got, s.Shin(f.seen))
					}
				}
				with := s.Shin(f.seen)
				if with == rules {
					t.Error("no rule was added")
				}
				s.Shin(f.closed) // what is permanent is all of it
				if now := s.Shin(f.seen); now != with {
					t.Errorf("after a reload it is\n%s\nand was\n%s", now, with)
				}
				s.pgfettle(0, "undo", "--yes")
				s.gone()
				if now := s.Shin(f.seen); now != rules {
					t.Errorf("taken back, the firewall is\n%s\nand was\n%s", now, rules)
				}
				s.killedAtTheFirewall(f.seen, rules, flags)
			})
		})
	}
}

// Shin runs lines of the shell in the site's network.
func (s *site) Shin(lines string) string {
	s.t.Helper()
	r := s.in("", "/bin/sh", "-euc", lines)
	if r.Code != 0 {
		s.t.Fatal(r)
	}
	return r.Stdout
}

// killedAtTheFirewall kills create soon after it has announced the step of the firewall.
func (s *site) killedAtTheFirewall(seen, rules string, flags []string) {
	s.t.Helper()
	k := &killing{site: s, sum: &tally{phases: map[string]int{}}, rng: rand.New(rand.NewPCG(seed(s.t), 1))}
	s.extra = flags
	s.Sh(`rm -rf /var/lib/pgfettle`)
	k.undisturbed()
	for n := range number(s.t, "PGFETTLE_CREATE_KILLS", 4) {
		s.Sh(`rm -rf /var/lib/pgfettle`)
		at := point{lines: k.lines - k.rng.IntN(5), after: 1 + k.point().after/8}
		k.once("create", at, s.args()...)
		if len(k.lined()) > 0 {
			if r := k.once("undo", point{}, "undo", "--yes"); r.code != 0 {
				k.fail(n, "the undo failed")
			}
		}
		s.gone()
		if now := s.Shin(seen); now != rules {
			k.fail(n, "the firewall is\n%s\nand was\n%s", now, rules)
		}
	}
	s.t.Log(k.sum)
}
