package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Clock is the clock source of the kernel.
type Clock struct {
	Current   string   `json:"current"`
	Available []string `json:"available"`
}

// VMStat holds counters of /proc/vmstat by name, since boot.
type VMStat map[string]int64

// ReadClock
func ReadClock(fsys fs.FS) known.Fact[Clock] { panic("ReadClock: to be written") }

// ReadVMStat
func ReadVMStat(fsys fs.FS) known.Fact[VMStat] { panic("ReadVMStat: to be written") }
