package host

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// MaxWord bounds the text of a file that holds one value: the kernel gives
// one page through such a file.
const MaxWord = 4096

// ParseText parses a file that holds one text: surrounding blanks are taken
// off. Control characters other than tab, and more than one page, are errors.
func ParseText(b []byte) (string, error) {
	s := strings.TrimSpace(string(b))
	if len(s) > MaxWord {
		return "", fmt.Errorf("longer than %d bytes", MaxWord)
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return "", fmt.Errorf("control character %#02x", c)
		}
	}
	return s, nil
}

// ParseWord is ParseText for a file that must not be empty.
func ParseWord(b []byte) (string, error) {
	s, err := ParseText(b)
	if err == nil && s == "" {
		err = errors.New("empty")
	}
	return s, err
}

// ParseCount parses a file that holds one whole number that is not negative.
func ParseCount(b []byte) (int64, error) {
	s := strings.TrimSpace(string(b))
	if !Digits(s) {
		return 0, fmt.Errorf("%q is not a whole number", Short(s))
	}
	return parseInt(s)
}

// parseInt reads a whole number as the kernel prints it. One above 2^63-1, as
// kernel.shmmax has it, is 2^63-1: both mean that there is no limit.
func parseInt(s string) (int64, error) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return n, nil
	}
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return math.MaxInt64, nil
	}
	return 0, fmt.Errorf("%q is not a whole number", Short(s))
}

// Digits reports whether a text is one or more decimal digits, and nothing else.
func Digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Short cuts a text for an error message.
func Short(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// Lines calls fn with each line and its number, without the line end.
func Lines(b []byte, fn func(n int, line string) error) error {
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		if err := fn(n, strings.TrimRight(line, "\r\n")); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// unescape resolves the octal escapes (\040) by which the kernel writes blanks,
// backslashes and # of a path.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// word returns the text of a file, "" if it is missing or malformed: for descriptions, where the empty text means
// unknown.
func word(fsys fs.FS, name string) string {
	s, _ := evidence.Read(fsys, name, ParseText).Get()
	return s
}

// folder lists the entries of a folder of the evidence. A folder that does not exist is a fact without a value; more
// than limit entries is malformed.
func folder(fsys fs.FS, name string, limit int) ([]string, known.Fact[struct{}]) {
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		s, g := evidence.GapOf(name, err)
		return nil, known.Without[struct{}](s, g)
	}
	if len(entries) > limit {
		return nil, known.Missed[struct{}](known.Gap{Fact: name,
			Reason: fmt.Sprintf("malformed: more than %d entries", limit)})
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	return out, known.Is(struct{}{})
}
