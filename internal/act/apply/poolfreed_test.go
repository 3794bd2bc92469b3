package apply_test

import (
	"context"
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TestPoolIsFreedBeforeTheStart: an undo takes a pool back before the server starts
// with its former settings, as there may be no room for both; and strict overcommit
// that was there before comes back only when the server has started.
func TestPoolIsFreedBeforeTheStart(t *testing.T) {
	b := newBench()
	b.d.live["/proc/sys/vm.overcommit_memory"] = "2"
	p := onto("100")
	p.Changes = slices.Insert(p.Changes[:5], 0, change("sysctl:vm.overcommit_memory", "", "2", "0", knob.Now))
	if _, no := b.run(t, p, all); no != nil {
		t.Fatal(no)
	}
	b.d.tight = true
	var atStart []string
	activate := b.w.Activate
	b.w.Activate = func(ctx context.Context, key string, e knob.Effect) error {
		atStart = append(atStart, e.String(), b.d.live[poolPath], b.d.live["/proc/sys/vm.overcommit_memory"])
		return activate(ctx, key, e)
	}
	if _, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "",
		apply.UndoOptions{MaxEffect: knob.Restart}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"restart", "0", "0"}; !slices.Equal(atStart, want) {
		t.Errorf("started with pool and overcommit mode %q and not %q", atStart, want)
	}
	if b.d.live["/proc/sys/vm.overcommit_memory"] != "2" || !b.d.servers["1"].up {
		t.Error("strict overcommit or the server is not back")
	}
}
