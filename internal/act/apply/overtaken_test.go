package apply_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestEditInTheMiddle: a file is saved by others at any moment of an apply or its undo, even between our last read and
// our write. Their line is never lost. What was not done because of it is reported, our value is then no longer in the
// file, and an undo removes the rest around their line.
func TestEditInTheMiddle(t *testing.T) {
	p := &plan.Plan{Changes: []plan.Change{
		change("sysctl:vm.swappiness", "", "0", "1", knob.Now), change("boot:quiet", "", "0", "1", knob.Reboot),
		change("pg:r_a", "/data/1", "0", "1", knob.Reload),
	}}
	refused := 0
	for _, file := range []string{SysctlFile, grubFile, "/data/1/postgresql.auto.conf"} {
		for _, undoing := range []bool{false, true} {
			for n, reached := 1, true; reached; n++ {
				what := fmt.Sprintf("%s, undoing %v, point %d", file, undoing, n)
				b := newBench()
				save := func(at int) {
					if at == n {
						f, one := b.d.files[file], "1"
						f.data, f.mode = put(f.data, "zz", &one), 0o644
						b.d.files[file] = f
					}
				}
				if !undoing {
					b.d.somebody = save
				}
				res, _ := b.run(t, p, all)
				state := map[string]journal.ChangeState{}
				if res.Journal != nil {
					for _, c := range res.Journal.Changes {
						state[string(c.Address)] = c.State
					}
				}
				b.d.somebody = nil
				if !undoing {
					for _, c := range p.Changes {
						in := false
						for name, f := range b.d.files {
							if v, ok := get(f.data, c.Address.Name()); ok && v == "1" &&
								!strings.HasPrefix(name, journalDir) {
								in = true
							}
						}
						if done := state[string(c.Address)] == journal.IsDone; done != in {
							t.Errorf("%s: %s is %s, and in its file: %v", what, c.Address, state[string(c.Address)], in)
						}
						if state[string(c.Address)] == journal.IsFailed {
							refused++
						}
					}
				}
				points := b.d.points
				if undoing {
					b.d.points, b.d.somebody = 0, save
				}
				for range 2 { // what could not be undone because of that edit is retried
					if res.Journal == nil || res.Journal.State == journal.TakenBack {
						break
					}
					_, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), res.Journal.ID,
						apply.UndoOptions{MaxEffect: knob.Reboot})
					if err == nil {
						break
					}
				}
				b.d.somebody = nil
				if undoing {
					points = b.d.points
				}
				reached = points >= n
				if !reached {
					break
				}
				if v, ok := get(b.d.files[file].data, "zz"); !ok || v != "1" {
					t.Errorf("%s: what somebody wrote is gone:\n%s", what, b.d.files[file].data)
				}
				for _, c := range p.Changes {
					for name, f := range b.d.files {
						if v, ok := get(f.data, c.Address.Name()); ok && v == "1" &&
							!strings.HasPrefix(name, journalDir) {
							t.Errorf("%s: %s is left in %s", what, c.Address, name)
						}
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no moment at which a change was refused")
	}
}
