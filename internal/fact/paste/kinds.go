package paste

// The kinds, by the command or the file that a part is of.
const (
	Meminfo         Kind = "meminfo"
	Free            Kind = "free"
	VmstatSums      Kind = "vmstat_sums" // vmstat -s
	Swaps           Kind = "swaps"
	Top             Kind = "top"
	Uptime          Kind = "uptime"
	Ps              Kind = "ps"
	Vmstat          Kind = "vmstat"
	Iostat          Kind = "iostat"
	Lscpu           Kind = "lscpu"
	CPUInfo         Kind = "cpuinfo"
	Numactl         Kind = "numactl"
	Lsblk           Kind = "lsblk"
	Df              Kind = "df"
	Mount           Kind = "mount"
	Findmnt         Kind = "findmnt"
	Mounts          Kind = "mounts" // /proc/mounts
	Mountinfo       Kind = "mountinfo"
	Fstab           Kind = "fstab"
	Uname           Kind = "uname"
	OSRelease       Kind = "os_release"
	Sysctl          Kind = "sysctl"
	SysctlConf      Kind = "sysctl_conf"
	SysctlSet       Kind = "sysctl_set" // sysctl -w
	THP             Kind = "thp"
	Cmdline         Kind = "cmdline"
	Tuned           Kind = "tuned"
	Unit            Kind = "unit"
	SystemctlStatus Kind = "systemctl_status"
	Cgroup          Kind = "cgroup"
	Ulimit          Kind = "ulimit"
	Limits          Kind = "limits"
	ProcessStatus   Kind = "process_status"
	Smaps           Kind = "smaps"
	ShowAll         Kind = "show_all"
	PgSettings      Kind = "pg_settings"
	Show            Kind = "show"
	Version         Kind = "version"
	PostgresConf    Kind = "postgresql_conf"
	PgHBA           Kind = "pg_hba"
	PgControldata   Kind = "pg_controldata"
	PgTestFsync     Kind = "pg_test_fsync"
	PgTestTiming    Kind = "pg_test_timing"
	Fio             Kind = "fio"
	Pgbench         Kind = "pgbench"
	Sysbench        Kind = "sysbench"
	Explain         Kind = "explain"
	Sar             Kind = "sar" // and mpstat
	DockerStats     Kind = "docker_stats"
	KubectlTop      Kind = "kubectl_top"
	KubernetesNode  Kind = "kubernetes_node"
	Container       Kind = "kubernetes_container" // kubectl describe pod
	Clusters        Kind = "pg_lsclusters"
	Du              Kind = "du"
	Dd              Kind = "dd"
	Zfs             Kind = "zfs" // and zpool
	Smem            Kind = "smem"
	Pmap            Kind = "pmap"
	PamLimits       Kind = "limits_conf"
	Grub            Kind = "grub" // /etc/default/grub
	Ipcs            Kind = "ipcs"
	Pressure        Kind = "pressure"    // /proc/pressure
	HugePool        Kind = "hugepages"   // /sys/kernel/mm/hugepages
	ProcVmstat      Kind = "proc_vmstat" // /proc/vmstat
	Lsmem           Kind = "lsmem"
	Mdstat          Kind = "mdstat"
	Lvm             Kind = "lvm" // pvs, vgs, lvs
	PatroniList     Kind = "patronictl_list"
	Tuner           Kind = "postgresqltuner"
	Engine          Kind = "docker_info"    // and version
	Inspect         Kind = "docker_inspect" // and what a compose file limits
	Pods            Kind = "kubectl_pods"
	Guest           Kind = "proxmox_guest" // qm config, pct config
	Packages        Kind = "packages"      // dpkg -l, rpm -qa
	Listen          Kind = "listen"        // ss, netstat
	Windows         Kind = "systeminfo"
	Tasklist        Kind = "tasklist"
	AlterSystem     Kind = "alter_system"
	Stated          Kind = "stated"    // by a person
	Containers      Kind = "docker_ps" // and podman ps
	KernelLog       Kind = "kernel_log"
	ServerLog       Kind = "server_log"
	Journal         Kind = "journal" // lines of others
	Answer          Kind = "answer"  // a bare value that the command before it explains
)

// recognizers are asked in this order: those with a head that nothing else has first, and
// last those that go by the form of a line.
var recognizers []recognizer

func init() {
	recognizers = []recognizer{
		{Answer, readAnswer},
		{Uptime, readLoad},
		{Top, readBusyTop},
		{Top, readTop},
		{Free, readFree},
		{Vmstat, readVmstat},
		{VmstatSums, readVmstatSums},
		{Iostat, readIostat},
		{Sar, readSar},
		{DockerStats, readStats},
		{KubectlTop, readTopPods},
		{KubernetesNode, readNode},
		{Container, readContainer},
		{Container, readResources},
		{Clusters, readClusters},
		{Dd, readDd},
		{Zfs, readZfs},
		{Smem, readSmem},
		{PamLimits, readPamLimits},
		{Grub, readGrub},
		{Ipcs, readIpcs},
		{Pressure, readCounters},
		{Mdstat, readArrays},
		{Lvm, readVolumes},
		{PatroniList, readMembers},
		{Tuner, readTuner},
		{Engine, readEngine},
		{Pods, readPods},
		{Containers, readContainers},
		{Windows, readOther},
		{Tasklist, readTasks},
		{AlterSystem, readAltered},
		{Unit, readProperties},
		{Numactl, readNumactl},
		{Numactl, readNodeMeminfo},
		{Lscpu, readJSON},
		{Lscpu, readCPUTable},
		{Swaps, readSwaps},
		{Lsblk, readLsblk},
		{Inspect, readInspect},
		{Inspect, readComposed},
		{Findmnt, readFindmnt},
		{Mount, readMount},
		{Mountinfo, readMountinfo},
		{Df, readDf},
		{Limits, readLimits},
		{SystemctlStatus, readUnitStatus},
		{Smaps, readSmaps},
		{ProcessStatus, readStatus},
		{Meminfo, readMeminfo},
		{CPUInfo, readCPUInfo},
		{Lscpu, readLscpu},
		{PgControldata, readControl},
		{Pgbench, readMeasured},
		{Version, readVersion},
		{SysctlConf, readSysctlTable},
		{PgSettings, readSettings},
		{Explain, readExplain},
		{Uname, readUname},
		{OSRelease, readOSRelease},
		{Cmdline, readCmdline},
		{THP, readTHP},
		{Cgroup, readCgroup},
		{Fstab, readFstab},
		{Unit, readUnit},
		{Sysctl, readSysctl},
		{Ulimit, readUlimit},
		{Packages, readPackages},
		{Listen, readListen},
		{Guest, readGuest},
		{Ps, readPs},
		{Du, readDu},
		{PgHBA, readHBA},
		{PostgresConf, readYAML},
		{PostgresConf, readPairs},
		{Version, readManifest},
		{Version, readAsked},
		{PostgresConf, readMarkedSettings},
		{Version, readFields},
		{Stated, readStack},
		{SysctlSet, readSets},
		{PostgresConf, readFlags},
		{PostgresConf, readConf},
	}
}
