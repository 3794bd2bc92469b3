// Package cell runs the real program for tests in its own mount namespace: /etc and /var/lib are there to be written to
// and nothing of it outlives the test, filesystems can be small, full or read-only, and kernel, processes and sockets
// are the machine's. The namespace ends with the process that holds it, and that one with the test, however the test
// ends.
package cell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/tier"
)

// Cell is one such namespace.
type Cell struct {
	Dir string // a directory that every user may pass through, the same within and without
	t   *testing.T
	pid int
}

// New makes a cell for a test of a tier.
func New(t *testing.T, of string) *Cell {
	t.Helper()
	if os.Geteuid() != 0 {
		tier.Missing(t, of, "only root makes a mount namespace")
	}
	for _, program := range []string{"unshare", "nsenter", "mount"} {
		if _, err := exec.LookPath(program); err != nil {
			tier.Missing(t, of, "%v", err)
		}
	}
	c := &Cell{Dir: Folder(t), t: t}
	// cat ends when its end of the pipe does, which the kernel closes with us.
	holder := exec.Command("unshare", "--mount", "--propagation", "private", "cat")
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), holder.Wait()); err != nil {
			t.Errorf("the cell: %v", err)
		}
	})
	if _, err := io.WriteString(in, "."); err != nil { // an echo says that unshare(2) is over
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		tier.Missing(t, of, "no mount namespace: %v", err)
	}
	c.pid = holder.Process.Pid
	c.Sh(`mkdir "$0/layers" "$0/home" && mount -t tmpfs layers "$0/layers" && cd "$0/layers"
for at in /etc /var/lib; do
	mkdir -p "up$at" "work$at" && mount -t overlay -o "lowerdir=$at,upperdir=up$at,workdir=work$at" cell "$at" || exit 1
done
rm -rf /var/lib/pgfettle`, c.Dir)
	return c
}

// Folder makes a directory that every user may pass through, as those of testing.T are not, and takes it away with the
// test.
func Folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgf-cell-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pgf-bin-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "pgfettle")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "github.com/pgfettle/pgfettle/cmd/pgfettle")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

// InMemory has the servers of a package's tests made in PGFETTLE_TEST_TMPDIR, where that is set: see tools/tmpdir.sh.
func InMemory() {
	if dir := os.Getenv("PGFETTLE_TEST_TMPDIR"); dir != "" {
		if err := os.Setenv("TMPDIR", dir); err != nil {
			panic(err)
		}
	}
}

// Main runs the tests of a package and takes away the program that was built
// for them.
func Main(m *testing.M) int {
	code := m.Run()
	if bin, err := built(); err == nil && bin != "" {
		os.RemoveAll(filepath.Dir(bin))
	}
	return code
}

var wasBuilt bool

func built() (string, error) {
	if !wasBuilt {
		return "", nil
	}
	return binary()
}

// Binary returns the path of the program, built once for all tests of a package, or
// what PGFETTLE_TEST_BINARY names: another one, to see whether a test would find
// what is wrong with it.
func Binary(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("PGFETTLE_TEST_BINARY"); named != "" {
		return named
	}
	wasBuilt = true
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// Ran is how a program ended.
type Ran struct {
	Args           []string
	Code           int
	Stdout, Stderr string
}

// String returns it with the end of its output: the plan before it is long.
func (r Ran) String() string {
	const end = 1500
	return fmt.Sprintf("%q ended with %d\n%s\n%s", r.Args, r.Code, r.Stdout[max(0, len(r.Stdout)-end):], r.Stderr)
}

// Cmd is a program that will run within, as a user (nil: root), with a bare
// environment and what is added to it.
func (c *Cell) Cmd(as *scratch.Account, env []string, argv ...string) *exec.Cmd {
	args := []string{"-t", strconv.Itoa(c.pid), "-m", "--"}
	if as != nil && as.Switch {
		args = append(args, "setpriv", "--reuid="+strconv.Itoa(as.UID), "--regid="+strconv.Itoa(as.GID),
			"--clear-groups")
	}
	cmd := exec.Command("nsenter", append(args, argv...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin", "HOME=" + c.Dir + "/home", "LC_ALL=C",
		"TMPDIR=" + os.TempDir()}, env...)
	return cmd
}

// Exec runs a program within: see Cmd.
func (c *Cell) Exec(as *scratch.Account, env []string, argv ...string) Ran {
	c.t.Helper()
	cmd := c.Cmd(as, env, argv...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatalf("%q: %v", argv, err)
	}
	return Ran{Args: argv, Code: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: errs.String()}
}

// Sh runs lines of the shell within, which must succeed.
func (c *Cell) Sh(lines string, args ...string) string {
	c.t.Helper()
	r := c.Exec(nil, nil, append([]string{"/bin/sh", "-euc", lines}, args...)...)
	if r.Code != 0 {
		c.t.Fatal(r)
	}
	return r.Stdout
}

// Run runs the program within as root.
func (c *Cell) Run(args ...string) Ran { return c.As(nil, args...) }

// As runs the program within as a user.
func (c *Cell) As(as *scratch.Account, args ...string) Ran {
	c.t.Helper()
	return c.Exec(as, nil, append([]string{Binary(c.t)}, args...)...)
}

// Want is Run that holds the exit code.
func (c *Cell) Want(code int, args ...string) Ran {
	c.t.Helper()
	r := c.Run(args...)
	if r.Code != code {
		c.t.Fatalf("exit code %d, want %d: %s", r.Code, code, r)
	}
	return r
}

// Path returns the way from without to a name within.
func (c *Cell) Path(name string) string {
	return filepath.Join("/proc", strconv.Itoa(c.pid), "root", name)
}

// Files describes directories within: each name with mode, owner and bytes. Missing ones have no names.
func (c *Cell) Files(folders ...string) map[string]string {
	c.t.Helper()
	root := c.Path("/")
	all := map[string]string{}
	for _, folder := range folders {
		for name, text := range Files(c.t, filepath.Join(root, folder)) {
			all[strings.TrimPrefix(name, root)] = text
		}
	}
	return all
}

// Files describes a directory: each name with mode, owner and bytes.
func Files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == folder {
			return nil
		}
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		st := fi.Sys().(*syscall.Stat_t)
		text := fmt.Sprintf("%s %d:%d", fi.Mode(), st.Uid, st.Gid)
		if fi.Mode().IsRegular() {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += "\n" + string(b)
		}
		all[name] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
