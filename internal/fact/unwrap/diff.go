package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	hunk    = regex.New(`^@@ .{1,80} @@`)
	diffRow = regex.New(`^(?:diff --git |index [0-9a-f]+\.\.|--- (?:a/\S|/dev/null|\S+[./]\S)|new file mode |` +
		`deleted file mode |similarity index )`)
	newFile  = regex.New(`^\+\+\+ \S`)
	added    = regex.New(`^\+(?:[^+]|$)`)
	taken    = regex.New(`^-(?:[^->]|$)`)
	noNewEnd = []byte(`\ No newline at end of file`)
)

// findDiff finds the marks of a diff: within hunks, or before all lines that the reader knows. What the diff takes out
// is not in the text; where both sides are texts, the old one comes first and then the new one.
func findDiff(s *sample) cut {
	hunks := false
	plus, minus, context, other := 0, 0, 0, 0
	within := false
	for _, l := range s.lines {
		switch {
		case hunk.Match(l):
			within = true
		case diffRow.Match(l), newFile.Match(l):
		case !s.is(l) && !s.is(l[1:]):
		case added.Match(l):
			plus++
			hunks = hunks || within
		case taken.Match(l):
			minus++
			hunks = hunks || within
		case l[0] == ' ':
			context++
			hunks = hunks || within
		default:
			other++
		}
	}
	if s.known == 0 && minus > 0 {
		return nil // whatever it is a diff of, the reader knows neither side
	}
	both := s.Both && plus > 0 && minus > 0
	if !hunks && (plus == 0 || other > 0 || !both && 10*(minus+context) > plus) {
		return nil
	}
	d := &diff{both: both, hunks: hunks}
	return d.line
}

// diff takes a diff apart.
type diff struct {
	both, hunks bool
	inside      bool
	old, now    []line
}

func (d *diff) line(l line, out func(line)) {
	t := l.text
	switch {
	case ends(l):
		d.close(out)
	case hunk.Match(t):
		d.inside = true
	case !d.inside && d.hunks:
		if !diffRow.Match(t) {
			out(l)
		}
	case diffRow.Match(t):
		d.close(out)
	case newFile.Match(t):
		d.close(out)
		out(l)
	case len(t) == 0:
		d.put(line{bytes.Clone(t), l.number}, true, true, out)
	case t[0] == '+':
		d.put(line{bytes.Clone(t[1:]), l.number}, false, true, out)
	case t[0] == '-':
		d.put(line{bytes.Clone(t[1:]), l.number}, true, false, out)
	case t[0] == ' ':
		d.put(line{bytes.Clone(t[1:]), l.number}, true, true, out)
	case bytes.Equal(t, noNewEnd):
	default: // the diff has ended
		if d.hunks {
			d.close(out)
		}
		out(l)
	}
}

// put keeps a line for the side that has it.
func (d *diff) put(l line, old, now bool, out func(line)) {
	if !d.both {
		if now {
			out(l)
		}
		return
	}
	if old {
		d.old = append(d.old, l)
	}
	if now {
		d.now = append(d.now, l)
	}
}

// close hands out both sides.
func (d *diff) close(out func(line)) {
	d.inside = false
	for _, l := range d.old {
		out(l)
	}
	if len(d.old) > 0 && len(d.now) > 0 {
		out(line{[]byte{}, d.now[0].number})
	}
	for _, l := range d.now {
		out(l)
	}
	d.old, d.now = nil, nil
}
