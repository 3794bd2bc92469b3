package kernel

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/linux"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/test/tier"
)

// machine is this one, with its persistent files in a directory of the test: a test that dies leaves nothing that the
// next boot would read.
type machine struct {
	dir   string
	kinds map[string]apply.Kind
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	unchanged(t)
	m := &machine{dir: t.TempDir()}
	h := linux.Host{Files: &target.Local{Root: m.dir}, Kernel: &target.Local{}}
	m.kinds = h.Kinds()
	return m
}

// unchanged is Alone, and holds at the end that every value is as before.
func unchanged(t *testing.T) {
	t.Helper()
	Alone(t)
	was := values(t)
	t.Cleanup(func() {
		now := values(t)
		if d := cmp.Diff(was, now); d != "" {
			t.Errorf("values of the kernel are not as they were:\n%s", d)
		}
		putBack(was, now)
	})
}

// putBack writes values that are otherwise now. A 0 of one of a pair is omitted: the other one rules, and is written
// too.
func putBack(was, now map[string]string) {
	for name, v := range was {
		paired := strings.HasSuffix(name, "_bytes") || strings.HasSuffix(name, "_ratio") ||
			strings.HasSuffix(name, "_kbytes")
		if now[name] != v && (v != "0\n" || !paired) {
			_ = os.WriteFile(name, []byte(v), 0) // the values are compared anyway
		}
	}
}

// values is what may not be different after a test.
func values(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"/proc/sys/vm/*", "/sys/kernel/mm/transparent_hugepage/*",
		"/sys/block/*/queue/read_ahead_kb", "/sys/block/*/queue/scheduler"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if b, err := os.ReadFile(n); err == nil { // a few are only written to
				out[n] = string(b)
			}
		}
	}
	return out
}

func (m *machine) look(t *testing.T, a knob.Address) journal.State {
	t.Helper()
	st, err := m.kinds[a.Prefix()].Look(context.Background(), apply.Knob{Address: a})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// set sets a value and returns the states before and after. The former is set
// back when the test ends, whatever becomes of it.
func (m *machine) set(t *testing.T, a knob.Address, value string) (before, after journal.State) {
	t.Helper()
	kind, k, ctx := m.kinds[a.Prefix()], apply.Knob{Address: a}, context.Background()
	before = m.look(t, a)
	after, err := kind.Want(before, k, value)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kind.Set(ctx, k, before); err != nil {
			t.Errorf("%s: not put back: %v", a, err)
		}
		if found := m.look(t, a); !found.Same(before) {
			t.Errorf("%s: not as before:\n%s", a, cmp.Diff(before, found))
		}
	})
	if err := kind.Set(ctx, k, after); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if found := m.look(t, a); !found.Same(after) {
		t.Errorf("%s: set and found differ:\n%s", a, cmp.Diff(after, found))
	}
	return before, after
}

// is reads a file of the kernel.
func is(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// other returns a value that is not the present one.
func other(t *testing.T, name, a, b string) string {
	t.Helper()
	if is(t, name) == a {
		return b
	}
	return a
}

func TestSwappiness(t *testing.T) {
	m := newMachine(t)
	const name = "/proc/sys/vm/swappiness"
	v := other(t, name, "10", "11")
	m.set(t, "sysctl:vm.swappiness", v)
	if got := is(t, name); got != v {
		t.Errorf("the kernel has %s, want %s", got, v)
	}
	text, err := os.ReadFile(m.dir + "/etc/sysctl.d/60-pgfettle.conf")
	if err != nil || !strings.Contains(string(text), "\nvm.swappiness = "+v+"\n") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestPairs: setting bytes takes the rule from the ratio, and undo gives it
// back, which writing the former 0 could not.
func TestPairs(t *testing.T) {
	for _, c := range []struct{ bytes, ratio, value string }{
		{"dirty_bytes", "dirty_ratio", "1073741824"},
		{"dirty_background_bytes", "dirty_background_ratio", "268435456"},
		{"overcommit_kbytes", "overcommit_ratio", "16000000"},
	} {
		t.Run(c.bytes, func(t *testing.T) {
			m := newMachine(t)
			if is(t, "/proc/sys/vm/"+c.bytes) != "0" {
				t.Fatalf("vm.%s rules on this machine already", c.bytes)
			}
			m.set(t, knob.Sysctl("vm."+c.bytes), c.value)
			if b, r := is(t, "/proc/sys/vm/"+c.bytes), is(t, "/proc/sys/vm/"+c.ratio); b != c.value || r != "0" {
				t.Errorf("bytes %s, ratio %s", b, r)
			}
			// and the other way, while the bytes rule
			m.set(t, knob.Sysctl("vm."+c.ratio), "7")
			if b, r := is(t, "/proc/sys/vm/"+c.bytes), is(t, "/proc/sys/vm/"+c.ratio); b != "0" || r != "7" {
				t.Errorf("bytes %s, ratio %s", b, r)
			}
		})
	}
}

// TestRatioOfZero: a ratio of 0 that rules is a state too, and the kernel takes
// it back only in two steps.
func TestRatioOfZero(t *testing.T) {
	m := newMachine(t)
	const ratio = "/proc/sys/vm/dirty_background_ratio"
	was := is(t, ratio)
	if err := os.WriteFile(ratio, []byte("0"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(ratio, []byte(was), 0); err != nil {
			t.Error(err)
		}
	})
	before, _ := m.set(t, "sysctl:vm.dirty_background_bytes", "268435456")
	if before.Live == nil || *before.Live != "0; vm.dirty_background_ratio = 0" {
		t.Errorf("before: %v", before.Live)
	}
}

func TestHugePages(t *testing.T) {
	m := newMachine(t)
	n, err := strconv.Atoi(is(t, "/proc/sys/vm/nr_hugepages"))
	if err != nil {
		t.Fatal(err)
	}
	const more = 200 // 400 MB, which any machine for tests has
	m.set(t, "sysctl:vm.nr_hugepages", strconv.Itoa(n+more))
	if got := is(t, "/proc/sys/vm/nr_hugepages"); got != strconv.Itoa(n+more) {
		t.Errorf("the pool has %s pages, want %d", got, n+more)
	}
}

// TestHugePagesTooMany: as many pages as there is memory are refused, and not a
// page is taken: the kernel would take nearly all of it and say nothing.
func TestHugePagesTooMany(t *testing.T) {
	m := newMachine(t)
	const a = knob.Address("sysctl:vm.nr_hugepages")
	kind, k, ctx := m.kinds["sysctl"], apply.Knob{Address: a}, context.Background()
	before := m.look(t, a)
	kB, err := strconv.Atoi(strings.Fields(is(t, "/proc/meminfo"))[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, pages := range []int{kB / 2048, 2 * kB / 2048} {
		want, err := kind.Want(before, k, strconv.Itoa(pages))
		if err != nil {
			t.Fatal(err)
		}
		err = kind.Set(ctx, k, want)
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(pages)) {
			t.Errorf("%d pages: %v", pages, err)
		}
		if found := m.look(t, a); !found.Same(before) {
			t.Errorf("%d pages:\n%s", pages, cmp.Diff(before, found))
		}
	}
}

// TestHugePagesInUse: a pool that shrinks under a program that uses it leaves
// surplus, and the kind says so as long as it lasts.
func TestHugePagesInUse(t *testing.T) {
	m := newMachine(t)
	const a = knob.Address("sysctl:vm.nr_hugepages")
	n, err := strconv.Atoi(is(t, "/proc/sys/vm/nr_hugepages"))
	if err != nil {
		t.Fatal(err)
	}
	m.set(t, a, strconv.Itoa(n+20))
	const mapHugeTLB = 0x40000 // MAP_HUGETLB, linux/mman.h, of every architecture that we test on
	mem, err := syscall.Mmap(-1, 0, (n+20)*2<<20, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|mapHugeTLB)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(mem); i += 2 << 20 {
		mem[i] = 1
	}
	kind, k := m.kinds["sysctl"], apply.Knob{Address: a}
	want, err := kind.Want(m.look(t, a), k, strconv.Itoa(n))
	if err == nil {
		err = kind.Set(context.Background(), k, want)
	}
	if err != nil {
		t.Error(err)
	}
	notes, err := kind.(apply.Noter).Notes(k)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "huge pages") {
		t.Errorf("notes %q, %v", notes, err)
	}
	t.Logf("%q", notes)
	if err := syscall.Munmap(mem); err != nil {
		t.Error(err)
	}
}

func TestTransparentHugePages(t *testing.T) {
	m := newMachine(t)
	for name, values := range map[string][2]string{"enabled": {"never", "madvise"}, "defrag": {"never", "madvise"},
		"khugepaged/defrag": {"0", "1"}} {
		before := m.look(t, knob.Address("thp:"+name))
		v := values[0]
		if *before.Live == v {
			v = values[1]
		}
		m.set(t, knob.Address("thp:"+name), v)
		if got := is(t, "/sys/kernel/mm/transparent_hugepage/"+name); got != v && !strings.Contains(got, "["+v+"]") {
			t.Errorf("%s: the kernel has %s, want %s", name, got, v)
		}
	}
}

// TestKernelRefuses: a value that the kernel does not take leaves the old one.
func TestKernelRefuses(t *testing.T) {
	m := newMachine(t)
	for a, v := range map[knob.Address]string{"sysctl:vm.swappiness": "201", "sysctl:vm.dirty_bytes": "1",
		"thp:enabled": "sometimes", "sysctl:vm.overcommit_memory": "x"} {
		kind, k, ctx := m.kinds[a.Prefix()], apply.Knob{Address: a}, context.Background()
		before := m.look(t, a)
		want, err := kind.Want(before, k, v)
		if err != nil {
			t.Fatal(err)
		}
		if err := kind.Set(ctx, k, want); err == nil {
			t.Errorf("%s took %s", a, v)
		}
		if err := kind.Set(ctx, k, before); err != nil {
			t.Errorf("%s: not put back: %v", a, err)
		}
		if found := m.look(t, a); !found.Same(before) {
			t.Errorf("%s:\n%s", a, cmp.Diff(before, found))
		}
	}
}

// TestReadAhead: the queue of a disk, by the first one that has a read-ahead.
func TestReadAhead(t *testing.T) {
	m := newMachine(t)
	names, err := filepath.Glob("/sys/block/*/queue/read_ahead_kb")
	if err != nil || len(names) == 0 {
		tier.Missing(t, tier.Kernel, "no block device here: %v", err)
	}
	dev := strings.Split(names[0], "/")[3]
	v := other(t, names[0], "256", "512")
	m.set(t, knob.Address("block:"+dev+"/read_ahead_kb"), v)
	if got := is(t, names[0]); got != v {
		t.Errorf("the kernel has %s, want %s", got, v)
	}
}

// TestMount: the flags of a real mount follow a line of fstab, and come back.
func TestMount(t *testing.T) {
	m := newMachine(t)
	at := t.TempDir()
	if err := syscall.Mount("pgfettle-test", at, "tmpfs", syscall.MS_RELATIME, "size=1m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
	fstab := "# kept\npgfettle-test\t" + at + " tmpfs  size=1m 0 0 # kept too"
	if err := os.MkdirAll(m.dir+"/etc", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.dir+"/etc/fstab", []byte(fstab), 0o644); err != nil {
		t.Fatal(err)
	}
	_, after := m.set(t, knob.Address("mount:"+at+"/options"), "size=1m,noatime,nosuid,nodev")
	if *after.Live != "rw,nosuid,nodev,noatime" {
		t.Errorf("flags %s", *after.Live)
	}
	if got := is(t, m.dir+"/etc/fstab"); got != "# kept\npgfettle-test\t"+
		at+" tmpfs  size=1m,noatime,nosuid,nodev 0 0 # kept too" {
		t.Errorf("fstab:\n%s", got)
	}
	// every way of keeping access times after every other; the cleanups go back
	for _, atime := range []string{"strictatime", "relatime", "strictatime", "noatime", "relatime"} {
		m.set(t, knob.Address("mount:"+at+"/options"), "size=1m,"+atime)
	}
}
