package creating

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/live"
)

// orphans are programs that a killed create leaves at work, each known by its name and one of its arguments.
var orphans = []struct {
	name, program, argument string
	waited                  bool // it is let go on while the undo waits for it: only initdb is ended
}{
	{"initdb before its first file", "postgres", "-V", true},
	{"initdb", "initdb", "-D", false},
	{"the first server of initdb", "postgres", "--boot", true},
	{"the last server of initdb", "postgres", "--single", true},
	{"the server that gets the password", "postgres", "log_statement=none", true},
	{"pg_ctl", "pg_ctl", "start", true},
}

// TestUndoBesideAnOrphan kills create while a program that it has started works, and holds that one where it is. An
// undo must see it in any case: also when it has not written a file yet. Afterwards nothing is left of it.
func TestUndoBesideAnOrphan(t *testing.T) {
	live.OnAtOnce(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		s := newSite(t, b)
		for _, o := range orphans {
			s.Sh(`rm -rf /var/lib/pgfettle`)
			k := &killing{site: s}
			pid := 0
			for n := 1; pid == 0; n++ {
				var ended string
				if pid, ended = s.hold(o.program, o.argument); pid > 0 {
					break
				}
				// some live for milliseconds, in which nobody may have looked
				if n == mostLooks {
					t.Fatalf("%s: it was never seen, and create ended: %s", o.name, ended)
				}
				s.pgfettle(0, "undo", "--yes")
				s.Sh(`rm -rf /var/lib/pgfettle`)
			}
			files := len(s.Files(s.data))
			undo := s.cmd(nil, nil, binary(t), "undo", "--yes")
			said := &bytes.Buffer{}
			undo.Stderr = said
			if err := undo.Start(); err != nil {
				t.Fatal(err)
			}
			if o.waited {
				await.That(t, "the undo", func() (bool, any) {
					text := string(k.lined())
					return strings.Contains(text, `"kind":"undo"`) || undoEnded(undo), text
				})
				if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
					t.Fatalf("%s: %v", o.name, err)
				}
			}
			if err := undo.Wait(); err != nil {
				t.Errorf("%s, with %d files: %v %s\n%s", o.name, files, err, said, k.journal())
			}
			_ = syscall.Kill(pid, syscall.SIGCONT) // who is left now goes on
			if left := k.processes(); left != "" {
				t.Errorf("%s, with %d files: processes are left: %s", o.name, files, left)
			}
			if d := differs(s.seen, s.Files(s.watched()...)); d != "" {
				t.Fatalf("%s, with %d files: the tree is not as before:\n%s\n%s", o.name, files, d, k.journal())
			}
			t.Logf("%s: there were %d files", o.name, files)
		}
	})
}

// mostLooks is how often a program is looked for: of one that lives for 5 ms, seen in half of the runs on two busy
// CPUs, one in a million is missed so often.
const mostLooks = 20

// hold creates an instance, stops the first process of a program that it starts, and kills create. 0: it was not seen,
// and create ended, with what it printed.
func (s *site) hold(program, argument string) (pid int, ended string) {
	s.t.Helper()
	cmd := s.cmd(nil, nil, append([]string{binary(s.t)}, s.args("--password-file", "-")...)...)
	cmd.Stdin = strings.NewReader("secret\n")
	out := file(s.t)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	old := processes(s.t)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			return 0, fmt.Sprintf("%v %s", err, said(s.t, out))
		default:
		}
		if pid = s.worker(program, argument, old); pid == 0 {
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			pid = 0 // it has ended meanwhile
			continue
		}
		_ = cmd.Process.Kill() // it waits for the one that was stopped
		<-done
		return pid, ""
	}
}

func undoEnded(cmd *exec.Cmd) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// processes are all that there are.
func processes(t *testing.T) (pids []string) {
	t.Helper()
	dir, err := os.Open("/proc")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(n string) bool { _, err := strconv.Atoi(n); return err != nil })
}

// worker is a new process of this site with such a name and argument; 0: there is none.
func (s *site) worker(program, argument string, old []string) int {
	for _, pid := range processes(s.t) {
		if slices.Contains(old, pid) {
			continue
		}
		b, err := os.ReadFile("/proc/" + pid + "/cmdline")
		argv := strings.Split(string(b), "\x00")
		if err != nil || filepath.Base(argv[0]) != program || !slices.Contains(argv, argument) {
			continue // or a process that is gone
		}
		environment, err := os.ReadFile("/proc/" + pid + "/environ")
		if err != nil || !slices.Contains(argv, s.data) &&
			!slices.Contains(strings.Split(string(environment), "\x00"), "PGDATA="+s.data) {
			continue
		}
		if n, err := strconv.Atoi(pid); err == nil {
			return n
		}
	}
	return 0
}
