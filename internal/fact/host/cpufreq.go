package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// CPUFreq says what chooses the frequency of the CPUs. It is read for cpu0, because all of them are usually set alike,
// and one file per CPU would be thousands on a large machine.
type CPUFreq struct {
	Driver     string `json:"driver"`     // acpi-cpufreq, intel_pstate, amd-pstate-epp, …
	Governor   string `json:"governor"`   // performance, powersave, schedutil, …
	Preference string `json:"preference"` // energy_performance_preference; "" if the driver has none
}

const cpuFreqDir = "sys/devices/system/cpu/cpu0/cpufreq/"

// ReadCPUFreq reads the driver and the governor of cpu0. Machines whose
// frequency is not ours to choose, as nearly all virtual ones, have none.
func ReadCPUFreq(fsys fs.FS) known.Fact[CPUFreq] {
	return known.Map(evidence.Read(fsys, cpuFreqDir+"scaling_governor", ParseWord), func(g string) CPUFreq {
		return CPUFreq{Governor: g, Driver: word(fsys, cpuFreqDir+"scaling_driver"),
			Preference: word(fsys, cpuFreqDir+"energy_performance_preference")}
	})
}
