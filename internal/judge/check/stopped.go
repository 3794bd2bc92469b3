package check

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Stopped reports whether the server is known not to run: only then is there a reason to look for.
func (c *Case) Stopped() bool {
	up, ok := c.Instance.Running.Get()
	return ok && !up
}

// SharedMemoryAsked returns how much shared memory the server of a stopped instance would
// request at least; ok is false if that is unknown.
func (c *Case) SharedMemoryAsked() (size unit.Bytes, ok bool) {
	seg, ok := Need(c, memory.SegmentOf(c.Instance))
	return seg.Least, ok
}

// Process names a process for people: "postgres (process 123)".
func Process(program string, pid int) say.Message {
	switch {
	case pid == 0:
		return say.M("a process that is visible only to root")
	case program == "":
		return say.M("process {pid}", "pid", strconv.Itoa(pid))
	}
	return say.M("{program} (process {pid})", "program", program, "pid", strconv.Itoa(pid))
}
