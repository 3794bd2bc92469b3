package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomPanics: a cluster that fences by rebooting may need it, with kernel.panic
// set; then the finding should be accepted.
var OomPanics = check.Check{
	ID:       "oom_panics",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "vm.panic_on_oom: out of memory panics the host",
	Why: "With vm.panic_on_oom the kernel panics instead of killing one process. PostgreSQL recovers from a " +
		"killed backend in seconds; a host takes minutes, and only reboots if kernel.panic is set. With 2, " +
		"even a container that reaches its own limit panics the host.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.panic_on_oom = 0\n2. Run: sysctl --system\nThe change " +
		"takes effect at once. Keep the current value only if a cluster manager relies on it.",
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
			text = "vm.panic_on_oom = {n}, which includes a cgroup that reaches its limit."
		}
		c.Found(text, "n", strconv.FormatInt(n, 10))
	},
}
