package apply_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/linux"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// TestHalfway: what lies between the two sizes of a pool may be what a crash
// left; of any other parameter nothing may.
func TestHalfway(t *testing.T) {
	p := linux.Host{}.Kinds()["sysctl"].(apply.Partial)
	live := func(v string) journal.State { return journal.State{Live: &v} }
	for _, c := range []struct {
		address          knob.Address
		was, found, will string
		want             bool
	}{
		{"sysctl:vm.nr_hugepages", "0", "60", "100", true}, {"sysctl:vm.nr_hugepages", "100", "60", "0", true},
		{"sysctl:vm.nr_hugepages", "9", "60", "100", true}, {"sysctl:vm.nr_hugepages", "0", "101", "100", false},
		{"sysctl:vm.nr_hugepages", "70", "60", "100", false}, {"sysctl:vm.nr_hugepages", "0", "odd", "100", false},
		{"sysctl:vm.swappiness", "60", "30", "1", false},
	} {
		if got := p.Halfway(live(c.found), live(c.was), live(c.will), apply.Knob{Address: c.address}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if p.Halfway(journal.State{}, live("0"), live("1"), apply.Knob{Address: "sysctl:vm.nr_hugepages"}) {
		t.Error("no live value")
	}
}
