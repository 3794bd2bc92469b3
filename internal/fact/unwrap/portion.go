package unwrap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// portionKey is the member that the AWS CLI has a log in, as one text: aws rds download-db-log-file-portion.
const portionKey = `"LogFileData"`

// isPortion says whether a head is of such an object.
func isPortion(head []byte) bool {
	first := bytes.TrimSpace(head[:min(len(head), maxBefore)])
	return len(first) > 0 && first[0] == '{' && bytes.Contains(head[:min(len(head), 4*maxBefore)], []byte(portionKey))
}

// portion hands out the texts of such objects as they are read, whatever their length.
type portion struct {
	in     *bufio.Reader
	inside bool
	found  int // bytes of the key that the last ones are
	out    []byte
	last   byte
}

func newPortion(r io.Reader) *portion { return &portion{in: bufio.NewReader(r)} }

// Read implements io.Reader.
func (p *portion) Read(b []byte) (int, error) {
	for len(p.out) == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.out)
	p.last = p.out[n-1]
	p.out = p.out[n:]
	return n, nil
}

// next takes a byte, or an escape.
func (p *portion) next() error {
	c, err := p.in.ReadByte()
	if err != nil {
		return err
	}
	if !p.inside {
		return p.seek(c)
	}
	p.out = p.out[:0]
	switch c {
	case '"':
		p.inside = false
		if p.last != '\n' { // the next text begins a line
			p.out = append(p.out, '\n')
		}
	case '\\':
		return p.escape()
	default:
		p.out = append(p.out, c)
	}
	return nil
}

// seek looks for the next text.
func (p *portion) seek(c byte) error {
	if p.found == len(portionKey) {
		switch c {
		case ' ', '\t', '\n', '\r', ':':
		case '"':
			p.inside, p.found, p.last = true, 0, '\n'
		default:
			p.found = 0
		}
		return nil
	}
	switch {
	case c == portionKey[p.found]:
		p.found++
	case c == portionKey[0]:
		p.found = 1
	default:
		p.found = 0
	}
	return nil
}

func (p *portion) escape() error {
	c, err := p.in.ReadByte()
	if err != nil {
		return err
	}
	switch c {
	case 'n':
		p.out = append(p.out, '\n')
	case 't':
		p.out = append(p.out, '\t')
	case 'r':
	case 'u':
		r, err := p.unicode()
		if err != nil {
			return err
		}
		if utf16.IsSurrogate(r) {
			if b, err := p.in.Peek(2); err == nil && string(b) == `\u` {
				_, _ = p.in.Discard(2)
				low, err := p.unicode()
				if err != nil {
					return err
				}
				r = utf16.DecodeRune(r, low)
			}
		}
		p.out = utf8.AppendRune(p.out, r)
	default:
		p.out = append(p.out, c)
	}
	return nil
}

func (p *portion) unicode() (rune, error) {
	var b [4]byte
	if _, err := io.ReadFull(p.in, b[:]); errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, io.EOF // a text that was cut ends there, and is no fault of the file
	} else if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(string(b[:]), 16, 16)
	if err != nil {
		return utf8.RuneError, nil
	}
	return rune(v), nil
}
