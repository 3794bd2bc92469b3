package applying

import (
	"path"
	"slices"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// Choice is what of a plan will be applied: what the flags allow, less what a person says no to.
type Choice struct {
	Options   selection.Options
	Plan      *plan.Plan
	Snapshot  *snapshot.Snapshot
	AcceptAll bool
	Files     app.Target // --root: the tree; nil: a host

	Chosen []plan.Change
	Left   []selection.Left
	barred map[selection.Which]string // what is in Options.Skip for another reason than a person, and why
}

// Choose applies the bounds. Risks that were not accepted are omitted rather than ending the whole: what does not
// depend on them is done.
func (s *Choice) Choose() {
	if s.barred == nil {
		s.barred = map[selection.Which]string{}
	}
	for _, c := range s.Plan.Changes {
		if !s.asked(&c) {
			continue
		}
		if c.Risk == knob.High && s.AcceptAll {
			s.Options.AcceptRisk = append(s.Options.AcceptRisk, selection.WhichOf(&c))
		}
		if why := s.bars(&c); why != "" && s.barred[selection.WhichOf(&c)] == "" {
			s.barred[selection.WhichOf(&c)] = why
			s.Options.Skip = append(s.Options.Skip, selection.WhichOf(&c))
		}
	}
	s.Chosen, s.Left = selection.Select(s.Plan, s.Snapshot, s.Options)
	// not worth reporting
	s.Left = slices.DeleteFunc(s.Left, func(l selection.Left) bool { return !s.asked(&l.Change) })
	for i := range s.Left {
		if why := s.barred[selection.WhichOf(&s.Left[i].Change)]; why != "" {
			s.Left[i].Reason = why
		}
	}
}

// Named refuses a name with an instance that the plan is not for.
func (s *Choice) Named() error {
	var labels []string
	for i := range s.Snapshot.Instances {
		labels = append(labels, s.Snapshot.Instances[i].Label())
	}
	for _, c := range s.Plan.Changes {
		labels = append(labels, c.Instance)
	}
	slices.Sort(labels)
	labels = slices.DeleteFunc(slices.Compact(labels), func(l string) bool { return l == "" })
	for _, list := range [][]selection.Which{s.Options.Only, s.Options.AcceptRisk} {
		for _, w := range list {
			if w.Instance != "" && !slices.Contains(labels, w.Instance) {
				return say.Usage(say.M("{value}: no instance {instance} in the plan", "value", w, "instance",
					say.Quoted(w.Instance)),
					say.DidYouMean(w.Instance, labels,
						say.M("Use the data directory as shown in the plan, such as pg:work_mem@/srv/pg/17.")))
			}
		}
	}
	return nil
}

// asked reports whether --only lets a change through.
func (s *Choice) asked(c *plan.Change) bool {
	return len(s.Options.Only) == 0 || selection.Named(s.Options.Only, c)
}

// notAccepted is why a change of high risk is omitted.
const notAccepted = "high risk, not accepted: to apply it, read its reason and add it to --accept-risk"

func (s *Choice) bars(c *plan.Change) string {
	switch {
	case c.Effect > s.Options.MaxEffect:
		return "" // the reason that comes first
	case c.Risk == knob.High && !selection.Named(s.Options.AcceptRisk, c):
		return notAccepted
	case s.Files == nil:
		return ""
	case c.Layer == knob.Units:
		return "with --root, the systemd unit of the instance is unknown"
	case c.Address.Prefix() == "tablespace":
		return "stored in a system catalog, not in a file"
	case c.Layer == knob.Instance:
		if _, err := s.Files.Stat(path.Join(c.Instance, "PG_VERSION")); err != nil {
			return "its data directory does not exist below --root"
		}
	}
	return ""
}

// Nothing is the error of an apply of which everything was omitted; nil if only the limits prevented it: a user who
// limits the effect, or applies again what is applied, gets what was asked for.
func (s *Choice) Nothing() error {
	for _, l := range s.Left {
		if l.Reason == notAccepted || l.Reason == declined {
			return &say.Problem{Message: say.M("nothing was changed: all changes were skipped"),
				Hint: say.M("See the reasons above."), Code: say.CodeRefused}
		}
	}
	return nil
}

// declined is why a part is skipped that the user declined.
const declined = "declined"

// Decline leaves changes out that a person said no to: these, and not those of the
// same knobs in another instance.
func (s *Choice) Decline(list []plan.Change) {
	for i := range list {
		s.barred[selection.WhichOf(&list[i])] = declined
		s.Options.Skip = append(s.Options.Skip, selection.WhichOf(&list[i]))
	}
}

// PerUnit gives a property of systemd units, which a plan has once, to each unit
// that has another value, where there are several. The world knows of one alone.
func PerUnit(p *plan.Plan, s *snapshot.Snapshot) *plan.Plan {
	names, of := units(s)
	if len(names) < 2 {
		return p
	}
	out := *p
	out.Changes = nil
	for _, c := range p.Changes {
		if c.Layer != knob.Units || c.Instance != "" {
			out.Changes = append(out.Changes, c)
			continue
		}
		for _, name := range names {
			in := of[name]
			if u, _ := in.Unit.Get(); u.Properties[c.Address.Name()] == c.To {
				continue
			}
			one := c
			one.Instance, one.Key = in.Label(), in.Key
			out.Changes = append(out.Changes, one)
		}
	}
	return &out
}
