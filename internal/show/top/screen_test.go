package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/tier"
	"golang.org/x/sys/unix"
)

// console is both ends of a terminal.
type console struct {
	master, slave *os.File
	mu            sync.Mutex
	shown         strings.Builder
	done          chan struct{}
}

func newConsole(t *testing.T, width, height uint16) *console {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		tier.Missing(t, tier.Servers, "no terminal can be made: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Col: width, Row: height}); err != nil {
		t.Fatal(err)
	}
	c := &console{master: master, slave: slave, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			c.mu.Lock()
			c.shown.Write(b[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return c
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown.String()
}

// until waits for a text on the screen.
func (c *console) until(t *testing.T, want string) {
	t.Helper()
	await.That(t, fmt.Sprintf("%q on the screen", want), func() (bool, any) {
		s := c.text()
		return strings.Contains(s, want), fmt.Sprintf("%q", s)
	})
}

func (c *console) state(t *testing.T) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(c.slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

// faulty is a view with a fault: it breaks at the letter X.
type faulty struct{ *Model }

func (f faulty) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.Text == "X" {
		panic("a fault")
	}
	_, cmd := f.Model.Update(msg)
	return f, cmd
}

// TestScreenIsGivenBack: however a view ends, by q, by Ctrl-C, by a signal, by a separate fault, the terminal is in the
// mode that it was in, out of the alternate screen and its cursor visible; and a server that hangs does not keep it
// from ending.
func TestScreenIsGivenBack(t *testing.T) {
	for name, c := range map[string]struct {
		key   string
		after func(cancel func())
		check func(err error, m *Model) bool
	}{
		"q":      {key: "q", check: func(err error, m *Model) bool { return err == nil && !m.Interrupted() }},
		"Ctrl-C": {key: "\x03", check: func(err error, m *Model) bool { return err == nil && m.Interrupted() }},
		"signal": {after: func(cancel func()) { cancel() }, check: func(err error, _ *Model) bool {
			return errors.Is(err, context.Canceled)
		}},
		"fault": {key: "X", check: func(err error, _ *Model) bool {
			return err != nil && strings.Contains(err.Error(), "an internal error")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			term := newConsole(t, 80, 24)
			before := term.state(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src := &hanging{fake: &fake{hosts: []*now.HostLook{hostAt(0)}, servers: []*now.ServerLook{serverAt(0)}},
				forced: make(chan struct{})}
			defer close(src.forced)
			m := New(src, subject, Style{Color: true}, time.Second)
			ended := make(chan error, 1)
			go func() {
				ended <- screen(ctx, faulty{m}, term.slave, term.slave, []string{"TERM=xterm-256color"})
			}()
			term.until(t, "db1")
			if raw := term.state(t); raw == before {
				t.Fatal("the terminal is not in raw mode: this test shows nothing")
			}
			if c.after != nil {
				c.after(cancel)
			} else if _, err := io.WriteString(term.master, c.key); err != nil {
				t.Fatal(err)
			}
			var err error
			select {
			case err = <-ended:
			case <-time.After(await.Patience):
				t.Fatal("it does not end")
			}
			if !c.check(err, m) {
				t.Errorf("%v, interrupted %v", err, m.Interrupted())
			}
			if after := term.state(t); after != before {
				t.Errorf("the terminal's mode was\n%+v\nand is\n%+v", before, after)
			}
			term.until(t, "\x1b[?1049l")
			term.until(t, "\x1b[?25h")
			s := term.text()
			if strings.LastIndex(s, "\x1b[?1049l") < strings.LastIndex(s, "\x1b[?1049h") ||
				strings.LastIndex(s, "\x1b[?25h") < strings.LastIndex(s, "\x1b[?25l") {
				t.Errorf("the alternate screen or the hidden cursor is left behind: %q", s[max(len(s)-200, 0):])
			}
		})
	}
}
