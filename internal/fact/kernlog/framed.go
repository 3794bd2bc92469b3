package kernlog

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A collector, an export or a chat may put anything before a line of the kernel, and quote it. What stands before the
// first line of a report shows what stands before the others: the name of who asked for memory begins behind it.

// reTimeIn is a time in words that somebody put before a line.
var reTimeIn = regex.New(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?`)

const (
	// frameChars is how much of what stands before a line is looked for before the others.
	frameChars = 32
	// frameMost is how much may stand there.
	frameMost = 512
	asksFor   = " invoked oom-killer: gfp_mask="
)

// frameEnds are what may stand between the prefix and the line.
var frameEnds = []string{`"`, "`", "} ", "] ", "| ", ": ", "\t", "> "}

// unframed takes what a collector put before a line off, as it did before the first line of the report.
func (p *Reader) unframed(l *line) {
	if l.from != bare {
		return
	}
	if i := strings.Index(l.text[:min(len(l.text), frameMost)], asksFor); i > 0 {
		at := 0
		for _, end := range frameEnds {
			if j := strings.LastIndex(l.text[:i], end); j >= 0 {
				at = max(at, j+len(end))
			}
		}
		p.frame = ""
		if at == 0 || at == i || strings.ContainsRune(l.text[:at], '\'') ||
			hasLabel(reTimeIn.ReplaceAllString(l.text[:at], "")) {
			return
		}
		before := l.text[:at]
		// Times and numbers differ from line to line.
		p.frame = before[strings.LastIndexAny(before, "0123456789")+1:]
		p.frame = p.frame[max(0, len(p.frame)-frameChars):]
		p.unframe(l, at)
		return
	}
	if p.frame == "" || !p.inReport() {
		return
	}
	if i := strings.Index(l.text[:min(len(l.text), frameMost)], p.frame); i >= 0 {
		p.unframe(l, i+len(p.frame))
	}
}

func (p *Reader) unframe(l *line, at int) {
	if l.at.Text == "" && l.at.Boot < 0 {
		if t := reTimeIn.FindString(l.text[:at]); t != "" {
			_, _ = stripTime(t, &l.at)
		}
	}
	rest := l.text[at:]
	inner := stripLine(rest)
	if inner.at.Text == "" && inner.at.Boot < 0 || !l.at.Wall.IsZero() {
		inner.at = l.at
	}
	*l = inner
	l.text = strings.TrimRight(l.text, "\"`")
}
