package rule

import (
	"math"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// ForInstance returns the same case looking at another instance, for rules of the host
// that sum over instances.
func (c *Case) ForInstance(in *snapshot.Instance) *Case {
	d := *c
	d.Instance = in
	d.decision = nil
	return &d
}

// Value returns the value that a knob will have: the decision on it, else what
// it is now. ok is false when neither is known.
func (c *Case) Value(a knob.Address) (Value, bool) {
	key := c.key()
	if a.Layer() != knob.Instance {
		key = ""
	}
	if d := c.Outcome.Of(key, a); d != nil {
		return d.Effective, true
	}
	return c.presentOf(a).Get()
}

// Bytes returns a memory setting in bytes; ok is false when it is not known or
// has a special value below zero.
func (c *Case) Bytes(a knob.Address) (unit.Bytes, bool) {
	v, ok := c.Value(a)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Setting, 10, 64)
	mult, mem := unit.MemoryUnit(v.Unit)
	if err != nil || n < 0 {
		return 0, false
	}
	if !mem {
		mult = 1
	}
	return unit.Bytes(n) * mult, true
}

// Int returns a whole-number setting in its base unit.
func (c *Case) Int(a knob.Address) (int, bool) {
	v, ok := c.Value(a)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(v.Setting)
	return n, err == nil
}

// Float returns a numeric setting in its base unit.
func (c *Case) Float(a knob.Address) (float64, bool) {
	v, ok := c.Value(a)
	if !ok {
		return 0, false
	}
	f, err := unit.Figure(v.Setting)
	return f, err == nil
}

// Text returns a setting as text.
func (c *Case) Text(a knob.Address) (string, bool) {
	v, ok := c.Value(a)
	return v.Setting, ok
}

func (c *Case) Present() known.Fact[Value] { return c.presentOf(c.Address) }

func (c *Case) presentOf(a knob.Address) known.Fact[Value] {
	if a.Layer() == knob.Instance {
		if c.Instance == nil {
			return known.Missed[Value](known.Gap{Fact: string(a), Reason: "no instance"})
		}
		if name, option, ok := a.Tablespace(); ok {
			return presentOfTablespace(c.Instance, name, option)
		}
		s, ok := c.Instance.Server.Settings.Get()
		if !ok {
			return known.Without[Value](c.Instance.Server.Settings.State(), c.Instance.Server.Settings.Gap())
		}
		v, ok := s[a.Name()]
		if !ok {
			return known.None[Value](known.Gap{Fact: string(a), Reason: "this server has no such setting"})
		}
		return known.Is(Value{Setting: v.Value, Unit: v.Unit})
	}
	return PresentOfHost(c.Snapshot, a, c.hostUnit(a))
}

func (c *Case) hostUnit(a knob.Address) string {
	if a == c.Address {
		return c.Rule.Unit
	}
	if d := c.Outcome.Of("", a); d != nil {
		return d.Rule.Unit
	}
	return ""
}

// PresentOfHost returns the present value of a knob of the host.
func PresentOfHost(s *snapshot.Snapshot, a knob.Address, u string) known.Fact[Value] {
	text := func(f known.Fact[string]) known.Fact[Value] {
		return known.Map(f, func(t string) Value { return Value{Setting: t, Unit: u} })
	}
	switch a.Prefix() {
	case "sysctl":
		if f, ok := s.Host.Sysctls[a.Name()]; ok {
			return text(f)
		}
	case "thp":
		switch a.Name() {
		case "enabled":
			return text(s.Host.THP.Enabled)
		case "defrag":
			return text(s.Host.THP.Defrag)
		case "shmem_enabled":
			return text(s.Host.THP.ShmemEnabled)
		}
	case "unit":
		return presentOfUnits(s, a, u)
	case "boot":
		return presentOfBoot(s, a, u)
	case "block":
		return presentOfBlock(s, a, u)
	case "mount":
		return presentOfMount(s, a, u)
	}
	return known.Missed[Value](known.Gap{Fact: string(a), Reason: "not collected"})
}

// oomPolicies orders the values of OOMPolicy= from the harmless to the worst:
// after kill systemd finds the unit failed, as after stop, but with stop an
// instance goes down that had recovered.
var oomPolicies = []string{"continue", "kill", "stop"}

// presentOfUnits returns a property of the units that run the instances: the worst if they differ, as a knob of the
// host has one present value and the change is for all of them.
func presentOfUnits(s *snapshot.Snapshot, a knob.Address, u string) known.Fact[Value] {
	worst := known.None[Value](known.Gap{Fact: string(a), Reason: "no instance runs as a systemd unit"})
	for i := range s.Instances {
		un, ok := s.Instances[i].Unit.Get()
		if !ok {
			continue
		}
		v, ok := host.Property(un.Properties, a.Name())
		now, seen := worst.Get()
		switch {
		case !ok && !seen:
			worst = known.None[Value](known.Gap{Fact: string(a), Reason: "not reported by this systemd version"})
		case ok && (!seen || worse(a, v, now.Setting)):
			worst = known.Is(Value{Setting: v, Unit: u})
		}
	}
	return worst
}

// worse reports whether one value of a unit's property is worse than another: a later one of oomPolicies, any other
// NUMA policy than interleave, or the lower of two limits.
func worse(a knob.Address, v, than string) bool {
	if a == numaAddress {
		return Interleaved(than) && !Interleaved(v)
	}
	if a.Name() == "OOMPolicy" {
		return slices.Index(oomPolicies, v) > slices.Index(oomPolicies, than)
	}
	return limitOf(v) < limitOf(than)
}

// limitOf reads a limit as systemd shows it; infinity, and what is no number,
// is above all others.
func limitOf(v string) int64 {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}
