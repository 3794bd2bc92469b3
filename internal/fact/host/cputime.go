package host

import (
	"errors"
	"io/fs"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// CPUTime is the first line of /proc/stat, in clock ticks since boot.
type CPUTime struct {
	User     int64 `json:"user"`
	Nice     int64 `json:"nice"`
	System   int64 `json:"system"`
	Idle     int64 `json:"idle"`
	IOWait   int64 `json:"iowait"`
	IRQ      int64 `json:"irq"`
	SoftIRQ  int64 `json:"softirq"`
	Steal    int64 `json:"steal"`
	BootTime int64 `json:"boot_time"` // btime: seconds since the epoch
}

// StealPercent returns stolen time as a percentage of all time since boot.
func (t CPUTime) StealPercent() float64 {
	all := t.User + t.Nice + t.System + t.Idle + t.IOWait + t.IRQ + t.SoftIRQ + t.Steal
	if all <= 0 {
		return 0
	}
	return 100 * float64(t.Steal) / float64(all)
}

// ReadCPUTime reads /proc/stat.
func ReadCPUTime(fsys fs.FS) known.Fact[CPUTime] {
	return evidence.Read(fsys, "proc/stat", ParseCPUTime)
}

// ParseCPUTime parses the lines cpu and btime of /proc/stat; a text without either is an error. User already includes
// guest time.
func ParseCPUTime(b []byte) (CPUTime, error) {
	var t CPUTime
	cpu, boot := false, false
	err := Lines(b, func(_ int, line string) (err error) {
		f := strings.Fields(line)
		switch {
		case len(f) >= 9 && f[0] == "cpu":
			cpu = true
			for i, to := range []*int64{&t.User, &t.Nice, &t.System, &t.Idle, &t.IOWait, &t.IRQ, &t.SoftIRQ, &t.Steal} {
				if *to, err = ParseCount([]byte(f[i+1])); err != nil {
					return err
				}
				if *to > math.MaxInt64/8 { // so that the sum of the eight cannot overflow
					return errors.New("more ticks than time")
				}
			}
		case len(f) == 2 && f[0] == "btime":
			boot = true
			t.BootTime, err = ParseCount([]byte(f[1]))
		}
		return err
	})
	if err == nil && !(cpu && boot) {
		err = errors.New("no line cpu or no line btime")
	}
	if err != nil {
		return CPUTime{}, err
	}
	return t, nil
}
