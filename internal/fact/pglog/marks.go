package pglog

import (
	"bytes"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// pointer is an arrow that a person put before a line, to point at it.
	pointer = regex.New(`^[ \t]*(?:[-=]{1,10}>|→|➜|▶|☞|>>)[ \t]*`)
	// headless is the beginning of a time whose first digits were not copied.
	headless = regex.New(`^-?\d{0,3}-(\d\d-\d\d \d\d:\d\d:\d\d)`)
)

// unmarked takes off what a person or a page put around the lines of a paste: fences on the line itself, arrows, bold
// letters; and it puts back the first digits of a time where the copy began within it. Nil: there is nothing of it.
func unmarked(head []byte) []byte {
	if findLabel(head) < 0 {
		return nil
	}
	var out []byte
	changed := false
	year := yearOf(head)
	bold := slices.ContainsFunc(bytes.Split(head, []byte{'\n'}), func(line []byte) bool { return emphasized(line) > 0 })
	for i, line := range bytes.Split(head, []byte{'\n'}) {
		if i > 0 {
			out = append(out, '\n')
		}
		text := unmarkedLine(line, year, bold)
		changed = changed || len(text) != len(line)
		out = append(out, text...)
	}
	if !changed {
		return nil
	}
	return out
}

// maxFaults of the kernel's lines about faults are kept, and maxFault bytes of each.
const (
	maxFaults = 3
	maxFault  = 200
)

// kernelFault is a line of the kernel about a fault of a process.
var kernelFault = regex.New(`(?:postgres|postmaster)\S*\[\d+\]:? (?:segfault at|general protection|trap |bad frame)`)

// inContainer is what docker compose puts before each line.
var inContainer = regex.New(`(?m)^[A-Za-z0-9][\w.-]* +\| `)

// composed breaks lines in which a page put several of a container, each of which begins with its name. Nil: there is
// none.
func composed(head []byte) []byte {
	found := inContainer.FindIndex(head)
	if found == nil {
		return nil
	}
	word, _, _ := bytes.Cut(head[found[0]:found[1]], []byte{' '})
	inner := slices.Concat([]byte{' '}, word)
	var out []byte
	from := 0
	for at := 1; at < len(head); {
		i := bytes.Index(head[at:], inner)
		if i < 0 {
			break
		}
		at += i
		rest := bytes.TrimLeft(head[at+len(inner):], " ")
		if time, ok := bytes.CutPrefix(rest, []byte("| ")); ok && head[at-1] != '\n' {
			if _, n := clock(time); n > 0 {
				out = append(append(out, head[from:at]...), '\n')
				from = at + 1
			}
		}
		at += len(inner)
	}
	if out == nil {
		return nil
	}
	return append(out, head[from:]...)
}

// emphasized is how long the mark is that sets a line in bold or italics, which may end on a later one; 0: none.
func emphasized(line []byte) int {
	rest := bytes.TrimLeft(line, emphasis)
	if _, n := clock(rest); n == 0 || len(line)-len(rest) > 3 {
		return 0
	}
	return len(line) - len(rest)
}

// emphasis is what sets a text in bold or italics.
const emphasis = "*_"

func unmarkedLine(line []byte, year string, bold bool) []byte {
	if bytes.Equal(bytes.TrimSpace(line), []byte("^C")) {
		return nil
	}
	if findLabel(line) < 0 && findOne(line) < 0 {
		return line
	}
	if at := pointer.FindIndex(line); at != nil {
		if _, n := clock(line[at[1]:]); n > 0 {
			line = line[at[1]:]
		}
	}
	if rest, ok := bytes.CutPrefix(line, fence); ok {
		line = rest
	}
	if rest, ok := bytes.CutSuffix(bytes.TrimRight(line, " \r"), fence); ok {
		line = rest
	}
	for _, mark := range []string{"**", "__"} {
		if rest, ok := bytes.CutPrefix(line, []byte(mark)); ok {
			if text, ok := bytes.CutSuffix(bytes.TrimRight(rest, " \r"), []byte(mark)); ok {
				line = text
			}
		}
	}
	if n := emphasized(line); n > 0 {
		line = line[n:]
	}
	if rest := bytes.TrimRight(line, emphasis); bold && len(rest)+2 <= len(line) && len(rest)+3 >= len(line) {
		line = rest
	}
	if m := headless.FindSubmatch(line); m != nil && year != "" {
		return append([]byte(year+"-"), line[bytes.Index(line, m[1]):]...)
	}
	return line
}

// yearOf is the year of the first whole time at the beginning of a line; "": there is none.
func yearOf(head []byte) string {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if _, n := clock(line); n > 0 {
			return string(line[:4])
		}
	}
	return ""
}

var (
	// pairs are the fields of another program's log.
	pairs = regex.New(`^[a-z_]{1,20}=\S+ [a-z_]{1,20}=`)
	// dated is a date in words, as pages show it below a line.
	dated = regex.New(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [A-Z][a-z]{2}`)
	// tag is one of a page.
	tag = regex.New(`^</?[a-z][a-z0-9-]*[ />]`)
)

// apart says whether a line is no rest of the one before, however wide that is: it has a time of its own, or is of
// another program or of the page.
func apart(text []byte) bool {
	if _, n := clock(text); n > 0 {
		return true
	}
	if l, _, ok := labelled(text, false, true); ok && l.part == partMessage && l.severity != NoSeverity {
		return true // of another program, as it has no prefix
	}
	return pairs.Match(text) || dated.Match(text) || tag.Match(text) || bytes.HasPrefix(text, []byte("^C"))
}
