package apply_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

var (
	ofOne  = change("pg:r_a", "/data/1", "0", "1", knob.Reload)
	ofTwo  = change("pg:r_a", "/data/2", "0", "1", knob.Reload)
	ofHost = change("sysctl:vm.swappiness", "", "0", "10", knob.Now)
)

func changes(list ...plan.Change) *plan.Plan { return &plan.Plan{Changes: list} }

// TestLocks: an apply takes the lock of each instance that it changes, and the
// host's where it changes the kernel, always in the same order; its undo takes the
// same, and both give all of them back.
func TestLocks(t *testing.T) {
	const host = "/var/lib/pgfettle/lock"
	taken := func(p *plan.Plan) []string {
		t.Helper()
		b := newBench()
		if _, no := b.run(t, p, all); no != nil {
			t.Fatal(no)
		}
		names := slices.Clone(b.d.taken)
		b.d.taken = nil
		if _, err := apply.Undo(context.Background(), b.w, b.d.snapshot(),
			"", apply.UndoOptions{MaxEffect: knob.Restart}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(names, b.d.taken) || len(b.d.locked) > 0 || !slices.IsSorted(names) {
			t.Errorf("apply takes %v, undo %v, and %v are left", names, b.d.taken, b.d.locked)
		}
		return names
	}
	one, two, kernel := taken(changes(ofOne)), taken(changes(ofTwo)), taken(changes(ofHost))
	if len(one) != 1 || len(two) != 1 || one[0] == two[0] || !slices.Equal(kernel, []string{host}) || one[0] == host {
		t.Errorf("one instance %v, the other %v, the kernel %v", one, two, kernel)
	}
	every := slices.Sorted(slices.Values(slices.Concat(one, two, kernel)))
	if got := taken(changes(ofHost, ofTwo, ofOne)); !slices.Equal(got, every) {
		t.Errorf("all three: %v", got)
	}
}

// TestUnfinishedOfAnother: an apply that died is in the way of what changes its
// instance, or the kernel where it does; not of what changes neither. Where its
// instance is gone the way out is named, and takes the kernel's part back.
func TestUnfinishedOfAnother(t *testing.T) {
	died := func(list ...plan.Change) *bench {
		t.Helper()
		b := newBench()
		b.w.Activate = func(context.Context, string, knob.Effect) error { panic(death{}) }
		if !dies(func() { _, _ = apply.Run(context.Background(), b.w, changes(list...), b.d.snapshot(), all) }) {
			t.Fatal("it did not die")
		}
		b.w.Activate, b.d.locked = b.d.activate, map[string]bool{}
		return b
	}
	for name, c := range map[string]struct {
		openParts, next []plan.Change
		free            bool
	}{
		"another instance":                 {[]plan.Change{ofOne}, []plan.Change{ofTwo}, true},
		"the kernel, beside an instance":   {[]plan.Change{ofOne}, []plan.Change{ofHost}, true},
		"an instance, beside the kernel's": {[]plan.Change{ofHost, ofOne}, []plan.Change{ofTwo}, true},
		"the same instance": {[]plan.Change{ofOne},
			[]plan.Change{change("pg:r_b", "/data/1", "0", "1", knob.Reload)}, false},
		"the kernel twice": {[]plan.Change{ofHost, ofOne},
			[]plan.Change{change("thp:enabled", "", "0", "never", knob.Now)}, false},
		"an instance that is one of several": {[]plan.Change{ofHost, ofOne, ofTwo},
			[]plan.Change{change("pg:r_b", "/data/2", "0", "1", knob.Reload)}, false},
		"the kernel, and one that is in the way": {[]plan.Change{ofOne},
			[]plan.Change{ofHost, change("pg:r_b", "/data/1", "0", "1", knob.Reload)}, false},
	} {
		_, no := died(c.openParts...).run(t, changes(c.next...), all)
		if (no == nil) != c.free || no != nil && (no.Code != say.CodeRefused ||
			!strings.Contains(no.Message.String(), "was interrupted and is not finished") ||
			strings.Contains(no.Hint.String(), "--forget-instance")) {
			t.Errorf("%s: %+v", name, no)
		}
	}

	b := died(ofHost, ofOne)
	s := b.d.snapshot()
	s.Instances = s.Instances[1:]
	delete(b.d.dirs, "/data/1")
	_, no := b.run(t, changes(change("thp:enabled", "", "0", "never", knob.Now)), all)
	if no == nil || !strings.Contains(no.Hint.String(), "'pgfettle undo --forget-instance /data/1 20261121-100001-a'") {
		t.Fatalf("%+v", no)
	}
	// An undo without that information undoes what it can, and does not say that all is well.
	res, err := apply.Undo(context.Background(), b.w, s, "", apply.UndoOptions{MaxEffect: knob.Restart})
	if p, ok := errors.AsType[*say.Problem](err); !ok || p.Code != say.CodePartly ||
		!strings.Contains(p.Hint.String(), "--forget-instance /data/1") || res.Journal.State != journal.Partly {
		t.Fatalf("%v, %+v", err, res.Journal)
	}
	if b.d.live["/proc/sys/vm.swappiness"] != "0" {
		t.Error("the kernel's part was not taken back")
	}
	res, err = apply.Undo(context.Background(), b.w, s, "", apply.UndoOptions{Forget: "/data/1"})
	if err != nil || res.Journal.State != journal.Abandoned || states(res.Journal)["pg:r_a/data/1"] != "abandoned" ||
		!res.Journal.Undone() {
		t.Fatalf("%v, %+v", err, res.Journal)
	}
	if v, _ := get(b.d.files["/data/1/postgresql.auto.conf"].data, "r_a"); v != "1" {
		t.Errorf("the file of what is gone was touched: %q", v)
	}
	if _, no := b.run(t, changes(change("thp:enabled", "", "0", "never", knob.Now)), all); no != nil {
		t.Error(no)
	}
	if _, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "",
		apply.UndoOptions{Forget: "/data/2"}); err == nil {
		t.Error("an instance that is here was forgotten")
	}
}

// TestReadBack: what an undo finds at its end with no known origin is named and ends with 6; a boot that is still
// needed is owed and no fault; an undo again of what is undone writes nothing and does not say that nothing is left if
// the value was set since.
func TestReadBack(t *testing.T) {
	undo := func(b *bench, id string) (apply.Result, *say.Problem) {
		t.Helper()
		res, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), id, apply.UndoOptions{MaxEffect: knob.Reboot})
		var no *say.Problem
		if err != nil && !errors.As(err, &no) {
			t.Fatal(err)
		}
		return res, no
	}
	b := newBench()
	res, no := b.run(t, changes(ofHost), all)
	if no != nil {
		t.Fatal(no)
	}
	id, name := res.Journal.ID, journalDir+"/"+res.Journal.ID+".jsonl"
	f := b.d.files[name]
	at := strings.Index(f.data, `{"kind":"intend"`)
	f.data = f.data[:at]
	b.d.files[name] = f
	if res, no = undo(b, ""); no == nil || no.Code != say.CodePartly ||
		!strings.Contains(no.Detail.String(), "vm.swappiness: "+SysctlFile+" has 10, the value of this apply") ||
		res.Journal.State != journal.Partly {
		t.Errorf("lines that are missing at the end: %+v, %+v", no, res.Journal)
	}
	delete(b.d.files, SysctlFile)
	b.d.live["/proc/sys/vm.swappiness"] = "7"
	if _, no = undo(b, id); no == nil || !strings.Contains(no.Detail.String(),
		"it is 7; it was 0 when it was planned") {
		t.Errorf("a value between: %+v", no)
	}
	b.d.live["/proc/sys/vm.swappiness"] = "0"
	if res, no = undo(b, id); no != nil || res.Journal.State != journal.TakenBack {
		t.Errorf("put right by hand: %+v, %+v", no, res.Journal)
	}
	b.d.live["/proc/sys/vm.swappiness"] = "10"
	writes := b.d.writes
	if res, no = undo(b, id); no != nil || b.d.writes != writes ||
		!strings.Contains(res.Journal.Changes[0].Left, "it is 10") {
		t.Errorf("set since: %+v, %+v", no, res.Journal)
	}

	b = newBench()
	if _, no := b.run(t, changes(change("boot:quiet", "", "0", "1", knob.Reboot)), all); no != nil {
		t.Fatal(no)
	}
	b.d.boot()
	if res, no = undo(b, ""); no != nil || res.Journal.State != journal.TakenBack || len(res.Journal.Pending) != 1 ||
		res.Journal.Pending[0].Effect != knob.Reboot || res.Journal.Changes[0].Left != "" {
		t.Errorf("in force until the next boot: %+v, %+v", no, res.Journal)
	}
}
