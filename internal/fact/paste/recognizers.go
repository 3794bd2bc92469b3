package paste

import (
	"github.com/pgfettle/pgfettle/internal/fact/paste/containers"
	"github.com/pgfettle/pgfettle/internal/fact/paste/database"
	"github.com/pgfettle/pgfettle/internal/fact/paste/hardware"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prose"
	"github.com/pgfettle/pgfettle/internal/fact/paste/system"
	"github.com/pgfettle/pgfettle/internal/fact/paste/usage"
)

// recognizers are asked in this order: those with a head that nothing else has first, and
// last those that go by the form of a line.
var recognizers []recognizer

func init() {
	recognizers = []recognizer{
		{part.Answer, system.ReadAnswer},
		{part.Uptime, system.ReadLoad},
		{part.Top, usage.ReadBusyTop},
		{part.Top, usage.ReadTop},
		{part.Free, usage.ReadFree},
		{part.Vmstat, usage.ReadVmstat},
		{part.VmstatSums, usage.ReadVmstatSums},
		{part.Iostat, usage.ReadIostat},
		{part.Sar, usage.ReadSar},
		{part.DockerStats, containers.ReadStats},
		{part.KubectlTop, containers.ReadTopPods},
		{part.KubernetesNode, containers.ReadNode},
		{part.Container, containers.ReadContainer},
		{part.Container, containers.ReadResources},
		{part.Clusters, database.ReadClusters},
		{part.Dd, hardware.ReadDd},
		{part.Zfs, hardware.ReadZfs},
		{part.Smem, usage.ReadSmem},
		{part.PamLimits, system.ReadPamLimits},
		{part.Grub, system.ReadGrub},
		{part.Ipcs, system.ReadIpcs},
		{part.Pressure, system.ReadCounters},
		{part.Mdstat, hardware.ReadArrays},
		{part.Lvm, hardware.ReadVolumes},
		{part.PatroniList, containers.ReadMembers},
		{part.Tuner, database.ReadTuner},
		{part.Engine, containers.ReadEngine},
		{part.Pods, containers.ReadPods},
		{part.Containers, containers.ReadContainers},
		{part.Windows, system.ReadOther},
		{part.Tasklist, usage.ReadTasks},
		{part.AlterSystem, database.ReadAltered},
		{part.Unit, system.ReadProperties},
		{part.Numactl, hardware.ReadNumactl},
		{part.Numactl, hardware.ReadNodeMeminfo},
		{part.Lscpu, hardware.ReadJSON},
		{part.Lscpu, hardware.ReadCPUTable},
		{part.Swaps, usage.ReadSwaps},
		{part.Lsblk, hardware.ReadLsblk},
		{part.Inspect, containers.ReadInspect},
		{part.Inspect, containers.ReadComposed},
		{part.Findmnt, hardware.ReadFindmnt},
		{part.Mount, hardware.ReadMount},
		{part.Mountinfo, hardware.ReadMountinfo},
		{part.Df, hardware.ReadDf},
		{part.Limits, system.ReadLimits},
		{part.SystemctlStatus, system.ReadUnitStatus},
		{part.Smaps, usage.ReadSmaps},
		{part.ProcessStatus, usage.ReadStatus},
		{part.Meminfo, usage.ReadMeminfo},
		{part.CPUInfo, hardware.ReadCPUInfo},
		{part.Lscpu, hardware.ReadLscpu},
		{part.PgControldata, database.ReadControl},
		{part.Pgbench, database.ReadMeasured},
		{part.Version, database.ReadVersion},
		{part.SysctlConf, prose.ReadSysctlTable},
		{part.PgSettings, database.ReadSettings},
		{part.Explain, database.ReadExplain},
		{part.Uname, system.ReadUname},
		{part.OSRelease, system.ReadOSRelease},
		{part.Cmdline, system.ReadCmdline},
		{part.THP, system.ReadTHP},
		{part.Cgroup, system.ReadCgroup},
		{part.Fstab, hardware.ReadFstab},
		{part.Unit, system.ReadUnit},
		{part.Sysctl, system.ReadSysctl},
		{part.Ulimit, system.ReadUlimit},
		{part.Packages, system.ReadPackages},
		{part.Listen, system.ReadListen},
		{part.Guest, hardware.ReadGuest},
		{part.Ps, usage.ReadPs},
		{part.Du, hardware.ReadDu},
		{part.PgHBA, database.ReadHBA},
		{part.PostgresConf, database.ReadYAML},
		{part.PostgresConf, prose.ReadPairs},
		{part.Version, containers.ReadManifest},
		{part.Version, prose.ReadAsked},
		{part.PostgresConf, prose.ReadMarkedSettings},
		{part.Version, prose.ReadFields},
		{part.Stated, prose.ReadStack},
		{part.SysctlSet, system.ReadSets},
		{part.PostgresConf, database.ReadFlags},
		{part.PostgresConf, database.ReadConf},
	}
}
