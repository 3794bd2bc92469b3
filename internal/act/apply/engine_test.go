package apply_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// bench is a toy host with the world around it, and what was said.
type bench struct {
	d    *toyDisk
	w    *apply.System
	said []string
}

func newBench() *bench {
	b := &bench{d: newToy()}
	kinds := map[string]apply.Kind{}
	for _, p := range []string{"sysctl", "thp", "pg", "boot"} {
		kinds[p] = toyKind{b.d, p}
	}
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	b.w = &apply.System{Target: b.d, Kinds: kinds, Activate: b.d.activate, Hostname: "toy", Suffix: "a",
		Holder: "process 1",
		Tell:   func(s string) { b.said = append(b.said, s) },
		Now:    func() time.Time { now = now.Add(time.Second); return now }}
	return b
}

func change(a knob.Address, instance, from, to string, e knob.Effect) plan.Change {
	return plan.Change{Address: a, Instance: instance, Layer: a.Layer(), From: from, To: to, FromBase: from,
		ToBase: to, Effect: e}
}

// onto is a plan onto huge pages: the pool, the setting, strict overcommit.
func onto(pages string) *plan.Plan {
	return &plan.Plan{Changes: []plan.Change{
		change("sysctl:vm.swappiness", "", "0", "1", knob.Now),
		change("sysctl:vm.nr_hugepages", "", "0", pages, knob.Now),
		change("pg:r_a", "/data/1", "0", "1", knob.Reload),
		change("pg:huge_pages", "/data/1", "0", "on", knob.Restart),
		change("sysctl:vm.overcommit_kbytes", "", "0", "9000", knob.Now),
		change("sysctl:vm.overcommit_memory", "", "0", "2", knob.Now),
	}}
}

var all = selection.Options{MaxEffect: knob.Reboot}

func (b *bench) run(t *testing.T, p *plan.Plan, o selection.Options) (apply.Result, *say.Problem) {
	t.Helper()
	res, err := apply.Run(context.Background(), b.w, p, b.d.snapshot(), o)
	var no *say.Problem
	if err != nil && !errors.As(err, &no) {
		t.Fatal(err)
	}
	return res, no
}

func states(j *journal.Journal) map[string]string {
	m := map[string]string{}
	for _, c := range j.Changes {
		m[string(c.Address)+c.Instance] = string(c.State)
	}
	return m
}

// lines are the kinds of line of a journal with what they are of.
func (b *bench) lines(t *testing.T, id string) []string {
	t.Helper()
	var out []string
	for l := range strings.Lines(b.d.files[journalDir+"/"+id+".jsonl"].data) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(l, `{"kind":"`), `"`)
		switch {
		case strings.Contains(l, `"kind":"activ`):
			_, e, _ := strings.Cut(l, `"effect":"`)
			e, _, _ = strings.Cut(e, `"`)
			kind += " " + e
		case strings.Contains(l, `"n":`):
			_, n, _ := strings.Cut(l, `"n":`)
			kind += " " + n[:1]
		}
		out = append(out, kind)
	}
	return out
}

// TestOrder: the pool is there before the restart, strict overcommit comes after
// it, and every step was announced.
func TestOrder(t *testing.T) {
	b := newBench()
	res, no := b.run(t, onto("100"), all)
	if no != nil || res.Journal.State != journal.Whole {
		t.Fatalf("%v, %+v", no, res.Journal)
	}
	want := strings.Fields(
		"begin planned,1 planned,2 planned,3 planned,4 planned,5 planned,6 intend,1 done,1 intend,2 done,2 intend,3 " +
			"done,3 intend,4 done,4 " +
			"activate,restart active,restart intend,5 done,5 intend,6 done,6 end")
	for i := range want {
		want[i] = strings.Replace(want[i], ",", " ", 1)
	}
	if diff := cmp.Diff(want, b.lines(t, res.Journal.ID)); diff != "" {
		t.Error(diff)
	}
	if s := b.d.servers["1"]; s.running["huge_pages"] != "on" || s.running["r_a"] != "1" {
		t.Errorf("the server runs with %v", s.running)
	}
	if res.Journal.ID != "20261121-100001-a" {
		t.Errorf("id %s", res.Journal.ID)
	}
	if f := b.d.files["/data/1/postgresql.auto.conf"]; f.uid != 26 || f.mode != 0o600 {
		t.Errorf("the server's file is %+v", f)
	}
}

// TestServerThatDoesNotComeBack: a restart that fails puts everything of the instance back, and the pool that was grown
// for it, and starts it again; what depends on it is not done; the log's lines are in the error.
func TestServerThatDoesNotComeBack(t *testing.T) {
	b := newBench()
	p := onto("100")
	p.Changes[3] = change("pg:s_a", "/data/1", "0", "bad", knob.Restart)
	before := b.d.files["/data/1/postgresql.auto.conf"]
	res, no := b.run(t, p, all)
	if no == nil || no.Code != say.CodePartly || !strings.Contains(no.Detail.String(), "FATAL: s_a is bad") ||
		res.Journal.State != journal.Partly {
		t.Fatalf("%+v, %+v", no, res.Journal)
	}
	want := map[string]string{"sysctl:vm.swappiness": "done", "sysctl:vm.nr_hugepages": "failed",
		"pg:r_a/data/1": "failed", "pg:s_a/data/1": "failed",
		"sysctl:vm.overcommit_kbytes": "skipped", "sysctl:vm.overcommit_memory": "skipped"}
	if diff := cmp.Diff(want, states(res.Journal)); diff != "" {
		t.Error(diff)
	}
	if s := b.d.servers["1"]; !s.up || s.running["s_a"] != "0" || b.d.files["/data/1/postgresql.auto.conf"] != before ||
		b.d.live[poolPath] != "0" || b.d.live["/proc/sys/vm.swappiness"] != "1" {
		t.Errorf("the server %+v, its file %+v, the pool %s", s, b.d.files["/data/1/postgresql.auto.conf"],
			b.d.live[poolPath])
	}
}

// TestPoolStaysForTheOther: the pool is not taken from another instance that
// came up on it.
func TestPoolStaysForTheOther(t *testing.T) {
	b := newBench()
	p := &plan.Plan{Changes: []plan.Change{
		change("sysctl:vm.nr_hugepages", "", "0", "200", knob.Now),
		change("pg:huge_pages", "/data/1", "0", "on", knob.Restart),
		change("pg:huge_pages", "/data/2", "0", "on", knob.Restart),
		change("pg:s_a", "/data/2", "0", "bad", knob.Restart),
	}}
	res, no := b.run(t, p, all)
	want := map[string]string{"sysctl:vm.nr_hugepages": "done", "pg:huge_pages/data/1": "done",
		"pg:huge_pages/data/2": "failed", "pg:s_a/data/2": "failed"}
	if diff := cmp.Diff(want, states(res.Journal)); diff != "" || no == nil {
		t.Error(no, diff)
	}
	if b.d.live[poolPath] != "200" || b.d.servers["1"].running["huge_pages"] != "on" || !b.d.servers["2"].up {
		t.Errorf("pool %s, servers %+v %+v", b.d.live[poolPath], b.d.servers["1"], b.d.servers["2"])
	}
}

// TestFewerPages: a pool that the kernel gives only in part goes back, the
// reason says how many it gave, and no server is restarted for it.
func TestFewerPages(t *testing.T) {
	b := newBench()
	b.d.most = 80
	res, no := b.run(t, onto("100"), all)
	if no == nil || !strings.Contains(no.Detail.String(), "set to 100 and reads back as 80") {
		t.Fatalf("%+v", no)
	}
	want := map[string]string{"sysctl:vm.swappiness": "done", "sysctl:vm.nr_hugepages": "failed",
		"pg:r_a/data/1": "done", "pg:huge_pages/data/1": "skipped",
		"sysctl:vm.overcommit_kbytes": "skipped", "sysctl:vm.overcommit_memory": "skipped"}
	if diff := cmp.Diff(want, states(res.Journal)); diff != "" {
		t.Error(diff)
	}
	if _, ok := get(b.d.files[SysctlFile].data, "vm.nr_hugepages"); ok || b.d.live[poolPath] != "0" {
		t.Errorf("the pool is %s, the file %q", b.d.live[poolPath], b.d.files[SysctlFile].data)
	}
}

// TestAValueThatDoesNotTakeEffect: a reload after which the server still has the
// old value is a failure, and the file goes back.
func TestAValueThatDoesNotTakeEffect(t *testing.T) {
	b := newBench()
	before := b.d.files["/data/1/postgresql.auto.conf"]
	_, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("pg:r_a", "/data/1", "0", "bad", knob.Reload)}}, all)
	if no == nil || !strings.Contains(no.Detail.String(), "the server has 0 and not bad") ||
		b.d.files["/data/1/postgresql.auto.conf"] != before {
		t.Errorf("%+v, %+v", no, b.d.files["/data/1/postgresql.auto.conf"])
	}
}

// TestRefusals: nothing is written where it may not be done, and the exit code
// and the words say why.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		setAndReadBack func(b *bench, p *plan.Plan, o *selection.Options)
		code           int
		say            string
	}{
		"a fact moved": {func(b *bench, _ *plan.Plan, _ *selection.Options) {
			b.d.live["/proc/sys/vm.swappiness"] = "33"
		}, say.CodeStale, "sysctl:vm.swappiness is 33 now; the plan found 0"},
		"risk": {func(_ *bench, p *plan.Plan, _ *selection.Options) { p.Changes[5].Risk = knob.High }, say.CodeRefused,
			"high-risk changes are not accepted: sysctl:vm.overcommit_memory"},
		"another is at work": {func(b *bench, _ *plan.Plan, _ *selection.Options) { b.d.held = true }, say.CodeRefused,
			"locked by process 42"},
		"settings that the binary does not take": {func(b *bench, _ *plan.Plan, _ *selection.Options) {
			b.w.Verify = func(_ context.Context, key string, cs []plan.Change) error {
				if key != "1" || len(cs) != 2 {
					return errors.New("wrong question")
				}
				return &say.Problem{Message: say.M("huge_pages: the installed binary refuses it"), Code: say.CodeError}
			}
		}, say.CodeError, "the installed binary refuses it"},
		"a folder that may not be written": {func(b *bench, _ *plan.Plan, _ *selection.Options) {
			b.w.Target = barred{b.d}
		}, say.CodeNoAccess, "/etc/sysctl.d/60-toy.conf may not be written"},
	} {
		b, p, o := newBench(), onto("100"), all
		c.setAndReadBack(b, p, &o)
		before := b.d.picture(true)
		res, no := b.run(t, p, o)
		if no == nil || no.Code != c.code || !strings.Contains(no.Error(), c.say) || res.Journal != nil ||
			b.d.picture(true) != before || b.d.writes != 0 {
			t.Errorf("%s: %+v, %d writes", name, no, b.d.writes)
		}
	}
	b, p := newBench(), onto("100")
	p.Changes[5].Risk = knob.High
	if _, no := b.run(t, p, selection.Options{MaxEffect: knob.Reboot,
		AcceptRisk: []selection.Which{{Address: "sysctl:vm.overcommit_memory"}}}); no != nil {
		t.Errorf("an accepted risk: %v", no)
	}
}

// barred denies all writes to /etc.
type barred struct{ *toyDisk }

func (barred) Writable(name string) error {
	return &fs.PathError{Op: "write", Path: name, Err: fs.ErrPermission}
}

// TestInterrupted: after Ctrl-C the step under way is finished, another apply is
// refused, and resume does the rest.
func TestInterrupted(t *testing.T) {
	b := newBench()
	ctx, cancel := context.WithCancel(context.Background())
	b.w.Tell = func(s string) {
		if strings.HasPrefix(s, "pg:r_a") {
			cancel()
		}
	}
	res, err := apply.Run(ctx, b.w, onto("100"), b.d.snapshot(), all)
	if !errors.Is(err, context.Canceled) || res.Journal.State != journal.Interrupted {
		t.Fatalf("%v, %+v", err, res.Journal)
	}
	if diff := cmp.Diff([]string{"intend 3", "done 3"}, b.lines(t, res.Journal.ID)[11:]); diff != "" {
		t.Error(diff)
	}
	b.w.Suffix = "b"
	if _, no := b.run(t, onto("100"), all); no == nil || no.Code != say.CodeRefused ||
		!strings.Contains(no.Hint.String(), "undo "+res.Journal.ID) {
		t.Errorf("%+v", no)
	}
	res, err = apply.Resume(context.Background(), b.w, b.d.snapshot(), "", selection.Options{})
	if err != nil || res.Journal.State != journal.Whole || b.d.servers["1"].running["huge_pages"] != "on" ||
		b.d.live["/proc/sys/vm.overcommit_memory"] != "2" {
		t.Errorf("%v, %+v", err, res.Journal)
	}
	if _, err := apply.Resume(context.Background(), b.w, b.d.snapshot(), "", selection.Options{}); err == nil {
		t.Error("there was something to resume still")
	}
}

// TestUndoKeepsWhatOthersDid: a value that was changed since stays and is reported; a line beside ours in the same file
// stays, and ours goes.
func TestUndoKeepsWhatOthersDid(t *testing.T) {
	b := newBench()
	res, no := b.run(t, onto("100"), all)
	if no != nil {
		t.Fatal(no)
	}
	b.d.live["/proc/sys/vm.swappiness"] = "33"
	f := b.d.files["/data/1/postgresql.auto.conf"]
	f.data = "# mine\nwork_mem = 9\n" + f.data
	b.d.files["/data/1/postgresql.auto.conf"] = f
	res, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), res.Journal.ID,
		apply.UndoOptions{MaxEffect: knob.Restart})
	if err != nil || res.Journal.State != journal.TakenBack {
		t.Fatalf("%v, %+v", err, res.Journal)
	}
	c := res.Journal.Changes[0]
	if c.State != journal.IsKept || !strings.Contains(c.Reason, "now 33, not 1 as applied") ||
		b.d.live["/proc/sys/vm.swappiness"] != "33" {
		t.Errorf("%+v", c)
	}
	if got := b.d.files["/data/1/postgresql.auto.conf"].data; got != "# mine\nwork_mem = 9\n# written by hand\n" {
		t.Errorf("the file is %q", got)
	}
	if _, ok := b.d.files[SysctlFile]; ok {
		t.Error("our file is still there")
	}
	if b.d.servers["1"].running["huge_pages"] != "0" || b.d.live[poolPath] != "0" {
		t.Error("the server or the pool is not as before")
	}
}

// TestUndoWithoutRestart: files go back, what needs a restart is owed and reported, and a later undo makes it.
func TestUndoWithoutRestart(t *testing.T) {
	b := newBench()
	if _, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("pg:s_a", "/data/1", "0", "1", knob.Restart)}},
		all); no != nil {
		t.Fatal(no)
	}
	res, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), "", apply.UndoOptions{MaxEffect: knob.Reload})
	if err != nil || b.d.servers["1"].running["s_a"] != "1" || len(res.Journal.Pending) != 1 ||
		!strings.Contains(strings.Join(b.said, "\n"), "/data/1 needs a restart") {
		t.Fatalf("%v, %+v, %q", err, res.Journal, b.said)
	}
	res, err = apply.Undo(context.Background(), b.w, b.d.snapshot(), res.Journal.ID,
		apply.UndoOptions{MaxEffect: knob.Restart})
	if err != nil || b.d.servers["1"].running["s_a"] != "0" || len(res.Journal.Pending) != 0 {
		t.Errorf("%v, %+v", err, res.Journal)
	}
}

// TestUndoOfWhatIsCovered: an apply whose knob a later one has changed again is
// not undone before that one.
func TestUndoOfWhatIsCovered(t *testing.T) {
	b := newBench()
	first, _ := b.run(t, &plan.Plan{Changes: []plan.Change{change("thp:enabled", "", "0", "never", knob.Now),
		change("sysctl:vm.swappiness", "", "0", "1", knob.Now)}}, all)
	b.w.Suffix = "b"
	second, _ := b.run(t, &plan.Plan{Changes: []plan.Change{change("sysctl:vm.swappiness", "", "1", "10", knob.Now)}},
		all)
	undo := func(id string) error {
		_, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), id, apply.UndoOptions{})
		return err
	}
	var no *say.Problem
	if err := undo(first.Journal.ID); !errors.As(err, &no) || no.Code != say.CodeRefused ||
		!strings.Contains(no.Hint.String(), second.Journal.ID) {
		t.Fatalf("%v", err)
	}
	if err := errors.Join(undo(second.Journal.ID), undo(first.Journal.ID)); err != nil ||
		b.d.picture(true) != newToy().picture(true) {
		t.Errorf("%v\n%s", err, b.d.picture(true))
	}
}

// TestUndoElsewhere: a journal that was copied to another host is not undone there.
func TestUndoElsewhere(t *testing.T) {
	b := newBench()
	res, _ := b.run(t, onto("100"), all)
	b.w.Hostname = "other"
	_, err := apply.Undo(context.Background(), b.w, b.d.snapshot(), res.Journal.ID, apply.UndoOptions{})
	var no *say.Problem
	if !errors.As(err, &no) || no.Code != say.CodeRefused {
		t.Errorf("%v", err)
	}
}

// TestStatus: which values hold, which were changed, which their file lost, and
// which still wait.
func TestStatus(t *testing.T) {
	b := newBench()
	p := onto("100")
	p.Changes = append(p.Changes, change("boot:quiet", "", "0", "1", knob.Reboot))
	if _, no := b.run(t, p, all); no != nil {
		t.Fatal(no)
	}
	b.d.live["/proc/sys/vm.swappiness"] = "33"
	f := b.d.files[SysctlFile]
	f.data = put(f.data, "vm.overcommit_kbytes", nil)
	b.d.files[SysctlFile] = f
	look := func() map[string]journal.Drift {
		list, err := apply.Status(context.Background(), b.w, b.d.snapshot(), "")
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]journal.Drift{}
		for _, d := range list {
			m[string(d.Address)] = d
		}
		return m
	}
	got := look()
	for a, want := range map[string]journal.Hold{"sysctl:vm.swappiness": journal.Changed,
		"sysctl:vm.nr_hugepages": journal.Holds, "pg:r_a": journal.Holds, "pg:huge_pages": journal.Holds,
		"sysctl:vm.overcommit_kbytes": journal.Lost, "sysctl:vm.overcommit_memory": journal.Holds,
		"boot:quiet": journal.Waits} {
		if got[a].Hold != want {
			t.Errorf("%s: %+v, want %s", a, got[a], want)
		}
	}
	if got["sysctl:vm.swappiness"].Found != "33" {
		t.Errorf("%+v", got["sysctl:vm.swappiness"])
	}
	b.d.boot()
	if d := look()["boot:quiet"]; d.Hold != journal.Holds {
		t.Errorf("after the boot: %+v", d)
	}
	// a later apply of the same knob is the one that counts
	b.w.Suffix = "b"
	if _, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("sysctl:vm.swappiness",
		"", b.d.live["/proc/sys/vm.swappiness"], "10", knob.Now)}}, all); no != nil {
		t.Fatal(no)
	}
	if d := look()["sysctl:vm.swappiness"]; d.Hold != journal.Holds || d.Applied != "10" {
		t.Errorf("%+v", d)
	}
}

// TestFilesAlone: without a server to activate, as under --root, files are
// written and the journal says what is owed.
func TestFilesAlone(t *testing.T) {
	b := newBench()
	b.w.Activate, b.w.Root = nil, "/srv/image"
	res, no := b.run(t, onto("100"), all)
	if no != nil || len(res.Journal.Pending) != 1 || b.d.servers["1"].running["huge_pages"] != "0" {
		t.Errorf("%v, %+v", no, res.Journal)
	}
}
