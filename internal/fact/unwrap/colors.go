package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// escapes are the sequences by which programs tell terminals colors, titles and places.
var escapes = regex.New(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>]`)

// findColors finds them. In a log they are around most lines: what a statement has in it is its own.
func findColors(s *sample) cut {
	has := func(l []byte) bool { return bytes.IndexByte(l, 0x1b) >= 0 }
	if s.log() && !s.most(0.5, func(l []byte) bool { return l[0] == 0x1b }) || !s.any(has) {
		return nil
	}
	return each(func(l []byte) []byte {
		if !has(l) {
			return l
		}
		l = escapes.ReplaceAll(l, nil)
		return bytes.Trim(l, "\r")
	})
}
