// Package system is the tier of tests that boot a whole machine: Debian 12 with systemd, cgroups v2, two NUMA nodes and
// PostgreSQL under its unit, in QEMU without hardware help, started by its own GRUB from its own disk. There the
// program does as root what may not be tried on the machine of the tests: parameters of the kernel and of the boot,
// drop-ins of units, restarts, reboots, memory that runs out.
//
// It needs root, qemu-system-x86_64, mmdebstrap, mke2fs and, where the image of the machine is not in the cache
// directory, the package archive of Debian.
package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

// root is the checkout, two directories up from this one.
const root = "../.."

// programs are what the tier needs of this machine.
var programs = []string{"qemu-system-x86_64", "mmdebstrap", "mke2fs", "cp", "go"}

// needed skips a test where something is missing, naming it, or fails it where
// the tier is required.
func needed(t *testing.T) {
	t.Helper()
	var missing []string
	if os.Geteuid() != 0 {
		missing = append(missing, "root, who alone makes a root file system of files that are not his")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, "the program "+p)
		}
	}
	if len(missing) > 0 {
		tier.Missing(t, tier.System, "a virtual machine needs %s", strings.Join(missing, ", "))
	}
	if testing.Short() {
		tier.Missing(t, tier.System, "it takes minutes, and -short was given")
	}
}

// build compiles a program of this checkout as it is released: static, so that
// it runs in the machine as well.
func build(pkg, to string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, "./"+pkg)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// tools makes the disk that brings our programs into the machine: what was built
// from this checkout, which the cached image must not hold.
func tools(dir string) (string, error) {
	tree := filepath.Join(dir, "tools")
	for pkg, name := range map[string]string{"cmd/pgfettle": "pgfettle", "test/system/agent/guest": "agent"} {
		if err := build(pkg, filepath.Join(tree, name)); err != nil {
			return "", err
		}
	}
	disk := filepath.Join(dir, "tools.img")
	// three times what the programs take, which leaves room for ext4's own
	return disk, makeDisk(disk, toolsLabel, tree, 96)
}

// makeDisk makes an ext4 filesystem of a tree of files.
func makeDisk(disk, label, tree string, mb int) error {
	f, err := os.Create(disk)
	if err != nil {
		return err
	}
	err = f.Truncate(int64(mb) << 20)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return command("mke2fs", "-q", "-F", "-t", "ext4", "-L", label, "-d", tree, disk)
}

func command(argv ...string) error {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, lastLines(string(out), 30))
	}
	return nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
