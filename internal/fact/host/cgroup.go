package host

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// CGroup is the limits that apply to a process: the smallest of every ancestor of its cgroup, on version 1 and version
// 2 hierarchies alike. A limit of "max" (v2), or one not below the machine (v1's 2^63-4096), is absent.
type CGroup struct {
	// of the memory controller, as proc/PID/cgroup has it
	Path string `json:"path"`
	// 1 or 2: the hierarchy that holds the memory controller
	Version    int                    `json:"version"`
	Memory     known.Fact[unit.Bytes] `json:"memory"`      // memory.max, memory.limit_in_bytes
	MemoryHigh known.Fact[unit.Bytes] `json:"memory_high"` // memory.high (v2)
	Swap       known.Fact[unit.Bytes] `json:"swap"`        // memory.swap.max (v2); memsw minus memory (v1)
	CPUs       known.Fact[float64]    `json:"cpus"`        // quota / period
	// number of CPUs of cpuset.cpus.effective, when fewer than online
	CPUSet known.Fact[int]   `json:"cpuset"`
	Pids   known.Fact[int64] `json:"pids"` // pids.max
	// huge pages are charged to Memory too: memory_hugetlb_accounting (v2, 6.6+)
	HugeCounts known.Fact[bool] `json:"huge_counts"`
	// page size in kB → the smaller of hugetlb.N.max and hugetlb.N.rsvd.max; sizes that the controller shows
	Hugetlb map[int64]known.Fact[unit.Bytes] `json:"hugetlb"`
	// limit name (memory, cpus, hugetlb.2048kB, …) → cgroup path that sets it
	LimitedBy map[string]string `json:"limited_by"`
	OOMGroup  known.Fact[bool]  `json:"oom_group"` // memory.oom.group of the process's own group
	// memory.events oom_kill (v2), memory.oom_control oom_kill (v1)
	OOMKills known.Fact[int64] `json:"oom_kills"`
}
