package queryplan

import (
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

// maxJoined bounds how many lines one line may have been broken into: a condition with a
// long list is broken by a terminal into hundreds.
const (
	maxJoined      = 500
	maxJoinedBytes = 256 << 10
)

// unwrap joins lines that a terminal cut or a mail broke. A line that stays open, within
// its numbers or within a condition's parentheses, goes on in the next one, unless that
// begins something of its own.
func unwrap(lines []string) []string {
	numbers := false
	lengths := map[int]int{}
	for _, l := range lines {
		numbers = numbers || markAt(l) >= 0
		if open(l) {
			lengths[utf8.RuneCountInString(l)]++
		}
	}
	out := make([]string, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if i+1 < len(lines) && headAlone(l, lines[i+1]) {
			l = l + " " + strings.TrimLeft(lines[i+1], " ")
			i++
		}
		if begins(l) || nodeLike(l, numbers) {
			var p parentheses
			p.add(l)
			for n := 0; n < maxJoined && len(l) < maxJoinedBytes && i+1 < len(lines); n++ {
				next := lines[i+1]
				if !goesOn(l, next, numbers, p.open()) {
					break
				}
				l = join(l, next, lengths[utf8.RuneCountInString(lines[i])] > 1)
				p.add(next)
				i++
			}
		} else if i+1 < len(lines) && splitHead(l, lines[i+1]) {
			l = join(l, lines[i+1], true)
			i++
		}
		out = append(out, spaced(l))
	}
	return out
}

// headAlone says whether a line is a node's name and the next one its numbers, as a person broke them.
func headAlone(l, next string) bool {
	t := strings.TrimSpace(next)
	return (strings.HasPrefix(t, "(cost=") || strings.HasPrefix(t, "(actual ")) && markAt(l) < 0 &&
		!strings.HasPrefix(strings.TrimSpace(l), "->") && bareHead.MatchString(strings.TrimSpace(l)) &&
		headWord.MatchString(strings.TrimSpace(l))
}

// splitHead says whether a line and the next one are a node's line only together: the
// first one's numbers begin in the next.
func splitHead(l, next string) bool {
	t := strings.TrimSpace(l)
	return headWord.MatchString(t) && markAt(l) < 0 && open(l) && measuresOrCosts(join(l, next, true)) && !begins(next)
}

func measuresOrCosts(l string) bool { return estimated.MatchString(l) || measured.MatchString(l) }

// goesOn says whether the next line is the rest of this one.
func goesOn(l, next string, numbers, open bool) bool {
	t := strings.TrimSpace(next)
	if t == "" {
		return false
	}
	for _, m := range pasted.Marks {
		// A measurement on a line of its own.
		if strings.HasPrefix(t, m) && nodeLike(l, true) && !strings.Contains(l, m) {
			return true
		}
	}
	switch {
	case begins(next):
		return false
	case open:
		return true
	}
	// A node's name that is cut: its numbers are in the next line.
	return numbers && strings.HasPrefix(strings.TrimSpace(l), "->") && markAt(l) < 0 && markAt(next) > 0
}

// nodeLike says whether a line is that of a node.
func nodeLike(l string, numbers bool) bool {
	t := strings.TrimSpace(l)
	if rest, ok := strings.CutPrefix(t, "->"); ok {
		return numbers || headWord.MatchString(strings.TrimSpace(rest))
	}
	return markAt(t) > 0 && headWord.MatchString(t) || headWord.MatchString(t) && strings.HasSuffix(t, "(")
}

// begins says whether a line begins something of its own.
func begins(l string) bool {
	t := strings.TrimSpace(l)
	if strings.Contains(t, "planSQLText") {
		if m := techLog.FindStringIndex(t); m != nil {
			t = t[m[1]:]
		}
	}
	switch {
	case strings.HasPrefix(t, "->"), t == "Planning:", t == "JIT:":
		return true
	case strings.Contains(t, " ms") && (len(wholeTimes(t)) > 0 && !strings.HasPrefix(t, "(") ||
		pasted.Logged.MatchString(t)):
		return true
	case strings.HasPrefix(t, "Trigger ") && trigger.MatchString(t),
		strings.HasPrefix(t, "Worker ") && workerTag.MatchString(t),
		subplan.MatchString(t) && !strings.Contains(t, "("):
		return true
	case markAt(t) > 0 && headWord.MatchString(t):
		return true
	}
	name, _, ok := strings.Cut(t, ":")
	if !ok || len(name) > 40 {
		return false
	}
	switch name {
	case "Settings", "Serialization", "Functions", "Timing", "Query Text", "Memory":
		return true
	}
	return known(name)
}

// parentheses counts what is open, that of texts not counted.
type parentheses struct {
	depth int
	any   bool
	text  bool
}

func (p *parentheses) add(l string) {
	for i := 0; i < len(l); i++ {
		switch c := l[i]; {
		case c == '\'':
			p.text = !p.text
		case p.text:
		case c == '(':
			p.depth++
			p.any = true
		case c == ')':
			p.depth--
		}
	}
}

func (p *parentheses) open() bool { return p.depth > 0 || p.text && p.any }

// open says whether a line ends within parentheses.
func open(l string) bool {
	var p parentheses
	p.add(l)
	return p.open()
}

// join puts two parts together: what a terminal cut at its width has no blank between
// them, what was broken at a blank has.
func join(l, next string, cut bool) string {
	t := strings.TrimLeft(next, " ")
	switch blanks := len(next) - len(t); {
	case strings.HasSuffix(l, " "), blanks == 1:
		return strings.TrimRight(l, " ") + " " + t
	case blanks > 1, !cut && !within(l, t):
		return l + " " + t
	}
	return l + t
}

// within says whether two parts are those of one number.
func within(l, t string) bool {
	digit := func(c byte) bool { return c >= '0' && c <= '9' || c == '.' }
	return l != "" && t != "" && digit(l[len(l)-1]) && digit(t[0])
}

// blanks that a join left out or put in between the words of a node's numbers.
var (
	lostBlank  = regex.New(`([^\s(])(rows=|loops=|width=|\(actual |\(cost=)`)
	lostActual = regex.New(`\(actual(time=|rows=)`)
	putBlank   = regex.New(`\( (cost=|actual )`)
)

func spaced(l string) string {
	if markAt(l) < 0 && !strings.Contains(l, "(actual") {
		return l
	}
	l = lostActual.ReplaceAllString(l, "(actual $1")
	l = putBlank.ReplaceAllString(l, "($1")
	return lostBlank.ReplaceAllString(l, "$1 $2")
}
