package apply_test

import (
	"context"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestTwoWithinASecond: the later of two applies sorts behind the earlier, whatever
// its suffix and though the clock was set back by a year in between; so the later is
// the one that undo takes back first.
func TestTwoWithinASecond(t *testing.T) {
	b := newBench()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	b.w.Now = func() time.Time { return now }
	last := ""
	for i, c := range []struct{ suffix, from, to string }{{"z", "0", "1"}, {"a", "1", "2"}, {"m", "2", "3"}} {
		if i == 2 {
			now = now.AddDate(-1, 0, 0)
		}
		b.w.Suffix = c.suffix
		res, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("sysctl:vm.swappiness", "", c.from, c.to,
			knob.Now)}}, all)
		if no != nil || res.Journal.ID <= last {
			t.Fatalf("%v; %s comes behind %s", no, res.Journal.ID, last)
		}
		last = res.Journal.ID
	}
	for _, want := range []string{"2", "1", "0"} {
		if _, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "", apply.UndoOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := b.d.live["/proc/sys/vm.swappiness"]; got != want {
			t.Errorf("undone to %s, wanted %s", got, want)
		}
	}
}
