package export

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// patroniOwn are parameters that Patroni sets itself on the command line of the server: what stands for them in its
// configuration is skipped.
var patroniOwn = map[string]bool{"listen_addresses": true, "port": true, "cluster_name": true, "hot_standby": true}

// standbyBound are parameters that a standby must have at least as large as its primary, or it does not start. Patroni
// takes them from the dynamic configuration alone and skips what a local file says.
var standbyBound = map[string]bool{
	"max_connections": true, "max_worker_processes": true, "max_wal_senders": true,
	"max_prepared_transactions": true, "max_locks_per_transaction": true,
}

var patroniForm = Form{
	Name: "patroni", What: "a patch for patronictl edit-config",
	Label: "Patroni", Suffix: ".yml", OneInstance: true, Write: Patroni,
}

// Patroni writes the changes of one instance as a patch of Patroni's dynamic
// configuration, which holds for every member of the cluster.
func Patroni(w io.Writer, p document.Plan, s *snapshot.Snapshot, key string) error {
	d := carry(p, s, everyMember)
	list := changesOf(d, key)
	if err := utf8Only("patroni", list); err != nil {
		return err
	}
	var b strings.Builder
	var own []string
	kept := list[:0:0]
	for _, c := range list {
		if patroniOwn[c.Address.Name()] {
			own = append(own, c.Address.Name())
			continue
		}
		kept = append(kept, c)
	}
	head(&b, "#", d, s, key, len(kept))
	if len(kept) > 0 {
		comment(&b, "#",
			"For every member of the cluster: patronictl edit-config --apply FILE shows the difference, asks, and "+
				"stores it. Patroni reloads its servers by itself.", commentWidth)
	}
	if len(own) > 0 {
		comment(&b, "#", "Left out, as Patroni sets it itself: "+strings.Join(own, ", ")+".", commentWidth)
	}
	d.hugeFirst(&b, "#", s, key, "the host of every member")
	d.leftOut(&b, "#", changeOf(key, true))
	patroniRestart(&b, kept)
	if len(kept) > 0 {
		b.WriteString("postgresql:\n  parameters:\n")
		yamlParameters(&b, "    ", kept)
	}
	d.spacePart(&b, "#", key)
	hostPart(&b, d, "the host of every member")
	_, err := io.WriteString(w, b.String())
	return err
}

// patroniRestart names what waits for a restart, and the order of restarts
// that keeps every standby able to start.
func patroniRestart(b *strings.Builder, list []plan.Change) {
	var names, up, down []string
	for _, c := range list {
		if c.Effect < knob.Restart {
			continue
		}
		name := typeset.Clean(c.Address.Name())
		names = append(names, name)
		switch {
		case !standbyBound[name]:
		case number(c.ToBase) && number(c.FromBase) && longerOrMore(c.ToBase, c.FromBase):
			up = append(up, name)
		default:
			down = append(down, name)
		}
	}
	if len(names) > 0 {
		comment(b, "#", "In force only after patronictl restart CLUSTER: "+strings.Join(names, ", ")+".", commentWidth)
	}
	if len(up) > 0 {
		comment(b, "#", strings.Join(up, ", ")+" goes up: restart the replicas first, then the leader.", commentWidth)
	}
	if len(down) > 0 {
		comment(b, "#", strings.Join(down, ", ")+
			" goes down: restart the leader first and let the replicas replay that, then restart them.", commentWidth)
	}
	b.WriteByte('\n')
}

// number reports whether a text is a whole number without a sign.
func number(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// longerOrMore compares two whole numbers in their text form, which has no
// leading zeros.
func longerOrMore(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// yamlParameters writes NAME: "VALUE" lines, each below its reason.
func yamlParameters(b *strings.Builder, indent string, list []plan.Change) {
	for _, c := range list {
		comment(b, indent+"#", changeComment(c), commentWidth)
		b.WriteString(indent + yamlKey(c.Address.Name()) + ": " + yamlString(c.To) + "\n")
	}
}

// yamlKey leaves the name of a parameter as it is and quotes anything else.
func yamlKey(name string) string {
	if quoteIdent(name) == name {
		return name
	}
	return yamlString(name)
}
