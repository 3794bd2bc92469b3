package host

import "strconv"

// Files lists the evidence names of fixed place that the readers of this package use, in addition to those of
// SysctlNames (SysctlPath gives their names). A collector reads each, and notes the unavailable ones.
//
// Of proc/1/environ a collector keeps the variable container alone: in a
// container the others hold the passwords that an image takes.
//
// host.json, programs.json, servers.json, statfs.json and blocks.json are the collector's own; they are not listed
// here.
var Files = []string{
	"proc/sys/kernel/hostname",
	"proc/sys/kernel/osrelease",
	"etc/os-release",
	"usr/lib/os-release", // if etc/os-release, a link to it, is missing
	"proc/cmdline",
	"proc/meminfo",
	"proc/swaps",
	"proc/cpuinfo",
	"proc/stat",
	"proc/vmstat",
	"proc/modules",
	"proc/pressure/cpu",
	"proc/pressure/memory",
	"proc/pressure/io",
	"proc/self/mountinfo",
	"proc/self/cgroup",
	"proc/1/comm",
	"proc/1/cgroup",
	"proc/1/environ",
	"run/systemd/container",
	"run/host/container-manager",
	"run/.containerenv",
	".dockerenv",
	"etc/tuned/active_profile",
	"etc/sysctl.conf",
	"etc/systemd/logind.conf",
	"etc/login.defs",
	fstab,         // of which a collector keeps what LocalFstab does
	"etc/crontab", // of the crontabs a collector keeps what KernelCron does
	"sys/kernel/mm/transparent_hugepage/enabled",
	"sys/kernel/mm/transparent_hugepage/defrag",
	"sys/kernel/mm/transparent_hugepage/shmem_enabled",
	"sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
	"sys/devices/system/clocksource/clocksource0/current_clocksource",
	"sys/devices/system/clocksource/clocksource0/available_clocksource",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	"sys/module/virtio_balloon/initstate",
	"sys/class/dmi/id/sys_vendor",
	"sys/class/dmi/id/product_name",
	"sys/class/dmi/id/bios_vendor",
	"sys/hypervisor/type",
}

// Globs lists patterns of evidence names, as path.Match has them. Each names few files on any host: CPUs are counted
// from proc/cpuinfo, as a file a CPU would be thousands on a large one.
var Globs = []string{
	"sys/kernel/mm/hugepages/hugepages-*/*_hugepages",
	"sys/kernel/mm/transparent_hugepage/hugepages-*/enabled", // 6.8+
	"sys/devices/system/node/node*/meminfo",
	"sys/devices/system/node/node*/cpulist",
	"sys/devices/system/node/node*/hugepages/hugepages-*/nr_hugepages",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_driver*", // next to a governor; the preference only with some drivers
	"sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference*",
	"sys/devices/system/cpu/cpu0/cache/index*/level",
	"sys/devices/system/cpu/cpu0/cache/index*/type",
	"sys/devices/system/cpu/cpu0/cache/index*/size",
	"sys/bus/virtio/drivers/virtio_balloon/virtio*/device", // a balloon that the kernel has built in
	"etc/sysctl.d/*.conf",
	"run/sysctl.d/*.conf",
	"usr/local/lib/sysctl.d/*.conf",
	"usr/lib/sysctl.d/*.conf",
	"lib/sysctl.d/*.conf", // before the merge of /lib into /usr/lib; else the same files, known by their base name
	"etc/cron.d/*",
	"etc/systemd/logind.conf.d/*.conf",
	"run/systemd/logind*.conf",
	"usr/local/lib/systemd/logind*.conf",
	"usr/lib/systemd/logind*.conf",
	"run/systemd/logind.conf.d/*.conf",
	"usr/local/lib/systemd/logind.conf.d/*.conf",
	"usr/lib/systemd/logind.conf.d/*.conf",
	"etc/sysctl.conf.d/*", // read by no program; an error that people make
	segments + "*",        // a pattern, as a kernel without SysV memory has no such file
}

// BlockFiles lists the attribute files of one block device, relative to its directory (the path of blocks.json). Those
// that it does not have are silently omitted from the evidence: a disk has no dm/, a partition no queue/.
var BlockFiles = []string{
	"queue/rotational", "queue/scheduler", "queue/read_ahead_kb", "queue/write_cache", "queue/nr_requests",
	"queue/optimal_io_size",
	"dm/uuid", "dm/name", "md/level", "md/degraded", "md/consistency_policy", "md/raid_disks", "md/sync_action",
	"device/model", "device/timeout",
	"cache_type", "bcache/cache_mode",
}

// ProcessFiles returns the evidence names of one process of an instance. The
// files that only a postmaster is asked for are those of PostmasterFiles.
func ProcessFiles(pid int) []string {
	p := "proc/" + strconv.Itoa(pid) + "/"
	return []string{p + "status", p + "cmdline", p + "oom_score_adj", p + "oom_score"}
}

// PostmasterFiles returns the evidence names of a postmaster beyond ProcessFiles. cgroup.Files returns what to read
// once its cgroup file is known.
func PostmasterFiles(pid int) []string {
	p := "proc/" + strconv.Itoa(pid) + "/"
	return []string{p + "limits", p + "cgroup"}
}

// CommandFiles lists the evidence names of what programs answered about storage. A collector runs them only if a place
// is on such a device.
var CommandFiles = []string{MappedStatus, MappedTable, Exts, Datasets, LsAttr, ERCs}
