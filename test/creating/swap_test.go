package creating

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/test/kernel"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// swapping is a site with a disk for a swap file, on a machine that has no swap.
type swapping struct {
	*site
	disk, file string
	fstab      string
}

func newSwapping(t *testing.T, b scratch.Binaries) *swapping {
	t.Helper()
	s := newSite(t, b)
	if bytes.Count(read(t, s.Path("/proc/swaps")), []byte("\n")) > 1 {
		tier.Missing(t, tier.Kernel, "this machine has swap, beside which no swap file is made")
	}
	w := &swapping{site: s, disk: s.Dir + "/swap-disk"}
	w.file = w.disk + "/swapfile"
	s.disk(w.disk, "12G")
	s.Sh(`printf '%s' 'none /none tmpfs noauto' > /etc/fstab`) // without the end of a line
	w.fstab = string(read(t, s.Path("/etc/fstab")))
	s.extra = []string{"--layers", "swap", "--swap-file", w.file}
	s.seen = s.Files(s.watched()...)
	t.Cleanup(func() { // a file in use holds its disk
		if w.used() {
			w.Sh(`swapoff "$0"`, w.file)
		}
	})
	return w
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// used reports whether the kernel swaps to the file.
func (w *swapping) used() bool {
	w.t.Helper()
	return strings.Contains(w.Sh("cat /proc/swaps"), w.file+" ")
}

// without verifies that nothing of the swap file is left.
func (w *swapping) without() {
	w.t.Helper()
	if left := w.Sh(`ls -A "$0"`, w.disk); left != "" || w.used() {
		w.t.Errorf("%s is left, in use: %v", left, w.used())
	}
}

// TestSwapFile: the file is there for root alone and in use, its line is in /etc/fstab, and no second one is made
// beside it. Undo and drop leave every file as before.
func TestSwapFile(t *testing.T) {
	kernel.Alone(t)
	live.On(t, live.Some()[:1], func(t *testing.T, b scratch.Binaries) {
		w := newSwapping(t, b)
		for _, back := range [][]string{{"undo", "--yes"}, {"create", "--drop", instance, "--yes"}} {
			p := w.create()
			first, _ := p.Split()
			if len(first) != 2 || len(p.Host) > 0 {
				t.Fatalf("%+v, %+v", first, p.Host)
			}
			want, err := newcluster.ParseSwap(first[0].To)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Sh(`stat -c '%a %U %s' "$0"; blkid -p -s UUID -o value "$0"`, w.file); got != "600 root "+
				strconv.Itoa(int(want.Size))+"\n"+want.UUID+"\n" {
				t.Errorf("the file is %s", got)
			}
			if got := w.Sh("cat /etc/fstab"); got != w.fstab+"\n"+newcluster.SwapLine(w.file)+"\n" || !w.used() {
				t.Errorf("in use: %v; /etc/fstab is\n%s", w.used(), got)
			}
			r := w.pgfettle(0, "create", "two", "--via", "initdb", "--bin", p.Programs, "--owner", owner, "--datadir",
				w.top+"/pg/two", "--socket-dir", w.sock, "--memory", "300MB", "--layers", "swap", "--plan-only")
			if text := strings.Join(strings.Fields(r.Stdout), " "); !strings.Contains(text, "this host has "+
				want.Size.String()+" of swap") {
				t.Error(r)
			}
			w.pgfettle(0, back...)
			w.gone()
			w.without()
		}
	})
}

// TestSwapFileOfOthersStays: what others have written to the file of the system stays, without our line.
func TestSwapFileOfOthersStays(t *testing.T) {
	kernel.Alone(t)
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		w := newSwapping(t, b)
		w.create()
		w.Sh(`echo '# mine' >> /etc/fstab`)
		w.pgfettle(0, "undo", "--yes")
		if got := w.Sh("cat /etc/fstab"); got != w.fstab+"\n# mine\n" {
			t.Errorf("/etc/fstab is\n%s", got)
		}
		w.without()
		w.Sh(`printf '%s' "$0" > /etc/fstab`, w.fstab)
		w.gone()
	})
}

// TestSwapFileKilled kills the program while it makes the file, uses it, or takes it back.
func TestSwapFileKilled(t *testing.T) {
	kernel.Alone(t)
	most, start := number(t, "PGFETTLE_CREATE_KILLS", 12), seed(t)
	live.On(t, live.Some()[2:3], func(t *testing.T, b scratch.Binaries) {
		w := newSwapping(t, b)
		k := &killing{site: w.site, sum: &tally{phases: map[string]int{}}}
		t.Cleanup(func() { t.Log(k.sum) })
		k.undisturbed()
		w.without()
		const lines, steps = 6, 40 * time.Millisecond // those of the two steps of the file
		k.draw = func() point {
			at := point{lines: 1 + k.rng.IntN(lines), after: time.Duration(k.rng.Float64() * float64(steps))}
			if k.rng.IntN(3) == 0 {
				at.lines = 1 + k.rng.IntN(2*k.lines) // an undo comes to them last
			}
			return at
		}
		for n := 1; k.kills < most && n < 4*most && !t.Failed(); n++ {
			k.rng = rand.New(rand.NewPCG(start, uint64(n)))
			k.trial(n)
			w.without()
		}
	})
}
