package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// preferenceLow: energy_performance_preference may be a number, from 0 for speed to
// 255 for power saving; balance_power is 192.
const preferenceLow = 192

// CPUGovernor: powersave means two things. If the CPU chooses its frequency
// (intel_pstate and amd-pstate in active mode), powersave is the usual governor,
// and the energy preference decides.
var CPUGovernor = check.Check{
	ID:       "cpu_governor",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "CPU frequency scaling limits performance",
	Why: "With most drivers the governor powersave keeps each CPU at its lowest frequency, a third or half of " +
		"the maximum, whatever the load. With intel_pstate and amd-pstate in active mode the CPU chooses its " +
		"frequency, and the energy preference decides how low. A query on one core takes two or three times " +
		"as long, and locks are held longer.",
	Do: "1. Run: tuned-adm profile throughput-performance\n" +
		"2. Without TuneD, set the governor with cpupower frequency-set -g performance, and enable the unit " +
		"of the distribution that does so at boot.\n" +
		"3. Check that the firmware allows it.\n" +
		"If the CPU chooses its frequency, the energy preference balance_performance or performance is " +
		"enough.",
	Commands: []check.Command{
		check.Shell("tuned-adm profile throughput-performance"),
	},
	Sources: []string{"linux-cpufreq"},
	Judge: func(c *check.Case) {
		f, ok := check.Need(c, c.Snapshot.Host.CPUFreq)
		if !ok {
			return
		}
		switch {
		case f.Governor == "powersave" && !choosesItself(f):
			c.Found("scaling_governor = powersave, scaling_driver = {driver}.", "driver", f.Driver)
		case choosesItself(f) && f.Governor != "performance" && thrifty(f.Preference):
			c.FoundAs(check.Notice,
				"energy_performance_preference = {preference}, scaling_driver = {driver}.",
				"driver", f.Driver, "preference", f.Preference)
		}
	},
}

// choosesItself reports whether the CPU chooses its frequency: only drivers of that kind have a preference. If the
// driver is unknown, the check assumes so.
func choosesItself(f host.CPUFreq) bool {
	return f.Driver == "" || f.Preference != "" || f.Driver == "intel_pstate" || f.Driver == "amd-pstate-epp" ||
		f.Driver == "amd_pstate_epp"
}

func thrifty(preference string) bool {
	if n, err := strconv.Atoi(preference); err == nil {
		return n >= preferenceLow
	}
	return preference == "power" || preference == "balance_power"
}
