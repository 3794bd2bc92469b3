package kernel

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// TestHugePagesAndTheCommitLimit: what the growth of the pool computes with before it is let through under strict
// overcommit: the kernel takes vm.overcommit_ratio percent of the pages off the commit limit, and gives them back with
// the pool; where vm.overcommit_kbytes rules (the ratio reads 0) it takes nothing.
func TestHugePagesAndTheCommitLimit(t *testing.T) {
	m := newMachine(t)
	limit := func() int64 {
		t.Helper()
		for line := range strings.Lines(is(t, "/proc/meminfo")) {
			if v, ok := strings.CutPrefix(line, "CommitLimit:"); ok {
				kB, err := strconv.ParseInt(strings.Fields(v)[0], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				return kB
			}
		}
		t.Fatal("/proc/meminfo has no CommitLimit")
		return 0
	}
	n, err1 := strconv.Atoi(is(t, "/proc/sys/vm/nr_hugepages"))
	ratio, err2 := strconv.ParseInt(is(t, "/proc/sys/vm/overcommit_ratio"), 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	const more = 50 // 100 MB, of which half is well beyond what rounding to pages could hide
	was := limit()
	t.Run("grown", func(t *testing.T) {
		inner := &machine{m.dir, m.kinds}
		inner.set(t, "sysctl:vm.nr_hugepages", strconv.Itoa(n+more))
		less := more * 2048 * ratio / 100
		// the kernel counts whole pages of 4 kB, on both sides
		if now := limit(); was-now < less-8 || was-now > less+8 {
			t.Errorf("the limit went from %d kB to %d kB by %d pages at %d %%: wanted %d kB less", was, now, more,
				ratio, less)
		}
	})
	if now := limit(); now < was-8 || now > was+8 {
		t.Errorf("the limit is %d kB after the pool was given back, and was %d kB", now, was)
	}
}
