package export

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// ofHost returns the changes that are no setting of a server, in the plan's order.
func ofHost(d carried) []plan.Change {
	var out []plan.Change
	for _, c := range d.Changes {
		if c.Layer != knob.Instance {
			out = append(out, c)
		}
	}
	return out
}

// hostPart lists, as comments, the changes that a form for the server alone cannot contain. where names the hosts that
// they are for.
func hostPart(b *strings.Builder, d carried, where string) {
	list := ofHost(d)
	if len(list) == 0 {
		return
	}
	b.WriteByte('\n')
	comment(b, "#", "Not in here, as it is for "+where+
		": --format script or --format ansible carry it out there, before the server that needs it starts.",
		commentWidth)
	for _, c := range list {
		b.WriteString("#   " + hostLine(c) + risky(c) + "\n")
	}
}

// risky says of a change of high risk that it is one, behind its line in a comment.
func risky(c plan.Change) string {
	if c.Risk != knob.High {
		return ""
	}
	return "   (" + outline.RiskWords[c.Risk].String() + ")"
}

// hostLine is one change of the host as it is spelled where it belongs.
func hostLine(c plan.Change) string {
	if c.Address.Prefix() == "sysctl" {
		return typeset.Clean(c.Address.Name()) + " = " + raw(c)
	}
	return how(c)
}
