package scratch

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestConfinement: the process is confined before it becomes the program, keeps
// its number, and has the limit on its address space.
func TestConfinement(t *testing.T) {
	entered := 0
	c := &Confinement{AddressSpace: 300 * unit.MB, Enter: func(pid int) error {
		entered = pid
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		// the latter between fork and exec
		if !bytes.HasPrefix(line, []byte("/bin/sh\x00-c\x00ulimit")) && !bytes.Contains(line, []byte("server.test")) {
			t.Errorf("the program runs already: %q", line)
		}
		return err
	}}
	var out bytes.Buffer
	cmd := c.waiting([]string{"/bin/sh", "-c", "echo $$; ulimit -v"})
	cmd.Stdout = &out
	wait, err := c.begin(Account{UID: os.Geteuid(), GID: os.Getegid()}, cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	if want := strconv.Itoa(cmd.Process.Pid) + "\n307200\n"; out.String() != want || entered != cmd.Process.Pid {
		t.Errorf("%q, want %q; %d entered", out.String(), want, entered)
	}
}

// TestConfinementThatFails: a process that could not be confined never becomes
// the program, and is gone.
func TestConfinementThatFails(t *testing.T) {
	refused := errors.New("no group")
	pid := 0
	c := &Confinement{Enter: func(p int) error { pid = p; return refused }}
	var out bytes.Buffer
	cmd := c.waiting([]string{"/bin/sh", "-c", "echo ran"})
	cmd.Stdout = &out
	if _, err := c.begin(Account{UID: os.Geteuid(), GID: os.Getegid()}, cmd); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	if strings.Contains(out.String(), "ran") {
		t.Error("the program ran")
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d: %v", pid, err)
	}
}
