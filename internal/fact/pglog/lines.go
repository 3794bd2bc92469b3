package pglog

import (
	"bytes"
	"errors"
	"io"
)

// lines hands out the lines of a stream from one buffer of a fixed size. A line
// longer than maxLine is cut; the rest of it is passed over.
type lines struct {
	r       io.Reader
	buf     []byte
	at, end int
	err     error // of the reader, but for its end
	eof     bool
	bytes   int64
	count   int64 // lines handed out
	cut     bool  // the last line was
}

func newLines(r io.Reader) *lines { return &lines{r: r, buf: make([]byte, 2*maxLine)} }

// fill reads more behind what is there; it makes room first.
func (l *lines) fill() bool {
	if l.eof {
		return false
	}
	if l.at > 0 && (l.at == l.end || l.end == len(l.buf)) {
		l.end = copy(l.buf, l.buf[l.at:l.end])
		l.at = 0
	}
	if l.end == len(l.buf) {
		return false
	}
	// A reader that returns nothing and no error many times over is broken.
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.bytes += int64(n)
		if err != nil {
			l.eof = true
			if !errors.Is(err, io.EOF) {
				l.err = err
			}
			return n > 0
		}
		if n > 0 {
			return true
		}
	}
	l.eof, l.err = true, io.ErrNoProgress
	return false
}

// peek returns up to n of the bytes that come next, without taking them.
func (l *lines) peek(n int) []byte {
	for l.end-l.at < n && l.fill() {
	}
	return l.buf[l.at:min(l.end, l.at+n)]
}

// Read takes bytes as they are, for what unpacks them.
func (l *lines) Read(p []byte) (int, error) {
	if l.at == l.end && !l.fill() {
		if l.err != nil {
			return 0, l.err
		}
		return 0, io.EOF
	}
	n := copy(p, l.buf[l.at:l.end])
	l.at += n
	return n, nil
}

// next returns a line without its end. It stands until the next call.
func (l *lines) next() ([]byte, bool) {
	from := 0
	for {
		if i := bytes.IndexByte(l.buf[l.at+from:l.end], '\n'); i >= 0 {
			line := l.buf[l.at : l.at+from+i]
			l.at += from + i + 1
			return l.give(line), true
		}
		from = l.end - l.at
		if from >= maxLine {
			// A copy: passing over the rest overwrites the buffer.
			line := bytes.Clone(l.buf[l.at : l.at+maxLine])
			l.at += maxLine
			l.pass()
			line = l.give(line)
			l.cut = true
			return line, true
		}
		if !l.fill() {
			if from == 0 {
				return nil, false
			}
			line := l.buf[l.at:l.end]
			l.at = l.end
			return l.give(line), true
		}
	}
}

func (l *lines) give(line []byte) []byte {
	l.count++
	l.cut = len(line) > maxLine
	if l.cut {
		line = line[:maxLine]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// pass goes on behind the end of the line that is being read.
func (l *lines) pass() {
	for {
		if i := bytes.IndexByte(l.buf[l.at:l.end], '\n'); i >= 0 {
			l.at += i + 1
			return
		}
		l.at = l.end
		if !l.fill() {
			return
		}
	}
}
