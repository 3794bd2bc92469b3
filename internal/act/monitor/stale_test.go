package monitor

import (
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// ofPlans are the lines about plans.
func (x *world) ofPlans() (out []string) {
	for _, l := range x.told() {
		if strings.HasPrefix(l, "the plan") {
			out = append(out, l)
		}
	}
	return out
}

// TestMemoryAdded: memory that was added makes the plan stale, with what a plan of now would say; it is reported once,
// and again when it moved as far once more.
func TestMemoryAdded(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, "ram=16GB,cpus=4,storage=ssd,pg=17"))
	x.look(described(t, "ram=16300MB,cpus=4,storage=ssd,pg=17")) // another kernel keeps a little more for itself
	wants(t, "a little", x.ofPlans())
	x.stands(described(t, "ram=64GB,cpus=4,storage=ssd,pg=17"))
	have := x.ofPlans()
	wants(t, "added", have, "the plan is stale: total memory changed from 16 GB to 64 GB: planned now: ")
	if len(have) == 1 && !strings.Contains(have[0], "shared_buffers 4GB → 16GB") && !strings.Contains(have[0], "more") {
		t.Errorf("it does not say what would be: %s", have)
	}
	kept := x.events()
	if len(kept) == 0 || !strings.HasPrefix(kept[len(kept)-1], "plan-stale total memory 16 GB→64 GB") {
		t.Errorf("kept: %v", kept)
	}
	x.stands(described(t, "ram=64GB,cpus=4,storage=ssd,pg=17"))
	wants(t, "told already", x.ofPlans())
	x.stands(described(t, "ram=128GB,cpus=4,storage=ssd,pg=17"))
	wants(t, "and more", x.ofPlans(), "memory changed from 16 GB to 128 GB")
	x.stands(described(t, "ram=128GB,cpus=8,storage=ssd,pg=17"))
	wants(t, "processors", x.ofPlans(), "the plan is stale: CPUs changed from 4 to 8")
	x.stands(described(t, "ram=16GB,cpus=4,storage=ssd,pg=17"))
	wants(t, "as it was", x.ofPlans())
}

// TestConnectionsDoubled: the peak of sessions is learnt for a day; twice as many,
// and twenty more, make a plan stale.
func TestConnectionsDoubled(t *testing.T) {
	x := newWorld(t)
	peak := func(n float64) {
		x.look(described(t, small))
		for range heldLooks {
			for _, v := range []float64{1, n, 2} {
				x.asker.values[sample.ColTotal] = v
				x.sample()
			}
			x.look(described(t, small))
		}
	}
	peak(30)
	wants(t, "at first", x.ofPlans())
	peak(90)
	wants(t, "on the first day", x.ofPlans())
	x.now = x.now.Add(24 * time.Hour)
	peak(150)
	wants(t, "not twice", x.ofPlans())
	peak(181)
	wants(t, "twice", x.ofPlans(), "the plan of /srv/pg is stale: peak connections changed from 90 to 181")
	peak(190)
	wants(t, "told already", x.ofPlans())
}

// TestDatabasesOutgrow: what fitted into memory and does not any more.
func TestDatabasesOutgrow(t *testing.T) {
	x := newWorld(t)
	for _, gb := range []float64{3, 15, 17, 18, 15, 17, 13, 17} {
		x.stands(described(t, small), gb*(1<<30))
	}
	wants(t, "outgrown, twice", x.ofPlans(), "the plan of /srv/pg is stale: total database size changed from 3 GB to "+
		"17 GB",
		"total database size changed from 3 GB to 17 GB")
}

// TestDecisionsMoved: a decision that moves while no fact did is reported when three looks have seen it, with the input
// that moved; and once more when it was back for as long.
func TestDecisionsMoved(t *testing.T) {
	planned := func(value, input string) bases {
		one := func(v map[knob.Address]Planned) *Baseline { return &Baseline{Facts: map[string]float64{}, Values: v} }
		return bases{"": one(nil), "/srv/pg": one(map[knob.Address]Planned{
			"pg:max_wal_size": {Value: value, Shown: value + "MB",
				Inputs: []rule.Input{{Name: "WAL rate", Value: input}}}})}
	}
	base := planned("1024", "1 MB/s")
	for i, c := range []struct {
		value string
		want  []string
	}{
		{"1500", nil}, // by less than half
		{"4096", nil}, // once
		{"1024", nil},
		{"4096", nil},
		{"4096", nil},
		{"4096",
			[]string{
				"the plan of /srv/pg is stale: WAL rate, from 1 MB/s to 9 MB/s: planned now: max_wal_size 1024MB " +
					"→ 4096MB"}},
		{"8192", nil}, // reported
		{"1024", nil}, // back for one look
		{"4096", nil},
		{"4096", nil},
		{"4096", nil},
		{"1024", nil}, // back for good
		{"1024", nil},
		{"1024", nil},
		{"4096", nil},
		{"4096", nil},
		{"4096", []string{"the plan of /srv/pg is stale"}},
	} {
		var have []string
		for _, e := range stale(base, planned(c.value, "9 MB/s"), time.Time{}, time.Time{}) {
			have = append(have, Sentence(e).String())
		}
		if !t.Run("", func(t *testing.T) { wants(t, c.value, have, c.want...) }) {
			t.Logf("at step %d", i)
		}
	}
}

// TestApplyMakesBaseline: an apply is a new plan, so what had moved before it
// makes no plan stale; what it set and is not decided any more does.
func TestApplyMakesBaseline(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	j := &journal.Journal{ID: "20261121-103000-k3x9qz", State: journal.Whole}
	x.w.o.Applied = func() *journal.Journal { return j }
	x.look(described(t, "ram=64GB,cpus=4,storage=ssd,pg=17"))
	wants(t, "a new plan", x.ofPlans())

	// An apply of long ago that set what 16 GB want, seen for the first time on 64.
	y := newWorld(t)
	j = &journal.Journal{ID: "20260101-103000-k3x9qz", State: journal.Whole, Changes: []journal.Change{
		{Address: "pg:shared_buffers", Instance: "/srv/pg", After: "1GB", State: journal.IsDone},
		// set to another value by others since
		{Address: "pg:work_mem", Instance: "/srv/pg", After: "1MB", State: journal.IsDone},
	}}
	y.w.o.Applied = func() *journal.Journal { return j }
	grown := func() {
		y.look(set(t, described(t, "ram=64GB,cpus=4,storage=ssd,pg=17"), "shared_buffers", "131072",
			"/srv/pg/postgresql.conf", 4))
	}
	for range 1 + heldLooks {
		grown()
	}
	have := y.ofPlans()
	wants(t, "of long ago", have, "the plan of /srv/pg is stale: planned values: planned now: shared_buffers 1GB → ")
	if strings.Contains(strings.Join(have, ""), "work_mem 1MB") {
		t.Errorf("a value that is not in force any more: %s", have)
	}
}
