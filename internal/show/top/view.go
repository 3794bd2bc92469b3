package top

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// leastWidth and leastHeight are what the view needs to show anything.
	leastWidth, leastHeight = 40, 8
	// narrow is the width below which short names are taken: the names of the tables
	// and the interval need 72 cells.
	narrow = 72
	// wideFrom is the width from which the texts of queries have room.
	wideFrom = 140
	// tableLeast is how many lines of a table are worth more than the legend.
	tableLeast = 4
)

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.screen(), "\n"))
	v.AltScreen = true
	return v
}

// tables makes the tables of the page, sorted and filtered.
func (m *Model) tables() []*table {
	list := tables(m.style, m.page, m.report, m.width >= wideFrom)
	for i, t := range list {
		by := order{}
		if i == 0 {
			by = m.by[m.page]
		}
		t.sort(by, m.filter)
	}
	return list
}

// screen returns the lines of the screen, as many as it has.
func (m *Model) screen() []string {
	if m.width == 0 || m.height == 0 {
		return nil // not yet known from the terminal
	}
	if m.width < leastWidth || m.height < leastHeight {
		return []string{m.style.cut(m.style.say("too small: at least {width} x {height}", "width", leastWidth,
			"height", leastHeight), m.width)}
	}
	out := m.above()
	room := m.room()
	body := m.body(room)
	for len(body) < room {
		body = append(body, "")
	}
	out = append(out, body[:room]...)
	return append(out, m.note(), m.keys())
}

// above returns the lines over the table. On a low screen the legend of the memory
// goes first, then the bar.
func (m *Model) above() []string {
	if m.report == nil {
		return []string{m.style.paint(strong, m.style.ends("pgfettle top", m.now(), m.width)), "", m.tabs()}
	}
	lines := headLines(m.style, m.report, m.width, m.now(), m.every)
	mem := memoryLines(m.style, m.report, m.width)
	// the tabs, the head of the table, the note and the keys
	for left := m.height - len(lines) - 4 - tableLeast; len(mem) > 0 && len(mem) > left; {
		switch {
		case len(mem) > 2: // between the bar and the promise
			mem = append(mem[:len(mem)-2], mem[len(mem)-1])
		default:
			mem = mem[:len(mem)-1]
		}
	}
	lines = append(lines, mem...)
	for len(lines) > 1 && m.height-len(lines) < 5 {
		lines = lines[:len(lines)-1]
	}
	return append(lines, m.tabs())
}

// room is how many lines the body has.
func (m *Model) room() int { return max(m.height-len(m.above())-2, 0) }

func (m *Model) now() string {
	if m.in.At.IsZero() {
		return ""
	}
	return m.in.At.Format(time.TimeOnly)
}

// tabs names the tables and how often they are rebuilt.
func (m *Model) tabs() string {
	names := make([]string, tableCount)
	for i, n := range tableNames {
		if m.width < narrow {
			n = shortNames[i]
		}
		n := fmt.Sprintf("%d %s", i+1, m.style.Words.Word(n))
		switch {
		case i == m.page && m.style.Color:
			n = lipgloss.NewStyle().Reverse(true).Render(" " + n + " ")
		case i == m.page:
			n = "[" + n + "]"
		default:
			n = " " + n + " "
		}
		names[i] = n
	}
	every := strings.TrimSuffix(m.every.String(), "m0s")
	if m.every%time.Minute == 0 {
		every += "m"
	}
	right := m.style.say("every {interval}", "interval", every)
	if m.paused {
		right = m.style.paint(warn, m.style.say("PAUSED"))
	}
	return m.style.ends(strings.Join(names, ""), right, m.width)
}

// body is the table, or the help.
func (m *Model) body(room int) []string {
	lines, pinned := m.content()
	var out []string
	for i, l := range lines {
		if len(out) < room && (i < pinned || i >= pinned+m.at(room)) {
			out = append(out, l())
		}
	}
	return out
}

// at is how far the body is scrolled.
func (m *Model) at(room int) int {
	lines, _ := m.content()
	at := m.offset[m.page]
	if m.help {
		at = m.scroll
	}
	return max(min(at, len(lines)-room), 0)
}

// content is all lines of the body, each made when it is shown, and how many of them
// stay when it is scrolled. It is put together once for each screen.
func (m *Model) content() (lines []func() string, pinned int) {
	if m.lines == nil {
		m.lines, m.pinned = m.compose()
	}
	return m.lines, m.pinned
}

func (m *Model) compose() (lines []func() string, pinned int) {
	add := func(text string) { lines = append(lines, func() string { return text }) }
	if m.help {
		for _, l := range m.helpLines() {
			add(l)
		}
		return lines, 0
	}
	if m.report == nil {
		add(m.style.say("reading the host and the server") + m.style.dots())
		return lines, 0
	}
	for i, t := range m.tables() {
		if i > 0 {
			add("")
			add(m.style.paint(strong, t.title))
		}
		by := order{}
		if i == 0 {
			by, pinned = m.by[m.page], 1
		}
		lines = append(lines, t.lines(m.style, m.width, by)...)
		if len(t.order) == 0 {
			text := t.empty
			if t.n > 0 {
				text = m.style.say("no line contains {text}", "text", strconv.Quote(clean(m.filter)))
			}
			add(m.style.paint(faint, m.style.cut(text, m.width)))
		}
	}
	return lines, pinned
}

// note is the line above the keys: the filter that is typed, why something is not
// known, or what the view costs.
func (m *Model) note() string {
	st := m.style
	right := ""
	if lines, pinned := m.content(); len(lines) > m.room() {
		at := m.at(m.room())
		right = st.say("{from}-{to} of {n}", "from", at+1, "to", at+m.room()-pinned, "n", len(lines)-pinned)
	}
	switch {
	case m.typing:
		return st.ends(st.paint(strong, st.say("filter:"))+" "+clean(m.filter)+"_",
			st.say("enter keeps it, esc clears it"), m.width)
	case m.filter != "":
		return st.ends(st.paint(warn, st.say("filter:")+" "+clean(m.filter))+" "+st.say("(esc clears it)"), right,
			m.width)
	case m.report == nil:
		return ""
	}
	if why := reasons(st, m.report, m.page); len(why) > 0 {
		more := ""
		if len(why) > 1 {
			more = " " + st.Words.Many(len(why)-1, "(and {n} more: ?)", "(and {n} more: ?)")
		}
		if right != "" {
			right = " " + right
		}
		text := st.none() + " " + why[0]
		return st.ends(st.paint(warn, st.cut(text, m.width-lipgloss.Width(more)-lipgloss.Width(right)-1))+more,
			right, m.width)
	}
	return st.ends(st.paint(faint, costLine(st, m.report, m.width-lipgloss.Width(right)-1)), right, m.width)
}

// keyHints are what the keys do, the ones that are needed most first; those that
// do not fit are in the help.
var keyHints = []struct {
	key  string
	does say.Message
	rank int
}{
	{"q", say.M("quit"), 0}, {"1-4", say.M("table"), 1}, {"s", say.M("sort"), 2}, {"r", say.M("reverse"), 5},
	{"/", say.M("filter"), 4}, {"space", say.M("pause"), 3}, {"+-", say.M("interval"), 6}, {"?", say.M("help"), 0},
}

func (m *Model) keys() string {
	for most := 6; ; most-- {
		var items []string
		for _, k := range keyHints {
			if k.rank <= most {
				items = append(items, m.style.paint(strong, k.key)+" "+m.style.Words.Word(k.does))
			}
		}
		line := strings.Join(items, "  ")
		if lipgloss.Width(line) <= m.width || most == 0 {
			return m.style.cut(line, m.width)
		}
	}
}
