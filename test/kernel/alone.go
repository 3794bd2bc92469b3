// Package kernel is the tier of tests that change the kernel's own values for
// real: parameters of /proc/sys, the pool of huge pages, transparent huge
// pages, a mount. It runs where PGFETTLE_TEST_KERNEL=disposable says that the
// machine may be touched, and puts every value back.
package kernel

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

// Alone lets a test go on that changes values of the kernel, as the only one on
// this machine until it ends. Where the machine may not be touched it skips the
// test, or fails it where the tier is required.
func Alone(t *testing.T) {
	t.Helper()
	missing := ""
	switch {
	case os.Getenv("PGFETTLE_TEST_KERNEL") != "disposable":
		missing = "PGFETTLE_TEST_KERNEL=disposable is not set: this test changes values of the kernel"
	case os.Geteuid() != 0:
		missing = "only root changes values of the kernel"
	}
	if missing != "" {
		tier.Missing(t, tier.Kernel, "%s", missing)
	}
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "pgfettle-test-kernel.lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() }) // which gives the lock back
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err == nil {
			return
		}
		if err != syscall.EINTR {
			t.Fatal(err)
		}
	}
}
