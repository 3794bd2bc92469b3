// Package sessions runs what documents show: fenced blocks that begin with "$ pgfettle", a
// command and what it prints. A document shows the part that matters: see matches.
package sessions

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// session is such a block.
var session = regexp.MustCompile("(?s)```(?:text|console)\n(\\$ pgfettle .*?)```\n")

// Run runs every session of a document's text in its order and compares what each prints; it
// returns the text, with what it shows rewritten where update is set, and how many there were.
func Run(t *testing.T, doc, text string, update bool, run func(args []string) string) (string, int) {
	t.Helper()
	ran := 0
	text = session.ReplaceAllStringFunc(text, func(block string) string {
		ran++
		body := session.FindStringSubmatch(block)[1]
		command, want, _ := strings.Cut(body, "\n")
		have := strings.TrimRight(run(fields(strings.TrimPrefix(command, "$ pgfettle "))), "\n")
		if matches(strings.TrimRight(want, "\n"), have) {
			return block
		}
		if !update {
			t.Errorf("%s: %s\nthe document shows:\n%s\nthe program prints (-update writes it):\n%s", doc, command, want,
				have)
			return block
		}
		now, ok := rewritten(strings.TrimRight(want, "\n"), have)
		if !ok {
			t.Errorf("%s: %s: the program prints fewer lines than the document shows; write it by hand:\n%s", doc,
				command, have)
			return block
		}
		return strings.Replace(block, body, command+"\n"+now+"\n", 1)
	})
	return text, ran
}

// fields splits a command line at spaces, keeping 'quoted words' whole.
func fields(s string) []string {
	var out []string
	var cur strings.Builder
	quoted, any := false, false
	for _, r := range s {
		switch {
		case r == '\'':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				out = append(out, cur.String())
				cur.Reset()
				any = false
			}
		default:
			cur.WriteRune(r)
			any = true
		}
	}
	if any {
		out = append(out, cur.String())
	}
	return out
}

// elided stands for any number of lines where it is a line, and for any words within one, such as
// a count that changes with each check or knob.
const elided = "…"

// matches compares what a document shows with what was printed, line by line. How wide a column is depends on the rows
// that a document omits, so the number of blanks is nothing.
func matches(want, have string) bool {
	return matchLines(strings.Split(want, "\n"), strings.Split(have, "\n"))
}

func matchLines(w, h []string) bool {
	for len(w) > 0 {
		if strings.TrimSpace(w[0]) == elided {
			for i := 0; i <= len(h); i++ {
				if matchLines(w[1:], h[i:]) {
					return true
				}
			}
			return false
		}
		if len(h) == 0 || !sameLine(w[0], h[0]) {
			return false
		}
		w, h = w[1:], h[1:]
	}
	return len(h) == 0
}

var blanks = regexp.MustCompile(` +`)

func sameLine(want, have string) bool {
	want = strings.TrimRight(blanks.ReplaceAllString(want, " "), " ")
	have = strings.TrimRight(blanks.ReplaceAllString(have, " "), " ")
	parts := strings.Split(want, elided)
	if len(parts) == 1 {
		return want == have
	}
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(have)
}

// rewritten is what a document shows, rebuilt from what was printed: what it omits stays omitted, and each run of lines
// that it shows becomes the run of as many that is most like it. false: there are not as many.
func rewritten(want, have string) (string, bool) {
	var runs [][]string // of shown lines; between two of them lines are omitted
	run := []string{}
	for _, line := range strings.Split(want, "\n") {
		if strings.TrimSpace(line) == elided {
			runs, run = append(runs, run), []string{}
			continue
		}
		run = append(run, line)
	}
	runs = append(runs, run)
	lines := strings.Split(have, "\n")
	at, ok := placed(runs, lines)
	if !ok {
		return "", false
	}
	var out []string
	for i, run := range runs {
		if i > 0 {
			out = append(out, elided)
		}
		for n, was := range run {
			now := lines[at[i]+n]
			if sameLine(was, now) { // with what is elided in it
				now = was
			}
			out = append(out, now)
		}
	}
	return strings.Join(out, "\n"), true
}

// placed is where each run begins among the lines: in their order, the first at the beginning and
// the last at the end, and otherwise where they are most alike.
func placed(runs [][]string, lines []string) ([]int, bool) {
	const none = -1
	type state struct {
		score int
		from  int // where the run before began
	}
	best := make([]map[int]state, len(runs))
	for i, run := range runs {
		best[i] = map[int]state{}
		for at := 0; at+len(run) <= len(lines); at++ {
			if i == 0 && at > 0 || i == len(runs)-1 && at+len(run) != len(lines) {
				continue
			}
			s := state{score: none}
			if i == 0 {
				s.score = 0
			} else {
				for before, b := range best[i-1] {
					if before+len(runs[i-1]) <= at && (b.score > s.score || b.score == s.score && before < s.from) {
						s = state{b.score, before}
					}
				}
			}
			if s.score == none {
				continue
			}
			for n, line := range run {
				s.score += alike(line, lines[at+n])
			}
			best[i][at] = s
		}
	}
	last := len(runs) - 1
	end := len(lines) - len(runs[last])
	if _, ok := best[last][end]; !ok {
		return nil, false
	}
	out := make([]int, len(runs))
	for i := last; i >= 0; i-- {
		out[i] = end
		end = best[i][end].from
	}
	return out, true
}

// alike is how much two lines have in common: all of it, or the words of one that are in the other.
func alike(a, b string) int {
	if sameLine(a, b) {
		return 1000
	}
	words, n := strings.Fields(b), 0
	for _, w := range strings.Fields(a) {
		if slices.Contains(words, w) {
			n++
		}
	}
	return n * 100 / max(1, len(words), len(strings.Fields(a)))
}
