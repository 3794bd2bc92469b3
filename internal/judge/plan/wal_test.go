package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// walSize plans and returns the max_wal_size that it leads to.
func (h host) walSize(t fataler) unit.Bytes {
	t.Helper()
	s := h.snapshot(t)
	return unit.Bytes(value(t, plan.Simulate(s, mustPlan(t, s, h.opt)), "max_wal_size")) * unit.MB
}

// TestWALFitsItsDisk: an instance whose max_wal_size was not chosen is given no more than a fifth of the disk, however
// fast it was seen to write.
func TestWALFitsItsDisk(t *testing.T) {
	bound := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		if h.spec.Disk == 0 {
			h.spec.Disk = unit.Bytes(rapid.Int64Range(1, 200).Draw(t, "small disk GB")) * unit.GB
		}
		delete(h.spec.Settings, "max_wal_size")
		size := h.walSize(t)
		// The default is kept if it is off by no more than the rule's tolerance.
		if size > (h.spec.Disk / 5).Scale(1.15) {
			t.Fatalf("%v\nmax_wal_size %s on a disk of %s", h, size, h.spec.Disk)
		}
		if h.spec.Disk = 0; h.walSize(t) > size {
			bound++
		}
	})
	if bound == 0 {
		t.Error("no disk was small enough to bound anything: this test has seen nothing")
	}
}

// TestSmallHostsWriteLittleWAL: below 4 GB of memory no profile asks for more than the default if nothing was counted.
func TestSmallHostsWriteLittleWAL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.spec.Answers = nil
		delete(h.spec.Settings, "max_wal_size")
		h.spec.RAM = min(h.spec.RAM, unit.Bytes(rapid.Int64Range(128, 4095).Draw(t, "small MB"))*unit.MB)
		h.spec.CGroup = min(h.spec.CGroup, h.spec.RAM)
		if size := h.walSize(t); size > unit.GB {
			t.Fatalf("%v\nmax_wal_size %s", h, size)
		}
	})
}

// TestWALGrowsWithTheMachine: more memory or CPUs never lower max_wal_size.
func TestWALGrowsWithTheMachine(t *testing.T) {
	grew := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		small := h.walSize(t)
		more := unit.Bytes(rapid.Int64Range(0, 1<<20).Draw(t, "more MB")) * unit.MB
		h.spec.RAM += more
		if h.spec.CGroup > 0 {
			h.spec.CGroup += more
		}
		h.spec.CPUs += rapid.IntRange(0, 512).Draw(t, "more processors")
		big := h.walSize(t)
		if big < small {
			t.Fatalf("%v\nmax_wal_size falls from %s to %s", h, small, big)
		}
		if big > small {
			grew++
		}
	})
	if grew == 0 {
		t.Error("no max_wal_size has grown: this test has seen nothing")
	}
}
