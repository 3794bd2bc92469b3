// Package wrapped takes off the lines of a server's log what brought them: docker, Kubernetes, CloudNativePG, cloud
// providers, syslog, a terminal, a letter that quotes them. It finds out by the beginning of the log what there is,
// up to some layers, and hands out the lines as the server wrote them.
package wrapped

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// Reader hands out the lines of a server as it would write them to a file.
type Reader struct {
	in      *bufferedLines
	layers  []*layer
	json    *objects
	labeled func([]byte) bool
	left    []byte
	out     []byte
	syslog  bool
	again   int // times that the line at hand came again
	repeats Repeats
	killed  []string
}

// Killed are the first lines of other programs, systemd's and the kernel's, that report an OOM kill of a process of
// the server.
func (r *Reader) Killed() []string { return r.killed }

const (
	// maxLayers is more than anybody piles up: a letter that quotes docker compose of an operator's JSON.
	maxLayers = 5
	// maxLines of the head are looked at.
	maxLines = 300
	// maxLine is how much of one line is kept.
	maxLine = 256 << 10
	// maxKilled lines of other programs are kept, and of each maxKilledLine bytes.
	maxKilled, maxKilledLine = 3, 240
)

// Find looks at the beginning of a log; open is nil where nothing is around its lines. labeled says whether a text has
// a label of an entry («LOG:  ») in it. The name is for people: "docker compose", "syslog, CloudNativePG"; "" where
// there is but an indent, colors, or entities of HTML.
func Find(head []byte, labeled func([]byte) bool) (name string, open func(io.Reader) io.Reader) {
	if isPortion(head) {
		return "RDS", func(r io.Reader) io.Reader { return newPortion(r) }
	}
	var sample [][]byte
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(bytes.TrimSpace(line)) > 0 {
			sample = append(sample, line)
		}
		if len(sample) == maxLines {
			break
		}
	}
	var names []string
	var found []*layer
	for len(found) < maxLayers {
		l, rest := next(sample, labeled)
		if l == nil {
			break
		}
		if l.service != nil {
			l = ofServer(l, sample, labeled)
		}
		found, sample = append(found, l), rest
		if l.name != "" && !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	objectName := objectsIn(sample)
	if objectName != "" {
		names = append(names, objectName)
	}
	if len(found) == 0 && objectName == "" {
		return "", nil
	}
	for i := 0; i < len(names) && len(names) > 1; { // how it was pasted says less than what brought it
		if slices.Contains(pasted, names[i]) {
			names = append(names[:i], names[i+1:]...)
		} else {
			i++
		}
	}
	return strings.Join(names, ", "), func(r io.Reader) io.Reader {
		w := &Reader{in: newLines(r), layers: found, labeled: labeled, syslog: slices.Contains(names, "syslog")}
		if objectName != "" {
			w.json = &objects{labeled: labeled}
		}
		return w
	}
}

// pasted are the layers of those who show a log to others.
var pasted = []string{"quoted", "box", "comment", "diff"}

// next is the outermost layer of the lines of a sample, and what is left of them; nil where there is none.
func next(sample [][]byte, labeled func([]byte) bool) (*layer, [][]byte) {
	for i := range layers {
		l := &layers[i]
		if l.find != nil && !l.find(sample) || l.indent && opened(sample) {
			continue
		}
		var rest [][]byte
		n, own := 0, 0
		for _, line := range sample {
			if l.whole { // of a few lines is known that they are of it
				if !l.has(line) {
					rest = append(rest, line)
					continue
				}
			}
			text, ok := l.cut(line, labeled)
			if !ok {
				rest = append(rest, line)
				continue
			}
			n++
			if labeled(text) || bytes.IndexByte(text, '{') >= 0 {
				own++
			}
			if text != nil {
				rest = append(rest, text)
			}
		}
		if n > 0 && own > 0 && float64(n) >= l.share*float64(len(sample)) {
			return l, rest
		}
	}
	return nil, nil
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		if r.again > 0 {
			r.again--
			r.left = r.out
			break
		}
		line, ok := r.in.next()
		if !ok {
			if r.json != nil {
				r.out = r.json.end(r.out[:0])
				if r.left = r.out; len(r.left) > 0 {
					break
				}
			}
			if r.in.err != nil {
				return 0, r.in.err
			}
			return 0, io.EOF
		}
		if r.syslog {
			var times int
			line, times = r.repeats.Line(line)
			r.again = times - 1
		}
		drop, raw := false, line
		for _, l := range r.layers {
			text, ok := l.cut(line, r.labeled)
			if ok && text == nil {
				drop = true
				break
			}
			if ok {
				line = text
			}
		}
		if drop {
			r.again = 0
			r.note(raw)
			continue
		}
		if r.json != nil {
			r.out = r.json.line(r.out[:0], line)
		} else {
			r.out = append(append(r.out[:0], line...), '\n')
		}
		r.left = r.out
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// note keeps a line of another program that reports an OOM kill of the server.
func (r *Reader) note(line []byte) {
	if r.syslog && len(r.killed) < maxKilled && oomLine.Match(line) && postgresIdent.Match(line) {
		r.killed = append(r.killed, strings.ToValidUTF8(string(line[:min(len(line), maxKilledLine)]), ""))
	}
}

// opened says whether a sample begins with an object or an array that is laid out over lines.
func opened(sample [][]byte) bool {
	if len(sample) == 0 {
		return false
	}
	switch string(bytes.TrimSpace(sample[0])) {
	case "{", "[", "[{":
		return true
	}
	return false
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
