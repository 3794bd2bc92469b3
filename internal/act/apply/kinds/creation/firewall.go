package creation

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// firewall opens a port to some networks: "firewalld 10.0.0.0/8,fd00::/8" or "nft …". Of firewalld it is a rich rule a
// network, in the running rules and the permanent ones; of nft a table of our own, so that no other rule is touched.
// Such a table can only narrow: what it lets through, another table may still drop, and after a boot it is gone. The
// plan says both.
type firewall struct {
	Host
	whole
}

var _ apply.Partial = firewall{}

// partly is the live value of a port of which some networks are let in.
const partly = "partly"

func (f firewall) port(k apply.Knob) (string, error) {
	n, err := strconv.ParseUint(k.Address.Name(), 10, 16)
	if err != nil || n == 0 {
		return "", say.Named(k.Address, say.Err("{value} is not a port", "value", say.Quoted(k.Address.Name())))
	}
	return strconv.FormatUint(n, 10), nil
}

// Look implements apply.Kind.
func (f firewall) Look(ctx context.Context, k apply.Knob) (journal.State, error) {
	port, err := f.port(k)
	if err != nil {
		return journal.State{}, err
	}
	which, list, err := creation.ParseFirewall(k.To)
	if err != nil {
		return journal.State{}, err
	}
	n, err := f.has(ctx, which, port, list)
	if err != nil {
		return journal.State{}, err
	}
	switch n {
	case 0:
		return live(newcluster.Absent), nil
	case 2 * len(list):
		return live(k.To), nil
	}
	return live(partly), nil
}

// has counts where the networks are let in: each in the running rules and in those of the next start.
func (f firewall) has(ctx context.Context, which creation.Firewall, port string, list []netip.Prefix) (n int,
	err error) {
	if which == creation.NFT {
		rules, err := f.rules(ctx, port)
		for _, network := range list {
			if slices.Contains(rules, accept(port, network)) {
				n += 2
			}
		}
		return n, err
	}
	for _, where := range places {
		rules, err := f.richRules(ctx, where)
		if err != nil {
			return 0, err
		}
		for _, network := range list {
			if slices.Contains(rules, rich(port, network)) {
				n++
			}
		}
	}
	return n, nil
}

// rules are the lines of our table of nft; none if there is no such table.
func (f firewall) rules(ctx context.Context, port string) ([]string, error) {
	argv := []string{"nft", "-nn", "list", "table", "inet", table(port)} // numbers: 5432 has a name, too
	out, err := f.Target.Run(ctx, target.Command{Argv: argv})
	said := string(out.Stderr)
	switch {
	case err != nil:
		return nil, err
	case out.Code != 0 && strings.Contains(said, "No such file or directory"):
		return nil, nil
	case out.Code != 0:
		return nil, failed(argv, said)
	}
	return lines(string(out.Stdout)), nil
}

// places are the options by which firewall-cmd reaches the running rules, and those of the next start.
var places = [][]string{nil, {"--permanent"}}

// richRules are those of the default zone. A firewalld that does not run does not say which it has.
func (f firewall) richRules(ctx context.Context, where []string) ([]string, error) {
	argv := slices.Concat([]string{"firewall-cmd"}, where, []string{"--list-rich-rules"})
	said, err := f.run(ctx, target.Command{Argv: argv})
	return lines(said), err
}

func lines(text string) (out []string) {
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// table is the name of the table of a port.
func table(port string) string { return "pgfettle_" + port }

// accept is the rule of a network, as nft prints it: a single address has no length.
func accept(port string, n netip.Prefix) string {
	family, from := "ip", n.Masked().String()
	if n.Addr().Is6() {
		family = "ip6"
	}
	if n.IsSingleIP() {
		from = n.Addr().String()
	}
	return family + " saddr " + from + " tcp dport " + port + " accept"
}

func rich(port string, n netip.Prefix) string {
	family := "ipv4"
	if n.Addr().Is6() {
		family = "ipv6"
	}
	return `rule family="` + family + `" source address="` + n.String() + `" port port="` + port +
		`" protocol="tcp" accept`
}

// Want implements apply.Kind.
func (f firewall) Want(_ journal.State, _ apply.Knob, value string) (journal.State, error) {
	if value != newcluster.Absent {
		if _, _, err := creation.ParseFirewall(value); err != nil {
			return journal.State{}, err
		}
	}
	return live(value), nil
}

// Halfway implements apply.Partial.
func (f firewall) Halfway(found, _, _ journal.State, _ apply.Knob) bool {
	return found.Live != nil && *found.Live == partly
}

// Set implements apply.Kind.
func (f firewall) Set(ctx context.Context, k apply.Knob, s journal.State) error {
	port, err := f.port(k)
	if err != nil {
		return err
	}
	which, list, err := creation.ParseFirewall(k.To)
	if err != nil {
		return err
	}
	if which == creation.NFT {
		return f.setTable(ctx, port, list, absent(s))
	}
	for _, where := range places {
		rules, err := f.richRules(ctx, where)
		if err != nil {
			return err
		}
		argv := slices.Concat([]string{"firewall-cmd"}, where)
		for _, n := range list {
			switch there := slices.Contains(rules, rich(port, n)); {
			case there && absent(s):
				argv = append(argv, "--remove-rich-rule="+rich(port, n))
			case !there && !absent(s):
				argv = append(argv, "--add-rich-rule="+rich(port, n))
			}
		}
		if len(argv) == 1+len(where) {
			continue
		}
		if _, err := f.run(ctx, target.Command{Argv: argv}); err != nil {
			return err
		}
	}
	return nil
}

// setTable makes or removes the table of a port, in one transaction.
func (f firewall) setTable(ctx context.Context, port string, list []netip.Prefix, gone bool) error {
	// to add a table that is there changes nothing, and one that is not there cannot be deleted
	text := "add table inet " + table(port) + "\ndelete table inet " + table(port) + "\n"
	if !gone {
		text += "table inet " + table(port) + " {\n chain input {\n  type filter hook input priority filter - 1; " +
			"policy accept;\n  iif lo accept\n"
		for _, n := range list {
			text += "  " + accept(port, n) + "\n"
		}
		text += "  tcp dport " + port + " drop\n }\n}\n"
	}
	_, err := f.run(ctx, target.Command{Argv: []string{"nft", "-f", "-"}, Stdin: []byte(text)})
	return err
}
