package check

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Stopped says whether the server is known not to run: only then is there a reason
// to look for. Where it is not known whether it runs, nothing is said.
func (c *Case) Stopped() bool {
	up, ok := c.Instance.Running.Get()
	return ok && !up
}

// SharedMemoryAsked returns how much shared memory the server of a stopped instance would
// ask for at the least; ok is false where that is not known.
func (c *Case) SharedMemoryAsked() (size unit.Bytes, ok bool) {
	seg, ok := Need(c, memory.SegmentOf(c.Instance))
	return seg.Least, ok
}

// ProcessName names a process for people: "postgres (process 123)".
func ProcessName(program string, pid int) string {
	switch {
	case pid == 0:
		return "a process that only root sees"
	case program == "":
		return "process " + strconv.Itoa(pid)
	}
	return program + " (process " + strconv.Itoa(pid) + ")"
}
