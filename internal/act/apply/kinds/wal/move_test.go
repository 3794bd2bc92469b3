package wal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/wal"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
)

func (h *walHost) world(w *wal.Kind) *apply.System {
	return &apply.System{Target: h, Kinds: map[string]apply.Kind{"wal": w}, Now: h.Now, Dir: h.root + "/j/journal",
		Suffix: "a", Hostname: "h"}
}

// move does what the command does.
func (h *walHost) move(to string, change func(*wal.Kind)) (apply.Result, error) {
	w := h.wal()
	s := h.snapshot()
	f, err := w.Fit(context.Background(), &s.Instances[0], to, walmove.Options{SameFilesystem: true})
	if err != nil {
		return apply.Result{}, err
	}
	w.New = f
	if change != nil {
		change(w)
	}
	p := &plan.Plan{Changes: []plan.Change{{Address: journal.WalLocation, Instance: h.dir, Key: "1",
		Layer: knob.Instance,
		From:  f.From, FromBase: f.From, To: f.To, ToBase: f.To, Effect: knob.Now}}}
	return apply.Run(context.Background(), h.world(w), p, s, selection.Options{MaxEffect: knob.Restart})
}

func (h *walHost) undo(effect knob.Effect) error {
	_, err := apply.Undo(context.Background(), h.world(h.wal()), h.snapshot(), "", apply.UndoOptions{MaxEffect: effect})
	return err
}

func (h *walHost) resume() error {
	_, err := apply.Resume(context.Background(), h.world(h.wal()), h.snapshot(), "", selection.Options{})
	return err
}

// SettingRow is a place that the WAL is moved from, and one that it is moved to.
type SettingRow struct {
	name    string
	linked  string // pg_wal is a link of this text already; R is the directory of all
	made    bool   // the new directory is there
	stopped bool
}

var settingsOfWal = []SettingRow{
	{name: "out"},
	{name: "out to a folder that is there", made: true},
	{name: "out, stopped", stopped: true},
	{name: "from a link to another", linked: "R/before"},
	{name: "from a relative link", linked: "../before", stopped: true},
}

func (c SettingRow) host(t *testing.T) *walHost {
	h := newWalHost(t)
	if c.linked != "" {
		h.must(os.Rename(h.dir+"/pg_wal", h.root+"/before"))
		h.must(os.Symlink(strings.Replace(c.linked, "R", h.root, 1), h.dir+"/pg_wal"))
	}
	if c.made {
		h.must(os.Mkdir(h.root+"/wal/new", 0o700))
	}
	if c.stopped {
		h.stop()
	}
	return h
}

// ends verifies that a server whose WAL was moved or restored can be started, and runs where it ran before.
func (c SettingRow) ends(h *walHost, how string) {
	h.t.Helper()
	if h.up == c.stopped {
		h.t.Fatalf("%s: the server runs: %v, and it was stopped before: %v", how, h.up, c.stopped)
	}
	if err := h.start(); err != nil {
		h.t.Fatalf("%s: %v", how, err)
	}
}

// TestMoveWAL moves the WAL and takes it back: all is then as it was, except for what the server has written meanwhile.
func TestMoveWAL(t *testing.T) {
	for _, c := range settingsOfWal {
		t.Run(c.name, func(t *testing.T) {
			h := c.host(t)
			before := h.picture()
			res, err := h.move(h.root+"/wal/new", nil)
			if err != nil || res.Journal.State != journal.Whole {
				t.Fatalf("%v: %+v", err, res.Journal)
			}
			if to, err := os.Readlink(h.dir + "/pg_wal"); err != nil || to != h.root+"/wal/new" {
				t.Errorf("pg_wal leads to %q (%v)", to, err)
			}
			if left := h.picture(); strings.Contains(left, "pgfettle") || strings.Contains(left, "/before/") {
				t.Errorf("left behind:\n%s", left)
			}
			c.ends(h, "moved")
			if d, err := apply.Status(context.Background(), h.world(h.wal()), h.snapshot(), ""); err != nil ||
				len(d) != 1 || d[0].Hold != journal.Holds {
				t.Errorf("status: %+v, %v", d, err)
			}
			h.write("work")
			var no *say.Problem
			if err := h.undo(knob.Reload); !errors.As(err, &no) || no.Code != say.CodeRefused || !h.up {
				t.Errorf("an undo that may not restart: %v", err)
			}
			if err := h.undo(knob.Restart); err != nil {
				t.Fatal(err)
			}
			if !h.up {
				t.Error("the server ran before the undo, and does not after")
			}
			if got := h.picture(); got != before {
				t.Errorf("undone:\n%s\nbefore:\n%s", got, before)
			}
		})
	}
}

// TestMoveWALAtEveryPoint kills a move at each of its points. Afterwards the server starts with all of its WAL; resume
// then ends as an uninterrupted move, and undo as if nothing had happened. In between, the server may have been
// started, as a boot does.
func TestMoveWALAtEveryPoint(t *testing.T) {
	for _, c := range settingsOfWal {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.killedAtEveryPoint(t)
		})
	}
}

func (c SettingRow) killedAtEveryPoint(t *testing.T) {
	ref := c.host(t)
	origin := ref.picture()
	if _, err := ref.move(ref.root+"/wal/new", nil); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(ref.picture(), ref.root, "R")
	points := ref.points
	for at := range points {
		for _, way := range []string{"resume", "undo", "boot, resume", "boot, undo"} {
			how := fmt.Sprintf("%s, killed at point %d of %d, %s", c.name, at, points, way)
			h := c.host(t)
			h.fuse = at
			if !dies(func() { _, _ = h.move(h.root+"/wal/new", nil) }) {
				t.Fatalf("%s: it did not die", how)
			}
			h.fuse = -1
			booted := strings.HasPrefix(way, "boot")
			if booted {
				h.crash()
				if err := h.start(); err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				h.write("work")
			}
			j, err := journalfile.List(h, h.root+"/j/journal")
			if err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			if len(j) == 0 || j[0].Ended() && strings.HasSuffix(way, "resume") {
				if len(j) == 0 && strings.ReplaceAll(h.picture(), h.root, ref.root) != origin {
					t.Fatalf("%s: no journal, and something was changed:\n%s", how, h.picture())
				}
				continue
			}
			home := strings.ReplaceAll(origin, ref.root, "R")
			ended := func(how string, err error, end string) {
				t.Helper()
				if got := strings.ReplaceAll(h.picture(), h.root, "R"); err != nil || got != end {
					t.Fatalf("%s: %v\n%s\nand not\n%s", how, err, got, end)
				}
			}
			if strings.HasSuffix(way, "resume") {
				ended(how, h.resume(), want)
			} else {
				ended(how, h.undo(knob.Restart), home)
			}
			if booted {
				if !h.up {
					t.Fatalf("%s: the server that was started does not run", how)
				}
			} else {
				c.ends(h, how)
			}
			if way == "resume" && !c.stopped { // a stopped server was started by ends
				ended(how+", and undone", h.undo(knob.Restart), home)
			}
		}
	}
	t.Logf("killed %d times", 4*points)
}

// TestUndoOfMoveWALAtEveryPoint does the same to the undo of a move.
func TestUndoOfMoveWALAtEveryPoint(t *testing.T) {
	for _, c := range settingsOfWal {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.undoKilledAtEveryPoint(t)
		})
	}
}

func (c SettingRow) undoKilledAtEveryPoint(t *testing.T) {
	moved := func() (*walHost, string) {
		h := c.host(t)
		origin := h.picture()
		if _, err := h.move(h.root+"/wal/new", nil); err != nil {
			t.Fatal(err)
		}
		h.points = 0
		return h, origin
	}
	ref, _ := moved()
	if err := ref.undo(knob.Restart); err != nil {
		t.Fatal(err)
	}
	for at := range ref.points {
		for _, booted := range []bool{false, true} {
			how := fmt.Sprintf("%s, killed at point %d of %d, boot %v", c.name, at, ref.points, booted)
			h, origin := moved()
			h.fuse = at
			if !dies(func() { _ = h.undo(knob.Restart) }) {
				t.Fatalf("%s: it did not die", how)
			}
			h.fuse = -1
			if booted {
				h.crash()
				if err := h.start(); err != nil {
					t.Fatalf("%s: %v", how, err)
				}
			}
			err := h.undo(knob.Restart)
			if no := (*say.Problem)(nil); errors.As(err, &no) && strings.Contains(no.Message.String(),
				"no apply to undo") {
				err = nil // it had come to its end
			}
			if got := h.picture(); err != nil || got != origin {
				t.Fatalf("%s: %v\n%s\nand not\n%s", how, err, got, origin)
			}
			if booted && !h.up {
				t.Fatalf("%s: the server that was started does not run", how)
			} else if !booted {
				c.ends(h, how)
			}
		}
	}
	t.Logf("killed %d times", 2*ref.points)
}

// TestMoveWALThatFails: what goes wrong after the server was stopped puts all back
// and starts it again, with the reason and exit code 6; each of them may be
// killed at any point too.
func TestMoveWALThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(h *walHost, w *wal.Kind)
		reason string
	}{
		"the server does not start there": {func(h *walHost, _ *wal.Kind) { h.refuses = h.root + "/wal/new" },
			"could not open the WAL"},
		"the disk is full": {func(h *walHost, _ *wal.Kind) { h.full = true }, "no space left"},
		"the server does not stop": {func(h *walHost, _ *wal.Kind) {
			h.onStop = func() error { return errors.New("it does not stop") }
		}, "does not stop"},
		"somebody starts it meanwhile": {func(h *walHost, _ *wal.Kind) { h.onCopy = func() { h.must(h.start()) } },
			"changed while it was copied|the server was started|not the same"},
		"Ctrl-C": {func(h *walHost, w *wal.Kind) {
			ctx, stop := context.WithCancel(context.Background())
			w.Interrupt, h.onCopy = ctx, stop
		}, "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(fuse int) (*walHost, string, error, bool) {
				h := newWalHost(t)
				before := h.picture()
				h.fuse = fuse
				var res apply.Result
				var err error
				died := dies(func() { res, err = h.move(h.root+"/wal/new", func(w *wal.Kind) { c.do(h, w) }) })
				if !died && res.Journal != nil && (res.Journal.State != journal.Partly ||
					res.Journal.Changes[0].State != journal.IsFailed) {
					t.Errorf("the journal says %s, %+v", res.Journal.State, res.Journal.Changes)
				}
				return h, before, err, died
			}
			h, before, err, _ := run(-1)
			var no *say.Problem
			found := false
			for r := range strings.SplitSeq(c.reason, "|") {
				found = found || err != nil && strings.Contains(err.Error(), r)
			}
			if !errors.As(err, &no) || no.Code != say.CodePartly || !found {
				t.Fatalf("%v", err)
			}
			if got := h.picture(); got != before || !h.up {
				t.Errorf("up %v, and\n%s\nbefore\n%s", h.up, got, before)
			}
			for at := range h.points {
				h, before, _, died := run(at)
				if !died {
					t.Fatalf("point %d: it did not die", at)
				}
				h.fuse, h.onStop, h.onCopy = -1, nil, nil
				if err := h.undo(knob.Restart); err != nil && !strings.Contains(err.Error(), "no apply to undo") {
					t.Fatalf("point %d: %v", at, err)
				}
				if got := h.picture(); got != before || !h.up {
					t.Fatalf("point %d: up %v, and\n%s\nbefore\n%s", at, h.up, got, before)
				}
			}
		})
	}
}

// TestMoveWALWithoutExchange: a filesystem that cannot switch in one step is reported before the server is stopped, and
// nothing of the move is left.
func TestMoveWALWithoutExchange(t *testing.T) {
	h := newWalHost(t)
	h.old = true
	before := h.picture()
	res, err := h.move(h.root+"/wal/new", nil)
	var no *say.Problem
	if !errors.As(err, &no) || no.Code != say.CodePartly || !strings.Contains(res.Journal.Changes[0].Reason,
		"cannot exchange two names") || h.stops > 0 {
		t.Fatalf("%v, %d stops", err, h.stops)
	}
	if got := h.picture(); got != before {
		t.Errorf("%s\nand not\n%s", got, before)
	}
}

// TestMoveWALTwice: a move is on another, and is undone before it.
func TestMoveWALTwice(t *testing.T) {
	h := newWalHost(t)
	before := h.picture()
	for n, to := range []string{"/wal/one", "/wal/two"} {
		w := h.wal()
		s := h.snapshot()
		f, err := w.Fit(context.Background(), &s.Instances[0], h.root+to, walmove.Options{SameFilesystem: true})
		if err != nil {
			t.Fatal(err)
		}
		w.New = f
		world := h.world(w)
		world.Suffix = string(rune('a' + n))
		p := &plan.Plan{Changes: []plan.Change{{Address: journal.WalLocation, Instance: h.dir, Key: "1", From: f.From,
			To: f.To}}}
		if _, err := apply.Run(context.Background(), world, p, s,
			selection.Options{MaxEffect: knob.Restart}); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(h.root + "/wal/one"); err != nil || len(left) > 0 {
		t.Errorf("the first place, which the undo of both wants, is not an empty folder: %v, %v", left, err)
	}
	_, err := apply.Undo(context.Background(), h.world(h.wal()), h.snapshot(), "20261121-103000-a",
		apply.UndoOptions{MaxEffect: knob.Restart})
	if err == nil || !strings.Contains(err.Error(), "changed again") {
		t.Errorf("the first is undone before the second: %v", err)
	}
	for range 2 {
		if err := h.undo(knob.Restart); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.picture(); got != before || !h.up {
		t.Errorf("%s\nand not\n%s", got, before)
	}
}

// TestForeignLinkIsKept: if pg_wal was pointed elsewhere since, undo leaves it.
func TestForeignLinkIsKept(t *testing.T) {
	h := newWalHost(t)
	if _, err := h.move(h.root+"/wal/new", nil); err != nil {
		t.Fatal(err)
	}
	h.stop()
	h.must(os.Rename(h.root+"/wal/new", h.root+"/wal/theirs"))
	h.must(os.Remove(h.dir + "/pg_wal"))
	h.must(os.Symlink(h.root+"/wal/theirs", h.dir+"/pg_wal"))
	h.must(h.start())
	before := h.picture()
	if err := h.undo(knob.Restart); err != nil {
		t.Fatal(err)
	}
	if got := h.picture(); got != before {
		t.Errorf("%s\nand not\n%s", got, before)
	}
	j, err := journalfile.List(h, h.root+"/j/journal")
	if err != nil || len(j) != 1 || j[0].Changes[0].State != journal.IsKept {
		t.Errorf("%+v, %v", j, err)
	}
}
