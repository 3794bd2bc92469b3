package cgroup

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// NoLimit is what ParseLimit and ParseCPUMax return for a limit that is not set.
const NoLimit = -1

// unlimited is the value from which version 1's memory limits mean none: it writes 2^63 rounded down to a page, and
// older kernels 2^64-1.
const unlimited = 1 << 62

// ParseLimit parses a file of a cgroup that holds one limit: a whole number, or NoLimit for "max" (version 2), for -1
// (version 1's quota) and for what is not below 2^62 (version 1's memory).
func ParseLimit(b []byte) (int64, error) {
	s := strings.TrimSpace(string(b))
	if s == "max" || s == "-1" {
		return NoLimit, nil
	}
	n, err := host.ParseCount([]byte(s))
	if err != nil {
		return 0, err
	}
	if n >= unlimited {
		return NoLimit, nil
	}
	return n, nil
}

// ParseCPUMax parses cpu.max of version 2, "QUOTA PERIOD" in microseconds, and returns CPUs; NoLimit for a quota of
// "max".
func ParseCPUMax(b []byte) (float64, error) {
	f := strings.Fields(string(b))
	if len(f) != 2 {
		return 0, errors.New("not a quota and a period")
	}
	period, err := host.ParseCount([]byte(f[1]))
	if err != nil {
		return 0, err
	}
	if f[0] == "max" {
		return NoLimit, nil
	}
	quota, err := host.ParseCount([]byte(f[0]))
	if err != nil {
		return 0, err
	}
	return cpusOf(quota, period)
}

// cpusOf divides a quota by its period. The kernel takes periods from 1 ms to
// 1 s and no quota below 1 ms.
func cpusOf(quota, period int64) (float64, error) {
	if period < 1000 || period > 1_000_000 || quota < 1000 {
		return 0, fmt.Errorf("a quota of %d in a period of %d microseconds", quota, period)
	}
	return float64(quota) / float64(period), nil
}

// ParseOOMKills parses the line oom_kill of memory.events (version 2) or of
// memory.oom_control (version 1, from 4.13 on).
func ParseOOMKills(b []byte) (int64, error) {
	kills := int64(-1)
	err := host.Lines(b, func(_ int, line string) (err error) {
		if key, val, ok := strings.Cut(line, " "); ok && key == "oom_kill" {
			kills, err = host.ParseCount([]byte(val))
		}
		return err
	})
	if err == nil && kills < 0 {
		err = errors.New("no line oom_kill")
	}
	if err != nil {
		return 0, err
	}
	return kills, nil
}

// limit makes a limit that is not set absent.
func limit[T int64 | float64](f known.Fact[T], name string) known.Fact[T] {
	if n, ok := f.Get(); ok && n == NoLimit {
		return known.None[T](known.Gap{Fact: name, Reason: "no limit is set"})
	}
	return f
}
