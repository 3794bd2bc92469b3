package unwrap

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/unwrap/encoded"
)

// Stream hands out what is within the lines of a log as they are read.
type Stream struct {
	in      *bufferedLines
	cuts    []cut
	left    []byte
	out     []byte
	ended   bool
	syslog  bool
	again   int // times that the line at hand came again
	repeats Repeats
	killed  []string
}

// Killed are the first lines of other programs, systemd's and the kernel's, that report an OOM kill of a process of
// the server.
func (r *Stream) Killed() []string { return r.killed }

const (
	// maxHead lines of the head of a stream are looked at.
	maxHead = 300
	// maxKilled lines of other programs are kept, and of each maxKilledLine bytes.
	maxKilled, maxKilledLine = 3, 240
)

// Find looks at the beginning of a log; open is nil where nothing is around its lines. The name is for people: "docker
// compose", "syslog, CloudNativePG"; "" where there is but an indent, colors, or entities of HTML.
func (r *Reader) Find(head []byte) (name string, open func(io.Reader) io.Reader) {
	if r.Labeled != nil && isPortion(head) {
		return "RDS", func(in io.Reader) io.Reader { return newPortion(in) }
	}
	first := encoded.Stream(head)
	text, _ := decoded(head)
	var lines []line
	for l := range bytes.SplitSeq(text, []byte{'\n'}) {
		if l = bytes.TrimSuffix(l, []byte{'\r'}); len(bytes.TrimSpace(l)) > 0 {
			lines = append(lines, line{l, len(lines) + 1})
		}
		if len(lines) == maxHead {
			break
		}
	}
	var layers []Layer
	var cuts []cut
	var names, shown []string
	good := 0 // layers below which the reader knows a line
	for len(layers) < maxLayers {
		s := r.sample(lines)
		e, c := next(s, layers)
		if e == nil {
			break
		}
		rest := applied(c, lines)
		if slices.ContainsFunc(rest, func(l line) bool { return r.sign(l.text) }) {
			good = len(layers) + 1
		}
		_, c = next(s, layers) // a new one: it may keep lines
		lines, layers, cuts = rest, append(layers, e.layer), append(cuts, c)
		n := s.name
		if n == "" {
			n = string(e.layer)
		}
		switch {
		case len(layers) > good: // it may lead nowhere
		case e.silent:
		case e.pasted:
			shown = append(shown, n)
		case !slices.Contains(names, n):
			names = append(names, n)
		}
	}
	if layers, cuts = layers[:good], cuts[:good]; good == 0 {
		return "", first
	}
	if names == nil { // how it was pasted says less than what brought it
		names = slices.Compact(shown)
	}
	return strings.Join(names, ", "), func(in io.Reader) io.Reader {
		// The cuts are for one stream: they may keep lines.
		if first != nil {
			in = first(in)
		}
		return &Stream{in: newLines(in), cuts: cuts, syslog: slices.Contains(layers, Syslog)}
	}
}

// Read implements io.Reader.
func (r *Stream) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		if r.again > 0 {
			r.again--
			r.left = r.out
			break
		}
		if r.ended {
			if r.in.err != nil {
				return 0, r.in.err
			}
			return 0, io.EOF
		}
		raw, ok := r.in.next()
		r.out = r.out[:0]
		if !ok {
			r.ended = true
			r.give(line{nil, -1}, 0)
			r.left = r.out
			continue
		}
		l := raw
		if r.syslog {
			var times int
			l, times = r.repeats.Line(l)
			r.again = times - 1
		}
		r.give(line{l, 0}, 0)
		if r.left = r.out; len(r.out) == 0 {
			r.again = 0
			r.note(raw)
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// give hands a line on to the layers from one on.
func (r *Stream) give(l line, from int) {
	if from == len(r.cuts) {
		if !ends(l) {
			r.out = append(append(r.out, l.text...), '\n')
		}
		return
	}
	r.cuts[from](l, func(l line) { r.give(l, from+1) })
	if ends(l) {
		r.give(l, from+1)
	}
}

// note keeps a line of another program that reports an OOM kill of the server.
func (r *Stream) note(l []byte) {
	if r.syslog && len(r.killed) < maxKilled && oomLine.Match(l) && postgresIdent.Match(l) {
		r.killed = append(r.killed, strings.ToValidUTF8(string(l[:min(len(l), maxKilledLine)]), ""))
	}
}

// bufferedLines hands out lines, of a long one the beginning.
type bufferedLines struct {
	r     io.Reader
	buf   []byte
	at    int
	end   int
	eof   bool
	err   error
	empty int
}

func newLines(r io.Reader) *bufferedLines { return &bufferedLines{r: r, buf: make([]byte, maxLine)} }

func (l *bufferedLines) next() ([]byte, bool) {
	from := 0
	for {
		if i := bytes.IndexByte(l.buf[l.at+from:l.end], '\n'); i >= 0 {
			line := l.buf[l.at : l.at+from+i]
			l.at += from + i + 1
			return bytes.TrimSuffix(line, []byte{'\r'}), true
		}
		from = l.end - l.at
		if l.eof {
			if from == 0 {
				return nil, false
			}
			line := l.buf[l.at:l.end]
			l.at = l.end
			return bytes.TrimSuffix(line, []byte{'\r'}), true
		}
		if from == len(l.buf) { // too long: it is cut in two
			line := l.buf[l.at:l.end]
			l.at, l.end = 0, 0
			return line, true
		}
		if l.at > 0 {
			l.end = copy(l.buf, l.buf[l.at:l.end])
			l.at = 0
		}
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		switch {
		case err == io.EOF:
			l.eof = true
		case err != nil:
			l.eof, l.err = true, err
		case n == 0:
			if l.empty++; l.empty > 100 {
				l.eof, l.err = true, io.ErrNoProgress
			}
		default:
			l.empty = 0
		}
	}
}
