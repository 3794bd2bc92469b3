// Package top is the live view of pgfettle top: a full screen for a terminal, and
// the same as text or JSON for everything else. The model is pure: what it shows
// follows from the messages that it was given, and what it wants done it returns as
// commands, so that every screen can be tested without a terminal.
package top

import (
	"slices"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// Source is where looks come from; a *sample.Looker is one behind a context.
type Source interface {
	Host(every time.Duration) *now.HostLook
	Server() *now.ServerLook // nil if there is no server to ask
	Recount()                // the next look at the host takes the census
}

// Subject is what stays the same as long as the view runs.
type Subject struct {
	Label        string // of the instance
	CPUs         int
	Connections  int        // max_connections
	Limit        unit.Bytes // of the memory, by a cgroup; 0: the host's memory alone
	HostUnseen   *known.Gap // why the host is not examined
	ServerUnseen *known.Gap // why no server is asked
}

const (
	// sparing is how many times as long as an answer took the server is left alone: two percent of the time of one CPU
	// of it.
	sparing = 50
	// rarest bounds that: who looks at a slow server wants to see when it recovers.
	rarest = 30 * time.Second
	// again is how long a server that does not answer is left alone.
	again = 5 * time.Second
	// maxFilter bounds what is typed: no name is longer than 63 bytes.
	maxFilter = 64
)

// Intervals are the steps of + and -.
var Intervals = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute}

// The messages that are not the terminal's.
type (
	hostMsg   struct{ look *now.HostLook }
	serverMsg struct{ look *now.ServerLook }
	dueMsg    struct {
		server bool
		turn   int // those of an interval that was since changed do not count
	}
	clockMsg time.Time
)

// Model is the state of the view.
type Model struct {
	src     Source
	subject Subject
	style   Style
	in      now.Input
	report  *now.Report // nil: nothing was seen yet
	width   int
	height  int
	every   time.Duration
	turn    int
	busy    [2]bool // a look at the host, at the server, is under way
	owed    [2]bool // one would have been due while the view stood still
	paused  bool
	help    bool
	page    int
	by      [tableCount]order
	offset  [tableCount]int
	scroll  int // of the help
	filter  string
	typing  bool
	stopped bool // by Ctrl-C

	// what View has put together, empty after each message
	lines  []func() string
	pinned int
}

// New returns the view before anything was seen.
func New(src Source, subject Subject, style Style, every time.Duration) *Model {
	return &Model{src: src, subject: subject, style: style, every: every, by: first,
		in: now.Input{Label: subject.Label, CPUs: subject.CPUs, Connections: subject.Connections, Limit: subject.Limit,
			HostUnseen: subject.HostUnseen, ServerUnseen: subject.ServerUnseen}}
}

// Interrupted reports whether the view was ended by Ctrl-C.
func (m *Model) Interrupted() bool { return m.stopped }

// Init looks for the first time.
func (m *Model) Init() tea.Cmd { return tea.Batch(m.look(false), m.look(true), clock()) }

// clock ticks every second, for the time and the age of the numbers.
func clock() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return clockMsg(t) }) }

func index(server bool) int {
	if server {
		return 1
	}
	return 0
}

// look begins a look in a separate goroutine, unless one is under way there: one that hangs is never joined by another.
func (m *Model) look(server bool) tea.Cmd {
	if server && m.subject.ServerUnseen != nil || !server && m.subject.HostUnseen != nil || m.busy[index(server)] {
		return nil
	}
	m.busy[index(server)] = true
	src, every := m.src, m.every
	if server {
		return func() tea.Msg { return serverMsg{src.Server()} }
	}
	return func() tea.Msg { return hostMsg{src.Host(every)} }
}

// later arranges the next look.
func (m *Model) later(server bool, wait time.Duration) tea.Cmd {
	due := dueMsg{server, m.turn}
	return tea.Tick(wait, func(time.Time) tea.Msg { return due })
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.lines = nil
	defer func() { m.lines = nil }()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
	case clockMsg:
		m.in.At = time.Time(msg)
		m.tell()
		return m, clock()
	case dueMsg:
		if msg.turn != m.turn {
			return m, nil
		}
		if m.paused {
			m.owed[index(msg.server)] = true
			return m, nil
		}
		return m, m.look(msg.server)
	case hostMsg:
		m.busy[0] = false
		m.saw(msg.look)
		return m, m.later(false, m.every)
	case serverMsg:
		m.busy[1] = false
		return m, m.later(true, m.answered(msg.look))
	case tea.KeyPressMsg:
		return m, m.key(tea.Key(msg))
	}
	return m, nil
}

// tell makes the report again, unless the view is paused.
func (m *Model) tell() {
	if !m.paused && (m.in.Host != nil || m.in.Server != nil || m.in.Failed != nil) {
		m.report = now.Diagnose(m.in)
	}
}

func (m *Model) saw(h *now.HostLook) {
	if h == nil {
		return
	}
	m.in.HostBefore, m.in.Host = m.in.Host, h
	m.in.At = later(m.in.At, h.At)
	m.tell()
}

// answered takes what the server said, and returns how long it is left alone.
func (m *Model) answered(s *now.ServerLook) time.Duration {
	if s == nil {
		return rarest
	}
	m.in.At = later(m.in.At, s.At)
	defer m.tell()
	if s.Problem != nil {
		if m.in.Failed == nil {
			m.in.FailedSince = s.At
		}
		m.in.Failed = s.Problem
		return max(m.every, again)
	}
	m.in.ServerBefore, m.in.Server, m.in.Failed = m.in.Server, s, nil
	return max(m.every, min(sparing*s.Took, rarest))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// key does what a key asks for.
func (m *Model) key(k tea.Key) tea.Cmd {
	name := k.String()
	if name == "ctrl+c" {
		m.stopped = true
		return tea.Quit
	}
	if name == "ctrl+z" {
		return tea.Suspend
	}
	if m.typing {
		m.typed(k, name)
		return nil
	}
	switch name {
	case "q", "Q":
		return tea.Quit
	case "?", "h", "f1":
		m.help, m.scroll = !m.help, 0
		return nil
	case "esc":
		if m.help {
			m.help = false
		} else {
			m.filter = ""
		}
		return nil
	case "space":
		return m.pause()
	case "+", "=":
		return m.interval(+1)
	case "-", "_":
		return m.interval(-1)
	}
	if m.move(name) || m.help {
		return nil
	}
	switch name {
	case "1", "2", "3", "4":
		m.page = int(name[0] - '1')
	case "tab", "right":
		m.page = (m.page + 1) % tableCount
	case "shift+tab", "left":
		m.page = (m.page + tableCount - 1) % tableCount
	case "s":
		m.sortNext()
	case "r":
		m.by[m.page].reverse = !m.by[m.page].reverse
	case "/":
		m.typing = true
	case "c":
		m.src.Recount()
	}
	return nil
}

// typed takes a key while the filter is typed.
func (m *Model) typed(k tea.Key, name string) {
	switch name {
	case "enter":
		m.typing = false
	case "esc":
		m.typing, m.filter = false, ""
	case "backspace":
		if r := []rune(m.filter); len(r) > 0 {
			m.filter = string(r[:len(r)-1])
		}
	case "ctrl+u":
		m.filter = ""
	default:
		for _, r := range k.Text {
			if unicode.IsPrint(r) && len(m.filter) < maxFilter {
				m.filter += string(r)
			}
		}
	}
	m.offset[m.page] = 0
}

// pause stops the view, and lets it go on with what was owed meanwhile.
func (m *Model) pause() tea.Cmd {
	m.paused = !m.paused
	if m.paused {
		return nil
	}
	owed := m.owed
	m.owed = [2]bool{}
	m.tell()
	var cmds []tea.Cmd
	for i, is := range owed {
		if is {
			cmds = append(cmds, m.look(i == 1))
		}
	}
	return tea.Batch(cmds...)
}

// interval takes the next longer or shorter step, and looks at once.
func (m *Model) interval(step int) tea.Cmd {
	at := -1
	if step > 0 {
		at = slices.IndexFunc(Intervals, func(d time.Duration) bool { return d > m.every })
	} else {
		for i, d := range Intervals {
			if d < m.every {
				at = i
			}
		}
	}
	if at < 0 {
		return nil
	}
	m.every = Intervals[at]
	m.turn++ // what was arranged for the old one no longer counts
	m.owed = [2]bool{}
	if m.paused {
		m.owed = [2]bool{true, true}
		return nil
	}
	return tea.Batch(m.look(false), m.look(true))
}

// sortNext sorts by the next column that is shown.
func (m *Model) sortNext() {
	if m.report == nil {
		return
	}
	titles := m.tables()[0].sortable(m.width)
	if len(titles) == 0 {
		return
	}
	at := slices.Index(titles, m.by[m.page].title)
	m.by[m.page] = order{title: titles[(at+1)%len(titles)]}
	m.offset[m.page] = 0
}

// move scrolls. It reports whether the key was one of those.
func (m *Model) move(name string) bool {
	screen := max(m.room()-1, 1)
	step, ok := map[string]int{"down": 1, "j": 1, "up": -1, "k": -1, "pgdown": screen, "ctrl+f": screen,
		"pgup": -screen, "ctrl+b": -screen,
		"home": -1 << 30, "g": -1 << 30, "end": 1 << 30, "G": 1 << 30}[name]
	if !ok {
		return false
	}
	at := &m.offset[m.page]
	if m.help {
		at = &m.scroll
	}
	lines, _ := m.content()
	*at = max(min(*at+step, len(lines)-m.room()), 0)
	return true
}
