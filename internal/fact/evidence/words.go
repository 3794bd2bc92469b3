package evidence

import "strings"

// commonWords are the words of paths, units, cgroups and process titles that every Linux with PostgreSQL may have, and
// that judgment looks for.
var commonWords = set(`
a agent apps archive at auto autovacuum background backup backups bin block boot build builds bus by bytes
cache cgroup cgroup2 cluster clusters cmd comm cmdline cmdline conf config container containerd container_manager
containers controller core cores
cpu cpuacct cpuset crio cri cron data database databases db dbfs dbms dev devices disk disk1 disk2 dm docker dockerenv
etc ext3 ext4 environ file files fs freezer fuse generic group groups home host hostname hosts hugepages hugetlb
id in index init instance instances io json kernel kubelet kubepods burstable besteffort guaranteed latest launcher
lib lib32 lib64 libexec libpod libvirt
limits limit_in_bytes local log logical logger logs loop lv lvm lxc machine main manager mapper mapred max md media
memory memsw meminfo missing mnt mount mounts mountinfo
net nfs node none nr_requests nvme oom_score oom_score_adj opt online os os_release overlay overlay2 overlays oom
parallel part partition payload performance pgdata pgdata_ pgsql pids pressure proc profile profiles process
replication release rootfs root run runtime
sbin scope scsi secrets service serviceaccount settings share shm shm1 slice slices slots socket sockets sql src srv
ssd state stats statfs status storage subvol swap swapfile swaps sync sys sysctl
system systemctl systemd nspawn nspawn_ sysv tablespace tablespaces tblspc temp tmp tmpfs tuned active_profile
throughput virtual guest balanced latency powersave desktop
unified unit user users usr var vda version versions vg vol volume volumes volume1 wal wals worker workers writer
xfs zfs zram
kubernetes k8s podman rkt buildkit moby nerdctl lxcfs initramfs live show local_fs conf_d sysctl_d sleep
postgres postgresql postmaster edb_postgres initdb pg_ctl patroni ansible puppet chef salt repmgr stolon cloudnative
pg_auto_failover psql pgbench pgfettle
checkpointer walwriter walsender walreceiver walsummarizer startup archiver collector autovacuum slotsync apply
tablesync subscription for pid
libdir so idle transaction aborted waiting streaming recovering authentication initializing fastpath function call
catchup sending
select insert update delete merge copy begin commit rollback vacuum analyze reindex cluster create drop alter table
explain prepare execute fetch declare close notify listen truncate refresh materialized view set show discard
checkpoint bind parse deallocate index
last was failed on lock exclusive
net_cls net_prio perf_event rdma misc elogind openrc
nvme0 nvme1 nvme0n1 nvme1n1 crypt luks1 luks2 mpath part1 part2 part3 deleted
blocks evidence places shmem_answers readme protect links sysctl_conf ptrace magic sysrq hardening network security
coredump bufferbloat map count pid max inotify zeropage quick postfix libaio default defaults
`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// commonWord reports whether a word reveals nothing about whose system it is: a word of every system, a number of up to
// six digits, a version, a name of PostgreSQL's own files, or a device of the kernel.
func commonWord(w string) bool {
	low := strings.ToLower(w)
	if commonWords[low] || ofPostgres[low] || len(w) == 1 {
		return true
	}
	letters := strings.TrimRight(w, "0123456789")
	num := w[len(letters):]
	if len(num) > 6 { // longer ones are invented by users, or identify a machine
		return false
	}
	if letters == "" {
		return true
	}
	switch letters {
	case "cpu", "node", "index", "md", "dm", "loop", "zram", "sr", "mmcblk", "nbd", "drbd", "bcache", "pmem", "ram",
		"vd", "sd", "hd", "xvd", "rbd", "zd", "pgsql", "postgresql", "postgres", "PostgreSQL", "data", "disk", "pg",
		"pgdata", "container":
		return true
	}
	if rest, ok := strings.CutPrefix(letters, "nvme"); ok && strings.Trim(rest, "0123456789np") == "" {
		return true
	}
	for _, d := range []string{"sd", "vd", "hd", "xvd"} { // sda1, vdb, xvdba3
		if rest, ok := strings.CutPrefix(letters, d); ok && len(rest) <= 2 {
			return true
		}
	}
	if kb := strings.TrimSuffix(w, "kB"); kb != w && strings.Trim(kb, "0123456789") == "" {
		return true
	}
	return false
}

// ofPostgres are the names of PostgreSQL's own files and directories.
var ofPostgres = set(
	`pg_wal pg_tblspc pg_xact pg_hba pg_ident pg_log pg_stat pg_stat_tmp pgsql_tmp postgresql_auto pg_ctlcluster
pg_xlog base global`)
