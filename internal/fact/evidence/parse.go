package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readSize is how much of a text is read at once. No line that counts, a marker
// with its name, is as long.
const readSize = 64 << 10

// Parse reads the text form from memory; see ParseFrom.
func Parse(b []byte) (*Archive, error) { return ParseFrom(bytes.NewReader(b)) }

// ParseFrom reads the text form as it comes and keeps only the entries: refused input takes no more memory than
// MaxArchive and one entry. It refuses another format version, names that lead out of the archive, and anything over
// the limits; the error is one clause that names the line or entry. An error of the reader itself is passed on as it
// is.
func ParseFrom(r io.Reader) (*Archive, error) {
	p := &parser{a: New(), in: bufio.NewReaderSize(&bounded{r: r, left: MaxArchive}, readSize)}
	if err := p.head(); err != nil {
		return nil, err
	}
	for {
		line, begins, err := p.line()
		switch {
		case errors.Is(err, io.EOF):
			return p.end()
		case err != nil:
			return nil, err
		}
		if begins {
			n, ok := marker(line)
			if ok {
				if p.have && p.name == endName {
					return nil, errors.New("evidence: text after the end")
				}
				if err := p.flush(); err != nil {
					return nil, err
				}
				p.begin(n)
				continue
			}
			if p.cont && bytes.HasPrefix(line, []byte("-- ")) {
				return nil, fmt.Errorf("evidence: %s: a line that begins like an entry has no end", p.where())
			}
		}
		if err := p.add(line); err != nil {
			return nil, err
		}
	}
}

// bounded fails if the input is larger than an archive may be, before any of it is kept.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("evidence: larger than %d MB", MaxArchive>>20)
	}
	return n, err
}

// parser is an archive that is being read, and the entry that it is at.
type parser struct {
	a    *Archive
	in   *bufio.Reader
	cont bool // what comes next goes on with a line that was longer than readSize

	name string
	have bool // an entry has begun
	esc  *unescaper
	body chunks
}

func (p *parser) where() string {
	if p.have {
		return p.name
	}
	return "before the first entry"
}

// head reads the first line.
func (p *parser) head() error {
	line, _, err := p.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first, ok := bytes.CutSuffix(line, []byte("\n"))
	if !IsArchive(first) {
		return errors.New(
			"evidence: the first line does not name the format; is this a file that 'pgfettle snapshot' wrote?")
	}
	if !ok || string(first) != Format {
		return fmt.Errorf("evidence: format %.64q is not %q; use the pgfettle that wrote it", first, Format)
	}
	return nil
}

// line returns a line with its end, or the next part of one that is too long to
// be had at once; begins says which. It is overwritten by the next call.
func (p *parser) line() (line []byte, begins bool, err error) {
	line, err = p.in.ReadSlice('\n')
	begins = !p.cont
	p.cont = errors.Is(err, bufio.ErrBufferFull)
	if p.cont || len(line) > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return line, begins, err
}

func (p *parser) begin(name string) {
	var esc bool
	p.name, esc = strings.CutSuffix(name, escaped)
	p.have, p.esc = true, nil
	if esc {
		p.esc = &unescaper{}
	}
}

// add takes a part of the body of the entry.
func (p *parser) add(text []byte) error {
	most := MaxEntry
	switch {
	case !p.have:
		if len(bytes.TrimSpace(text)) > 0 {
			return errors.New("evidence: text before the first entry")
		}
		return nil
	case p.name == endName:
		if len(bytes.TrimSpace(text)) > 0 {
			return errors.New("evidence: text after the end")
		}
		return nil
	case p.name == missingName: // has a line for each of MaxEntries
		most *= 2
	}
	if p.esc != nil {
		if err := p.esc.add(&p.body, text); err != nil {
			return fmt.Errorf("evidence: %s: %w", p.name, err)
		}
	} else {
		p.body.add(text)
	}
	if p.body.n > most {
		return fmt.Errorf("evidence: %.64q: more than %d MB", p.name, most>>20)
	}
	return nil
}

// flush puts the entry that has ended into the archive.
func (p *parser) flush() error {
	if !p.have || p.name == endName {
		return nil
	}
	if p.esc != nil && p.esc.state != plainText && p.esc.state != unescaped {
		return fmt.Errorf("evidence: %s: %w", p.name, errEscape)
	}
	body := p.body.take()
	if p.name == missingName {
		return p.a.readMissing(body)
	}
	if _, dup := p.a.files[p.name]; dup {
		return fmt.Errorf("evidence: %s appears twice", p.name)
	}
	if len(p.a.files) >= MaxEntries {
		return fmt.Errorf("evidence: more than %d entries", MaxEntries)
	}
	return p.a.Add(p.name, body)
}

func (p *parser) end() (*Archive, error) {
	if err := p.flush(); err != nil {
		return nil, err
	}
	if p.name != endName {
		return nil, fmt.Errorf("evidence: the file is cut off: its last line, «-- %s --», is missing", endName)
	}
	return p.a, nil
}

// chunks gathers a body of unknown length. Its pieces are used again for the
// next one, so that gathering costs no memory beyond the largest body.
type chunks struct {
	list [][]byte
	n    int // bytes gathered
}

func (c *chunks) add(b []byte) {
	for len(b) > 0 {
		at := c.n / readSize
		if at == len(c.list) {
			c.list = append(c.list, make([]byte, readSize))
		}
		k := copy(c.list[at][c.n%readSize:], b)
		c.n, b = c.n+k, b[k:]
	}
}

// take returns the body, and begins with another.
func (c *chunks) take() []byte {
	out := make([]byte, 0, c.n)
	for len(out) < c.n {
		out = append(out, c.list[len(out)/readSize][:min(readSize, c.n-len(out))]...)
	}
	c.n = 0
	return out
}

var errEscape = errors.New("bad escape")

// unescaper takes back what escape has done, part by part.
type unescaper struct {
	state int
	digit byte // the first of the two of \xNN
}

const (
	plainText = iota
	backslash // behind \
	hexFirst  // behind \x
	hexSecond // behind \xN
	unescaped // behind the lone backslash, which ends a text without a newline
)

func (u *unescaper) add(out *chunks, b []byte) error {
	for len(b) > 0 {
		switch c := b[0]; u.state {
		case plainText:
			n := bytes.IndexByte(b, '\\')
			if n < 0 {
				out.add(b)
				return nil
			}
			out.add(b[:n])
			b = b[n:]
			u.state = backslash
		case backslash:
			switch c {
			case '\\':
				out.add(b[:1])
				u.state = plainText
			case '\n':
				u.state = unescaped
			case 'x':
				u.state = hexFirst
			default:
				return errEscape
			}
		case hexFirst:
			u.digit, u.state = c, hexSecond
		case hexSecond:
			v, err := strconv.ParseUint(string([]byte{u.digit, c}), 16, 8)
			if err != nil {
				return fmt.Errorf("%w \\x%q", errEscape, []byte{u.digit, c})
			}
			out.add([]byte{byte(v)})
			u.state = plainText
		default:
			return errEscape
		}
		b = b[1:]
	}
	return nil
}
