package collect

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/fact/host/cgroup"
)

// cgroupFiles copies the limits of the cgroup of a process and of all its ancestors.
func (c *collector) cgroupFiles(pid int) {
	mounts, ok := c.take(mountInfo)
	if !ok {
		return
	}
	group, ok := c.take("proc/" + strconv.Itoa(pid) + "/cgroup")
	if !ok {
		return
	}
	for _, name := range cgroup.Files(mounts, group) {
		c.takeIfThere(name, name) // most names exist under one version or architecture only
	}
}
