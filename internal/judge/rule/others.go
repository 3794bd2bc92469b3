package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// OthersOf returns what other programs count for in an outcome; nothing if the memory of the host is unknown.
func OthersOf(s *snapshot.Snapshot, out *Outcome) memory.Others {
	if out != nil && out.others != nil {
		return *out.others
	}
	o, _ := memory.OthersOf(s)
	return o
}

// Others returns what other programs count for.
func (o *Outcome) Others(s *snapshot.Snapshot) memory.Others { return OthersOf(s, o) }

// steady keeps the present configuration if it is based on the neighboring step of what other programs hold, and that
// is still near: a number that moves around the edge of a step moves no plan. Without a configuration that depends on
// either step there is nothing to keep, and no state is needed for it.
func steady(s *snapshot.Snapshot, rules []Rule, o Options, out *Outcome) (*Outcome, error) {
	m, ok := s.Host.Memory.Get()
	if !ok || !out.changes() {
		return out, nil
	}
	others := OthersOf(s, out)
	if others.Source == memory.OthersDescribed || others.Source == memory.OthersUnknown {
		return out, nil
	}
	for _, n := range others.Neighbors(m.Total) {
		other, err := decide(s, rules, o, &n)
		if err != nil {
			return nil, err
		}
		if other.rests(out) {
			return other, nil
		}
	}
	return out, nil
}

func (o *Outcome) changes() bool {
	for _, d := range o.Decisions {
		if d.Changes() {
			return true
		}
	}
	return false
}

// rests reports whether the configuration in force is that of this outcome: every decision that differs from the given
// one equals the present value.
func (o *Outcome) rests(than *Outcome) bool {
	differs := false
	for _, d := range o.Decisions {
		t := than.Of(d.Instance, d.Address)
		if t != nil && t.Effective.Setting == d.Effective.Setting {
			continue
		}
		if t == nil || !d.Present.Known() || d.Changes() {
			return false
		}
		differs = true
	}
	return differs
}

// OthersReason says how much memory of other programs a plan assumes, and the source of the number.
func OthersReason(o memory.Others) say.Message {
	switch o.Source {
	case memory.OthersHistory:
		return say.M("{counted} for other programs: 7-day peak {held} on {date}, rounded up",
			"counted", o.Counted, "held", o.Held, "date", DayOf(o.At))
	case memory.OthersServices:
		if o.Limits > 0 {
			return say.M("{counted} for other programs: services and other long-running processes, by their memory "+
				"limit or current use, {held}, rounded up",
				"counted", o.Counted, "held", o.Held)
		}
		return say.M("{counted} for other programs: services and other long-running processes use {held} now, "+
			"rounded up",
			"counted", o.Counted, "held", o.Held)
	case memory.OthersNow:
		return say.M("{counted} for other programs: processes older than 10 min use {held} now, rounded up",
			"counted", o.Counted, "held", o.Held)
	case memory.OthersUnknown:
		return say.M("{counted} for other programs, as on a freshly installed system: how much they hold is unknown",
			"counted", o.Counted)
	case memory.OthersDescribed:
		return say.M("{counted} for other programs, as on a new installation",
			"counted", o.Counted)
	}
	return say.M("{counted} for other programs: {held} of anonymous and kernel memory does not belong to the "+
		"instances, rounded up",
		"counted", o.Counted, "held", o.Held)
}
