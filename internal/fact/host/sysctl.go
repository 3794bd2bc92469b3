package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Sysctls holds kernel parameters by their dotted name, such as vm.swappiness.
// The collector reads those of SysctlNames; one that this kernel does not have
// is absent.
type Sysctls map[string]known.Fact[string]

// SysctlNames lists the kernel parameters that are collected.
var SysctlNames = []string{
	"vm.swappiness", "vm.overcommit_memory", "vm.overcommit_ratio", "vm.overcommit_kbytes",
	"vm.admin_reserve_kbytes", "vm.user_reserve_kbytes",
	"vm.dirty_background_bytes", "vm.dirty_bytes", "vm.dirty_background_ratio", "vm.dirty_ratio",
	"vm.dirty_expire_centisecs", "vm.dirty_writeback_centisecs",
	"vm.nr_hugepages", "vm.nr_overcommit_hugepages", "vm.hugetlb_shm_group", "vm.hugetlb_optimize_vmemmap",
	"vm.zone_reclaim_mode", "kernel.numa_balancing", "vm.min_free_kbytes", "vm.watermark_scale_factor",
	"vm.watermark_boost_factor", "vm.compaction_proactiveness", "vm.defrag_mode", "vm.vfs_cache_pressure",
	"vm.panic_on_oom", "vm.oom_kill_allocating_task", "vm.oom_dump_tasks", "fs.file-max", "fs.nr_open",
	"kernel.pid_max", "kernel.threads-max", "kernel.sched_migration_cost_ns", "kernel.sched_min_granularity_ns",
	"kernel.sched_wakeup_granularity_ns", "kernel.sched_latency_ns", "kernel.sched_autogroup_enabled",
	"kernel.shmmax", "kernel.shmall", "kernel.shmmni", "kernel.sem", "kernel.io_uring_disabled",
	"kernel.core_pattern", "kernel.dmesg_restrict", "kernel.perf_event_paranoid",
	"net.core.somaxconn", "net.ipv4.tcp_keepalive_time", "vm.page-cluster", "vm.max_map_count",
}

// SysctlPath returns the evidence name of a kernel parameter: proc/sys/vm/swappiness.
func SysctlPath(name string) string { return "proc/sys/" + slashed(name) }

func slashed(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c == '.' {
			b[i] = '/'
		}
	}
	return string(b)
}

// Int returns a kernel parameter as a whole number.
func (s Sysctls) Int(name string) known.Fact[int64] {
	f, ok := s[name]
	if !ok {
		return known.Missed[int64](known.Gap{Fact: SysctlPath(name), Reason: "not collected"})
	}
	return known.Try(f, SysctlPath(name), parseInt)
}

// ReadSysctls reads the kernel parameters of SysctlNames. Each is the text of
// its file without surrounding blanks; one that this kernel does not have, or
// that was not collected, is a fact without a value.
func ReadSysctls(fsys fs.FS) Sysctls {
	out := make(Sysctls, len(SysctlNames))
	for _, n := range SysctlNames {
		out[n] = evidence.Read(fsys, SysctlPath(n), ParseText)
	}
	return out
}
