package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CPUCounters is /proc/stat, in clock ticks; Switches are context switches.
type CPUCounters struct {
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal int64
	Switches                                              int64
	Running, Blocked                                      int64 // processes, now
}

// All is the sum of the ticks.
func (c CPUCounters) All() int64 {
	return c.User + c.Nice + c.System + c.Idle + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal
}

// PSITotals is the time that tasks stalled, in microseconds since boot.
type PSITotals struct {
	Some int64 `json:"some"`
	Full int64 `json:"full"`
}

// maxLines bounds a file of counters: /proc/vmstat has some two hundred lines.
const maxLines = 4096

// ParseCounters reads lines «name value» and keeps those that are named. Other lines are skipped; a kept one whose
// value is no number is an error.
func ParseCounters(b []byte, names []string) (map[string]int64, error) {
	out := map[string]int64{}
	n := 0
	for line := range strings.Lines(string(b)) {
		if n++; n > maxLines {
			return nil, errors.New("too many lines")
		}
		f := strings.Fields(line)
		if len(f) != 2 || !slices.Contains(names, f[0]) {
			continue
		}
		v, err := counter(f[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f[0], err)
		}
		out[f[0]] = v
	}
	return out, nil
}

// counter reads a number that is not negative; what is above 2^60 is that.
func counter(s string) (int64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a whole number", s)
	}
	return int64(min(v, 1<<59)), nil // eight of them still add up
}

// ParseCPUCounters reads /proc/stat. A text without the line cpu, or without the counts of
// processes, is an error.
func ParseCPUCounters(b []byte) (CPUCounters, error) {
	var c CPUCounters
	missing := map[string]bool{"cpu": true, "procs_running": true, "procs_blocked": true}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		var to []*int64
		switch f[0] {
		case "cpu":
			to = []*int64{&c.User, &c.Nice, &c.System, &c.Idle, &c.IOWait, &c.IRQ, &c.SoftIRQ, &c.Steal}
			if len(f) < 9 {
				return CPUCounters{}, errors.New("the line cpu is too short")
			}
		case "ctxt":
			to = []*int64{&c.Switches}
		case "procs_running":
			to = []*int64{&c.Running}
		case "procs_blocked":
			to = []*int64{&c.Blocked}
		}
		for i, p := range to {
			v, err := counter(f[i+1])
			if err != nil {
				return CPUCounters{}, fmt.Errorf("%s: %w", f[0], err)
			}
			*p = v
		}
		delete(missing, f[0])
	}
	for name := range missing {
		return CPUCounters{}, errors.New("no line " + name)
	}
	return c, nil
}

// ParsePSITotals reads the totals of a file of /proc/pressure or of a cgroup.
func ParsePSITotals(b []byte) (PSITotals, error) {
	var p PSITotals
	seen := false
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "some" && f[0] != "full" {
			continue
		}
		for _, kv := range f[1:] {
			s, ok := strings.CutPrefix(kv, "total=")
			if !ok {
				continue
			}
			v, err := counter(s)
			if err != nil {
				return PSITotals{}, err
			}
			if f[0] == "some" {
				p.Some, seen = v, true
			} else {
				p.Full = v
			}
		}
	}
	if !seen {
		return PSITotals{}, errors.New("no total of «some»")
	}
	return p, nil
}
