package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// CPU is what /proc/cpuinfo and sys/devices/system/cpu say of the processors.
type CPU struct {
	Logical    int                   `json:"logical"`    // processors online
	Cores      int                   `json:"cores"`      // distinct (physical id, core id) pairs; Logical where the architecture does not tell
	Sockets    int                   `json:"sockets"`    // distinct physical ids; 1 where the architecture does not tell
	Model      string                `json:"model"`      // model name; may be empty (arm64)
	Hypervisor bool                  `json:"hypervisor"` // the x86 flag "hypervisor": this is a guest
	Caches     map[string]unit.Bytes `json:"caches"`     // level → size of cpu0's cache: "L2", "L3"
}

// CPUTime is the first line of /proc/stat, in clock ticks since boot.
type CPUTime struct {
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal int64
	BootTime                                              int64 `json:"bootTime"` // btime: seconds since the epoch
}

// StealPercent returns stolen time as a percentage of all time since boot.
func (t CPUTime) StealPercent() float64 {
	all := t.User + t.Nice + t.System + t.Idle + t.IOWait + t.IRQ + t.SoftIRQ + t.Steal
	if all <= 0 {
		return 0
	}
	return 100 * float64(t.Steal) / float64(all)
}

// ReadCPU
func ReadCPU(fsys fs.FS) known.Fact[CPU] { panic("ReadCPU: to be written") }

// ReadCPUTime
func ReadCPUTime(fsys fs.FS) known.Fact[CPUTime] { panic("ReadCPUTime: to be written") }
