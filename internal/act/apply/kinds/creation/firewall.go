package creation

import (
	"context"
	"net/netip"
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
// Such
// a table can only narrow: what it lets through, another table may still drop, and after a boot it is gone. The plan
// says
// both.
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
	n := 0
	for _, network := range list {
		in, err := f.has(ctx, which, port, network)
		if err != nil {
			return journal.State{}, err
		}
		n += in
	}
	switch n {
	case 0:
		return live(newcluster.Absent), nil
	case 2 * len(list):
		return live(k.To), nil
	}
	return live(partly), nil
}

// has counts where a network is let in: in the running rules and in those of the next start.
func (f firewall) has(ctx context.Context, which creation.Firewall, port string, n netip.Prefix) (int, error) {
	if which == creation.NFT {
		out, err := f.Target.Run(ctx, target.Command{Argv: []string{"nft", "list", "table", "inet", table(port)}})
		if err != nil {
			return 0, err
		}
		if out.Code != 0 || !strings.Contains(string(out.Stdout), n.Masked().String()+" tcp dport "+port+" accept") {
			return 0, nil
		}
		return 2, nil
	}
	found := 0
	for _, where := range [][]string{nil, {"--permanent"}} {
		out, err := f.Target.Run(ctx, target.Command{Argv: append(append([]string{"firewall-cmd"}, where...),
			"--query-rich-rule="+rich(port, n))})
		if err != nil {
			return 0, err
		}
		if out.Code == 0 {
			found++
		}
	}
	return found, nil
}

// table is the name of the table of a port.
func table(port string) string { return "pgfettle_" + port }

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
	for _, n := range list {
		for _, where := range [][]string{nil, {"--permanent"}} {
			rule := append([]string{"firewall-cmd"}, where...)
			out, err := f.Target.Run(ctx, target.Command{Argv: append(rule, "--query-rich-rule="+rich(port, n))})
			if err != nil {
				return err
			}
			verb := "--add-rich-rule="
			if absent(s) {
				verb = "--remove-rich-rule="
			}
			if there := out.Code == 0; there == !absent(s) {
				continue
			}
			if _, err := f.run(ctx, target.Command{Argv: append(rule, verb+rich(port, n))}); err != nil {
				return err
			}
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
			family := "ip"
			if n.Addr().Is6() {
				family = "ip6"
			}
			text += "  " + family + " saddr " + n.Masked().String() + " tcp dport " + port + " accept\n"
		}
		text += "  tcp dport " + port + " drop\n }\n}\n"
	}
	_, err := f.run(ctx, target.Command{Argv: []string{"nft", "-f", "-"}, Stdin: []byte(text)})
	return err
}
