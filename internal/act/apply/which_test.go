package apply_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// TestInstancesByName: where a plan is for two instances, the same setting of each is skipped separately, and is
// reported with its instance; if it is for one, the address says enough.
func TestInstancesByName(t *testing.T) {
	both := &plan.Plan{Changes: []plan.Change{
		change("pg:r_a", "/data/1", "0", "1", knob.Reload), change("pg:r_a", "/data/2", "0", "1", knob.Reload),
		change("sysctl:vm.swappiness", "", "0", "1", knob.Now),
	}}
	b := newBench()
	o := selection.Options{MaxEffect: knob.Reboot, Skip: []selection.Which{{Address: "pg:r_a", Instance: "/data/1"}}}
	res, no := b.run(t, both, o)
	if no != nil || len(res.Left) != 1 || res.Left[0].Change.Instance != "/data/1" ||
		b.d.servers["1"].running["r_a"] != "0" || b.d.servers["2"].running["r_a"] != "1" {
		t.Errorf("skipped in one: %v, left out %+v", no, res.Left)
	}
	if !slices.Contains(b.said, "pg:r_a: 0 → 1") {
		t.Errorf("one instance: %q", b.said)
	}
	b = newBench()
	if _, no = b.run(t, both, all); no != nil {
		t.Fatal(no)
	}
	for _, want := range []string{"pg:r_a@/data/1: 0 → 1", "pg:r_a@/data/2: 0 → 1", "sysctl:vm.swappiness: 0 → 1"} {
		if !slices.Contains(b.said, want) {
			t.Errorf("%q is not said: %q", want, b.said)
		}
	}
	both.Changes[1].Risk = knob.High
	if _, no := newBench().run(t, both, all); no == nil || !strings.Contains(no.Hint.String(), "--accept-risk "+
		"pg:r_a@/data/2") {
		t.Errorf("a risk in one: %+v", no)
	}
}

// huge says what the servers of a snapshot have for huge_pages.
func huge(s *snapshot.Snapshot, now string) *snapshot.Snapshot {
	for i := range s.Instances {
		s.Instances[i].Server.Settings = known.Is(pg.Settings{"huge_pages": {Name: "huge_pages", Value: now}})
	}
	return s
}

// TestPoolIsAConditionOfOnAlone: without the pool a server with huge_pages=on does
// not start, and is not restarted; with try it takes what there is. Not known is not
// taken for try.
func TestPoolIsAConditionOfOnAlone(t *testing.T) {
	grow := change("sysctl:vm.nr_hugepages", "", "0", "100", knob.Now)
	to := func(from, to string) plan.Change { return change("pg:huge_pages", "/data/1", from, to, knob.Restart) }
	buffers := change("pg:s_a", "/data/1", "0", "1", knob.Restart)
	strict := change("sysctl:vm.overcommit_memory", "", "0", "2", knob.Now)
	skip := selection.Options{MaxEffect: knob.Reboot, Skip: []selection.Which{{Address: grow.Address}}}
	for _, c := range []struct {
		name    string
		now     string
		changes []plan.Change
		want    string
	}{
		{"try stays", "try", []plan.Change{grow, buffers, strict}, "s_a"},
		{"off stays", "off", []plan.Change{grow, buffers, strict}, "s_a"},
		{"on stays", "on", []plan.Change{grow, buffers, strict}, ""},
		{"try becomes on", "try", []plan.Change{grow, buffers, to("try", "on"), strict}, "s_a"},
		{"off becomes try", "off", []plan.Change{grow, to("off", "try"), buffers}, "huge_pages s_a"},
		{"on becomes try", "on", []plan.Change{grow, buffers, to("on", "try")}, "s_a huge_pages"},
		{"not known", "", []plan.Change{grow, buffers}, ""},
	} {
		s := newToy().snapshot()
		if c.now != "" {
			s = huge(s, c.now)
		}
		chosen, left := selection.Select(&plan.Plan{Changes: c.changes}, s, skip)
		var got []string
		for _, d := range chosen {
			got = append(got, d.Address.Name())
		}
		if strings.Join(got, " ") != c.want || len(chosen)+len(left) != len(c.changes) {
			t.Errorf("%s: %v are left, want %s; out: %+v", c.name, got, c.want, left)
		}
	}

	// at work: the kernel gives fewer pages than asked
	for now, want := range map[string]journal.ChangeState{"try": journal.IsDone, "on": journal.IsSkipped} {
		b := newBench()
		b.d.most = 10
		s := huge(b.d.snapshot(), now)
		res, err := apply.Run(t.Context(), b.w, &plan.Plan{Changes: []plan.Change{grow, buffers, strict}}, s, all)
		if err == nil || res.Journal.State != journal.Partly {
			t.Fatalf("%s: %v, %+v", now, err, res.Journal)
		}
		if got := res.Journal.Changes; got[0].State != journal.IsFailed || got[1].State != want ||
			got[2].State != journal.IsSkipped {
			t.Errorf("huge_pages=%s: the pool %s, the setting %s, strict overcommit %s", now, got[0].State,
				got[1].State, got[2].State)
		}
	}
}

// TestFamilyByName: the address with a * names the change of every device, and no
// other knob's.
func TestFamilyByName(t *testing.T) {
	w, err := selection.ParseWhich("block:*/scheduler")
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[knob.Address]bool{"block:sda/scheduler": true, "block:mapper/vg0-x/scheduler": true,
		"block:sda/read_ahead_kb": false, "sysctl:vm.swappiness": false} {
		c := change(a, "", "0", "1", knob.Now)
		if got := selection.Named([]selection.Which{w}, &c); got != want {
			t.Errorf("%s: %t", a, got)
		}
	}
}
