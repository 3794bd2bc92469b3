package pglog

import (
	"bytes"
	"math"
	"slices"
	"strconv"

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
	maxFault  = 300
)

// kernelFault is a line of the kernel about a fault of a process.
var kernelFault = regex.New(`(?:postgres|postmaster)\S*\[\d+\]:? (?:segfault at|general protection|trap |bad frame)`)

// oomKill is a line of the kernel about a process of the server that its OOM killer chose.
var oomKill = regex.New(`(?:[Oo]ut of memory: |^(?:\[[ \d.]+\] )?)Kill(?:ed)? process \d+[, ]+(?:\(|UID \d+, \()` +
	`(?:postgres|postmaster)`)

// besideSHMMAX is how a paste shows the limit, in bytes or, of ipcs -l, in kB.
var besideSHMMAX = regex.New(`(?:kernel\.shmmax *= *|/kernel/shmmax[ \t\x60]*\n+[ \t>]*)(\d+)|` +
	`max seg size \(kbytes\) = (\d+)`)

// shmmax is the limit of the kernel that a paste has in addition to its log.
func shmmax(head []byte) int64 {
	m := besideSHMMAX.FindSubmatch(head)
	if m == nil {
		return 0
	}
	text, by := m[1], int64(1)
	if len(text) == 0 {
		text, by = m[2], 1<<10
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n > math.MaxInt64/by { // no limit
		return math.MaxInt64
	}
	return n * by
}

var killWord = []byte("Kill")

// cutTime says whether a line is the beginning of a time and nothing else, as the last one of a text that was cut is:
// «2018-10-».
func cutTime(line []byte) bool {
	const shape, least = "0000-00-00 00:00:00.000", len("0000-")
	line = bytes.TrimSpace(line)
	if len(line) < least || len(line) > len(shape) {
		return false
	}
	for i, c := range line {
		if isDigit(c) != (shape[i] == '0') || !isDigit(c) && c != shape[i] {
			return false
		}
	}
	return true
}

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
