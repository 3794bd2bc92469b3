package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// What others put around a text before it is split into what was said by whom: the times
// that a runner of jobs, a container's log or a pipe prints before each line, the marks of a
// diff, and the ends of lines that a terminal broke at its edge.
var (
	reStamp = regex.New(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3,9}Z\]? ?(?:(?:stdout|stderr) [FP] )?`)
	reGroup = regex.New(`^(?:##\[(?:group|endgroup|section|command)\]|::(?:group|endgroup)::|section_(?:start|en` +
		`d):\d+:)(.*)$`)
	reHunk = regex.New(`^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@`)
	reOld  = regex.New(`^--- \S`)
	reNew  = regex.New(`^\+\+\+ (?:b/)?(\S+)`)
)

// unstamped takes the times off where most lines of a text have them.
func unstamped(lines []line) {
	with, all := 0, 0
	for i := range lines {
		if t := strings.TrimSpace(lines[i].raw); t != "" {
			all++
			if reStamp.MatchString(strings.TrimPrefix(t, "\ufeff")) {
				with++
			}
		}
	}
	if with < 3 || with*2 < all {
		return
	}
	for i := range lines {
		t := strings.TrimPrefix(lines[i].raw, "\ufeff")
		if at := reStamp.FindStringIndex(t); at != nil {
			lines[i].stamped = t[at[1]:]
			lines[i].unstamp = true
		}
	}
}

// undiffed makes of a diff the file as it is to be: lines that are taken out are of no part.
func undiffed(lines []line) {
	in := false
	for i := range lines {
		l := &lines[i]
		t := l.text
		switch {
		case reHunk.MatchString(l.t):
			in = true
			l.is = command
		case !in && reOld.MatchString(t) && i+1 < len(lines) && reNew.MatchString(lines[i+1].text):
			l.is = command
		case !in && reNew.MatchString(t) && i > 0 && reOld.MatchString(lines[i-1].text):
			l.is, l.command = command, "cat "+reNew.FindStringSubmatch(t)[1]
		case !in:
		case l.is == fence, strings.HasPrefix(t, "diff --git "), t != "" && !strings.ContainsRune("+- \\", rune(t[0])):
			in = false
		case strings.HasPrefix(t, "-"):
			l.is = elided
		case strings.HasPrefix(t, "+"), strings.HasPrefix(t, " "):
			l.text = t[1:]
			l.t = strings.TrimLeft(l.text, " \t")
			l.is = roleOf(l.t)
		}
	}
}

// broken are the kinds whose lines a terminal breaks at its edge: those with a table.
func broken(k Kind) bool {
	switch k {
	case Iostat, Vmstat, Top, Free, Df, Ps, Mount, Lsblk, PgSettings, Sar, DockerStats, Smem:
		return true
	}
	return false
}

const (
	leastEdge = 60 // columns of a terminal
	mostEdge  = 250
	mostLines = 400 // that are put together
)

// unbroken is the window with the lines put together that were broken at one column, and
// how many lines each was; nil: there are none.
func unbroken(w *window) (*window, []int) {
	edge, full := 0, 0
	for i := range w.lines[:min(len(w.lines), 40)] {
		switch n := len([]rune(w.lines[i].text)); {
		case n > edge:
			edge, full = n, 1
		case n == edge:
			full++
		}
	}
	if edge < leastEdge || edge > mostEdge || full < 2 || len([]rune(w.lines[0].text)) < edge {
		return nil, nil
	}
	p := &window{command: w.command, name: w.name, tries: w.tries}
	var counts []int
	for i := 0; i < len(w.lines) && len(p.lines) < mostLines; {
		l := w.lines[i]
		n := 1
		for i+n < len(w.lines) && n < 8 && len([]rune(w.lines[i+n-1].text)) == edge && w.lines[i+n].is == content {
			l.text += w.lines[i+n].text
			n++
		}
		l.t = strings.TrimLeft(l.text, " \t")
		p.lines = append(p.lines, l)
		counts = append(counts, n)
		i += n
	}
	return p, counts
}

// rewrapped reads a part whose lines were broken.
func (s *scanner) rewrapped(w *window, i int) int {
	if n := len(w.t(0)); n < leastEdge || n > 4*mostEdge || s.messages >= mostEmbedded {
		return 0
	}
	p, counts := unbroken(w)
	if p == nil {
		return 0
	}
	s.messages++
	f, ok := ask(p, broken)
	if !ok {
		return 0
	}
	if f.body == nil {
		for _, l := range p.lines[:min(f.n, len(p.lines))] {
			f.body = append(f.body, l.text)
		}
	}
	n := 0
	for _, c := range counts[:min(f.n, len(counts))] {
		n += c
	}
	f.n = n
	return s.part(w, i, f)
}
