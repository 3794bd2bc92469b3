package export

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// reach is how much of a plan a form applies automatically.
type reach int

const (
	// the settings of one server, or a file for one place: who puts it there may do so in any order
	inPieces    reach = iota
	everyMember       // the settings of every server of a cluster, whose other hosts were not inspected
	inOrder           // the whole plan, in its order, each step read back
)

// carried is a plan as a form may hold it.
type carried struct {
	document.Plan
	left   []selection.Left // what it omits
	spaces []plan.Change    // options of tablespaces, which are not among its changes: no form for settings has a place
	tries  map[string]bool  // keys of instances whose huge_pages is try instead of on
}

// carry makes of a plan what a form may hold. A form is put on a host by people and programs that never saw the plan,
// so it is under the rules of apply:
//
//   - A change of high risk is in it only where its risk was accepted; what rests on
//     it is left out with it, and the form says so.
//   - huge_pages is on only where the pool holds the pages already, or where the form
//     itself makes the pool first: without its pages a server with on does not start.
//     Else it is try, also where the server has on now and the form would restart it.
//
// Options of tablespaces stand apart, as a server has them in a catalog and in no file.
func carry(p document.Plan, s *snapshot.Snapshot, r reach) carried {
	o := selection.Options{MaxEffect: knob.Reboot}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Risk == knob.High && !selection.Named(p.Accepted, c) {
			o.Skip = append(o.Skip, selection.WhichOf(c))
		}
	}
	of := *p.Plan
	d := carried{Plan: p, tries: map[string]bool{}}
	of.Changes, d.left = selection.Select(p.Plan, s, o)
	for i := range d.left {
		if c := &d.left[i].Change; selection.Named(o.Skip, c) {
			d.left[i].Reason = "risk: high, and it was not accepted. Read the reason, then plan with --accept-risk " +
				selection.WhichOf(c).String() + " to have it in here. The reason: " + c.Reason.String()
		}
	}
	d.Plan.Plan = &of
	for _, c := range of.Changes {
		if ofTablespace(c) {
			d.spaces = append(d.spaces, c)
		}
	}
	of.Changes = slices.DeleteFunc(slices.Clone(of.Changes), ofTablespace)
	for i := range s.Instances {
		if in := &s.Instances[i]; d.onWithoutPages(s, in.Key, r) {
			d.tries[in.Key] = true
			of.Changes = trying(of.Changes, in)
		}
	}
	return d
}

// onWithoutPages reports whether a form would leave a server with huge_pages = on that may not find its pages when it
// starts next.
func (d carried) onWithoutPages(s *snapshot.Snapshot, key string, r reach) bool {
	planned, restarts := false, false
	for _, c := range d.Changes {
		if c.Layer == knob.Instance && c.Key == key {
			planned = planned || c.Address == hugePages
			restarts = restarts || c.Effect >= knob.Restart
		}
	}
	if v, ok := wanted(d, s, key, hugePages.Name()); !ok || v.Value != "on" || !planned && !restarts {
		return false
	}
	grown, inTime := d.poolPlanned()
	if planned && r == everyMember || grown > 0 && (r != inOrder || !inTime) {
		return true
	}
	return !d.poolHolds(s, key, grown)
}

const (
	hugePages = knob.Address("pg:huge_pages")
	hugePool  = knob.Address("sysctl:vm.nr_hugepages")
)

// poolPlanned is the pool of huge pages that the plan makes larger, 0 if it does not, and whether that can be had
// without a reboot.
func (d carried) poolPlanned() (pages int64, inTime bool) {
	for _, c := range d.Changes {
		if c.Address == hugePool && number(c.ToBase) && number(c.FromBase) && longerOrMore(c.ToBase, c.FromBase) {
			return wholeNumber(c.ToBase), c.Effect == knob.Now
		}
	}
	return 0, false
}

// trying puts try in place of on. Where the plan leaves on as it is, it comes before what restarts the server.
func trying(list []plan.Change, in *snapshot.Instance) []plan.Change {
	const why = "with on the server would not start without its huge pages; see above for what comes first"
	at := len(list)
	for i := range list {
		switch c := &list[i]; {
		case c.Layer != knob.Instance || c.Key != in.Key:
		case c.Address == hugePages:
			c.To, c.ToBase, c.Reason = "try", "try", say.Text("the plan has on: "+why)
			return list
		case c.Effect >= knob.Restart:
			at = min(at, i)
		}
	}
	return slices.Insert(list, at, plan.Change{Address: hugePages, Instance: in.Label(), Key: in.Key,
		Layer: knob.Instance, From: "on", To: "try", FromBase: "on", ToBase: "try",
		Effect: knob.Restart, Risk: knob.Low, Title: "huge pages", Reason: say.Text(why)})
}

// Settings are the changes of one instance as a form that holds them alone does, those
// after a restart last.
func Settings(p document.Plan, s *snapshot.Snapshot, key string) []plan.Change {
	return changesOf(carry(p, s, inPieces), key)
}

// leftOut lists, as comments, what of the plan a form does not contain, and why: all that of talks about.
func (d carried) leftOut(b *strings.Builder, mark string, of func(*plan.Change) bool) {
	for i := range d.left {
		l := &d.left[i]
		if !of(&l.Change) {
			continue
		}
		what := typeset.Clean(l.Change.Address.Name()) + " = " + confValue(l.Change.To)
		if l.Change.Layer != knob.Instance {
			what = hostLine(l.Change)
		}
		comment(b, mark, "LEFT OUT: "+what, commentWidth)
		comment(b, mark+"  ", l.Reason, commentWidth)
	}
}

func anyChange(*plan.Change) bool { return true }

func hostsChange(c *plan.Change) bool { return c.Layer != knob.Instance }

// changeOf is about the changes of one instance, and those of its host where host is so.
func changeOf(key string, host bool) func(*plan.Change) bool {
	return func(c *plan.Change) bool {
		if c.Layer != knob.Instance {
			return host
		}
		return c.Key == key
	}
}

// changeComment is the comment above a change: what it was, how it can hurt, and why it is made.
func changeComment(c plan.Change) string {
	text := "was " + outline.Shown(c.From) + "; "
	if c.Risk == knob.High {
		text += outline.RiskWords[c.Risk].String() + "; "
	}
	return text + c.Reason.String()
}

// assumedNotes puts into a file what was assumed of its host.
func assumedNotes(b *strings.Builder, mark string, d carried) {
	for _, a := range d.Subject.Assumed {
		comment(b, mark, typeset.Clean(a.Text), commentWidth)
	}
}
