package containers

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
)

var reListed = regex.New(`^\+ Cluster: ([\w.-]{1,63})(?: \((\d{10,20})\))? [-+]+$`)

var reListedOld = regex.New(`^\| +Cluster +\| +Member +\| +Host +\|`)

// ReadMembers reads patronictl list.
func ReadMembers(w *part.Window) (f part.Found) {
	m := reListed.FindStringSubmatch(w.Text(0))
	switch {
	case m != nil && strings.Contains(w.Text(1), "Member"):
		f.Add(part.Word("cluster.name", "", m[1]))
	case strings.HasPrefix(w.Text(0), "+-") && reListedOld.MatchString(w.Text(1)): // before Patroni 2
		if c := table.Cells(w.Text(3), true); len(c) > 1 && c[0] != "" {
			f.Add(part.Word("cluster.name", "", c[0]))
		}
	default:
		return
	}
	if m != nil && m[2] != "" {
		f.Add(part.Word("control.system_identifier", "", m[2]))
	}
	var head []string
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		t := w.Text(f.N)
		if strings.HasPrefix(t, "+-") {
			continue
		}
		if !strings.HasPrefix(t, "|") {
			break
		}
		c := table.Cells(t, true)
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
				f.Add(part.Word("member.host", of, v))
			case "Role":
				f.Add(part.Word("member.role", of, v))
			case "State":
				f.Add(part.Word("member.state", of, v))
			case "TL":
				if n, ok := amount.Whole(v); ok {
					f.Add(part.Count("member.timeline", of, n))
				}
			case "Lag in MB", "Replay Lag", "Receive Lag":
				if n, ok := amount.Decimal(v); ok && n < amount.Max/amount.MB { // old versions printed 12.0
					f.Add(part.Bytes("member.lag", of, int64(n*amount.MB)))
				}
			}
		}
	}
	return f
}
