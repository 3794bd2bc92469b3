package linux

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// swapKind is one of the two kinds on a lab, with its knob for /swapfile.
func swapKind(l *lab, prefix, value string) (apply.Kind, apply.Knob) {
	return Host{Files: l, Kernel: l}.Kinds()[prefix], apply.Knob{Address: knob.Step(prefix, "/swapfile"), To: value}
}

// TestSwapFileOfOthers: a file that is no swap file, has another UUID or size, or is a link or a directory, is neither
// taken for ours nor removed.
func TestSwapFileOfOthers(t *testing.T) {
	other := strings.Replace(madeSwap, "0123", "3210", 1)
	for name, lay := range map[string]func(*lab) string{
		"text":  func(l *lab) string { l.lay("/swapfile", "theirs"); return otherFile },
		"empty": func(l *lab) string { l.lay("/swapfile", ""); return otherFile },
		"a directory": func(l *lab) string {
			l.lay("/swapfile/theirs", "")
			return otherFile
		},
		"a link": func(l *lab) string {
			if err := os.Symlink("proc/meminfo", filepath.Join(l.Root, "swapfile")); err != nil {
				l.t.Fatal(err)
			}
			return otherFile
		},
		"a swap file": func(l *lab) string {
			kind, k := swapKind(l, knob.SwapFilePrefix, other)
			mustSet(l.t, kind, k, journal.State{Live: &other})
			return other
		},
		"a swap file that has grown": func(l *lab) string {
			kind, k := swapKind(l, knob.SwapFilePrefix, madeSwap)
			mustSet(l.t, kind, k, mustWant(l.t, kind, journal.State{}, k, madeSwap))
			if err := os.Truncate(filepath.Join(l.Root, "swapfile"), 131072); err != nil {
				l.t.Fatal(err)
			}
			return strings.Replace(madeSwap, "65536", "131072", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, debian)
			want := lay(l)
			tree := l.tree()
			kind, k := swapKind(l, knob.SwapFilePrefix, madeSwap)
			if got := liveString(mustLook(t, kind, k)); got != want {
				t.Errorf("it is %q, want %q", got, want)
			}
			for _, goal := range []string{madeSwap, "absent"} {
				if err := kind.Set(t.Context(), k, journal.State{Live: &goal}); err == nil {
					t.Errorf("it was set to %s", goal)
				}
			}
			if d := cmp.Diff(tree, l.tree()); d != "" {
				t.Errorf("something was changed:\n%s", d)
			}
		})
	}
}

// TestSwapFileThatFails: what a program refuses leaves nothing behind.
func TestSwapFileThatFails(t *testing.T) {
	l := newLab(t, debian)
	tree := l.tree()
	kind, k := swapKind(l, knob.SwapFilePrefix, madeSwap)
	after := mustWant(t, kind, mustLook(t, kind, k), k, madeSwap)
	l.swapBad = "mkswap"
	if err := kind.Set(t.Context(), k, after); err == nil || !strings.Contains(err.Error(), "mkswap") {
		t.Errorf("%v", err)
	}
	huge := strings.Replace(madeSwap, "65536", "4611686018427387904", 1)
	if err := kind.Set(t.Context(), k, journal.State{Live: &huge}); err == nil {
		t.Error("it has room for everything")
	}
	if d := cmp.Diff(tree, l.tree()); d != "" {
		t.Errorf("something is left:\n%s", d)
	}
	l.swapBad = ""
	mustSet(t, kind, k, after)
	area, ak := swapKind(l, knob.SwapPrefix, "in use")
	before := mustLook(t, area, ak)
	mustSet(t, area, ak, mustWant(t, area, before, ak, "in use"))
	absent := "absent"
	if err := kind.Set(t.Context(), k, journal.State{Live: &absent}); err == nil ||
		!strings.Contains(err.Error(), "in use") {
		t.Errorf("a file in use: %v", err)
	}
	mustSet(t, area, ak, before)
	mustSet(t, kind, k, journal.State{Live: &absent})
}

// TestSwapOffFits: what is in swap has to fit into the memory that is available, else everything stays.
func TestSwapOffFits(t *testing.T) {
	for _, c := range []struct {
		used, free int64 // kB
		stays      string
	}{{0, 0, ""}, {1 << 20, 2 << 20, ""}, {2 << 20, 2 << 20, "stop programs first"},
		{1 << 20, -1, "it is unknown how much"}} {
		t.Run(fmt.Sprint(c.used, c.free), func(t *testing.T) {
			l := newLab(t, debian)
			l.lay("/swapfile", "whole")
			kind, k := swapKind(l, knob.SwapPrefix, "in use")
			before := mustLook(t, kind, k)
			after := mustWant(t, kind, before, k, "in use")
			mustSet(t, kind, k, after)
			l.lay("/proc/swaps", strings.Replace(l.text("/proc/swaps"), " 0 -2", fmt.Sprintf(" %d -2", c.used), 1))
			l.meminfo("MemAvailable", fmt.Sprintf("%d kB", c.free))
			if c.free < 0 {
				l.lay("/proc/meminfo", strings.ReplaceAll(l.text("/proc/meminfo"), "MemAvailable", "MemOther"))
			}
			err := kind.Set(t.Context(), k, before)
			if c.stays == "" {
				if err != nil || !mustLook(t, kind, k).Same(before) {
					t.Errorf("%v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.stays) || !mustLook(t, kind, k).Same(after) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSwapLine: a text without an end of its last line, no file at all, and a line of others for the same file.
func TestSwapLine(t *testing.T) {
	l := newLab(t, debian) // whose last line has no end
	kind, k := swapKind(l, knob.SwapPrefix, "in use")
	before := mustLook(t, kind, k)
	after := mustWant(t, kind, before, k, "in use")
	if want := *before.File.Text + "\n/swapfile none swap sw 0 0\n"; *after.File.Text != want {
		t.Errorf("the file would be\n%s", *after.File.Text)
	}
	text := *after.File.Text + "UUID=3 /more xfs defaults 0 2"
	back, err := kind.Without(journal.State{File: withText(after.File, &text)}, before, k)
	if want := *before.File.Text + "\nUUID=3 /more xfs defaults 0 2"; err != nil || *back.File.Text != want {
		t.Errorf("without it, the file would be %v\n%s", err, *back.File.Text)
	}
	l = newLab(t, debian)
	if err := os.Remove(filepath.Join(l.Root, fstabFile)); err != nil {
		t.Fatal(err)
	}
	l.lay("/swapfile", "whole")
	tree := l.tree()
	kind, k = swapKind(l, knob.SwapPrefix, "in use")
	before = mustLook(t, kind, k)
	mustSet(t, kind, k, mustWant(t, kind, before, k, "in use"))
	if got := l.text(fstabFile); got != "/swapfile none swap sw 0 0\n" {
		t.Errorf("the file is %q", got)
	}
	mustSet(t, kind, k, before)
	if d := cmp.Diff(tree, l.tree()); d != "" {
		t.Error(d)
	}
	theirs := "# mine\n\n/swapfile\tswap\tswap\tdefaults 0 0\n"
	if _, err := addSwap(&theirs, "/swapfile"); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a line of others: %v", err)
	}
}

// TestSwapRefusals: no other name and value reaches a program.
func TestSwapRefusals(t *testing.T) {
	l := newLab(t, debian)
	for _, prefix := range []string{knob.SwapFilePrefix, knob.SwapPrefix} {
		kind := Host{Files: l, Kernel: l}.Kinds()[prefix]
		for _, name := range []string{"", "swapfile", "/", "/a b", "/a/../b", "-a", "/dev\n/a"} {
			k := apply.Knob{Address: knob.Step(prefix, name), To: madeSwap}
			if _, err := kind.Look(t.Context(), k); err == nil {
				t.Errorf("%s: %q was looked at", prefix, name)
			}
			live := map[string]string{knob.SwapFilePrefix: madeSwap, knob.SwapPrefix: "in use"}[prefix]
			if err := kind.Set(t.Context(), k, journal.State{Live: &live}); err == nil {
				t.Errorf("%s: %q was set", prefix, name)
			}
		}
		for _, value := range []string{"", "1", "on", "65536 x", "in use "} {
			k := apply.Knob{Address: knob.Step(prefix, "/swapfile")}
			if _, err := kind.Want(journal.State{}, k, value); err == nil {
				t.Errorf("%s: %q is a value", prefix, value)
			}
		}
	}
	if len(l.ops) > 0 {
		t.Errorf("it did %v", l.ops)
	}
}
