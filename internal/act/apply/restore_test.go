package apply_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"pgregory.net/rapid"
)

// TestUndoRestores: whatever deaths an apply and its undo went through, undo∘apply leaves every file with its owner and
// mode, every live value and every server as before, though several applies was on one another.
func TestUndoRestores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{t: t, d: newToy(), runs: map[string]*run{}, theirs: map[string]bool{}, seen: map[string]int{},
			still: true}
		origin := m.d.picture(true)
		for range rapid.IntRange(1, 3).Draw(t, "applies") {
			m.apply()
			for range rapid.IntRange(0, 2).Draw(t, "resumes") {
				m.resume()
			}
			if m.pick(func(j *journal.Journal) bool { return j.State == journal.Interrupted }) != "" {
				break // the next one would be refused
			}
		}
		for range 3 * rapid.IntRange(1, 2).Draw(t, "undos that may die") {
			ids := m.readable()
			last := ""
			for id, j := range ids {
				if id > last && j.State != journal.TakenBack {
					last = id
				}
			}
			if last == "" {
				break
			}
			if _, died := m.guard("undo", m.runs[last], func(ctx context.Context) error {
				_, err := apply.Undo(ctx, m.world(), m.d.snapshot(), "", apply.UndoOptions{MaxEffect: knob.Restart})
				return err
			}); died && m.readable()[last].State == journal.TakenBack {
				t.Logf("it died after the last line")
			}
		}
		for range len(m.readable()) { // and these do not
			if m.pick(func(j *journal.Journal) bool { return j.State != journal.TakenBack }) == "" {
				break
			}
			if _, err := apply.Undo(context.Background(), m.world(), m.d.snapshot(),
				"", apply.UndoOptions{MaxEffect: knob.Restart}); err != nil {
				t.Fatalf("undo: %v", err)
			}
		}
		if got := m.d.picture(true); got != origin {
			t.Fatalf("all is\n%s\nand was\n%s", got, origin)
		}
		for n := range m.d.files {
			if strings.Contains(n, "/.") && !strings.HasPrefix(n, "/var/") {
				t.Fatalf("%s is left of a step that was cut short", n)
			}
		}
	})
}
