package plan_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	facts "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// device finds the device of a change.
func device(s *snapshot.Snapshot, a knob.Address) (facts.Block, bool) {
	blocks, _ := s.Host.Blocks.Get()
	i := slices.IndexFunc(blocks, func(b facts.Block) bool { return rule.SubjectOf(b) == a.Subject() })
	if i < 0 {
		return facts.Block{}, false
	}
	return blocks[i], true
}

// legalQueue holds the part of TestLegal that is about devices and mounts: a
// scheduler is one that the kernel offers, of a device with nothing below it; a
// read-ahead is of what the filesystem is on; options lose nothing but words about
// access times.
func legalQueue(t *rapid.T, h fmt.Stringer, s *snapshot.Snapshot, c *plan.Change) {
	switch c.Address.Family() {
	case "block:*/scheduler":
		b, ok := device(s, c.Address)
		offered, _ := b.Schedulers.Get()
		if !ok || !slices.Contains(offered, c.ToBase) || len(b.Below) > 0 {
			t.Fatalf("%v\n%s = %s of %+v", h, c.Address, c.ToBase, b)
		}
	case "block:*/read_ahead_kb":
		b, ok := device(s, c.Address)
		blocks, _ := s.Host.Blocks.Get()
		above := slices.ContainsFunc(blocks, func(o facts.Block) bool {
			return o.Kind != "partition" && slices.Contains(o.Below, b.Name)
		})
		n, err := strconv.Atoi(c.ToBase)
		if !ok || above || b.Kind == "partition" || err != nil || n < 128 || n >= 16*1024 || n%64 != 0 {
			t.Fatalf("%v\n%s = %s of %+v", h, c.Address, c.ToBase, b)
		}
	case "mount:*/options":
		atime := []string{"strictatime", "noatime", "relatime"}
		isTime := func(w string) bool { return slices.Contains(atime, w) }
		from, to := slices.DeleteFunc(strings.Split(c.FromBase, ","), isTime),
			slices.DeleteFunc(strings.Split(c.ToBase, ","), isTime)
		if !slices.Equal(from, to) {
			t.Fatalf("%v\n%s: %s → %s", h, c.Address, c.FromBase, c.ToBase)
		}
	}
}

// TestFamilyPinsAreObeyed: what is pinned for every device is planned for every
// one whose value is known, and nothing else of the devices is moved by it.
func TestFamilyPinsAreObeyed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		s := h.snapshot(t)
		h.opt.Pins = map[knob.Address]string{"block:*/read_ahead_kb": "256"}
		after := plan.Simulate(s, mustPlan(t, s, h.opt))
		blocks, _ := after.Host.Blocks.Get()
		for _, b := range blocks {
			a := knob.Block(rule.SubjectOf(b), "read_ahead_kb")
			v, known := b.ReadAhead.Get()
			was, _ := device(s, a)
			old, _ := was.ReadAhead.Get()
			switch here := rules.Here(s, a) && rule.SubjectOf(b) != ""; {
			case known && here && v != 256*unit.KB:
				t.Fatalf("%v\n%s is %s", h, a, v)
			case known && !here && rule.SubjectOf(b) != "" && v != old:
				t.Fatalf("%v\n%s is %s and was %s", h, a, v, old)
			}
		}
	})
}
