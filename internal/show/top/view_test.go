package top

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the screens of testdata")

// give sends a view the size of its terminal.
func give(m *Model, width, height int) { m.Update(tea.WindowSizeMsg{Width: width, Height: height}) }

// press types keys: names such as tab, or one letter.
func press(m *Model, keys ...string) (last tea.Cmd) {
	special := map[string]rune{"tab": tea.KeyTab, "esc": tea.KeyEscape, "enter": tea.KeyEnter, "up": tea.KeyUp,
		"down": tea.KeyDown, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp,
		"end": tea.KeyEnd, "home": tea.KeyHome, "backspace": tea.KeyBackspace, "left": tea.KeyLeft,
		"right": tea.KeyRight}
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k}
		switch {
		case k == "space":
			msg = tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
		case k == "ctrl+c":
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		case k == "shift+tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
		case special[k] != 0:
			msg = tea.KeyPressMsg{Code: special[k]}
		case utf8.RuneCountInString(k) == 1:
			msg.Code, _ = utf8.DecodeRuneInString(k)
		default:
			panic("no key is called " + k)
		}
		_, last = m.Update(msg)
	}
	return last
}

func text(m *Model) string { return m.View().Content }

// golden compares a screen with the one that is kept. Escapes are kept as ␛.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\x1b", "␛") + "\n"
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: -want +got\n%s", name, d)
	}
}

// TestScreens holds the screens: each table at three sizes, in one color and in all, on a terminal without signs beyond
// ASCII, and what else it may look like.
func TestScreens(t *testing.T) {
	mono, colour := Style{}, Style{Color: true}
	for _, size := range [][2]int{{80, 24}, {60, 20}, {200, 50}} {
		for page, name := range []string{"processes", "waits", "checkpoints", "databases"} {
			m := seen(size[0], size[1], mono)
			press(m, fmt.Sprint(page+1))
			golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), text(m))
		}
	}
	golden(t, "processes-colour", text(seen(80, 24, colour)))
	m := seen(80, 24, colour)
	press(m, "2")
	golden(t, "waits-colour", text(m))
	golden(t, "processes-ascii", text(seen(80, 24, Style{ASCII: true})))
	m = seen(80, 40, mono)
	press(m, "?")
	golden(t, "help", text(m))
	m = New(&fake{}, Subject{}, mono, 2*time.Second)
	give(m, 80, 10)
	golden(t, "first", text(m))
	m = seen(80, 24, mono)
	press(m, "s", "/", "w", "e", "b")
	golden(t, "filter", text(m))
	press(m, "x", "enter")
	golden(t, "filter-nothing", text(m))
}

// TestScreensOfTrouble holds what is shown where something is not known.
func TestScreensOfTrouble(t *testing.T) {
	mono := Style{}
	m := seen(80, 24, mono)
	m.answered(&now.ServerLook{At: noon.Add(10 * time.Second), Problem: &known.Gap{Reason: "no answer within 5s"}})
	m.Update(clockMsg(noon.Add(42 * time.Second)))
	golden(t, "silent", text(m))

	m = New(&fake{}, Subject{Label: "port 5432", HostUnseen: &known.Gap{Reason: "the server runs on another host",
		Reveal: "run pgfettle there"}}, mono, 2*time.Second)
	give(m, 80, 24)
	s := serverAt(0)
	list, _ := s.Sessions.Get()
	list = append(list, pg.LiveSession{PID: 6000, Role: "other", Database: "shop", Hidden: true})
	s.Sessions = known.Is(list)
	m.answered(s)
	golden(t, "remote-hidden", text(m))

	m = New(&fake{}, Subject{ServerUnseen: &known.Gap{Reason: "no instance runs here",
		Reveal: "name one: a data directory or a conninfo"}}, mono, 2*time.Second)
	give(m, 80, 24)
	h := hostAt(0)
	h.Processes = known.None[[]host.Process](known.Gap{Reason: "no instance runs here"})
	h.Pressure.CPU = known.None[host.PSI](known.Gap{Fact: "proc/pressure/cpu",
		Reason: "this kernel or host does not have it"})
	m.saw(h)
	golden(t, "no-instance", text(m))
	press(m, "?", "end")
	golden(t, "no-instance-help", text(m))
}

// TestScreenFits: whatever the size, the keys and the names, a screen has as many lines as the terminal, none is wider,
// and nothing in it acts on the terminal but colors.
func TestScreenFits(t *testing.T) {
	keys := []string{"1", "2", "3", "4", "tab", "shift+tab", "s", "r", "/", "a", "esc", "enter", "backspace", "space",
		"+", "-", "?", "up", "down", "pgdown", "pgup", "end", "home", "c", "j"}
	rapid.Check(t, func(t *rapid.T) {
		st := Style{Color: rapid.Bool().Draw(t, "colour"), ASCII: rapid.Bool().Draw(t, "ascii")}
		m := seen(80, 24, st)
		if n := rapid.SampledFrom([]int{0, 3, 300}).Draw(t, "sessions"); n > 0 {
			many(m, n)
		}
		name := rapid.String().Draw(t, "name")
		s := serverAt(6)
		list, _ := s.Sessions.Get()
		list[0].Application, list[1].Application, list[2].Query, list[4].Role, list[5].WaitEvent = name, name,
			name, name, name
		m.answered(s)
		if rapid.Bool().Draw(t, "trouble") {
			m.answered(&now.ServerLook{At: noon.Add(time.Minute), Problem: &known.Gap{Reason: name, Reveal: name}})
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "resize") {
				give(m, rapid.IntRange(0, 220).Draw(t, "width"), rapid.IntRange(0, 60).Draw(t, "height"))
			} else {
				press(m, rapid.SampledFrom(keys).Draw(t, "key"))
			}
			lines := strings.Split(text(m), "\n")
			if small := m.width < leastWidth || m.height < leastHeight; !small && len(lines) != m.height ||
				len(lines) > max(m.height, 1) {
				t.Fatalf("%d lines on a screen of %dx%d:\n%s", len(lines), m.width, m.height, text(m))
			}
			for _, l := range lines {
				if w := lipgloss.Width(l); w > m.width {
					t.Fatalf("a line of %d cells on a screen of %dx%d: %q", w, m.width, m.height, l)
				}
				if bad := harmful(l, st.Color); bad != 0 {
					t.Fatalf("%U acts on the terminal: %q", bad, l)
				}
			}
			if st.ASCII && strings.ContainsFunc(strings.Join(lines[:1], ""),
				func(r rune) bool { return r > unicode.MaxASCII }) {
				t.Fatalf("beyond ASCII: %q", lines[0])
			}
		}
	})
}

// harmful returns a character that acts on a terminal, 0 if there is none. Colors are SGR sequences of digits and
// semicolons.
func harmful(l string, colour bool) rune {
	rs := []rune(l)
	for i := 0; i < len(rs); i++ {
		if r := rs[i]; r == '\x1b' && colour && i+1 < len(rs) && rs[i+1] == '[' {
			end := i + 2
			for end < len(rs) && (rs[end] >= '0' && rs[end] <= '9' || rs[end] == ';') {
				end++
			}
			if end >= len(rs) || rs[end] != 'm' {
				return r
			}
			i = end
		} else if unicode.IsControl(r) || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 {
			return r
		}
	}
	return 0
}

// TestClean: the name of a client is shown, and has no effect.
func TestClean(t *testing.T) {
	got := clean(hostile)
	if strings.ContainsAny(got, "\x1b\x07\r\n\u202e\u200b\ufe0f") || !strings.Contains(got, `\x1b[2J`) ||
		!strings.Contains(got, "東京データ") || strings.Count(got, "\u0301") != mostMarks {
		t.Errorf("%q", got)
	}
}

// TestCut: a text of wide letters is cut between two of them, and never wider.
func TestCut(t *testing.T) {
	for width, want := range map[int]string{0: "", 1: "…", 2: "…", 3: "東…", 4: "東…", 5: "東京…", 6: "東京都", 9: "東京都"} {
		if got := (Style{}).cut("東京都", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
	if got := (Style{}).fill("東京都", 6, true); got != "東京都" {
		t.Errorf("%q", got)
	}
	if got := (Style{}).fill("東京都", 4, false); lipgloss.Width(got) != 4 {
		t.Errorf("%q", got)
	}
}

// TestSpelling holds how numbers are spelled in narrow columns.
func TestSpelling(t *testing.T) {
	for got, want := range map[string]string{
		ago(0.04): "0.0 s", ago(9.96): "10.0 s", ago(61): "61 s", ago(150): "2 min", ago(7260): "2:01 h",
		ago(400_000): "4 d", ago(-5): "0.0 s", ago(1e300): "11574 d",
		rate(0): "0", rate(0.001): "<0.01", rate(3.456): "3.46", rate(1250): "1250", rate(2.5e6): "2500 k",
		rate(1e9): "1000 M", rate(3e12): "3000 G",
		percent(0): "0", percent(0.01): "<0.1", percent(3.14): "3.1", percent(50.4): "50", percent(99.2): "99.2",
		percent(99.95): "99.95", percent(99.999): "100", percent(100): "100",
		count(99_999): "99999", count(123_456): "123 k", count(5_001_800): "5002 k",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
