package servers

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/test/kernel"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

const pool = "/proc/sys/vm/nr_hugepages"

// TestHugePagesOfThePlanStartTheServer: with as many huge pages as the binary
// answered for a planned configuration the server starts with huge_pages=on,
// with one fewer it does not. It changes the kernel's pool, so it runs only on
// a machine that PGFETTLE_TEST_KERNEL says may be touched, and puts it back.
func TestHugePagesOfThePlanStartTheServer(t *testing.T) {
	kernel.Alone(t)
	was := pages(t)
	if was != 0 {
		tier.Missing(t, tier.Kernel, "vm.nr_hugepages is %d: only an empty pool shows what a server needs", was)
	}
	defer setPages(t, was)
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		q := snapshot.ShmemQuestion{Instance: in.Key, Settings: []snapshot.NamedValue{
			{Name: "max_connections", Value: "500"}, {Name: "shared_buffers", Value: "131072"}}} // 1 GB
		a, err := serverprogram.AskSharedMemory(t.Context(), &target.Local{}, in, q)
		if err != nil {
			t.Fatal(err)
		}
		n := a.Bytes.Pages(2 * unit.MB)
		if a.Pages > 0 && a.Pages != n {
			t.Errorf("%d pages answered, %d by size", a.Pages, n)
		}
		if err := i.Configure(map[string]string{"max_connections": "500", "shared_buffers": "1GB",
			"huge_pages": "on"}); err != nil {
			t.Fatal(err)
		}
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		defer setPages(t, 0)
		setPages(t, n-1)
		if err := i.Start(t.Context()); err == nil {
			t.Errorf("started with %d pages, one fewer than answered", n-1)
			if err := i.Stop(); err != nil {
				t.Fatal(err)
			}
		} else if !strings.Contains(err.Error(), "could not map anonymous shared memory") {
			t.Errorf("with %d pages: %v", n-1, err)
		}
		setPages(t, n)
		if err := i.Start(t.Context()); err != nil {
			t.Errorf("does not start with the %d pages answered: %v", n, err)
		}
		t.Logf("%s: %d pages start it, %d do not (%s)", b.Version, n, n-1, a.Method)
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
	})
}

func pages(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile(pool)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// setPages sets the pool and reads it back. It asks three times: a signal to the
// thread that writes, such as the Go runtime's own, ends the kernel's search, and
// the write succeeds all the same.
func setPages(t *testing.T, n int64) {
	t.Helper()
	var got int64
	for range 3 {
		if err := os.WriteFile(pool, []byte(strconv.FormatInt(n, 10)), 0); err != nil {
			t.Fatal(err)
		}
		if got = pages(t); got == n {
			return
		}
	}
	t.Fatalf("asked the kernel for %d huge pages, it gave %d", n, got)
}
