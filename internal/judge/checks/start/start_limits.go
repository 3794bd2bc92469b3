package start

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// leastFiles is the least with which a server starts: it needs 48 files and reserves
// 10 more (FD_MINFREE and NUM_RESERVED_FDS of fd.c, 13–18).
const leastFiles = 58

// StartLimits reads the limits that the unit sets; those of a user's shell are unknown
// before the server starts.
var StartLimits = check.Check{
	ID:       "start_limits",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Limits of the service are too low for the server",
	Why: "A limit on the address space (LimitAS, RLIMIT_AS) counts all shared memory, used or not. The server " +
		"stops with \"could not map anonymous shared memory: Cannot allocate memory\" on a host with plenty " +
		"of free memory. With too few open files (LimitNOFILE) it stops with \"insufficient file descriptors " +
		"available to start server process\".",
	Do: "1. Run: systemctl edit UNIT\n" +
		"2. Remove LimitAS=, or raise LimitNOFILE=.\n" +
		"3. Start the server.",
	Sources: []string{"pg-kernel-resources"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		u, ok := check.Need(c, c.Instance.Unit)
		if !ok {
			return
		}
		limit := func(name string) (int64, bool) {
			n, err := strconv.ParseInt(u.Properties[name], 10, 64) // "infinity" is none
			return n, err == nil && n >= 0
		}
		if n, ok := limit("LimitNOFILE"); ok && n < leastFiles {
			c.Found("{unit}: LimitNOFILE = {n}.", "unit", u.Name, "n", n)
		}
		n, ok := limit("LimitAS")
		if !ok {
			return
		}
		if need, ok := c.SharedMemoryAsked(); ok && unit.Bytes(n) < need {
			c.Found("{unit}: LimitAS = {limit}; the server requests {need} of shared memory.", "unit", u.Name,
				"limit", unit.Bytes(n), "need", need)
		}
	},
}
