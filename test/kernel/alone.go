// Package kernel is the tier of tests that change the kernel's own values for
// real: parameters of /proc/sys, the pool of huge pages, transparent huge
// pages, a mount. It runs where PGFETTLE_TEST_KERNEL=disposable says that the
// machine may be touched, and puts every value back.
package kernel

import (
	"os"
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
	f, err := lockFile()
	if err != nil {
		t.Fatal(err)
	}
	hold(t, f, syscall.LOCK_EX)
}

// Beside lets a test go on that changes nothing of the kernel, and that tests
// which do would disturb: they wait for one another. Who may not open the file of
// the lock shares the machine with another user's tests, and goes on all the same.
func Beside(t *testing.T) {
	t.Helper()
	if f, err := lockFile(); err == nil {
		hold(t, f, syscall.LOCK_SH)
	}
}

func lockFile() (*os.File, error) {
	// at one place for all test runs of the machine, wherever they have their TMPDIR
	return os.OpenFile("/tmp/pgfettle-test-kernel.lock",
		os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
}

// hold takes the lock until the test ends.
func hold(t *testing.T, f *os.File, how int) {
	t.Helper()
	t.Cleanup(func() { f.Close() }) // which gives the lock back
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return
		}
		if err != syscall.EINTR {
			t.Fatal(err)
		}
	}
}
