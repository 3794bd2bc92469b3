package service

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// AddressSpaceLimit is a notice: somebody may have meant it, as a fence around
// greedy queries; it is a poor one.
var AddressSpaceLimit = check.Check{
	ID:       "address_space_limit",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The address space of each server process is limited",
	Why: "RLIMIT_AS counts all that a process has mapped, the whole shared memory and every library included, " +
		"whether it is ever touched or not. It says nothing about memory in use, and when shared_buffers or an " +
		"extension grows, sessions fail with \"out of memory\" on a host with plenty of it.",
	Do: "Remove LimitAS= from the unit or ulimit -v from the start script and restart the server. To bound " +
		"memory, use strict overcommit (pgfettle explain sysctl:vm.overcommit_memory) or MemoryMax= of the unit.",
	Sources: []string{"pg-overcommit", "pg-kernel-resources"},
	Judge: func(c *check.Case) {
		l, ok := check.Need(c, c.Instance.Limits)
		if !ok || l.AS < 0 {
			return
		}
		c.Found("Each process of the server may map {limit} (Max address space).", "limit", unit.Bytes(l.AS))
	},
}
