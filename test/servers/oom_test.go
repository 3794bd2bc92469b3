package servers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/act/oomdemo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// groups counts the cgroups that groupHere has made: several tests ask at once.
var groups atomic.Int64

// groupHere skips a test where no cgroup with a limit on memory can be made, naming why; where the tier is required it
// fails.
func groupHere(t *testing.T) {
	t.Helper()
	at, err := cgroup.Places()
	if err != nil {
		tier.Missing(t, tier.Servers, "the exercise «out of memory» needs a memory cgroup: %v", err)
	}
	g, err := cgroup.New(at, fmt.Sprintf("pgfettle-test-%d-%d", os.Getpid(), groups.Add(1)), oomdemo.Limit)
	if err != nil {
		tier.Missing(t, tier.Servers, "the exercise «out of memory» needs a memory cgroup that it may make: %v", err)
	}
	if err := g.Remove(); err != nil {
		t.Fatal(err)
	}
}

// these are the binaries of a test, as the exercise asks for them.
func these(b scratch.Binaries) func(context.Context) (scratch.Binaries, error) {
	return func(context.Context) (scratch.Binaries, error) { return b, nil }
}

// leftovers lists the cgroups of exercises, and the processes that have a file of a directory in their command line.
func leftovers(t *testing.T, removed []string) []string {
	t.Helper()
	var left []string
	at, err := cgroup.Places()
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range removed {
		for word := range strings.FieldsSeq(what) {
			if !strings.HasPrefix(word, "/") {
				continue
			}
			if _, err := os.Lstat(word); err == nil {
				left = append(left, word)
			}
			left = append(left, running(t, word)...)
		}
	}
	mine, err := filepath.Glob(filepath.Join(at[0].Dirs[0], fmt.Sprintf("pgfettle-oom-%d-*", os.Getpid())))
	if err != nil {
		t.Fatal(err)
	}
	return append(left, mine...)
}

// running lists processes that name a path in their arguments.
func running(t *testing.T, path string) []string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range dirs {
		if b, err := os.ReadFile(d); err == nil && bytes.Contains(b, []byte(path)) {
			out = append(out, fmt.Sprintf("%s: %q", d, b))
		}
	}
	return out
}

// TestOOM: by default the greedy query takes every session with it; under strict
// overcommit it fails alone, its session lives, and no other is lost.
func TestOOM(t *testing.T) {
	groupHere(t)
	live.On(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		dir := filepath.Join(t.TempDir(), "a", "oomdemo")
		res, err := oomdemo.RunOOM(t.Context(), oomdemo.Options{Binaries: these(b), Overcommit: oomresult.StandIn,
			StateDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Rounds) != 2 {
			t.Fatalf("%d rounds", len(res.Rounds))
		}
		r := res.Rounds[0]
		t.Logf("killed after %d ms, %d sessions lost, down for %d ms, longest pause %d ms", r.Query.Took/1000,
			r.Load.Lost, r.Load.Down/1000, r.Load.Pause/1000)
		if r.Query.Outcome != oomresult.Killed || r.Query.Alive || r.OOMKills < 1 || !r.Restarted || !r.SamePostmaster {
			t.Errorf("round 1: %+v", r)
		}
		if r.Load.Lost != res.Sessions || r.Load.Down <= 0 || r.Load.Before == 0 ||
			r.Load.Transactions <= r.Load.Before || !strings.Contains(r.Load.Said, "crash of another server process") {
			t.Errorf("round 1, load: %+v", r.Load)
		}
		for _, want := range []string{fmt.Sprintf("(PID %d) was terminated by signal 9", r.Query.PID), "reinitializing",
			"ready to accept connections"} {
			if !slices.ContainsFunc(r.Log, func(l string) bool { return strings.Contains(l, want) }) {
				t.Errorf("round 1: no line %q in %q", want, r.Log)
			}
		}
		if r.KernelGap == "" && !slices.ContainsFunc(r.Kernel, func(l string) bool {
			return strings.Contains(l, fmt.Sprintf("Killed process %d (postgres)", r.Query.PID))
		}) {
			t.Errorf("round 1: the kernel's log: %q", r.Kernel)
		}

		s := res.Rounds[1]
		t.Logf("refused after %d ms, longest pause %d ms, kernel's log: %q", s.Query.Took/1000, s.Load.Pause/1000,
			s.KernelGap)
		if s.Query.Outcome != oomresult.Refused || s.Query.SQLState != "53200" || !s.Query.Alive || s.OOMKills != 0 ||
			s.Restarted || !s.SamePostmaster {
			t.Errorf("round 2: %+v", s)
		}
		if s.Load.Lost != 0 || s.Load.Down != 0 || s.Load.Transactions <= s.Load.Before ||
			s.Setting.AddressSpace <= s.Setting.Session || s.Setting.Mode != r.Setting.Mode {
			t.Errorf("round 2: %+v %+v", s.Load, s.Setting)
		}
		for _, want := range []string{"ExecutorState: ", "Grand total: ", "ERROR:  out of memory"} {
			if !slices.ContainsFunc(s.Log, func(l string) bool { return strings.Contains(l, want) }) {
				t.Errorf("round 2: no line %q in %q", want, s.Log)
			}
		}
		if len(res.Swept) > 0 || len(res.Removed) != 2 {
			t.Errorf("swept %q, removed %q", res.Swept, res.Removed)
		}
		if left := leftovers(t, append(res.Removed, filepath.Dir(dir))); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// TestOOMInterrupted: stopped at each step that it reports, it leaves nothing.
func TestOOMInterrupted(t *testing.T) {
	groupHere(t)
	live.On(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		for _, at := range []string{"cluster", "round 1, default overcommit: starting",
			"round 1, default overcommit: 4 sessions", "round 2, strict overcommit: the query has ended"} {
			ctx, cancel := context.WithCancel(t.Context())
			seen := false
			dir := filepath.Join(t.TempDir(), "oomdemo")
			res, err := oomdemo.RunOOM(ctx, oomdemo.Options{Binaries: these(b), Overcommit: oomresult.StandIn,
				StateDir: dir, Tell: func(s string) {
					if strings.Contains(s, at) {
						seen = true
						cancel()
					}
				}})
			cancel()
			if !seen || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, %v", at, seen, err)
			}
			if left := leftovers(t, append(res.Removed, dir)); len(left) > 0 || len(res.Removed) == 0 {
				t.Errorf("%s: removed %q, left behind %q", at, res.Removed, left)
			}
		}
	})
}

// victimDir is the variable that makes TestOOMKilled the victim of itself.
const victimDir = "PGFETTLE_TEST_OOM_VICTIM"

// victim is the exercise in a separate process, which reports its steps and is killed.
func victim(t *testing.T, dir string) {
	t.Helper()
	found, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	_, err = oomdemo.RunOOM(t.Context(), oomdemo.Options{Binaries: these(found[15]), Overcommit: oomresult.StandIn,
		StateDir: dir, Tell: func(s string) { fmt.Println("STEP", s) }})
	t.Fatalf("it was not killed: %v", err)
}

// TestOOMKilled: what a run leaves that SIGKILL ends in the middle, the next one removes: the group, the processes, the
// directory of the server, the record.
func TestOOMKilled(t *testing.T) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(t, dir)
	}
	groupHere(t)
	live.On(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		dir := filepath.Join(t.TempDir(), "oomdemo")
		cmd := exec.Command(os.Args[0], "-test.run=^TestOOMKilled$", "-test.v")
		// In a folder of its own: another that starts a server beside it removes what a killed one has left.
		cmd.Env = append(os.Environ(), victimDir+"="+dir, "TMPDIR="+cell.Folder(t))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		reached := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if t := lines.Text(); strings.HasPrefix(t, "STEP round 1") && strings.Contains(t, "sessions under load") {
				reached = true
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // killed
		if !reached {
			t.Fatal("it ended before the sessions were under load")
		}
		var record struct {
			Groups []cgroup.Group
			Folder string
		}
		text, err := os.ReadFile(filepath.Join(dir, "record.json"))
		if err == nil {
			err = json.Unmarshal(text, &record)
		}
		if err != nil || len(record.Groups) != 1 || record.Folder == "" {
			t.Fatalf("the record: %v, %s", err, text)
		}
		for _, p := range []string{record.Groups[0].Dir, record.Folder} {
			if _, err := os.Stat(p); err != nil {
				t.Errorf("the kill left nothing to remove: %v", err)
			}
		}

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		res, err := oomdemo.RunOOM(ctx, oomdemo.Options{Binaries: these(b), Overcommit: oomresult.StandIn,
			StateDir: dir, Tell: func(string) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		want := []string{"cgroup " + record.Groups[0].Dir, "directory " + record.Folder}
		if !slices.Equal(res.Swept, want) {
			t.Errorf("swept %q, want %q", res.Swept, want)
		}
		if left := leftovers(t, append(want, dir)); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// TestOOMCommand: the command as a person runs it, as JSON.
func TestOOMCommand(t *testing.T) {
	groupHere(t)
	var out, errs bytes.Buffer
	code := 0
	await.That(t, "the lock, which another run of the tests on this machine may have", func() (bool, any) {
		out.Reset()
		errs.Reset()
		code = cli.Main(t.Context(), []string{"demo", "oom", "--format", "json"}, strings.NewReader(""), &out, &errs,
			os.Environ())
		return code != say.CodeRefused || !strings.Contains(errs.String(), "another exercise is running"), errs.String()
	})
	var res oomresult.OOM
	if err := json.Unmarshal(out.Bytes(), &res); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, errs.String(), out.String())
	}
	if len(res.Rounds) != 2 || res.Rounds[0].Query.Outcome != oomresult.Killed ||
		res.Rounds[1].Query.Outcome != oomresult.Refused {
		t.Errorf("%s", out.String())
	}
	if left := leftovers(t, res.Removed); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestOOMNoRight: a user who cannot create a group gets a message about the missing right.
func TestOOMNoRight(t *testing.T) {
	if os.Geteuid() != 0 {
		tier.Missing(t, tier.Servers, "only root can run it as somebody else")
	}
	acc, err := scratch.Unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	bin := cell.Binary(t)
	home, err := os.MkdirTemp("/tmp", "pgfettle-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chown(home, acc.UID, acc.GID); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "demo", "oom")
	cmd.Dir, cmd.Env = "/", []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(acc.UID), Gid: uint32(acc.GID)}}
	out, err := cmd.CombinedOutput()
	var ee *exec.ExitError
	if !errors.As(err, &ee) || ee.ExitCode() != say.CodeNoAccess ||
		!strings.Contains(string(out), "hint: Run it as root") {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
