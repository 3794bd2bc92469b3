package linux

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// mortal is a lab whose journal stands still too once it is dead.
type mortal struct{ *lab }

func (m mortal) Append(name string, data []byte) error {
	if m.dead {
		return errCrash
	}
	return m.Local.Append(name, data)
}

func (m mortal) Write(name string, data []byte, perm fs.FileMode) error {
	if m.dead {
		return errCrash
	}
	return m.Local.Write(name, data, perm)
}

// TestWhatFollowsFromAFile: the machine dies between the file of a boot parameter and update-grub, once on the way
// there and once on the way back, and a line may be added to the file before it continues. The command is run then: the
// next boot has our word after a resume, and has it not after an undo.
func TestWhatFollowsFromAFile(t *testing.T) {
	const word = "transparent_hugepage=never"
	foreign := grubForm.write("psi", "1") + "\n"
	for _, undoing := range []bool{false, true} {
		for _, back := range []bool{false, true} {
			for _, edit := range []bool{false, true} {
				for n, reached := 0, true; reached; n++ {
					reached = false
					for _, late := range []bool{false, true} {
						what := fmt.Sprintf("undoing %v, then back %v, edit %v, operation %d late %v", undoing, back,
							edit, n, late)
						l := newLab(t, debian)
						m := mortal{l}
						w := &apply.System{Target: m, Kinds: Host{Files: m, Kernel: m}.Kinds(), Dir: "/journal",
							Suffix: "a", Now: time.Now}
						ctx, s := context.Background(), &snapshot.Snapshot{}
						p := &plan.Plan{Changes: []plan.Change{{Address: "boot:transparent_hugepage", Layer: knob.Boot,
							From: "", To: "never", Effect: knob.Reboot}}}
						if undoing {
							res, err := apply.Run(ctx, w, p, s, selection.Options{MaxEffect: knob.Reboot})
							if err != nil {
								t.Fatal(err)
							}
							if n := res.Journal.Changes[0].Notes; len(n) != 1 ||
								!strings.Contains(n[0], "from the next boot") {
								t.Fatalf("notes of the change: %q", n)
							}
							l.revive() // to count from here
						}
						l.die, l.late = n, late
						var err error
						if undoing {
							_, err = apply.Undo(ctx, w, s, "", apply.UndoOptions{MaxEffect: knob.Reboot})
						} else {
							_, err = apply.Run(ctx, w, p, s, selection.Options{MaxEffect: knob.Reboot})
						}
						if err == nil {
							continue
						}
						reached = true
						l.revive()
						if list, _ := journalfile.List(l, "/journal"); len(list) == 0 {
							continue // it died before it began
						}
						if _, err := l.Stat(grubFile); edit && err == nil {
							l.lay(grubFile, l.text(grubFile)+foreign)
						} else if edit {
							l.lay(grubFile, foreign)
						}
						var res apply.Result
						if back {
							res, err = apply.Undo(ctx, w, s, "", apply.UndoOptions{MaxEffect: knob.Reboot})
						} else {
							res, err = apply.Resume(ctx, w, s, "", selection.Options{})
						}
						if err != nil && !(edit && !back) {
							t.Errorf("%s: %v", what, err)
							continue
						}
						cfg := l.text("/boot/grub/grub.cfg")
						if want := res.Journal.Changes[0].State == journal.IsDone; strings.Contains(cfg, word) != want {
							t.Errorf("%s: it is %s, and grub.cfg is\n%s", what, res.Journal.Changes[0].State, cfg)
						}
						if edit && !strings.Contains(l.text(grubFile), foreign) {
							t.Errorf("%s: the line of somebody is gone:\n%s", what, l.text(grubFile))
						}
					}
				}
			}
		}
	}
}
