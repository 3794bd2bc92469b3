package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/test/tier"
)

var seenInPart = filepath.Join("..", "..", "fact", "evidence", "testdata", "acme.evidence")

// begun runs the command until the test ends and returns its first line.
func begun(t *testing.T, errs io.Writer, lines *bufio.Reader, vars []string, args ...string) (line string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan int, 1)
	go func() {
		code := Main(ctx, append([]string{"serve", "--no-policy"}, args...), strings.NewReader(""), io.Discard,
			errs, vars)
		if c, ok := errs.(io.Closer); ok {
			c.Close()
		}
		ended <- code
	}()
	line, err := lines.ReadString('\n')
	if err != nil {
		cancel(nil)
		t.Fatalf("%q %v", line, err)
	}
	end = func() {
		cancel(errors.New("interrupt signal received"))
		if code := <-ended; code != exitInterrupted {
			t.Errorf("exit code %d", code)
		}
	}
	t.Cleanup(func() { cancel(nil) })
	return line, end
}

func status(t *testing.T, url, bearer string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// TestServeAsksByDefault verifies that without any flag other accounts of the host get nothing, that the token is in a
// file for this account alone and in no line that a journal could keep, and that a directory that was made for it is
// taken away again.
func TestServeAsksByDefault(t *testing.T) {
	for _, variable := range []string{"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"} {
		t.Run(variable, func(t *testing.T) {
			dir := t.TempDir()
			r, w := io.Pipe()
			line, end := begun(t, w, bufio.NewReader(r), []string{variable + "=" + dir}, "--listen", "127.0.0.1:0",
				seenInPart)
			go func() { _, _ = io.Copy(io.Discard, r) }()
			var at, file string
			if _, err := fmt.Sscanf(line, "pgfettle: serving %s (quit with Ctrl-C); token in file %s",
				&at, &file); err != nil || !strings.HasPrefix(file, dir+"/") {
				t.Fatalf("%q: %v", line, err)
			}
			for _, path := range []string{"", "findings", "metrics", "memory/events"} {
				if got := status(t, at+path, ""); got != http.StatusUnauthorized {
					t.Errorf("/%s without the token: %d", path, got)
				}
			}
			st, err := os.Stat(file)
			if err != nil || st.Mode() != 0o600 {
				t.Fatalf("%v %v", st, err)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			token := strings.TrimSpace(string(b))
			if got := status(t, at+"findings", token); got != http.StatusOK || strings.Contains(line, token) {
				t.Errorf("with the token: %d; it said %q", got, line)
			}
			end()
			if _, err := os.Stat(file); variable == "XDG_RUNTIME_DIR" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the file stays: %v", err)
			}
			if left, err := os.ReadDir(dir); variable == "XDG_RUNTIME_DIR" && (err != nil || len(left) != 0) {
				t.Errorf("it leaves %v %v", left, err)
			}
		})
	}
}

// ptys opens a terminal: the end of the user, and that of the program.
func ptys(t *testing.T) (person, tty *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		tier.Missing(t, tier.Rights, "no terminal is available: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return person, tty
}

// TestNoPagesOnATerminal verifies that a command does not write a whole file to a terminal unless "-o -" asks for it.
func TestNoPagesOnATerminal(t *testing.T) {
	_, tty := ptys(t)
	defer tty.Close()
	for _, c := range [][]string{{"snapshot"}, {"report", "--no-policy"}} {
		var talk bytes.Buffer
		if code := Main(t.Context(), c, strings.NewReader(""), tty, &talk, nil); code != exitUsage ||
			!strings.Contains(talk.String(), "to a terminal\npgfettle: hint: Write it to a file with -o ") {
			t.Errorf("%v: exit code %d: %s", c, code, talk.String())
		}
		talk.Reset()
		c = append(c, "-o", "-", "nowhere") // refused for its target alone
		if Main(t.Context(), c, strings.NewReader(""), tty, &talk, nil); !strings.Contains(talk.String(), "nowhere") {
			t.Errorf("%v: %s", c, talk.String())
		}
	}
}

// TestServeOnATerminal verifies that the user who starts it gets an address that lets the browser in.
func TestServeOnATerminal(t *testing.T) {
	person, tty := ptys(t)
	dir := t.TempDir()
	line, end := begun(t, tty, bufio.NewReader(person), []string{"XDG_RUNTIME_DIR=" + dir}, "--listen", "127.0.0.1:0",
		seenInPart)
	var at string
	if _, err := fmt.Sscanf(line, "pgfettle: serving %s (quit with Ctrl-C)", &at); err != nil ||
		!strings.Contains(at, "/login?token=") || strings.Contains(line, "token: ") {
		t.Fatalf("%q: %v", line, err)
	}
	base, token, _ := strings.Cut(at, "login?token=")
	if got := status(t, base+"findings", ""); got != http.StatusUnauthorized {
		t.Errorf("without the token: %d", got)
	}
	if got := status(t, base+"findings", token); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it is in a file too: %v %v", left, err)
	}
	end()
}

// TestServeOpen verifies that --no-token lets in every account, and that root may not show so what only root sees.
func TestServeOpen(t *testing.T) {
	r, w := io.Pipe()
	line, end := begun(t, w, bufio.NewReader(r), nil, "--listen", "127.0.0.1:0", "--no-token", seenInPart)
	go func() { _, _ = io.Copy(io.Discard, r) }()
	var at string
	if _, err := fmt.Sscanf(line, "pgfettle: serving %s (quit with Ctrl-C)", &at); err != nil ||
		strings.Contains(line, "token") {
		t.Fatalf("%q: %v", line, err)
	}
	if got := status(t, at+"findings", ""); got != http.StatusOK {
		t.Errorf("%d", got)
	}
	end()
	o := &serveOptions{}
	o.listen.Address, o.listen.NoToken = "127.0.0.1:0", true
	err := runServe(t.Context(), &Env{Stderr: &bytes.Buffer{}, Target: asRoot{&target.Local{}}}, o)
	var p *say.Problem
	if !errors.As(err, &p) || p.Code != exitRefused || p.Hint.IsZero() {
		t.Errorf("root: %v", err)
	}
}

// asRoot is this host as root sees it.
type asRoot struct{ target.Target }

func (asRoot) UID() int { return 0 }
