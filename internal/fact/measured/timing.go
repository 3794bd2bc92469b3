package measured

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Timing is what pg_test_timing said: what a reading of the clock costs.
type Timing struct {
	Seconds int     `json:"seconds"` // 0 where it was not told
	Clocks  []Clock `json:"clocks"`  // the one of all versions before 19 has no name
	// The line with which it ended because the clock went backward.
	Backward string `json:"backward,omitempty"`
	TSC      bool   `json:"tsc"` // 19: the server reads the processor's counter by itself unless told otherwise
}

// Clock is one way to read the clock.
type Clock struct {
	Name      string  `json:"name"`       // clock_gettime (CLOCK_MONOTONIC), RDTSCP, RDTSC; "" before 19
	LoopNanos float64 `json:"loop_nanos"` // mean of one loop, which reads the clock once
	Steps     []Step  `json:"steps"`      // histogram, in the order of the bounds
}

// Step counts the readings that took less than a bound and not less than the one before.
type Step struct {
	Below int64 `json:"below"` // nanoseconds
	Count int64 `json:"count"`
}

// UnderMicrosecond returns the share of readings that took less than a
// microsecond (to 19's nearest bound, 1024 ns); ok is false without a histogram.
func (c *Clock) UnderMicrosecond() (share float64, ok bool) {
	var under, all float64
	for _, s := range c.Steps {
		all += float64(s.Count)
		if s.Below <= 1024 {
			under += float64(s.Count)
		}
	}
	if all <= 0 {
		return 0, false
	}
	return under / all, true
}

// Server returns the clock that a server of this version reads. Before 19 it is
// the only one; 19 reads the processor's counter where it trusts it.
func (t *Timing) Server() *Clock {
	if len(t.Clocks) == 0 {
		return nil
	}
	if t.TSC {
		for i := range t.Clocks {
			if t.Clocks[i].Name == "RDTSCP" { // what ordinary timing uses; RDTSC is for EXPLAIN's rows
				return &t.Clocks[i]
			}
		}
	}
	return &t.Clocks[0]
}

// Bounds: the program times three clocks, and 64 bits have 64 steps.
const (
	maxClocks = 8
	maxSteps  = 70
)

var (
	timingSeconds = regex.New(`^Testing timing overhead for ([0-9]{1,6}) seconds?\.`)
	timingSource  = regex.New(`^(?:System clock source|Fast clock source|Clock source): (.+)$`)
	timingLoop    = regex.New(
		`^(?:Per|Average) loop time including overhead: ([0-9]{1,12}(?:\.[0-9]{1,9})?) (?:ns|nsec)`)
	timingHead    = regex.New(`^\s*(<=?) (us|usec|ns)\b`)
	timingStep    = regex.New(`^\s*([0-9]{1,18})\s+[0-9.]+(?:\s+[0-9.]+)?\s+([0-9]{1,18})\s*$`)
	timingOldStep = regex.New(`^\s*([0-9]{1,18}):\s+([0-9]{1,18})\s+[0-9.]+%\s*$`)
	timingDirect  = regex.New(`^TSC clock source will be used by default`)
)

// ParseTiming reads the output of pg_test_timing: of 9.2 to 18, whose histogram
// is in microseconds, and of 19, which times several clocks in nanoseconds. The
// table of exact durations of 19 is passed over. A text without a loop time is
// an error.
func ParseTiming(b []byte) (*Timing, error) {
	t := &Timing{Clocks: []Clock{}}
	name, scale, inclusive, counting := "", int64(0), false, false
	clock := func() *Clock {
		if len(t.Clocks) == 0 {
			return nil
		}
		return &t.Clocks[len(t.Clocks)-1]
	}
	step := func(c *Clock, bound, count float64) error {
		if len(c.Steps) == maxSteps {
			return fmt.Errorf("more than %d steps in a histogram", maxSteps)
		}
		below := bound * float64(scale)
		if inclusive {
			below++
		}
		if below > 1<<60 {
			return fmt.Errorf("a step of %.0f nanoseconds", below)
		}
		c.Steps = append(c.Steps, Step{Below: int64(below), Count: int64(count)})
		return nil
	}
	err := eachLine(b, func(line string) error {
		switch {
		case timingSeconds.MatchString(line):
			t.Seconds = int(number(timingSeconds.FindStringSubmatch(line)[1]))
		case timingSource.MatchString(line):
			name = plainly(timingSource.FindStringSubmatch(line)[1])
		case timingDirect.MatchString(line):
			t.TSC = true
		case timingLoop.MatchString(line):
			if len(t.Clocks) == maxClocks {
				return fmt.Errorf("more than %d clocks", maxClocks)
			}
			t.Clocks = append(t.Clocks, Clock{Name: name, LoopNanos: number(timingLoop.FindStringSubmatch(line)[1]),
				Steps: []Step{}})
			counting = false
		case strings.HasPrefix(line, "Histogram of timing durations"):
			counting = clock() != nil
			scale, inclusive = 1000, false // 9.2 writes the heading of its columns otherwise
		case strings.HasPrefix(line, "Observed timing durations"):
			counting = false
		case counting && timingHead.MatchString(line):
			m := timingHead.FindStringSubmatch(line)
			inclusive = m[1] == "<="
			if m[2] == "ns" {
				scale = 1
			}
		case counting:
			m := timingStep.FindStringSubmatch(line)
			if m == nil {
				m = timingOldStep.FindStringSubmatch(line)
			}
			if m != nil {
				return step(clock(), number(m[1]), number(m[2]))
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(t.Clocks) == 0:
		return nil, errors.New("no loop time in it: not an output of pg_test_timing")
	}
	return t, nil
}
