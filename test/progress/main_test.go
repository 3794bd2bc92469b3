package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/tier"
)

const (
	here  = module + "internal/a"
	there = module + "test/b"
)

// lines are those of go test -json.
func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

func line(action, pkg, test, more string) string {
	return fmt.Sprintf(`{"Action":%q,"Package":%q,"Test":%q%s}`, action, pkg, test, more)
}

func output(pkg, test, text string) string {
	return line("output", pkg, test, fmt.Sprintf(`,"Output":%q`, text+"\n"))
}

// told returns the report on some lines.
func told(t *testing.T, require, text string) (string, bool) {
	t.Helper()
	var b strings.Builder
	r := newReport(&b, func() time.Time { return time.Unix(0, 0) }, require)
	if err := r.read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	well := r.end(true)
	return b.String(), well
}

// TestReport verifies that a package is reported when it ends, with all that failed in it and nothing that did not, and
// at the end what was skipped and why.
func TestReport(t *testing.T) {
	var b strings.Builder
	at := time.Unix(0, 0)
	r := newReport(&b, func() time.Time { return at }, "")
	text := lines(
		line("start", here, "", ""), line("start", there, "", ""),
		line("run", there, "TestLong", ""), line("run", there, "TestLong/17", ""),
		line("run", here, "TestGood", ""), output(here, "TestGood", "a lot"),
		line("pass", here, "TestGood", `,"Elapsed":1`),
		line("run", here, "TestBad", ""), output(here, "TestBad", "    a_test.go:7: it is 3"),
		line("fail", here, "TestBad", ""),
		line("run", here, "TestNone", ""), output(here, "TestNone", "=== RUN TestNone"),
		output(here, "TestNone", "    a_test.go:9: tier packages: fio is not installed"),
		output(here, "TestNone", "--- SKIP: TestNone"),
		line("skip", here, "TestNone", ""),
		line("fail", here, "", `,"Elapsed":75.5`),
		"what is no event",
	)
	if err := r.read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	at = at.Add(90 * time.Second)
	r.running()
	rest := lines(line("pass", there, "TestLong/17", `,"Elapsed":80`), line("pass", there, "TestLong", `,"Elapsed":90`),
		line("pass", there, "", `,"Elapsed":91`))
	if err := r.read(strings.NewReader(rest)); err != nil {
		t.Fatal(err)
	}
	if r.end(true) {
		t.Error("a test failed, and all is well")
	}
	want := `FAIL    1m15s  internal/a
    a_test.go:7: it is 3
what is no event
... 1m30s: test/b 1m30s (TestLong/17 1m30s)
ok      1m31s  test/b

skipped:
  tier packages: fio is not installed: internal/a TestNone

the longest packages:
    1m31s  test/b
    1m15s  internal/a

the longest tests:
    1m30s  test/b TestLong

2 packages (0 cached) in 1m30s
3 passed, 1 failed, 1 skipped
`
	if b.String() != want {
		t.Errorf("%s\nis not\n%s", b.String(), want)
	}
}

// TestCutOff verifies that what did not build, and the output of a test that never ended, is shown.
func TestCutOff(t *testing.T) {
	said, well := told(t, "", lines(
		`{"ImportPath":"x [x.test]","Action":"build-output","Output":"a.go:3:1: syntax error\n"}`,
		`{"ImportPath":"x [x.test]","Action":"build-fail"}`,
		line("start", here, "", ""), line("fail", here, "", `,"Elapsed":0,"FailedBuild":"x [x.test]"`),
		line("start", there, "", ""), line("run", there, "TestHangs", ""),
		output(there, "TestHangs", "panic: test timed out"),
		line("fail", there, "", `,"Elapsed":600`),
	))
	for _, want := range []string{"a.go:3:1: syntax error", "panic: test timed out",
		"\n0 passed, 2 failed, 0 skipped\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not told:\n%s", want, said)
		}
	}
	if well {
		t.Error("all is well")
	}
}

// TestRequiredTierSkipped verifies that a run is not green in which a tier was skipped that is required; a test that
// skips asks the same variable, but may have had another one.
func TestRequiredTierSkipped(t *testing.T) {
	text := lines(line("start", here, "", ""), line("run", here, "TestA", ""),
		output(here, "TestA", "    tier.go:40: "+tier.Word+tier.Kernel+": only root changes values of the kernel"),
		line("skip", here, "TestA", ""), line("pass", here, "", ""))
	for require, want := range map[string]bool{"": true, "servers,web": true, "servers, kernel": false,
		"kernel": false} {
		if said, well := told(t, require, text); well != want ||
			!strings.HasSuffix(said, fmt.Sprintf("\n0 passed, %d failed, 1 skipped\n", map[bool]int{false: 1}[want])) {
			t.Errorf("PGFETTLE_REQUIRE=%q: well %v\n%s", require, well, said)
		}
	}
}

// TestArguments holds how they are divided, and that go finds its -C first.
func TestArguments(t *testing.T) {
	groups := divided([]string{"-run", "A", "./...", then, "-C", "test/web", "./..."}, then)
	if len(groups) != 2 {
		t.Fatalf("%q", groups)
	}
	for i, want := range []string{"go test -json -run A ./...", "go test -C test/web -json ./..."} {
		if got := strings.Join(command(groups[i]).Args, " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// built is the program itself, and a module for it to test.
func built(t *testing.T, tests string) (program, folder string) {
	t.Helper()
	dir := t.TempDir()
	program, folder = filepath.Join(dir, "progress"), filepath.Join(dir, "m")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a_test.go": "package m\n\n" + tests} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return program, folder
}

// TestExitCode runs real tests: the code is 0 if all is well, and not where one has failed or does not build, though
// another run follows that is well.
func TestExitCode(t *testing.T) {
	program, folder := built(t, `import "testing"

func TestGood(t *testing.T) {}

func TestBad(t *testing.T) { t.Error("it is 3") }
`)
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "sub", "a_test.go"),
		[]byte("package sub\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good, bad := []string{"-C", folder, "-run", "Good", "."}, []string{"-C", folder, "."}
	other := []string{"-C", folder, "./sub"}
	for _, c := range []struct {
		args []string
		code int
		last string
	}{
		{good, 0, "1 passed, 0 failed, 0 skipped"},
		{slices.Concat(bad, []string{then}, good), 1, "2 passed, 1 failed, 0 skipped"},
		{slices.Concat(good, []string{beside}, other), 0, "2 passed, 0 failed, 0 skipped"},
		{slices.Concat(bad, []string{beside}, other, []string{then}, good), 1, "3 passed, 1 failed, 0 skipped"},
		{slices.Concat(other, []string{beside}, bad), 1, "2 passed, 1 failed, 0 skipped"},
		{[]string{"-C", folder, "-no-such-flag", "."}, 1, "0 passed, 1 failed, 0 skipped"},
		{[]string{"-C", folder, "./nowhere"}, 1, "0 passed, 1 failed, 0 skipped"},
	} {
		cmd := exec.Command(program, c.args...)
		out, _ := cmd.CombinedOutput()
		all := strings.Split(strings.TrimSpace(string(out)), "\n")
		if code := cmd.ProcessState.ExitCode(); code != c.code || all[len(all)-1] != c.last {
			t.Errorf("%q: exit code %d, want %d, %q\n%s", c.args, code, c.code, c.last, out)
		}
	}
}

// TestInterrupted verifies that a signal to the program alone, as make passes one on, ends go test, its tests and what
// these have started.
func TestInterrupted(t *testing.T) {
	for _, name := range []string{"alone", "beside another"} {
		t.Run(name, func(t *testing.T) { interrupted(t, name != "alone") })
	}
}

func interrupted(t *testing.T, withOther bool) {
	program, folder := built(t, `import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestLong(t *testing.T) {
	c := exec.Command("cat")
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("pids", fmt.Appendf(nil, "%d\n%d\n", os.Getpid(), c.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
}
`)
	args := []string{"-C", folder, "."}
	if withOther { // one that has ended when the signal comes
		args = slices.Concat([]string{"-C", folder, "./nowhere", beside}, args)
	}
	cmd := exec.Command(program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []string
	await.That(t, "the test's process and its child", func() (bool, any) {
		b, err := os.ReadFile(filepath.Join(folder, "pids"))
		pids = strings.Fields(string(b))
		return len(pids) == 2, err
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	last := ""
	for s := bufio.NewScanner(out); s.Scan(); {
		last = s.Text()
	}
	if err := cmd.Wait(); err == nil || !strings.HasSuffix(last, " failed, 0 skipped") ||
		strings.HasSuffix(last, " 0 failed, 0 skipped") {
		t.Errorf("interrupted: %v, %q", err, last)
	}
	for _, p := range pids {
		pid, err := strconv.Atoi(p)
		if err != nil {
			t.Fatal(err)
		}
		await.That(t, "the end of process "+p, func() (bool, any) {
			err := syscall.Kill(pid, 0)
			return err == syscall.ESRCH, err
		})
	}
}
