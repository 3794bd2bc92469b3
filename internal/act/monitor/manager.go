package monitor

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// Manager is what started the process and expects status messages: systemd, or another that supports sd_notify(3). It
// may be nil for all methods.
type Manager struct {
	send  func(state string)
	every time.Duration // of the watchdog; 0: none
}

// NewManager reads NOTIFY_SOCKET and WATCHDOG_USEC; nil if there is no manager. pid is our own: WATCHDOG_PID may name
// another process.
func NewManager(getenv func(string) string, pid int) *Manager {
	socket := getenv("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	m := &Manager{send: func(state string) { _ = target.TellManager(socket, state) }} // no one to report to
	usec, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	if of := getenv("WATCHDOG_PID"); err == nil && usec > 0 && (of == "" || of == strconv.Itoa(pid)) {
		m.every = time.Duration(usec) * time.Microsecond / 2 // as sd_watchdog_enabled(3) advises
	}
	return m
}

func (m *Manager) tell(state string) {
	if m != nil {
		m.send(state)
	}
}

// Ready says that the start, or a reload, is over.
func (m *Manager) Ready() { m.tell("READY=1\nSTATUS=watching") }

// Reloading says that a reload begins.
func (m *Manager) Reloading() {
	if m == nil {
		return
	}
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // 0 is taken for the epoch, which is before the signal
	m.tell(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000))
}

// Stopping says that the end has begun.
func (m *Manager) Stopping() { m.tell("STOPPING=1") }

// Alive says that we are.
func (m *Manager) Alive() { m.tell("WATCHDOG=1") }

// never is a year in which no watchdog barks.
const never = 365 * 24 * time.Hour

// Watchdog ticks as often as Alive has to be said.
func (m *Manager) Watchdog() *time.Ticker {
	if m == nil || m.every <= 0 {
		return time.NewTicker(never)
	}
	return time.NewTicker(m.every)
}
