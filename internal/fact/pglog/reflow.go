package pglog

import (
	"bytes"
	"unicode"
)

// maxPrefixWidth is how far from the time of an entry its label may be.
const maxPrefixWidth = 250

// reflowed puts the entries of a text whose lines were broken anew by a page, or not at all, on lines of their own. It
// is nil where the lines of a text are the server's: where most times with a label behind them begin one.
func reflowed(head []byte) []byte {
	own, bare := 0, 0
	var last []byte // what stood before the time of the line before, without numbers: those of lines differ
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimLeft(line, " \t")
		if findLabel(line) == 0 || findOne(line) == 0 {
			bare++
		}
		for at := 0; at+19 <= min(len(line), maxPrefixWidth); at++ {
			before := numberless(line[:at])
			letters := bytes.IndexFunc(before, unicode.IsLetter) >= 0
			// Between the time of an entry and its label may be that of the session's start.
			if _, n := clock(line[at:]); n > 0 && !letters && sessionStart(line[at+n:min(len(line), maxPrefixWidth)]) {
				own++
				break
			}
			if !beginsEntry(line[at:]) {
				continue
			}
			if !letters || bytes.Equal(before, last) {
				own++
			} else {
				last = before
			}
			break
		}
	}
	// Almost no log comes by here with times in its middle. Where most lines begin with a label, the times are of
	// messages: «last known up at …».
	if bytes.Count(head, []byte(": ")) < 2 {
		return nil
	}
	if n := inner(head); n <= 2*own+1 || n <= bare {
		return nil
	}
	text := bytes.Join(bytes.Fields(head), []byte{' '})
	var out []byte
	from := 0
	for at := 1; at+19 <= len(text); at++ {
		if mayBegin(text, at) && beginsEntry(text[at:]) {
			out = append(append(out, bytes.TrimSpace(text[from:at])...), '\n')
			from = at
			at += 19
		}
	}
	return append(append(out, text[from:]...), '\n')
}

// sessionStart says whether a text has a time with a process or a session ID between it and a label that follows, as
// a prefix with %s has, and no label before.
func sessionStart(b []byte) bool {
	label := findLabel(b)
	for at := 0; at+19 <= label; at++ {
		if _, n := clock(b[at:]); n > 0 {
			rest := bytes.TrimLeft(b[min(at+n, label):label], " ")
			rest = bytes.TrimLeft(rest[len(zone(rest)):], " ")
			k := span(rest, wordByte)
			return k > 1 && len(bytes.Trim(rest[k:], " :>.0123456789abcdef")) == 0
		}
	}
	return false
}

// numberless is a text without its digits.
func numberless(b []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, b)
}

// inner counts the times with a label behind them, wherever they are; lines end as words do.
func inner(head []byte) (n int) {
	if bytes.Count(head, []byte("-")) < 2 {
		return 0
	}
	text := bytes.Join(bytes.Fields(head), []byte{' '})
	for at := 0; at+19 <= len(text); at++ {
		if mayBegin(text, at) && beginsEntry(text[at:]) {
			n++
			at += 19
		}
	}
	return n
}

// mayBegin says whether a time may begin at a place: behind a space, or behind the end of a message, where a page took
// the line break away and put nothing there.
func mayBegin(text []byte, at int) bool {
	if at == 0 {
		return true
	}
	c := text[at-1]
	return c == ' ' || c == '.' || c == ')' || c == '"' || c == ';' || c >= 0x80 || isDigit(c) ||
		c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// beginsEntry says whether a text begins with a time and the label of an entry, and no other time between.
func beginsEntry(b []byte) bool {
	_, n := clock(b)
	if n == 0 || n < len(b) && b[n] == ',' {
		return false
	}
	b = b[:min(len(b), maxPrefixWidth)]
	i := findLabel(b)
	if i < 0 {
		i = findOne(b)
	}
	if i < 0 {
		return false
	}
	for at := n; at+19 <= i; at++ {
		if _, k := clock(b[at:]); k > 0 {
			return false
		}
	}
	return true
}
