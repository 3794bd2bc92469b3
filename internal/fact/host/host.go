// Package host turns the evidence of a Linux host into typed facts: one file a
// topic, each reader named after what it reads. Readers take bytes or an
// io/fs.FS and touch nothing else, so the same reader serves the live host, an
// archive from afar and a test.
package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Host is what is known of the machine (or of the container's view of it).
// Every field may be missing; none is ever a guess.
type Host struct {
	Name       known.Fact[string]      `json:"name"`        // proc/sys/kernel/hostname
	Kernel     known.Fact[unit.Kernel] `json:"kernel"`      // proc/sys/kernel/osrelease
	OS         known.Fact[OS]          `json:"os"`          // etc/os-release
	CmdLine    known.Fact[[]string]    `json:"cmdline"`     // proc/cmdline, split at spaces
	Memory     known.Fact[Memory]      `json:"memory"`      // proc/meminfo
	Swaps      known.Fact[[]Swap]      `json:"swaps"`       // proc/swaps; empty list: no swap
	CPU        known.Fact[CPU]         `json:"cpu"`         // proc/cpuinfo and sys/devices/system/cpu
	CPUFreq    known.Fact[CPUFreq]     `json:"cpu_freq"`    // sys/devices/system/cpu/cpu0/cpufreq
	Nodes      known.Fact[[]Node]      `json:"nodes"`       // sys/devices/system/node
	Sysctls    Sysctls                 `json:"sysctls"`     // proc/sys/**
	SysctlConf known.Fact[[]SysctlSet] `json:"sysctl_conf"` // assignments in sysctl.d files, in load order
	Cron       known.Fact[[]CronLine]  `json:"cron"`        // lines of etc/crontab and etc/cron.d on kernel values
	Logind     known.Fact[Logind]      `json:"logind"`      // etc/systemd/logind.conf and its drop-ins
	SysUIDMax  known.Fact[int]         `json:"sys_uid_max"` // etc/login.defs: the largest id of a system user
	THP        THP                     `json:"thp"`         // sys/kernel/mm/transparent_hugepage
	HugePages  known.Fact[[]Pool]      `json:"huge_pages"`  // sys/kernel/mm/hugepages
	Mounts     known.Fact[[]Mount]     `json:"mounts"`      // proc/self/mountinfo
	Fstab      known.Fact[[]FstabLine] `json:"fstab"`       // etc/fstab, the lines of local filesystems
	Blocks     known.Fact[[]Block]     `json:"blocks"`      // sys/dev/block, the chains under the places of interest
	Spaces     known.Fact[[]Space]     `json:"spaces"`      // statfs.json
	// cmd/dmsetup-status; root only, and only if a place is on device mapper
	Mapped    known.Fact[[]Mapped]    `json:"mapped"`
	Exts      known.Fact[[]Ext]       `json:"exts"`       // cmd/tune2fs: ext3 and ext4 under places; root only
	Datasets  known.Fact[[]Dataset]   `json:"datasets"`   // cmd/zfs-get: ZFS under places
	FileFlags known.Fact[[]FileFlags] `json:"file_flags"` // cmd/lsattr: places on btrfs
	// cmd/smartctl-scterc: disks of md arrays under places; root only
	ERCs      known.Fact[[]ERC]   `json:"ercs"`
	Virt      known.Fact[Virt]    `json:"virt"`       // sys/class/dmi/id, proc/cpuinfo, container marks
	Pressure  Pressure            `json:"pressure"`   // proc/pressure
	CPUTime   known.Fact[CPUTime] `json:"cpu_time"`   // proc/stat
	Clock     known.Fact[Clock]   `json:"clock"`      // sys/devices/system/clocksource/clocksource0
	ClockKept known.Fact[bool]    `json:"clock_kept"` // host.json: the kernel considers its clock synchronized
	VMStat    known.Fact[VMStat]  `json:"vmstat"`     // proc/vmstat
	Init      known.Fact[Init]    `json:"init"`       // proc/1/comm and whether systemd answers
	// programs.json: what else runs on the host, the largest first
	Programs known.Fact[[]Program] `json:"programs"`
	// residents.json: private memory of the processes outside the instances, with their start and cgroup
	Residents known.Fact[Residents] `json:"residents"`
	// servers.json: server programs that are installed, where an upgrade is of interest
	Servers  known.Fact[[]InstalledServer] `json:"servers,omitzero"`
	Tuned    known.Fact[string]            `json:"tuned"`     // etc/tuned/active_profile, the active profile
	Tuning   known.Fact[Tuning]            `json:"tuning"`    // what that profile writes; absent if none is active
	PageSize known.Fact[unit.Bytes]        `json:"page_size"` // host.json: getconf PAGESIZE
	Killable known.Fact[Killable]          `json:"killable"`  // killable.json: the first choices of the OOM killer
}

// Read reads every topic from the evidence. When the evidence was taken from
// afar by SQL alone (host is false), every fact is missing and says so: they
// are never those of the client's machine.
func Read(fsys fs.FS) Host {
	return Host{
		Name:       ReadName(fsys),
		Kernel:     ReadKernel(fsys),
		OS:         ReadOS(fsys),
		CmdLine:    ReadCmdLine(fsys),
		Memory:     ReadMemory(fsys),
		Swaps:      ReadSwaps(fsys),
		CPU:        ReadCPU(fsys),
		CPUFreq:    ReadCPUFreq(fsys),
		Nodes:      ReadNodes(fsys),
		Sysctls:    ReadSysctls(fsys),
		SysctlConf: ReadSysctlConf(fsys),
		Cron:       ReadCron(fsys),
		Logind:     ReadLogind(fsys),
		SysUIDMax:  ReadSystemUIDMax(fsys),
		THP:        ReadTHP(fsys),
		HugePages:  ReadHugePages(fsys),
		Mounts:     ReadMounts(fsys),
		Fstab:      ReadFstab(fsys),
		Blocks:     ReadBlocks(fsys),
		Spaces:     ReadSpaces(fsys),
		Mapped:     ReadMapped(fsys),
		Exts:       ReadExts(fsys),
		Datasets:   ReadDatasets(fsys),
		FileFlags:  ReadFileFlags(fsys),
		ERCs:       ReadERCs(fsys),
		Virt:       ReadVirt(fsys),
		Pressure:   ReadPressure(fsys),
		CPUTime:    ReadCPUTime(fsys),
		Clock:      ReadClock(fsys),
		ClockKept:  ReadClockKept(fsys),
		VMStat:     ReadVMStat(fsys),
		Init:       ReadInit(fsys),
		Programs:   ReadPrograms(fsys),
		Residents:  ReadResidents(fsys),
		Servers:    ReadServers(fsys),
		Tuned:      ReadTuned(fsys),
		Tuning:     ReadTuning(fsys),
		PageSize:   ReadPageSize(fsys),
		Killable:   ReadKillable(fsys),
	}
}
