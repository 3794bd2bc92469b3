// Package encoded makes lines of UTF-8 of what people paste: it takes off what the bytes of a text as a whole are
// encoded with, before its lines are looked at.
package encoded

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

var byteOrderMark = []byte("\ufeff")

// Found is what a text was encoded with.
type Found struct {
	UTF16   bool
	Returns bool // carriage returns alone were the ends of its lines
}

// Text makes lines of UTF-8 of a text: of UTF-16, as the shell of Windows writes it, of lines that end with a carriage
// return, alone or not.
func Text(b []byte) (lines []byte, found Found) {
	if order, ok := orderOf(b); ok {
		if text, err := fromUTF16(order).Bytes(b); err == nil {
			b, found.UTF16 = text, true
		}
	}
	b = bytes.TrimPrefix(b, byteOrderMark)
	if bytes.IndexByte(b, '\r') < 0 {
		return b, found
	}
	if n := bytes.Count(b, []byte{'\r'}); n > 1 && bytes.IndexByte(b, '\n') < 0 {
		found.Returns = true
		return bytes.ReplaceAll(b, []byte{'\r'}, []byte{'\n'}), found
	}
	all := bytes.Split(b, []byte{'\n'})
	for i, l := range all {
		all[i] = bytes.TrimRight(l, "\r")
	}
	return bytes.Join(all, []byte{'\n'}), found
}

// orderOf is the order of the bytes of UTF-16; false: it is none.
func orderOf(b []byte) (unicode.Endianness, bool) {
	switch {
	case len(b) < 4:
	case b[0] == 0xFF && b[1] == 0xFE, b[1] == 0 && b[3] == 0 && b[0] != 0 && b[2] != 0:
		return unicode.LittleEndian, true
	case b[0] == 0xFE && b[1] == 0xFF, b[0] == 0 && b[2] == 0 && b[1] != 0 && b[3] != 0:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

// fromUTF16 is a decoder of UTF-16, whose mark stays.
func fromUTF16(order unicode.Endianness) *encoding.Decoder {
	return unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
}

// Stream is Text for what is read as it comes, by its head; nil where nothing is to be done.
func Stream(head []byte) func(io.Reader) io.Reader {
	if order, ok := orderOf(head); ok {
		return func(in io.Reader) io.Reader { return fromUTF16(order).Reader(in) }
	}
	if bytes.Count(head, []byte{'\r'}) > 1 && bytes.IndexByte(head, '\n') < 0 {
		return func(in io.Reader) io.Reader { return returns{in} }
	}
	return nil
}

// returns is a stream with ends of lines for carriage returns.
type returns struct{ in io.Reader }

// Read implements io.Reader.
func (r returns) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	for i, c := range b[:n] {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}
