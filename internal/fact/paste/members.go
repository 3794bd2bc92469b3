package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var reListed = regex.New(`^\+ Cluster: ([\w.-]{1,63})(?: \((\d{10,20})\))? [-+]+$`)

var reListedOld = regex.New(`^\| +Cluster +\| +Member +\| +Host +\|`)

// readMembers reads patronictl list.
func readMembers(w *window) (f found) {
	m := reListed.FindStringSubmatch(w.t(0))
	switch {
	case m != nil && strings.Contains(w.t(1), "Member"):
		f.add(word("cluster.name", "", m[1]))
	case strings.HasPrefix(w.t(0), "+-") && reListedOld.MatchString(w.t(1)): // before Patroni 2
		if c := cells(w.t(3), true); len(c) > 1 && c[0] != "" {
			f.add(word("cluster.name", "", c[0]))
		}
	default:
		return
	}
	if m != nil && m[2] != "" {
		f.add(word("control.system_identifier", "", m[2]))
	}
	var head []string
	for f.n = 1; f.n < len(w.lines); f.n++ {
		t := w.t(f.n)
		if strings.HasPrefix(t, "+-") {
			continue
		}
		if !strings.HasPrefix(t, "|") {
			break
		}
		c := cells(t, true)
		if head == nil {
			head = c
			continue
		}
		of := ""
		for k, v := range c {
			if k >= len(head) || v == "" {
				continue
			}
			switch head[k] {
			case "Member":
				of = v
			case "Host":
				f.add(word("member.host", of, v))
			case "Role":
				f.add(word("member.role", of, v))
			case "State":
				f.add(word("member.state", of, v))
			case "TL":
				if n, ok := whole(v); ok {
					f.add(count("member.timeline", of, n))
				}
			case "Lag in MB", "Replay Lag", "Receive Lag":
				if n, ok := whole(v); ok && n < maxAmount/mb {
					f.add(exact("member.lag", of, n*mb))
				}
			}
		}
	}
	return f
}
