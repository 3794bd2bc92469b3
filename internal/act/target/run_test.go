package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The commands of these tests are this test binary itself, told by a variable
// what to play, so that they need nothing of the machine.
func TestMain(m *testing.M) {
	switch os.Getenv("PGFETTLE_TEST_PLAY") {
	case "":
		os.Exit(m.Run())
	case "echo":
		b := make([]byte, 100)
		n, _ := os.Stdin.Read(b)
		os.Stdout.WriteString("in=" + string(b[:n]) + " lc=" + os.Getenv("LC_ALL") + " lang=" + os.Getenv("LANG") + " secret=" + os.Getenv("SECRET"))
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
		}
		time.Sleep(time.Minute)
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

func TestRunEndsWithItsTime(t *testing.T) {
	if _, err := play(t, "sleep", Command{Timeout: 200 * time.Millisecond}); !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&Local{}).Run(ctx, Command{Argv: []string{os.Args[0]}, Env: []string{"PGFETTLE_TEST_PLAY=sleep"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestATreeRunsNothing(t *testing.T) {
	l := &Local{Root: t.TempDir()}
	if _, err := l.Run(context.Background(), Command{Argv: []string{os.Args[0]}}); !errors.Is(err, ErrNoCommands) {
		t.Errorf("%v", err)
	}
	if _, err := (&Local{}).Run(context.Background(), Command{Argv: []string{"pgfettle-no-such-program"}}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
}
