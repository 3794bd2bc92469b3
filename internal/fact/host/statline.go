package host

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// StatLine is the text of /proc/PID/stat, split into its fields. The name of a process is in parentheses and may
// contain anything, including blanks and parentheses, so fields are counted after the last one.
type StatLine struct {
	ID     string // before the name
	Name   string
	fields []string // from field 3 on
}

// ParseStatLine splits /proc/PID/stat; a text without a name in parentheses is an error.
func ParseStatLine(b []byte) (StatLine, error) {
	from, to := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if from < 0 || to < from {
		return StatLine{}, errors.New("no name in parentheses")
	}
	id := strings.TrimSpace(string(b[:from]))
	return StatLine{ID: id, Name: string(b[from+1 : to]), fields: strings.Fields(string(b[to+1:]))}, nil
}

// Len is how many fields there are, as proc(5) numbers them: the number of the last one.
func (l StatLine) Len() int { return len(l.fields) + 2 }

// Field returns a field by its number in proc(5), from 3, the state; "" if the line is shorter.
func (l StatLine) Field(n int) string {
	if n < 3 || n > l.Len() {
		return ""
	}
	return l.fields[n-3]
}

// Ended reports whether the process has ended and only waits for its parent (Z), or is being removed (X).
func (l StatLine) Ended() bool {
	state := l.Field(StatState)
	return state == "Z" || state == "X"
}

// Number returns a field that is a number.
func (l StatLine) Number(n int) (int64, error) {
	v, err := strconv.ParseInt(l.Field(n), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("field %d: %.40q is not a number", n, l.Field(n))
	}
	return v, nil
}

// Fields of /proc/PID/stat, as proc(5) numbers them.
const (
	StatState         = 3
	StatParent        = 4
	StatMinorFaults   = 10
	StatMajorFaults   = 12
	StatUserTicks     = 14
	StatSystemTicks   = 15
	StatChildUser     = 16 // ticks of children that it has waited for
	StatChildSystem   = 17
	StatStart         = 22 // ticks after the boot
	StatResidentPages = 24
)

// ParseBootTime reads the line btime of /proc/stat: when the kernel booted, in
// seconds since the epoch.
func ParseBootTime(b []byte) (int64, error) {
	for line := range bytes.Lines(b) {
		if v, ok := bytes.CutPrefix(line, []byte("btime ")); ok {
			return strconv.ParseInt(string(bytes.TrimSpace(v)), 10, 64)
		}
	}
	return 0, errors.New("no btime in it")
}

// CountCPUs counts the lines cpuN of /proc/stat: the CPUs that are online.
func CountCPUs(b []byte) int {
	n := 0
	for line := range bytes.Lines(b) {
		if len(line) > 3 && bytes.HasPrefix(line, []byte("cpu")) && line[3] != ' ' {
			n++
		}
	}
	return n
}
