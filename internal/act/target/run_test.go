package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/tier"
)

// The commands of these tests are this test binary itself, with a variable that selects its role, so that they need
// nothing of the machine.
func TestMain(m *testing.M) {
	switch os.Getenv("PGFETTLE_TEST_PLAY") {
	case "":
		os.Exit(m.Run())
	case "echo":
		b := make([]byte, 100)
		n, _ := os.Stdin.Read(b)
		os.Stdout.WriteString("in=" + string(b[:n]) + " lc=" + os.Getenv("LC_ALL") + " lang=" + os.Getenv("LANG") +
			" secret=" + os.Getenv("SECRET"))
		os.Stderr.WriteString("complaint")
		os.Exit(3)
	case "short":
		os.Stdout.WriteString(short(os.Getenv("PGFETTLE_TEST_SHORT")))
		os.Exit(0)
	case "flood":
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1000)); err != nil {
				os.Exit(1)
			}
		}
	case "sleep":
		// a child that holds the pipe open, as a shell's would
		if os.Getenv("PGFETTLE_TEST_DEEPER") == "" {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), "PGFETTLE_TEST_DEEPER=1")
			c.Stdout = os.Stdout
			_ = c.Run()
		} else if at := os.Getenv("PGFETTLE_TEST_THERE"); at != "" {
			if err := os.WriteFile(at+".new", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
				os.Exit(1)
			}
			if err := os.Rename(at+".new", at); err != nil {
				os.Exit(1)
			}
		}
		time.Sleep(2 * await.Patience) // it does not end by itself
	}
}

func play(t *testing.T, what string, c Command) (Output, error) {
	t.Helper()
	c.Argv = []string{os.Args[0]}
	c.Env = append(c.Env, "PGFETTLE_TEST_PLAY="+what)
	return (&Local{}).Run(context.Background(), c)
}

func TestRunGivesOutputAndExitStatus(t *testing.T) {
	t.Setenv("LANG", "fr_FR.UTF-8")
	t.Setenv("LC_ALL", "fr_FR.UTF-8")
	out, err := play(t, "echo", Command{Stdin: []byte("hello")})
	if err != nil || out.Code != 3 || string(out.Stderr) != "complaint" {
		t.Errorf("%+v, %v", out, err)
	}
	if got := string(out.Stdout); got != "in=hello lc=C lang= secret=" {
		t.Errorf("the command saw %q", got)
	}
}

func TestRunAsSomebodyKeepsOurEnvironment(t *testing.T) {
	t.Setenv("SECRET", "ours")
	out, err := play(t, "echo", Command{As: &User{UID: os.Geteuid(), GID: os.Getegid()}})
	if err != nil || !strings.HasSuffix(string(out.Stdout), "secret=") {
		t.Errorf("%q, %v", out.Stdout, err)
	}
}

func TestRunStopsAFlood(t *testing.T) {
	out, err := play(t, "flood", Command{Limit: 10_000, Timeout: time.Minute})
	if !errors.Is(err, ErrTooLarge) || len(out.Stdout) > 10_000 {
		t.Errorf("%d bytes, %v", len(out.Stdout), err)
	}
}

// TestRunEndsWithItsTime: whether the command has come to anything by then is all one.
// What its end does to its children, TestRunEndsItsChildren holds.
func TestRunEndsWithItsTime(t *testing.T) {
	if _, err := play(t, "sleep", Command{Timeout: 200 * time.Millisecond}); !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
}

// TestRunEndsItsChildren: a child of the command, which holds its output open, ends
// with it.
func TestRunEndsItsChildren(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := (&Local{}).Run(ctx, Command{Argv: []string{os.Args[0]},
			Env: []string{"PGFETTLE_TEST_PLAY=sleep", "PGFETTLE_TEST_THERE=" + there}, Timeout: 2 * await.Patience})
		ended <- err
	}()
	var child string
	await.That(t, "the child", func() (bool, any) {
		b, err := os.ReadFile(there)
		child = string(b)
		return err == nil, err
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	await.That(t, "the end of the child", func() (bool, any) {
		b, err := os.ReadFile("/proc/" + child + "/stat")
		_, state, _ := strings.Cut(string(b), ") ")
		return err != nil || strings.HasPrefix(state, "Z"), string(b) // there may be no process to remove it
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&Local{}).Run(ctx, Command{Argv: []string{os.Args[0]},
		Env: []string{"PGFETTLE_TEST_PLAY=sleep"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestATreeRunsNothing(t *testing.T) {
	l := &Local{Root: t.TempDir()}
	if _, err := l.Run(context.Background(), Command{Argv: []string{os.Args[0]}}); !errors.Is(err, ErrNoCommands) {
		t.Errorf("%v", err)
	}
	if _, err := (&Local{}).Run(context.Background(), Command{Argv: []string{"pgfettle-no-such-program"}}); !errors.Is(
		err, exec.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestRootRunsItsOwn: a program that others can replace is not run as root, whether it or its directory belongs to
// them, and runs as its owner.
func TestRootRunsItsOwn(t *testing.T) {
	tier.Root(t, "give files away")
	const other = 42301
	dir := filepath.Join(t.TempDir(), "bin")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nid -u\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(as *User) (Output, error) {
		return (&Local{}).Run(t.Context(), Command{Argv: []string{program}, As: as})
	}
	if out, err := run(nil); err != nil || string(out.Stdout) != "0\n" {
		t.Fatalf("root's own: %s %v", out.Stdout, err)
	}
	for _, his := range []string{program, dir} {
		if err := os.Chown(his, other, other); err != nil {
			t.Fatal(err)
		}
		var c *Changeable
		if out, err := run(nil); !errors.As(err, &c) || c.Path != his || len(out.Stdout) > 0 {
			t.Errorf("%s is another's: ran with %q, %v", his, out.Stdout, err)
		}
		if err := os.Chown(his, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(program, 0o757); err != nil {
		t.Fatal(err)
	}
	if _, err := run(nil); err == nil {
		t.Error("a program that everybody may write ran")
	}
}
