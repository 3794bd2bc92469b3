package memory

import "github.com/pgfettle/pgfettle/internal/judge/check"

// StrictOvercommitInContainer is a warning: all containers share the limit, and
// none of them can see what has used it up.
var StrictOvercommitInContainer = check.Check{
	ID:        "strict_overcommit_in_container",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerHost,
	Title:     "Strict overcommit on the container host",
	DependsOn: []string{"overcommit_limit_too_low"},
	Why: "vm.overcommit_memory = 2 limits the memory that all processes of the host may allocate together, in " +
		"all containers. Runtimes such as Java or Go allocate far more address space than they use. When they " +
		"have used up the limit, queries here fail with \"out of memory\" and new sessions with \"could not " +
		"fork\". This container may be far from its own limit.",
	Do: "Ask the administrator of the host to set vm.overcommit_memory = 0 and to limit memory per container. " +
		"Or run PostgreSQL on a separate host.",
	Commands: []check.Command{
		check.Conf("vm.overcommit_memory = 0"),
	},
	Sources: []string{"pg-overcommit", "linux-vm"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.overcommit_memory"))
		if !ok || n != 2 {
			return
		}
		v, ok := check.Need(c, c.Snapshot.Host.Virt)
		if ok && v.Container != "" {
			c.Found("vm.overcommit_memory = 2 on the host of this container ({container}).", "container", v.Container)
		}
	},
}
