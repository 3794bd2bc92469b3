package service

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// AddressSpaceLimit is a notice: it may be intended as a limit for greedy queries,
// for which it is not suited.
var AddressSpaceLimit = check.Check{
	ID:       "address_space_limit",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Address space of server processes is limited (RLIMIT_AS)",
	Why: "RLIMIT_AS counts everything that a process has mapped, used or not, including all shared memory and " +
		"every library. It does not limit memory in use. When shared_buffers or an extension grows, sessions " +
		"fail with \"out of memory\" on a host with plenty of free memory.",
	Do: "1. Remove LimitAS= from the unit, or ulimit -v from the start script.\n" +
		"2. Restart the server.\n" +
		"To limit memory, use strict overcommit (pgfettle explain sysctl:vm.overcommit_memory) or MemoryMax= " +
		"of the unit.",
	Sources: []string{"pg-overcommit", "pg-kernel-resources"},
	Judge: func(c *check.Case) {
		l, ok := check.Need(c, c.Instance.Limits)
		if !ok || l.AS < 0 {
			return
		}
		c.Found("Max address space of each server process = {limit}.", "limit", unit.Bytes(l.AS))
	},
}
