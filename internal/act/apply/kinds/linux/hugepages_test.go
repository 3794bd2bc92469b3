package linux

import (
	"context"
	"github.com/pgfettle/pgfettle/internal/act/apply"
	"strings"
	"testing"
)

// pool asks a lab's pool for pages and returns the error.
func growPool(t *testing.T, l *lab, pages string) error {
	t.Helper()
	kind, k := Host{Files: l, Kernel: l}.Kinds()["sysctl"], apply.Knob{Address: "sysctl:vm.nr_hugepages"}
	return kind.Set(context.Background(), k, mustWant(t, kind, mustLook(t, kind, k), k, pages))
}

func TestHugePagesGivenInPart(t *testing.T) {
	l := newLab(t, debian)
	l.pages = 700
	tree := l.tree()
	err := growPool(t, l, "1050")
	if err == nil {
		t.Fatal("700 pages passed for 1050")
	}
	for _, s := range []string{"1050", "700", "hugepages=1050"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %s: %v", s, err)
		}
	}
	if now := l.tree(); now["proc/sys/vm/nr_hugepages"] != tree["proc/sys/vm/nr_hugepages"] ||
		now["etc"] != tree["etc"] || now["etc/sysctl.d"] != "" {
		t.Errorf("the pool or its file was not put back: %v", l.ops)
	}
}

func TestHugePagesAfterCompaction(t *testing.T) {
	l := newLab(t, debian)
	l.pages, l.compact = 700, 500
	if err := growPool(t, l, "1050"); err != nil {
		t.Fatal(err)
	}
	compacted := false
	for _, op := range l.ops {
		compacted = compacted || strings.HasPrefix(op, "poke /proc/sys/vm/compact_memory")
	}
	if !compacted || l.number("/proc/sys/vm/nr_hugepages") != 1050 {
		t.Errorf("compacted %v, pool %d", compacted, l.number("/proc/sys/vm/nr_hugepages"))
	}
}

// TestHugePagesAfterSignal: a search that a signal cut short goes on, and nothing
// is compacted for it.
func TestHugePagesAfterSignal(t *testing.T) {
	l := newLab(t, debian)
	l.signals = 1
	if err := growPool(t, l, "1050"); err != nil {
		t.Fatal(err)
	}
	for _, op := range l.ops {
		if strings.HasPrefix(op, "poke /proc/sys/vm/compact_memory") {
			t.Error("memory that is whole was compacted")
		}
	}
	if n := l.number("/proc/sys/vm/nr_hugepages"); n != 1050 || l.signals != 0 {
		t.Errorf("pool %d, %d signals left", n, l.signals)
	}
}

// TestHugePagesRefusedBefore: what could not be right is refused before
// anything is written: more than is available, more than there is, a commit
// limit below what is committed.
func TestHugePagesRefusedBefore(t *testing.T) {
	for name, c := range map[string]struct {
		hugePagesSetting string
		files            map[string]string
		says             string
	}{
		"all that is available": {"3072", nil, "must stay free"}, // 6 GB of 6 GB
		"more than the memory":  {"5000", nil, "more than the memory there is"},
		"strict overcommit by ratio": {"1600", map[string]string{"/proc/sys/vm/overcommit_memory": "2\n",
			"/proc/meminfo": strings.Replace(meminfo, "Committed_AS: 1048576", "Committed_AS: 3145728", 1)},
			"commit limit"},
		"no huge pages": {"10",
			map[string]string{"/proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, debian)
			for n, text := range c.files {
				l.lay(n, text)
			}
			err := growPool(t, l, c.hugePagesSetting)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one with %q", err, c.says)
			}
			if len(l.ops) != 0 {
				t.Errorf("it did %v", l.ops)
			}
		})
	}
}

// TestHugePagesStrictByKilobytes: where vm.overcommit_kbytes rules, huge pages
// do not lower the limit.
func TestHugePagesStrictByKilobytes(t *testing.T) {
	l := newLab(t, debian)
	l.lay("/proc/sys/vm/overcommit_memory", "2\n")
	l.lay("/proc/sys/vm/overcommit_ratio", "0\n")
	l.lay("/proc/meminfo", strings.Replace(meminfo, "Committed_AS: 1048576", "Committed_AS: 3145728", 1))
	if err := growPool(t, l, "1600"); err != nil {
		t.Fatal(err)
	}
}

func TestHugePagesInSurplus(t *testing.T) {
	l := newLab(t, debian)
	if err := growPool(t, l, "1050"); err != nil {
		t.Fatal(err)
	}
	l.inUse = 900
	if err := growPool(t, l, "100"); err != nil {
		t.Fatal(err)
	}
	kind := Host{Files: l, Kernel: l}.Kinds()["sysctl"]
	notes, err := kind.(apply.Noter).Notes(apply.Knob{Address: "sysctl:vm.nr_hugepages"})
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "800 huge pages") {
		t.Errorf("notes %q, %v", notes, err)
	}
	// growing again takes the surplus in, for which no memory is needed
	l.meminfo("MemAvailable", "204800 kB")
	if err := growPool(t, l, "900"); err != nil {
		t.Error(err)
	}
	if notes, err := kind.(apply.Noter).Notes(apply.Knob{Address: "sysctl:vm.nr_hugepages"}); err != nil ||
		len(notes) != 0 {
		t.Errorf("notes %q, %v", notes, err)
	}
}
