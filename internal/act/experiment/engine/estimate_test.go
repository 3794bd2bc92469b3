package engine

import (
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// TestEstimate holds what an estimate has to be whatever the speeds: its parts are
// its sum, what is measured is counted by the second, and two servers at once take
// what both take.
func TestEstimate(t *testing.T) {
	for i, m := range manners {
		w := newToy()
		e := w.manner(i)
		e.Spec.Duration, e.Spec.Warmup = 100, 40
		e.A.Settings = map[string]string{"shared_buffers": "1GB"}
		one := Estimate(e)
		var sum, measured time.Duration
		for _, p := range one.Parts {
			sum += p.Time
			if p.What == "measuring" {
				measured = p.Time
			}
			if p.Time < 0 {
				t.Errorf("%s: %s takes %v", name(i), p.What, p.Time)
			}
		}
		runs := time.Duration(6 * len(e.labels()))
		if sum != one.Time || measured != runs*100*time.Second || one.Block <= 0 || one.Block*6 > one.Time {
			t.Errorf("%s: %+v", name(i), one)
		}
		least := unit.GB
		if m.design == experiment.DesignSlices {
			least += 128 * unit.MB
		}
		if one.Memory < least || one.Memory > least*5/4 {
			t.Errorf("%s: memory %v", name(i), one.Memory)
		}
		// Every server at a time has its own copy beside the loaded cluster, unless it
		// runs on that.
		copies := map[string]unit.Bytes{experiment.RestoreFresh: unit.Bytes(m.servers),
			experiment.RestoreKept: unit.Bytes(len(e.labels())), experiment.RestoreShared: 0}[e.Restore]
		if data := e.Load.Size(e.Scale); one.Disk < (1+copies)*data || one.Disk > (1+copies)*(data+2*unit.GB) {
			t.Errorf("%s: disk %v", name(i), one.Disk)
		}
		e.Spec.Blocks *= 2
		if two := Estimate(e); two.Time <= one.Time || two.Disk != one.Disk || two.Memory != one.Memory {
			t.Errorf("%s: twice the blocks: %+v after %+v", name(i), two, one)
		}
		e.Spec.Blocks /= 2
		e.Load.(*toyLoad).least = 400
		if slow := Estimate(e); slow.Time < one.Time+time.Duration(6*len(e.labels()))*300*time.Second {
			t.Errorf("%s: with transactions of 400 s %+v, without %+v", name(i), slow, one)
		}
		e.Load.(*toyLoad).least = 0
		e.Spec.Blocks *= 2
		e.A.Settings["max_wal_size"] = "8GB"
		if more := Estimate(e); more.Disk < one.Disk+6*unit.GB {
			t.Errorf("%s: disk with 8 GB of WAL %v, without %v", name(i), more.Disk, one.Disk)
		}
	}
}

// TestEstimateOfANumber: how long a number of transactions takes is known only if it is known of one; else it is said
// to be unknown, not nothing.
func TestEstimateOfANumber(t *testing.T) {
	e := newToy().manner(0)
	e.Spec.Duration, e.Spec.Count, e.Spec.Jobs = 0, 30, e.Spec.Clients
	open := Estimate(e)
	if !open.Open {
		t.Errorf("transactions of unknown length: %+v", open)
	}
	e.Load.(*toyLoad).least = 10
	known := Estimate(e)
	measuring := time.Duration(0)
	for _, p := range known.Parts {
		if p.What == "measuring" {
			measuring = p.Time
		}
	}
	if known.Open || measuring != 6*2*300*time.Second { // blocks, configurations, 30 times 10 s
		t.Errorf("30 transactions of 10 s: %+v", known)
	}
}
