package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
)

// host is a cell with a server, where the kernel's values may be changed and
// have to be as before at the end.
type host struct {
	*cell.Cell
	server *scratch.Instance
}

func newHost(t *testing.T, major int) *host {
	t.Helper()
	unchanged(t)
	h := &host{Cell: cell.New(t, "kernel")}
	h.server = cell.Server(t, "kernel", major, scratch.Options{})
	return h
}

// wished are changes of the kernel that are harmless, with the values that they have in /proc and /sys.
var wished = []struct{ address, value, file string }{
	{"sysctl:vm.swappiness", "7", "/proc/sys/vm/swappiness"},
	{"sysctl:vm.dirty_background_bytes", "268435456", "/proc/sys/vm/dirty_background_bytes"},
	{"sysctl:vm.dirty_bytes", "1073741824", "/proc/sys/vm/dirty_bytes"},
	{"sysctl:vm.zone_reclaim_mode", "1", "/proc/sys/vm/zone_reclaim_mode"}, // without effect on a single node
}

// apply applies the wished changes of the kernel, and further ones.
func (h *host) apply(more ...string) cell.Ran {
	args := []string{"apply", "--yes", h.server.DataDir}
	only := []string{}
	for _, w := range wished {
		only = append(only, w.address)
		args = append(args, "--pin", w.address+"="+w.value)
	}
	for _, pin := range more {
		address, _, _ := strings.Cut(pin, "=")
		only = append(only, address)
		args = append(args, "--pin", pin)
	}
	return h.Run(append(args, "--only", strings.Join(only, ","))...)
}

// oneError verifies that a failure is reported in one line with what to do about it.
func oneError(t *testing.T, r cell.Ran, words ...string) {
	t.Helper()
	if strings.Count(r.Stderr, "pgfettle: error: ") != 1 || strings.Count(r.Stderr, "pgfettle: hint: ") != 1 {
		t.Errorf("not one error with one hint: %s", r)
	}
	for _, w := range words {
		if !strings.Contains(r.Stderr, w) {
			t.Errorf("nothing of %q: %s", w, r)
		}
	}
}

// noLeftovers verifies that no temporary file is left in directories within.
func (h *host) noLeftovers(t *testing.T, folders ...string) {
	t.Helper()
	for name := range h.Files(folders...) {
		if strings.HasSuffix(name, ".pgfettle-tmp") {
			t.Errorf("%s is left behind", name)
		}
	}
}

const dropIn = "/etc/sysctl.d/60-pgfettle.conf"

// TestDiskFullInSysctlD: at every point at which the disk of /etc/sysctl.d can be full, each parameter is before or
// after, in the file and in the kernel alike; with room again the rest is done, and all of it undone.
func TestDiskFullInSysctlD(t *testing.T) {
	for _, kind := range cell.Kinds {
		t.Run(kind, func(t *testing.T) {
			h := newHost(t, 18)
			d := h.Disk(kind, 8<<20, "/etc/sysctl.d")
			before := values(t)
			// A file so long that one more line needs one more block.
			old := "# kept\nvm.stat_interval = 1\n"
			old += strings.Repeat("#", int(d.Block)-len(old)-60) + "\n"
			for _, text := range []string{"", old} {
				for leave := int64(0); leave <= 3*d.Block; leave += d.Block {
					t.Run(fmt.Sprintf("%d bytes left, file of %d", leave, len(text)), func(t *testing.T) {
						d.Empty(t)
						if text != "" {
							if err := os.WriteFile(h.Path(dropIn), []byte(text), 0o640); err != nil {
								t.Fatal(err)
							}
						}
						files := h.Files("/etc/sysctl.d")
						d.Fill(t, leave)
						r := h.apply()
						done := h.changesMade(t)
						switch {
						case done == len(wished) && r.Code == 0:
						case done == len(wished) || r.Code == 0 || r.Code != 6:
							t.Errorf("%d of %d are done: %s", done, len(wished), r)
						default:
							oneError(t, r, "no space left on device")
						}
						t.Logf("%d done, exit code %d", done, r.Code)
						h.noLeftovers(t, "/etc/sysctl.d", "/var/lib/pgfettle")
						d.Empty(t)
						if r := h.apply(); r.Code != 0 || h.changesMade(t) != len(wished) {
							t.Errorf("with room: %s", r)
						}
						for range 2 { // of either apply; the first may have done nothing
							h.Run("undo")
						}
						if diff := cmp.Diff(files, h.Files("/etc/sysctl.d")); diff != "" {
							t.Errorf("taken back, the files are not as before:\n%s", diff)
						}
						if diff := cmp.Diff(before, values(t)); diff != "" {
							t.Errorf("taken back, the values are not as before:\n%s", diff)
						}
					})
				}
			}
		})
	}
}

// changesMade returns how many of the wished changes are made, and holds that each
// is in the file if and only if it is in the kernel.
func (h *host) changesMade(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(h.Path(dropIn))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := 0
	for _, w := range wished {
		_, name, _ := strings.Cut(w.address, ":")
		inFile := strings.Contains("\n"+string(text), "\n"+name+" = "+w.value+"\n")
		live := is(t, w.file) == w.value
		if inFile != live {
			t.Errorf("%s: in the file %v, in the kernel %v", name, inFile, live)
		}
		if live {
			n++
		}
	}
	return n
}

// TestDiskFullUnderTheJournal: where the journal cannot be written nothing is touched; where it fills up in the middle
// the apply stops between two steps, and with room again it goes on, or is undone.
func TestDiskFullUnderTheJournal(t *testing.T) {
	for _, kind := range cell.Kinds {
		t.Run(kind, func(t *testing.T) {
			h := newHost(t, 15)
			d := h.Disk(kind, 8<<20, "/var/lib/pgfettle")
			before, files := values(t), h.Files("/etc")
			data := cell.Files(t, h.server.DataDir)[filepath.Join(h.server.DataDir, "postgresql.auto.conf")]
			untouched, halted := 0, 0
			for leave := int64(0); ; leave += d.Block {
				if leave > 64<<10 {
					t.Fatal("64 kB are not enough for the journal of seven changes")
				}
				d.Empty(t)
				d.Fill(t, leave)
				r := h.apply("pg:work_mem=9MB", "pg:random_page_cost=1.3")
				h.changesMade(t)
				h.noLeftovers(t, "/etc/sysctl.d", "/var/lib/pgfettle")
				if r.Code == 0 {
					d.Empty(t)
					h.Want(0, "undo")
					break
				}
				oneError(t, r, "no space left on device")
				journals, err := filepath.Glob(d.At + "/journal/*.jsonl")
				if err != nil {
					t.Fatal(err)
				}
				now := h.Files("/etc")
				same := cmp.Equal(before, values(t)) && cmp.Equal(files, now)
				switch {
				case len(journals) == 0 && r.Code == 1 && same:
					untouched++
				case len(journals) == 1 && r.Code == 6:
					halted++
				default:
					t.Errorf("%d bytes left, %d journals, nothing touched %v: %s", leave, len(journals), same, r)
				}
				d.Empty(t)
				if len(journals) > 0 && halted%2 == 0 {
					h.Want(0, "apply", "--resume")
					if n := h.changesMade(t); n != len(wished) {
						t.Errorf("%d of %d are done after --resume", n, len(wished))
					}
				}
				if len(journals) > 0 {
					h.Want(0, "undo")
				}
				if diff := cmp.Diff(files, h.Files("/etc")); diff != "" {
					t.Errorf("taken back, the files are not as before:\n%s", diff)
				}
				if diff := cmp.Diff(before, values(t)); diff != "" {
					t.Errorf("taken back, the values are not as before:\n%s", diff)
				}
				if got := cell.Files(t, h.server.DataDir)[filepath.Join(h.server.DataDir,
					"postgresql.auto.conf")]; got != data {
					t.Errorf("taken back, postgresql.auto.conf is not as before:\n%s", got)
				}
				h.Sh("rm -rf /var/lib/pgfettle/journal")
			}
			t.Logf("%d times nothing was touched, %d times it stopped halfway", untouched, halted)
			if untouched == 0 || halted == 0 {
				t.Error("the disk was not full at the points that count")
			}
		})
	}
}

// TestUndoOnAFullDisk: an undo that has no room, for the file or for its journal,
// leaves each parameter before or after, in the file and in the kernel alike, and
// is finished by another one.
func TestUndoOnAFullDisk(t *testing.T) {
	for _, at := range []string{"/etc/sysctl.d", "/var/lib/pgfettle"} {
		t.Run(at, func(t *testing.T) {
			h := newHost(t, 15)
			d := h.Disk("ext4", 8<<20, at)
			before, files := values(t), h.Files("/etc")
			failed := 0
			for leave := int64(0); ; leave += d.Block {
				if leave > 64<<10 {
					t.Fatal("64 kB are not enough to undo four changes")
				}
				if r := h.apply(); r.Code != 0 || h.changesMade(t) != len(wished) {
					t.Fatal(r)
				}
				d.Fill(t, leave)
				r := h.Run("undo")
				h.changesMade(t)
				h.noLeftovers(t, "/etc/sysctl.d", "/var/lib/pgfettle")
				d.Empty(t)
				if r.Code != 0 {
					failed++
					oneError(t, r, "no space left on device")
					if r.Code != 6 && r.Code != 1 {
						t.Errorf("%s", r)
					}
					h.Want(0, "undo")
				}
				if diff := cmp.Diff(files, h.Files("/etc")); diff != "" {
					t.Errorf("taken back, the files are not as before:\n%s", diff)
				}
				if diff := cmp.Diff(before, values(t)); diff != "" {
					t.Errorf("taken back, the values are not as before:\n%s", diff)
				}
				if r.Code == 0 {
					break
				}
			}
			if failed == 0 {
				t.Error("the disk was never full")
			}
		})
	}
}
