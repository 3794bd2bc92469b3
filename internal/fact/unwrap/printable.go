package unwrap

import (
	"bytes"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var softEnd = regex.New(`=[ \t]{0,4}$`)

// findPrintable finds quoted-printable, in which raw mails write = as =3D, and lines that go on end with =.
func findPrintable(s *sample) cut {
	equals := func(l []byte) bool { return bytes.Contains(l, []byte("=3D")) }
	if s.count(equals) < 2 && !s.any(mimeHead.Match) {
		return nil
	}
	var held line
	joined := 0
	return func(l line, out func(line)) {
		if ends(l) {
			if len(held.text) > 0 {
				out(line{unprinted(held.text), held.number})
			}
			return
		}
		if mimeHead.Match(l.text) {
			return // what says so is gone, so that it is not found again
		}
		at := softEnd.FindIndex(l.text)
		text := l.text
		if at != nil {
			text = text[:at[0]]
		}
		if joined > 0 {
			held.text = append(held.text, text...)
		} else {
			held = line{bytes.Clone(text), l.number}
		}
		joined++
		if at == nil || len(held.text) > maxLine {
			out(line{unprinted(held.text), held.number})
			held, joined = line{}, 0
		}
	}
}

var mimeHead = regex.New(`(?i)^content-transfer-encoding: *quoted-printable`)

func unprinted(l []byte) []byte {
	if bytes.IndexByte(l, '=') < 0 {
		return l
	}
	out := make([]byte, 0, len(l))
	for i := 0; i < len(l); i++ {
		if l[i] == '=' && i+2 < len(l) {
			if n, err := strconv.ParseUint(string(l[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, l[i])
	}
	return out
}
