package cgroup

import (
	"io/fs"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Read reads the limits of the process whose proc/PID/cgroup is in the evidence. Controller files are named by their
// path under sys/fs/cgroup. It is missing if the membership or the mounts are; a limit that could not be read at one
// level is missing as a whole, as it may have been the smallest.
func Read(fsys fs.FS, pid int) known.Fact[host.CGroup] {
	name := "proc/" + strconv.Itoa(pid) + "/cgroup"
	members := evidence.Read(fsys, name, ParseMembership)
	mounts := host.ReadMounts(fsys)
	mm, ok := members.Get()
	if !ok {
		return known.Without[host.CGroup](members.State(), members.Gap())
	}
	mt, ok := mounts.Get()
	if !ok {
		return known.Without[host.CGroup](mounts.State(), mounts.Gap())
	}
	r := cgroupReader{fsys: fsys, cg: host.CGroup{Hugetlb: map[int64]known.Fact[unit.Bytes]{},
		LimitedBy: map[string]string{}}}
	for _, c := range controllers {
		r.h, r.mounted = hierarchyOf(c, mt, mm)
		r.controller = c
		switch c {
		case "memory":
			r.memory()
		case "cpu":
			r.cpu()
		case "cpuset":
			r.cpuset()
		case "pids":
			r.cg.Pids = r.smallest("pids", "pids.max")
		case "hugetlb":
			r.hugetlb()
		}
	}
	return known.Is(r.cg)
}

// cgroupReader reads the controllers one after the other.
type cgroupReader struct {
	fsys       fs.FS
	cg         host.CGroup
	controller string
	h          hierarchy
	mounted    bool
}
