package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomPanics: a cluster that fences by rebooting may want it, with kernel.panic
// set; then the finding is to be accepted.
var OomPanics = check.Check{
	ID:       "oom_panics",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "The machine panics when memory ends",
	Why: "With vm.panic_on_oom the kernel stops the whole machine instead of killing one process. PostgreSQL " +
		"recovers from a killed backend in seconds; a host comes back after minutes, if kernel.panic makes it boot " +
		"at all. With 2 even a container that meets its own limit takes the host down.",
	Do: "Write vm.panic_on_oom = 0 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system, unless a cluster " +
		"manager is built on it.",
	Commands: []check.Command{
		check.Conf("vm.panic_on_oom = 0"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-vm"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.panic_on_oom"))
		if !ok || n == 0 {
			return
		}
		text := say.Template("vm.panic_on_oom = {n}.")
		if n == 2 {
			text = "vm.panic_on_oom = {n}: also when a control group meets its limit."
		}
		c.Found(text, "n", strconv.FormatInt(n, 10))
	},
}
