package memory

import "github.com/pgfettle/pgfettle/internal/judge/check"

// StrictOvercommitInContainer is a warning: the limit is one of all containers
// together, and nobody in one of them can see who has used it up.
var StrictOvercommitInContainer = check.Check{
	ID:        "strict_overcommit_in_container",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerHost,
	Title:     "The host of this container has strict overcommit",
	DependsOn: []string{"overcommit_limit_too_low"},
	Why: "vm.overcommit_memory = 2 bounds what all processes of the host together may reserve, those of every other " +
		"container included. Runtimes such as Java or Go reserve far more than they use: when they have taken the " +
		"limit, queries here fail with \"out of memory\", and new sessions with \"could not fork\", though this " +
		"container is far from its own limit.",
	Do: "Ask whoever runs the host to set vm.overcommit_memory = 0, and let the container's memory limit be the " +
		"fence; or give PostgreSQL a host of its own.",
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
