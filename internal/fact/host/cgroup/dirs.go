package cgroup

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Dirs returns the directories of the cgroup of a process in the hierarchy that holds a controller, as evidence names:
// its own first, the root of the mount last; with the version of the hierarchy. The texts are those of
// /proc/self/mountinfo and of the process's /proc/PID/cgroup.
func Dirs(controller string, mountinfo, cgroup []byte) (version int, dirs []string, err error) {
	mounts, err := host.ParseMounts(mountinfo)
	if err != nil {
		return 0, nil, err
	}
	members, err := ParseMembership(cgroup)
	if err != nil {
		return 0, nil, err
	}
	h, ok := hierarchyOf(controller, mounts, members)
	if !ok {
		return 0, nil, fmt.Errorf("no cgroup hierarchy with the %s controller is mounted", controller)
	}
	for _, l := range h.levels {
		dirs = append(dirs, l.dir)
	}
	return h.version, dirs, nil
}
