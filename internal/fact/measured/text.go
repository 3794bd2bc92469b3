package measured

import (
	"errors"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// maxText bounds what is read: the longest of these outputs, fio's with all its
// percentiles, is some 20 kB a job.
const maxText = 4 << 20

// ErrTooLong is a text that no such program writes.
var ErrTooLong = errors.New("longer than any output of this program")

// eachLine calls fn for every line, carriage returns of Windows taken off.
func eachLine(b []byte, fn func(string) error) error {
	if len(b) > maxText {
		return ErrTooLong
	}
	for line := range strings.Lines(string(b)) {
		if err := fn(strings.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
	return nil
}

// number reads digits that a pattern has already seen.
func number(s string) float64 {
	f, err := unit.Figure(s)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// plainly makes a name harmless and short: it is shown to people, and 64
// characters are twice the longest that these programs write.
func plainly(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 64 {
		s = string(r[:64])
	}
	return strings.TrimSpace(s)
}
