package cgroup

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Files returns the evidence names that ReadCGroup wants for a process,
// given the text of /proc/self/mountinfo and of its /proc/PID/cgroup: the
// controller files of all its ancestors. Many do not exist on a given host
// (page sizes of other architectures, controllers that are not enabled): a
// collector leaves those out without a word. Texts that make no sense yield
// nothing.
func Files(mountinfo, cgroup []byte) []string {
	mounts, err := host.ParseMounts(mountinfo)
	if err != nil {
		return nil
	}
	members, err := ParseMembership(cgroup)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range controllers {
		h, ok := hierarchyOf(c, mounts, members)
		if !ok {
			continue
		}
		for i, l := range h.levels {
			for _, f := range limitFiles(c, h.version) {
				out = append(out, l.dir+"/"+f)
			}
			if i == 0 && c == "memory" {
				for _, f := range ownFiles[h.version] {
					out = append(out, l.dir+"/"+f)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ownFiles are read of the process's own group alone.
var ownFiles = map[int][]string{1: {"memory.oom_control"}, 2: {"memory.oom.group", "memory.events"}}

// limitFiles names the files of a controller that are read at every level.
func limitFiles(controller string, version int) []string {
	v1 := version == 1
	switch controller {
	case "memory":
		if v1 {
			return []string{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}
		}
		return []string{"memory.max", "memory.high", "memory.swap.max"}
	case "cpu":
		if v1 {
			return []string{"cpu.cfs_quota_us", "cpu.cfs_period_us"}
		}
		return []string{"cpu.max"}
	case "cpuset":
		if v1 {
			return []string{"cpuset.effective_cpus", "cpuset.cpus"}
		}
		return []string{"cpuset.cpus.effective"}
	case "pids":
		return []string{"pids.max"}
	}
	var out []string
	for _, s := range hugetlbSizes {
		out = append(out, hugetlbFiles(s.name, version)...)
	}
	return out
}

// hugetlbSizes are the huge page sizes that an architecture may have, as the
// hugetlb controller spells them: x86-64 2MB and 1GB; arm64 64KB, 2MB, 32MB,
// 512MB, 1GB, 16GB; POWER 2MB, 16MB, 1GB, 16GB; s390 1MB, 2GB.
var hugetlbSizes = []struct {
	name string
	size unit.Bytes
}{
	{"64KB", 64 * unit.KB}, {"1MB", unit.MB}, {"2MB", 2 * unit.MB}, {"16MB", 16 * unit.MB}, {"32MB", 32 * unit.MB},
	{"512MB", 512 * unit.MB}, {"1GB", unit.GB}, {"2GB", 2 * unit.GB}, {"16GB", 16 * unit.GB},
}

// hugetlbFiles names the two limits of a size: of pages in use, and of pages
// reserved by mmap(2), which came with 5.7.
func hugetlbFiles(size string, version int) []string {
	if version == 1 {
		return []string{"hugetlb." + size + ".limit_in_bytes", "hugetlb." + size + ".rsvd.limit_in_bytes"}
	}
	return []string{"hugetlb." + size + ".max", "hugetlb." + size + ".rsvd.max"}
}
