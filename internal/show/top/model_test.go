package top

import (
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// rows returns the first words of the lines of the table.
func rows(m *Model) (out []string) {
	lines, pinned := m.content()
	for _, l := range lines[pinned:] {
		if f := strings.Fields(l()); len(f) > 0 {
			out = append(out, f[0])
		}
	}
	return out
}

func head1(m *Model) string { lines, _ := m.content(); return lines[0]() }

// TestKeysSort: s goes through the columns that are shown, r turns the order round,
// and what is not known stays last either way.
func TestKeysSort(t *testing.T) {
	m := seen(80, 24, Style{})
	many(m, 1) // one of which the host has not yet counted the memory
	if got := rows(m); got[0] != "4200" || got[len(got)-1] != "5000" || !strings.Contains(head1(m), "*TABLES") {
		t.Fatalf("%q %q", head1(m), got)
	}
	press(m, "r")
	if got := rows(m); got[0] != "4100" || got[len(got)-1] != "5000" {
		t.Errorf("reversed: %q", got)
	}
	press(m, "s")
	if got := rows(m); got[0] != "4205" || !strings.Contains(head1(m), "*ANON") {
		t.Errorf("by private memory: %q %q", head1(m), got)
	}
	was := []string{}
	for range 7 {
		press(m, "s")
		for _, f := range strings.Fields(head1(m)) {
			if strings.HasPrefix(f, "*") {
				was = append(was, f)
			}
		}
	}
	if want := []string{"*SHARED", "*STATE", "*QUERY", "*WHO", "*PID", "*TABLES",
		"*ANON"}; !reflect.DeepEqual(was, want) {
		t.Errorf("%q", was)
	}
	press(m, "4", "s")
	if !strings.Contains(head1(m), "*HIT") {
		t.Errorf("the databases are sorted by %q", head1(m))
	}
	press(m, "1")
	if !strings.Contains(head1(m), "*ANON") {
		t.Errorf("a table forgets what it was sorted by: %q", head1(m))
	}
}

// TestKeysPages: the digits, tab and its reverse go through the tables.
func TestKeysPages(t *testing.T) {
	m := seen(80, 24, Style{})
	for _, c := range []struct {
		key  string
		want string
	}{{"3", "[3 Checkpoints]"}, {"tab", "[4 Databases]"}, {"tab", "[1 Processes]"}, {"shift+tab", "[4 Databases]"},
		{"left", "[3 Checkpoints]"}, {"2", "[2 Waits]"}} {
		if press(m, c.key); !strings.Contains(text(m), c.want) {
			t.Errorf("after %s no %s:\n%s", c.key, c.want, text(m))
		}
	}
}

// TestKeysFilter: the filter is typed letter by letter, q among them; it holds
// whatever case; backspace and escape take it back; Ctrl-C quits even then.
func TestKeysFilter(t *testing.T) {
	m := seen(80, 24, Style{})
	press(m, "/", "C", "h", "e", "q")
	if got := rows(m); len(got) != 1 || got[0] != "no" {
		t.Errorf("%q", got)
	}
	press(m, "backspace", "enter")
	if got := rows(m); len(got) != 1 || got[0] != "4102" {
		t.Errorf("%q", got)
	}
	if cmd := press(m, "esc"); cmd != nil || len(rows(m)) != 8 || m.filter != "" {
		t.Errorf("after esc: %q, %q", m.filter, rows(m))
	}
	press(m, "/")
	for range 200 {
		press(m, "x")
	}
	if len(m.filter) != maxFilter {
		t.Errorf("a filter of %d letters", len(m.filter))
	}
	if cmd := press(m, "ctrl+c"); cmd == nil || !m.Interrupted() {
		t.Error("Ctrl-C does not quit while the filter is typed")
	}
}

// TestKeysScroll: a long list is scrolled to its end and no farther; the head stays.
func TestKeysScroll(t *testing.T) {
	m := seen(80, 24, Style{})
	many(m, 50)
	all := len(rows(m))
	shown := func() []string { return strings.Split(text(m), "\n")[10:22] }
	top := shown()
	press(m, "down")
	if got := shown(); got[0] != top[1] {
		t.Errorf("one down: %q", got[0])
	}
	press(m, "end", "down", "pgdown")
	if got := shown(); !strings.Contains(text(m), "58 of 58") || all != 58 ||
		strings.TrimSpace(got[len(got)-1]) == "" || !strings.Contains(text(m), "*TABLES") {
		t.Errorf("%d rows:\n%s", all, text(m))
	}
	press(m, "pgup", "home", "up")
	if got := shown(); !reflect.DeepEqual(got, top) {
		t.Errorf("back at the top: %q", got)
	}
	press(m, "end")
	give(m, 80, 80)
	if !strings.Contains(text(m), "4200") {
		t.Errorf("what fits a larger screen is not all there:\n%s", text(m))
	}
}

// TestQuit: q quits and Ctrl-C does, and only the latter is an interruption.
func TestQuit(t *testing.T) {
	for key, interrupted := range map[string]bool{"q": false, "ctrl+c": true} {
		m := seen(80, 24, Style{})
		cmd := press(m, key)
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok || m.Interrupted() != interrupted {
			t.Errorf("%s: %T, interrupted %v", key, cmd(), m.Interrupted())
		}
	}
}

// due reports whether a view begins a look when the next one is due.
func due(m *Model, server bool) bool {
	_, cmd := m.Update(dueMsg{server: server, turn: m.turn})
	return cmd != nil
}

// TestOneLookAtATime: a look that hangs is not joined by another, neither when the
// next would be due nor when the interval is changed; the other kind goes on.
func TestOneLookAtATime(t *testing.T) {
	src := &fake{hosts: []*now.HostLook{hostAt(0)}, servers: []*now.ServerLook{serverAt(0)}}
	m := New(src, Subject{}, Style{}, 2*time.Second)
	give(m, 80, 24)
	m.Init()
	if due(m, true) || due(m, false) {
		t.Error("a second look is begun beside the first")
	}
	press(m, "+")
	if m.every != 5*time.Second {
		t.Errorf("every %s", m.every)
	}
	if due(m, true) {
		t.Error("a second look is begun when the interval changes")
	}
	m.Update(hostMsg{hostAt(0)})
	if !due(m, false) || due(m, false) || due(m, true) {
		t.Error("after one look came back, one more of its kind is begun")
	}
}

// TestInterval: the steps end at both sides, and what was arranged for another
// interval does not count.
func TestInterval(t *testing.T) {
	m := seen(80, 24, Style{})
	old := m.turn
	for range 9 {
		press(m, "+")
	}
	if m.every != time.Minute || !strings.Contains(text(m), "every 1m") {
		t.Errorf("the longest is %s", m.every)
	}
	for range 9 {
		press(m, "-")
	}
	if m.every != time.Second || !strings.Contains(text(m), "every 1s") {
		t.Errorf("the shortest is %s", m.every)
	}
	if _, cmd := m.Update(dueMsg{turn: old}); cmd != nil {
		t.Error("a look of an interval that is gone is begun")
	}
}

// TestPause: a view that stands still shows what it showed, whatever comes in, asks
// nothing, and goes on with what was due.
func TestPause(t *testing.T) {
	m := seen(80, 24, Style{})
	press(m, "2")
	table := func() string { lines := strings.Split(text(m), "\n"); return strings.Join(lines[9:22], "\n") }
	before := table()
	press(m, "space")
	if !strings.Contains(text(m), "PAUSED") {
		t.Errorf("nothing says that it is paused:\n%s", text(m))
	}
	s := serverAt(9)
	s.Sessions = known.Missed[[]pg.LiveSession](known.Gap{Reason: "x"})
	m.Update(serverMsg{s})
	m.Update(clockMsg(noon.Add(time.Minute)))
	if table() != before || due(m, true) || due(m, false) {
		t.Errorf("it goes on:\n%s", table())
	}
	cmd := press(m, "space")
	if cmd == nil || table() == before || !m.busy[0] || !m.busy[1] {
		t.Errorf("it does not go on; looks are under way: %v", m.busy)
	}
}

// TestServerIsSpared: a server that takes long to answer is left alone for long, one that does not answer for a while,
// and neither forever.
func TestServerIsSpared(t *testing.T) {
	m := seen(80, 24, Style{})
	for took, want := range map[time.Duration]time.Duration{time.Millisecond: 2 * time.Second,
		100 * time.Millisecond: 5 * time.Second, 4 * time.Second: rarest} {
		s := serverAt(5)
		s.Took = took
		if got := m.answered(s); got != want {
			t.Errorf("after %s: %s, want %s", took, got, want)
		}
	}
	if got := m.answered(&now.ServerLook{At: noon, Problem: &known.Gap{Reason: "x"}}); got != again {
		t.Errorf("one that is silent is asked after %s", got)
	}
}

// TestSilence: of a server that fell silent the numbers stay, with their age; when it
// answers again nothing of it is left.
func TestSilence(t *testing.T) {
	m := seen(80, 24, Style{})
	for _, second := range []int{7, 12} {
		m.answered(&now.ServerLook{At: noon.Add(time.Duration(second) * time.Second),
			Problem: &known.Gap{Reason: "no answer within 5s"}})
	}
	m.Update(clockMsg(noon.Add(17 * time.Second)))
	if s := text(m); !strings.Contains(s, "the server does not answer; its data is 15 s old: no answer within 5s") ||
		!strings.Contains(s, "4200") || *m.report.Server.Silent != 10 {
		t.Errorf("%v:\n%s", *m.report.Server.Silent, s)
	}
	m.answered(serverAt(18))
	if s := text(m); strings.Contains(s, "does not answer") || m.report.Server.Problem != nil {
		t.Errorf("it answered:\n%s", s)
	}
}

// TestStale: a look at the host that hangs shows as the age of its numbers.
func TestStale(t *testing.T) {
	m := seen(80, 24, Style{})
	m.Update(clockMsg(noon.Add(5 * time.Second)))
	if strings.Contains(text(m), " old") {
		t.Errorf("three seconds are none:\n%s", text(m))
	}
	m.Update(clockMsg(noon.Add(32 * time.Second)))
	if !strings.Contains(text(m), "host data is 30 s old") ||
		!strings.Contains(text(m), "server data is 30 s old") {
		t.Errorf("%s", text(m))
	}
}

// TestRecount: c takes the census at the next look.
func TestRecount(t *testing.T) {
	src := &fake{}
	m := New(src, Subject{}, Style{}, time.Second)
	press(m, "c")
	if src.recounts != 1 {
		t.Error("it does not")
	}
}
