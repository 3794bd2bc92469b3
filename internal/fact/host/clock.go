package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Clock is the clock source of the kernel.
type Clock struct {
	Current   string   `json:"current"`
	Available []string `json:"available"` // nil if the list could not be read
}

// VMStat holds counters of /proc/vmstat by name, since boot.
type VMStat map[string]int64

// maxVMStat bounds the counters: kernel 6.18 has about 190 on a host with
// everything compiled in.
const maxVMStat = 4096

const clockDir = "sys/devices/system/clocksource/clocksource0/"

// ReadClock reads the clock source in use and those that could be.
func ReadClock(fsys fs.FS) known.Fact[Clock] {
	return known.Map(evidence.Read(fsys, clockDir+"current_clocksource", ParseWord), func(cur string) Clock {
		c := Clock{Current: cur}
		if s := word(fsys, clockDir+"available_clocksource"); s != "" {
			c.Available = strings.Fields(s)
		}
		return c
	})
}

// ReadClockKept reports whether the kernel knows that a program synchronizes its clock, and not too long ago
// (adjtimex(2) without STA_UNSYNC).
func ReadClockKept(fsys fs.FS) known.Fact[bool] {
	machine := evidence.Read(fsys, "host.json", ParseMachine)
	m, ok := machine.Get()
	if !ok || m.Clock == nil {
		return known.Without[bool](machine.State(), gapOr(machine, "host.json",
			"the kernel did not say whether its clock is kept"))
	}
	return known.Is(*m.Clock)
}

// ReadVMStat reads /proc/vmstat.
func ReadVMStat(fsys fs.FS) known.Fact[VMStat] {
	return evidence.Read(fsys, "proc/vmstat", ParseVMStat)
}

// ParseVMStat parses the text of /proc/vmstat. Lines that are no name and number are skipped; a text without any is an
// error.
func ParseVMStat(b []byte) (VMStat, error) {
	v := VMStat{}
	err := Lines(b, func(_ int, line string) error {
		name, num, ok := strings.Cut(line, " ")
		n, err := ParseCount([]byte(num))
		if !ok || err != nil || name == "" {
			return nil
		}
		if len(v) == maxVMStat {
			return fmt.Errorf("more than %d counters", maxVMStat)
		}
		v[name] = n
		return nil
	})
	if err == nil && len(v) == 0 {
		err = errors.New("no counter")
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}
