package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// chain is the end of a journal: the number of its last line, and that line's sum. The sum of a line is taken over the
// sum of the one before it and over the line itself, its number included. So no line can be changed, omitted, moved,
// duplicated or copied from another journal without the chain breaking there: the first line of each has the journal's
// own id in it. Only what is missing at the end leaves no trace.
//
// It is SHA-256, of which the first 64 bits are kept. A CRC would find accidents as well, but it is linear: a CRC over
// a CRC and the text that it is of is the same for every text. 64 bits are 16 digits on a line: of 2⁶⁴ kinds of damage
// one is overlooked. It is no seal: a user who can write the file can write another chain.
type chain struct {
	n   int
	sum string // hexadecimal; "" before the first line
}

const sumDigits = 16

// A line ends in its sum, as the last member of its object.
const (
	beforeSum = `,"sum":"`
	afterSum  = `"}`
	sumBytes  = len(beforeSum) + sumDigits + len(afterSum)
)

func (c chain) over(body []byte) string {
	h := sha256.New()
	io.WriteString(h, c.sum)
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))[:sumDigits]
}

// seal returns the bytes of the next line, and the chain with it.
func (c chain) seal(l Line) ([]byte, chain, error) {
	l.Seq = c.n + 1
	b, err := json.Marshal(l)
	if err != nil {
		return nil, c, err
	}
	body := bytes.TrimSuffix(b, []byte("}"))
	next := chain{l.Seq, c.over(body)}
	return append(body, beforeSum+next.sum+afterSum+"\n"...), next, nil
}

// framed takes a line apart, without its newline.
func framed(text []byte) (body []byte, sum string, ok bool) {
	at := len(text) - sumBytes
	if at < 0 || !bytes.HasPrefix(text[at:], []byte(beforeSum)) || !bytes.HasSuffix(text, []byte(afterSum)) {
		return nil, "", false
	}
	return text[:at], string(text[at+len(beforeSum) : len(text)-len(afterSum)]), true
}

// open proves and reads the next line.
func (c chain) open(text []byte) (*Line, chain, error) {
	body, sum, ok := framed(text)
	if !ok {
		return nil, c, errors.New("it does not end in a checksum")
	}
	next := chain{c.n + 1, c.over(body)}
	if next.sum != sum {
		// which of the two it is only matters to the reader
		var l Line
		if err := json.Unmarshal(append(bytes.Clone(body), '}'), &l); err == nil && l.Seq != next.n {
			return nil, c, fmt.Errorf("it is number %d: lines are missing, doubled, moved or of another journal", l.Seq)
		}
		return nil, c,
			errors.New(
				"its checksum does not match: it was changed, or the line before it is not the one that it was " +
					"written after")
	}
	l, err := parseLine(append(bytes.Clone(body), '}'))
	if err != nil {
		return nil, c, err
	}
	if l.Seq != next.n {
		return nil, c, fmt.Errorf("it is number %d", l.Seq)
	}
	return l, next, nil
}

func parseLine(text []byte) (*Line, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	l := &Line{}
	if err := d.Decode(l); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return l, nil
}
