package monitor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// about returns the reported lines that name a check.
func (x *world) about(id string) (out []string) {
	for _, l := range x.told() {
		if strings.Contains(l, id) {
			out = append(out, l)
		}
	}
	return out
}

// TestHeld: a finding that is gone in the next look is never reported, nor is one that comes and goes; one that lasts
// is reported in the third look with the time since when; if absent for one look it is not reported as gone, if absent
// for three it is. What is reported is what the history keeps, and a new run goes on counting.
func TestHeld(t *testing.T) {
	const id = "thp_always"
	x := newWorld(t)
	fine := func() *snapshot.Snapshot { return described(t, "ram=16GB,cpus=4,storage=ssd,pg=17,thp=never") }
	bad := func() *snapshot.Snapshot { return described(t, "ram=16GB,cpus=4,storage=ssd,pg=17,thp=always") }
	x.look(fine())
	for range 6 {
		x.look(bad())
		x.look(fine())
	}
	x.look(bad())
	x.look(bad())
	x.look(fine())
	wants(t, "flapping", x.about(id))

	x.look(bad())
	since := x.now
	x.look(bad())
	x.end()
	x.begin() // the count outlives the process
	wants(t, "not yet", x.about(id))
	x.look(bad())
	wants(t, "stands", x.about(id), "(since "+since.Format(time.RFC3339)+")")
	for range 4 {
		x.look(fine())
		x.look(bad())
	}
	wants(t, "gone for a look", x.about(id))
	x.look(fine())
	since = x.now
	x.look(fine())
	x.look(fine())
	have := x.about(id)
	wants(t, "gone", have, "resolved: "+id+" (was ")
	if len(have) == 1 && !strings.Contains(have[0], "(since "+since.Format(time.RFC3339)+")") {
		t.Errorf("since when? %s", have[0])
	}
	var kept []string
	for _, e := range x.events() {
		if strings.Contains(e, id) {
			kept = append(kept, strings.Fields(e)[0])
		}
	}
	if want := []string{"finding-appeared", "finding-vanished"}; !slices.Equal(kept, want) {
		t.Errorf("kept: %v", kept)
	}
}

// TestCriticalIsToldAtOnce: data loss does not wait for two more looks; that it
// is over does.
func TestCriticalIsToldAtOnce(t *testing.T) {
	x := newWorld(t)
	off := func() *snapshot.Snapshot {
		return set(t, described(t, small), "fsync", "off", "/srv/pg/postgresql.conf", 7)
	}
	x.look(described(t, small))
	x.told()
	x.look(off())
	wants(t, "at once", x.about(": fsync_off"), "new critical: fsync_off of /srv/pg")
	x.look(described(t, small))
	x.look(off())
	x.look(described(t, small))
	x.look(described(t, small))
	wants(t, "not over", x.about(": fsync_off"))
	x.look(described(t, small))
	wants(t, "over", x.about(": fsync_off"), "resolved: fsync_off of /srv/pg")
}

// TestStalePlanHeld: memory that is there for two looks makes no plan stale.
func TestStalePlanHeld(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, "ram=16GB,cpus=4,storage=ssd,pg=17"))
	for range 5 {
		x.look(described(t, "ram=64GB,cpus=4,storage=ssd,pg=17"))
		x.look(described(t, "ram=64GB,cpus=4,storage=ssd,pg=17"))
		x.look(described(t, "ram=16GB,cpus=4,storage=ssd,pg=17"))
	}
	wants(t, "comes and goes", x.ofPlans())
}
