package pglog

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// TestNewestFirst holds that a log that begins with its newest entry is read in the order of time, and that no
// other is turned around.
func TestNewestFirst(t *testing.T) {
	lines := []string{
		"2026-02-14 09:12:44.118 UTC [21] LOG:  server process (PID 7) was terminated by signal 9: Killed",
		"2026-02-14 09:12:44.118 UTC [21] DETAIL:  Failed process was running: SELECT 1",
		"2026-02-14 09:12:46.009 UTC [40] LOG:  database system was interrupted",
		"2026-02-14 09:12:52.699 UTC [21] LOG:  database system is ready to accept connections",
	}
	back := func(order ...int) string {
		var b strings.Builder
		for _, i := range order {
			b.WriteString(lines[i] + "\n")
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"in order":               back(0, 1, 2, 3),
		"line by line":           back(3, 2, 1, 0),
		"entry by entry":         back(3, 2, 0, 1),
		"in order, without end":  strings.TrimSuffix(back(0, 1, 2, 3), "\n"),
		"from back, without end": strings.TrimSuffix(back(3, 2, 1, 0), "\n"),
	} {
		l, src := readAll(t, text, Options{})
		if len(l.lines) != 3 || !strings.Contains(l.lines[0], "Killed") || !strings.Contains(l.lines[0], "SELECT 1") ||
			!strings.Contains(l.lines[2], "ready") || src.Stray > 0 {
			t.Errorf("%s: %q, %d stray", name, l.lines, src.Stray)
		}
	}
	// Two processes that write at once may be in any order.
	l, _ := readAll(t, "2026-02-14 09:12:44.120 UTC [1] LOG:  a\n2026-02-14 09:12:44.118 UTC [2] LOG:  b\n", Options{})
	if len(l.lines) != 2 || !strings.Contains(l.lines[0], `"a"`) {
		t.Errorf("%q", l.lines)
	}
}

// TestCharsets holds that words of other languages are found in the encodings of one byte a character.
func TestCharsets(t *testing.T) {
	const at = "2026-02-14 09:12:44 CET [7] "
	for _, c := range []struct {
		from       *charmap.Charmap
		text, want string
	}{
		{charmap.Windows1252, at + "ERREUR:  mémoire épuisée\n" + at + "DÉTAIL:  x\n", `ERROR  "out of memory"`},
		{charmap.Windows1250, at + "BŁĄD:  brak pamięci\n", `ERROR  "out of memory"`},
		{charmap.ISO8859_2, at + "BŁĄD:  brak pamięci\n", `ERROR  "out of memory"`},
		{charmap.Windows1251, at + "ОШИБКА:  нехватка памяти\n" + at + "ПОДРОБНОСТИ:  x\n", `ERROR  "out of memory"`},
		{charmap.KOI8R, at + "ОШИБКА:  нехватка памяти\n" + at + "ПОДРОБНОСТИ:  x\n", `ERROR  "out of memory"`},
	} {
		text, err := c.from.NewEncoder().String(c.text)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := readAll(t, text, Options{})
		if len(l.lines) != 1 || !strings.Contains(l.lines[0], c.want) {
			t.Errorf("%s: %q, want %s", c.from, l.lines, c.want)
		}
	}
}
