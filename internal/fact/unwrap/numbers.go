package unwrap

import (
	"bytes"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// numbered is the number of a line, as cat -n, grep -n, editors and viewers show it.
	numbered = regex.New(`^ {0,8}(\d{1,7})(\t| ?[|│] ?|[:.)] ?| {1,4})`)
	// separators stand behind the number, the longest first.
	separators = [][]byte{[]byte("\t"), []byte(" | "), []byte(" │ "), []byte("| "), []byte("│ "), []byte("|"),
		[]byte("│"), []byte(": "), []byte(":"), []byte(". "), []byte(") "), []byte("    "), []byte("  "), []byte(" ")}
	// grepped is the name of a file, with the number of a line or not.
	grepped = regex.New(`^((?:[\w@.+/\\-]|[A-Z]:\\){0,200}(?:\.\w{1,10}|/[\w.+-]{1,80})):(?:(\d{1,7}):)?`)
)

// system are files whose names say what they hold.
var system = regex.New(`^/(?:proc|sys|etc)/`)

// leastNumbers lines in a row have numbers that go up by one.
const leastNumbers = 4

// findNumbers finds numbers of lines: they go up by one from line to line. In a log they also stand before what has no
// label, as one may write numbers itself.
func findNumbers(s *sample) cut {
	if c := findContext(s); c != nil {
		return c
	}
	if c := findListed(s); c != nil {
		return c
	}
	good, all, last, at := 0, 0, -1, -1
	var behind []byte
	for i, l := range s.lines {
		m := numbered.FindSubmatchIndex(l[:min(len(l), maxLooked)])
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(string(l[m[2]:m[3]]))
		if err != nil {
			continue
		}
		all++
		// Lines that are empty are not in the sample, and had a number.
		if last >= 0 && n > last && n-last <= 1+2*(i-at) {
			good++
		}
		last, at = n, i
		if rest := l[m[3]:]; behind == nil {
			for _, sep := range separators {
				if bytes.HasPrefix(rest, sep) {
					behind = sep
					break
				}
			}
		} else if !bytes.HasPrefix(rest, behind) {
			behind = bytes.TrimRight(behind, " ")
			if len(behind) == 0 {
				behind = []byte(" ")
			}
		}
	}
	if good+1 < leastNumbers || 10*good < 9*(all-1) || !s.most(0.9, numbered.Match) || !s.all(0.6, numbered.Match) {
		return nil
	}
	if s.Labeled != nil && s.count(func(l []byte) bool {
		m := numbered.FindIndex(l)
		return m != nil && !s.Labeled(l)
	}) == 0 && behind[0] == ' ' && !s.any(func(l []byte) bool { return l[0] == ' ' }) {
		return nil
	}
	return off(func(l []byte) int {
		m := numbered.FindSubmatchIndex(l[:min(len(l), maxLooked)])
		switch {
		case m == nil:
			return 0
		case bytes.HasPrefix(l[m[3]:], behind):
			return m[3] + len(behind)
		}
		return m[1]
	})
}

// listed is what editors put before the lines that a search has found, in the words of their languages: Notepad++.
var listed = regex.New(`^\s{0,8}(?:Line|Zeile|Ligne|Línea|Linha|Riga|Regel|Rad|Linia|Wiersz|Řádek|Satır|` +
	`Строка|Рядок|行|줄|라인) (\d{1,9}): `)

// findListed finds it where the reader knows lines: the numbers go up.
func findListed(s *sample) cut {
	if s.anyLine() || s.known < 2 || !s.most(1, listed.Match) {
		return nil
	}
	last := -1
	for _, l := range s.signs {
		n, _ := strconv.Atoi(string(listed.FindSubmatch(l[:min(len(l), maxLooked)])[1])) // nine digits at most
		if n <= last {
			return nil
		}
		last = n
	}
	return off(func(l []byte) int {
		if m := listed.FindIndex(l); m != nil {
			return m[1]
		}
		return 0
	})
}

// context is what grep -n puts before a line that matched, and before one that is shown with it.
var context = regex.New(`^(\d{1,7})([:-])`)

// findContext finds the numbers of grep -n -C: «:» is behind those of lines that matched, «-» behind those around them.
// Groups of lines are apart by «--».
func findContext(s *sample) cut {
	around, all, last := 0, 0, -1
	for _, l := range s.lines {
		m := context.FindSubmatch(l[:min(len(l), maxLooked)])
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(string(m[1])) // seven digits at most
		if n <= last {                     // a date, or the number of a process
			return nil
		}
		all, last = all+1, n
		if m[2][0] == '-' {
			around++
		}
	}
	if all < leastNumbers || around == 0 || !s.most(1, context.Match) ||
		!s.all(0.8, func(l []byte) bool { return context.Match(l) || string(l) == "--" }) {
		return nil
	}
	return func(l line, out func(line)) {
		if ends(l) || string(l.text) == "--" {
			return
		}
		if m := context.FindIndex(l.text); m != nil {
			l.text = l.text[m[1]:]
		}
		out(l)
	}
}

// findGrep finds what grep puts before a line.
func findGrep(s *sample) cut {
	if len(s.signs) < 2 || !s.most(0.9, grepped.Match) || ownName.Match(s.signs[0]) {
		return nil
	}
	if s.Sign == nil && s.Labeled == nil {
		// A name tells what a file of /proc or /sys holds: only that of a copy is around its lines.
		m := grepped.FindSubmatch(s.lines[0])
		if m == nil || len(s.lines) < 3 || system.Match(m[1]) || !s.all(0.9, func(l []byte) bool {
			return len(l) > len(m[1]) && bytes.HasPrefix(l, m[1]) && l[len(m[1])] == ':'
		}) {
			return nil
		}
	}
	// What follows the name may be a time: numbers of lines go up.
	up, last := 0, -1
	for _, l := range s.signs {
		if m := grepped.FindSubmatch(l); m != nil && m[2] != nil {
			n, _ := strconv.Atoi(string(m[2])) // seven digits at most
			if n > last {
				up++
			}
			last = n
		}
	}
	counted := 3*up > 2*len(s.signs)
	return off(func(l []byte) int {
		switch m := grepped.FindSubmatchIndex(l); {
		case m == nil:
			return 0
		case m[4] >= 0 && !counted:
			return m[4]
		default:
			return m[1]
		}
	})
}
