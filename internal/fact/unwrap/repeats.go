package unwrap

import (
	"bytes"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Repeats reads what syslog writes once for a line that came several times. The zero value is ready.
type Repeats struct {
	given int // bytes of lines that were given out again
}

// MaxAgain bounds, in bytes, what is given out again in all: N is the file's word. Ten thousand lines of a
// kilobyte and a half, so that no short file becomes a long log.
const MaxAgain = 16 << 20

var repeated = regex.New(`^(.{0,300}?: )message repeated (\d{1,6}) times: \[ (.*)\]$`)

// Line returns the line that «HEAD: message repeated N times: [ TEXT]» is for, and how often it came. Any other line
// came once.
func (r *Repeats) Line(line []byte) (one []byte, times int) {
	if !bytes.Contains(line, []byte("message repeated ")) {
		return line, 1
	}
	m := repeated.FindSubmatch(line)
	if m == nil {
		return line, 1
	}
	one, times = append(bytes.Clone(m[1]), m[3]...), 1
	if n, err := strconv.Atoi(string(m[2])); err == nil && n > 1 && r.given+(n-1)*len(line) <= MaxAgain {
		times = n
		r.given += (n - 1) * len(line)
	}
	return one, times
}
