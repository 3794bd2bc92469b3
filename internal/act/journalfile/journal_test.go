package journalfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/test/journals"
)

func ptr(s string) *string { return &s }

func state(live, text string) *journal.State {
	return &journal.State{Live: ptr(live), File: &journal.File{Path: "/etc/x", Text: ptr(text), Mode: 0o644}}
}

const id = "20261121-100000-a"

var run = journal.Run{ID: id, Tool: "pgfettle test", Hostname: "h"}

func planned() []journal.Line {
	return []journal.Line{
		{Kind: journal.Planned, N: 1, Address: "sysctl:vm.swappiness", From: "60", To: "1"},
		{Kind: journal.Planned, N: 2, Address: "pg:shared_buffers", Instance: "/data", Effect: knob.Restart,
			From: "128MB", To: "16GB"},
	}
}

func begun(t *testing.T) (*target.Local, *journalfile.Log) {
	t.Helper()
	l := &target.Local{Root: t.TempDir()}
	g, err := journalfile.Create(l, "/j/journal", run, 1_763_719_200, planned())
	if err != nil {
		t.Fatal(err)
	}
	return l, g
}

func add(t *testing.T, g *journalfile.Log, lines ...journal.Line) {
	t.Helper()
	for _, l := range lines {
		if err := g.Append(l); err != nil {
			t.Fatalf("%+v: %v", l, err)
		}
	}
}

// TestStory: the JSON of a journal after each chapter of its story, as it is
// kept while writing and as it is read from the disk.
func TestStory(t *testing.T) {
	l, g := begun(t)
	s := func(kind journal.Kind, n int) journal.Line { return journal.Line{Kind: kind, N: n, At: 1} }
	for _, c := range []struct {
		lines []journal.Line
		state journal.Outcome
		each  string
		owed  string
	}{
		{nil, journal.Interrupted, "planned planned", ""},
		{[]journal.Line{{Kind: journal.Intend, N: 1, Before: state("60", "a"), After: state("1", "b")}},
			journal.Interrupted, "intended planned", ""},
		{[]journal.Line{s(journal.Done, 1), {Kind: journal.Intend, N: 2, Before: state("16384", "c"),
			After: state("2097152", "d")}, s(journal.Done, 2)},
			journal.Interrupted, "done done", "/data restart"},
		{[]journal.Line{{Kind: journal.Activate, Instance: "/data", Effect: knob.Restart}}, journal.Interrupted,
			"done done", "/data restart"},
		{[]journal.Line{{Kind: journal.Active, Instance: "/data", Effect: knob.Restart}, {Kind: journal.End}},
			journal.Whole, "done done", ""},
		{[]journal.Line{{Kind: journal.Undo}, {Kind: journal.Undoing, N: 2, Before: state("2097152", "d"),
			After: state("16384", "c")}}, journal.Interrupted, "done undoing", ""},
		{[]journal.Line{s(journal.Undone, 2)}, journal.Interrupted, "done undone", "/data restart"},
		{[]journal.Line{{Kind: journal.Activate, Instance: "/data", Effect: knob.Restart},
			{Kind: journal.Active, Instance: "/data", Effect: knob.Restart}},
			journal.Interrupted, "done undone", ""},
		{[]journal.Line{{Kind: journal.End}}, journal.Partly, "done undone", ""},
		{[]journal.Line{{Kind: journal.Undo}, {Kind: journal.Kept, N: 1, Reason: "33 now"}, {Kind: journal.End}},
			journal.Partly, "kept undone", ""},
		{[]journal.Line{{Kind: journal.Undo}, {Kind: journal.Left, N: 2, Reason: "still there"},
			{Kind: journal.Checked}, {Kind: journal.End}}, journal.Partly, "kept undone", ""},
		{[]journal.Line{{Kind: journal.Undo}, {Kind: journal.Checked}, {Kind: journal.End}}, journal.TakenBack,
			"kept undone", ""},
	} {
		add(t, g, c.lines...)
		read, err := journalfile.Read(l, "/j/journal", id)
		if err != nil {
			t.Fatal(err)
		}
		for name, j := range map[string]*journal.Journal{"written": g.Journal, "read": read} {
			var each, owed []string
			for _, ch := range j.Changes {
				each = append(each, string(ch.State))
			}
			for _, p := range j.Pending {
				owed = append(owed, p.Instance+" "+p.Effect.String())
			}
			if j.State != c.state || strings.Join(each, " ") != c.each || strings.Join(owed, " ") != c.owed {
				t.Errorf("%s after %v: %s, %v, owed %v", name, c.lines, j.State, each, owed)
			}
		}
	}
	b, err := json.Marshal(g.Journal)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"20261121-100000-a","started":"2025-11-21T10:00:00Z","state":"undone","changes":[` +
		`{"address":"sysctl:vm.swappiness","before":"60","after":"1","where":"/etc/x","state":"kept","reason":"33 ` +
		`now","effect":"now"},` +
		`{"address":"pg:shared_buffers","instance":"/data","before":"128MB","after":"16GB","where":"/etc/x",` +
		`"state":"undone","effect":"restart"}]}`
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Error(diff)
	}
}

// TestBroughtBack: what an apply takes back by itself is failed and not undone,
// with the reason; where no activation was begun none is owed, unless the server
// was seen with the new value.
func TestBroughtBack(t *testing.T) {
	for name, c := range map[string]struct {
		tried bool
		found string
		owed  int
	}{"before an activation": {false, "16384", 0}, "after one": {true, "16384", 1},
		"after somebody's": {false, "2097152", 1}} {
		_, g := begun(t)
		add(t, g, journal.Line{Kind: journal.Intend, N: 2, Before: state("16384", "c"), After: state("2097152", "d")},
			journal.Line{Kind: journal.Done, N: 2})
		if c.tried {
			add(t, g, journal.Line{Kind: journal.Activate, Instance: "/data", Effect: knob.Restart})
		}
		add(t, g, journal.Line{Kind: journal.Revert, Instance: "/data", Reason: "it is down"},
			journal.Line{Kind: journal.Undoing, N: 2, Before: state(c.found, "d"), After: state("16384", "c")},
			journal.Line{Kind: journal.Undone, N: 2, Reason: "it is down"})
		if ch := g.Changes[1]; ch.State != journal.IsFailed || ch.Reason != "it is down" || len(g.Pending) != c.owed ||
			g.Reverting().Instance != "/data" {
			t.Errorf("%s: %+v, owed %v", name, ch, g.Pending)
		}
	}
}

// TestCutOff: a journal cut off anywhere reads as one whose last whole line is
// the last, and goes on from there without a trace of the rest.
func TestCutOff(t *testing.T) {
	l, g := begun(t)
	add(t, g, journal.Line{Kind: journal.Intend, N: 1, Before: state("60", "a"), After: state("1", "b")})
	at := filepath.Join(l.Root, "j/journal", id+".jsonl")
	head, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	add(t, g, journal.Line{Kind: journal.Done, N: 1, Reason: "a reason"})
	whole, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	tails := [][]byte{append(bytes.Repeat([]byte{0}, 30), '\n'), bytes.Repeat([]byte{0}, 30)}
	for n := len(head); n < len(whole); n++ {
		tails = append(tails, whole[len(head):n])
	}
	for _, tail := range tails {
		if err := os.WriteFile(at, append(bytes.Clone(head), tail...), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := journalfile.Open(l, "/j/journal", id, journal.Run{},
			1, func(*journal.Journal) error { return nil })
		if err != nil {
			t.Fatalf("with %q: %v", tail, err)
		}
		if s := again.Changes[0].State; s != journal.IsIntended {
			t.Errorf("with %q: %s", tail, s)
		}
		add(t, again, journal.Line{Kind: journal.Done, N: 1, Reason: "a reason"})
		if got, _ := os.ReadFile(at); !bytes.Equal(got, whole) {
			t.Errorf("with %q it went on as %q", tail, got)
		}
	}
}

// TestDamaged: whatever line of a journal is changed, left out, moved, doubled or taken from another one, all before it
// is proven and nothing from it on; what the rest names is reported, and an undo's log goes on behind the proven part
// with the bytes as they were next to it.
func TestDamaged(t *testing.T) {
	l, g := begun(t)
	add(t, g, journal.Line{Kind: journal.Intend, N: 1, Before: state("60", "a"), After: state("1", "b")},
		journal.Line{Kind: journal.Done, N: 1},
		journal.Line{Kind: journal.Intend, N: 2, Before: state("16384", "c"), After: state("2097152", "d")},
		journal.Line{Kind: journal.Done, N: 2}, journal.Line{Kind: journal.End})
	at := filepath.Join(l.Root, "j/journal", id+".jsonl")
	whole, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	swap := slices.Clone(lines)
	swap[4], swap[5] = swap[5], swap[4]
	sum := bytes.Index(lines[4], []byte(`"sum":"`)) + 8
	wrong := bytes.Clone(lines[4])
	wrong[sum] ^= 1
	for name, c := range map[string]struct {
		lines  [][]byte
		line   int
		reason string
		states string
	}{
		"the first line missing": {lines[1:], 1, "it is number 2", ""},
		"a line missing":         {slices.Delete(slices.Clone(lines), 4, 5), 5, "it is number 6", "intended planned"},
		"two lines swapped":      {swap, 5, "it is number 6", "intended planned"},
		"a line twice": {slices.Insert(slices.Clone(lines), 4, lines[3]), 5, "it is number 4",
			"intended planned"},
		"a wrong checksum": {slices.Replace(slices.Clone(lines), 4, 5, wrong), 5, "its checksum does not match",
			"intended planned"},
		"a word changed": {slices.Replace(slices.Clone(lines), 5,
			6, bytes.Replace(lines[5], []byte(`"16384"`), []byte(`"16385"`), 1)), 6, "its checksum does not match",
			"done planned"},
		"garbage behind": {append(slices.Clone(lines), []byte("garbage\n")), 9,
			"it does not end in a checksum", "done done"},
		"CR LF": {slices.Replace(slices.Clone(lines), 3,
			4, append(bytes.TrimSuffix(bytes.Clone(lines[3]), []byte("\n")), "\r\n"...)),
			4, "it does not end in a checksum", "planned planned"},
		"cut among the first ones": {lines[:2], 3, "it has 1 of the 2 changes", "planned"},
		"empty":                    {nil, 1, "no begin line", ""},
	} {
		data := bytes.Join(c.lines, nil)
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for again := range 2 {
			j, err := journalfile.Read(l, "/j/journal", id)
			if err != nil || j.ID != id || j.State != journal.IsDamaged || j.Finished() || j.Undone() ||
				(again == 1) != j.Recorded() || j.Damage.Line != c.line ||
				!strings.HasPrefix(j.Damage.Reason, c.reason) {
				t.Fatalf("%s: %v, %+v, %+v", name, err, j, j.Damage)
			}
			var states []string
			for _, ch := range j.Changes {
				states = append(states, string(ch.State))
			}
			if got := strings.Join(states, " "); got != c.states {
				t.Errorf("%s: changes are %s", name, got)
			}
			if list, err := journalfile.List(l, "/j/journal"); err != nil || len(list) != 1 {
				t.Errorf("%s: %d listed, %v", name, len(list), err)
			}
			if again == 1 {
				break
			}
			if name == "the first line missing" || name == "a line missing" {
				if u := j.Damage.Unknown; len(u) != 2 && name != "a line missing" || u[len(u)-1].Path != "/etc/x" ||
					u[len(u)-1].Address != "pg:shared_buffers" || u[len(u)-1].Instance != "/data" {
					t.Errorf("%s: unknown are %+v", name, u)
				}
			}
			g, err := journalfile.Open(l, "/j/journal", id, run, 1, func(*journal.Journal) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			if kept, err := os.ReadFile(filepath.Join(l.Root, g.Damage.Kept)); err != nil || !bytes.Equal(kept, data) {
				t.Errorf("%s: kept in %q: %v", name, g.Damage.Kept, err)
			}
		}
		g, err := journalfile.Open(l, "/j/journal", id, run, 1, func(*journal.Journal) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		add(t, g, journal.Line{Kind: journal.Undo}, journal.Line{Kind: journal.Checked},
			journal.Line{Kind: journal.End})
		if j, err := journalfile.Read(l, "/j/journal", id); err != nil || j.State != journal.IsDamaged ||
			!j.Finished() {
			t.Errorf("%s: after an undo %+v, %v", name, j, err)
		}
	}
}

// TestForeign: a journal of another version is reported as such, and neither read nor changed; one of ours whose name
// of the version has a wrong byte is damaged.
func TestForeign(t *testing.T) {
	first := `{"kind":"begin","at":1,"run":{"schema":"pgfettle.journal/1","id":"a","tool":"","plan":"",` +
		`"hostname":""}}` + "\n"
	later := string(journals.Chained(strings.Replace(first, "/1", "/3", 1)))
	ours := string(journals.Chained(strings.Replace(first, "/1", "/2", 1)))
	for text, want := range map[string]string{first: "pgfettle.journal/1", later: "pgfettle.journal/3",
		strings.Replace(ours, "/2", "/3", 1): ""} {
		l := &target.Local{Root: t.TempDir()}
		if err := os.WriteFile(filepath.Join(l.Root, "a.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := journalfile.Read(l, "/", "a")
		if err != nil || j.Foreign != want || (j.State == journal.Unread) != (want != "") ||
			(j.Damage != nil) != (want == "") || j.Finished() {
			t.Errorf("%s: %+v, %v", text, j, err)
		}
		_, err = journalfile.Open(l, "/", "a", run, 1, func(*journal.Journal) error { return nil })
		if _, ok := errors.AsType[*journal.ForeignError](err); ok != (want != "") {
			t.Errorf("%s: opened: %v", text, err)
		}
	}
}

// TestFiles: directory and file are closed to others, an id is never taken twice, and names that are no journals are
// skipped.
func TestFiles(t *testing.T) {
	l, _ := begun(t)
	for name, mode := range map[string]fs.FileMode{"j/journal": 0o700, "j/journal/" + id + ".jsonl": 0o600} {
		if fi, err := os.Stat(filepath.Join(l.Root, name)); err != nil || fi.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, fi, err)
		}
	}
	if _, err := journalfile.Create(l, "/j/journal", run, 1, planned()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second journal of one id: %v", err)
	}
	other := run
	other.ID = "20261121-090000-b"
	if _, err := journalfile.Create(l, "/j/journal", other, 1, nil); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".x.jsonl.1.pgfettle-tmp": "x", "notes": "x",
		"20250101-000000-c.jsonl": "broken\n", "20250101-000000-d.jsonl": ""} {
		if err := os.WriteFile(filepath.Join(l.Root, "j/journal", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := journalfile.List(l, "/j/journal")
	if len(list) != 4 || list[2].ID != other.ID || list[3].ID != id || err != nil {
		t.Errorf("%d journals, %v", len(list), err)
	}
	for _, j := range list[:2] {
		if j.State != journal.IsDamaged || j.Started != "2025-01-01T00:00:00Z" {
			t.Errorf("one that is damaged: %+v", j)
		}
	}
	if list, err := journalfile.List(l, "/nowhere"); list != nil || err != nil {
		t.Errorf("no folder: %v, %v", list, err)
	}
	for _, bad := range []string{"", "../journal/" + id, "A", strings.Repeat("a", 65)} {
		if _, err := journalfile.Read(l, "/j/journal", bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if err := os.Rename(filepath.Join(l.Root, "j/journal", id+".jsonl"),
		filepath.Join(l.Root, "j/journal/copied.jsonl")); err != nil {
		t.Fatal(err)
	}
	if j, err := journalfile.Read(l, "/j/journal", "copied"); err != nil || j.State != journal.IsDamaged ||
		len(j.Changes) > 0 || j.Damage.Reason != "it says that it is "+id || len(j.Damage.Unknown) != 2 {
		t.Errorf("a journal under another's name was read as %+v, %v", j, err)
	}
}

// TestOrigin: a file is what it was before the first step only if no one else changed it in between and no other change
// is still in it.
func TestOrigin(t *testing.T) {
	_, g := begun(t)
	file := func(text string) journal.File { return *state("", text).File }
	add(t, g, journal.Line{Kind: journal.Intend, N: 1, Before: state("60", "a"), After: state("1", "b")},
		journal.Line{Kind: journal.Done, N: 1})
	if f, ok := g.Origin(&g.Changes[0], file("b")); !ok || *f.Text != "a" {
		t.Errorf("%+v, %v", f, ok)
	}
	if _, ok := g.Origin(&g.Changes[0], file("edited")); ok {
		t.Error("somebody's edit would be lost")
	}
	add(t, g, journal.Line{Kind: journal.Intend, N: 2, Before: state("1", "b"), After: state("2", "c")},
		journal.Line{Kind: journal.Done, N: 2})
	if _, ok := g.Origin(&g.Changes[0], file("c")); ok {
		t.Error("the other change would be lost")
	}
	add(t, g, journal.Line{Kind: journal.Undo}, journal.Line{Kind: journal.Undoing, N: 2, Before: state("2", "c"),
		After: state("1", "b")}, journal.Line{Kind: journal.Undone, N: 2})
	if f, ok := g.Origin(&g.Changes[0], file("b")); !ok || *f.Text != "a" {
		t.Errorf("%+v, %v", f, ok)
	}

	_, g = begun(t)
	add(t, g, journal.Line{Kind: journal.Intend, N: 1, Before: state("60", "a"), After: state("1", "b")},
		journal.Line{Kind: journal.Done, N: 1},
		journal.Line{Kind: journal.Intend, N: 2, Before: state("1", "b with a remark"), After: state("2", "c")},
		journal.Line{Kind: journal.Done, N: 2},
		journal.Line{Kind: journal.Undo}, journal.Line{Kind: journal.Undoing, N: 1, Before: state("1", "c"),
			After: state("60", "d")}, journal.Line{Kind: journal.Undone, N: 1})
	if _, ok := g.Origin(&g.Changes[1], file("d")); ok {
		t.Error("the remark that came between two changes would be lost")
	}
}
