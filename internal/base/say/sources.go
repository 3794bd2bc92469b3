package say

import "sort"

// Source is a published text that a judgement rests on.
type Source struct {
	ID        string
	Title     string
	Publisher string
	Version   string // of the text: a PostgreSQL or kernel version, or empty
	Date      string // of the version read, as year or year-month
}

// SourceByID returns a source; ok is false where no literal may use that id.
func SourceByID(id string) (Source, bool) { s, ok := sources[id]; return s, ok }

// SourceIDs returns all ids, sorted.
func SourceIDs() []string {
	ids := make([]string, 0, len(sources))
	for id := range sources {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

func src(id, title, publisher, version, date string) Source {
	return Source{ID: id, Title: title, Publisher: publisher, Version: version, Date: date}
}

var sources = index(
	src("pg-config", "Server Configuration", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-resource", "Resource Consumption", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-wal", "Write Ahead Log settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-query", "Query Planning settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-autovacuum", "Automatic Vacuuming settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-logging", "Error Reporting and Logging settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-client", "Client Connection Defaults", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-connection", "Connections and Authentication settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-statistics", "Run-time Statistics settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-replication", "Replication settings", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-hba", "The pg_hba.conf File", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-auth-methods", "Authentication Methods", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-ssl", "Secure TCP/IP Connections with SSL", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-stat-statements", "pg_stat_statements", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-server-start", "Starting the Database Server", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-server-shutdown", "Shutting Down the Server", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-creating-cluster", "Creating a Database Cluster", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-upgrading", "Upgrading a PostgreSQL Cluster", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-kernel-resources", "Managing Kernel Resources", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-overcommit", "Linux Memory Overcommit", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-huge-pages", "Linux Huge Pages", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-creating-cluster", "Creating a Database Cluster", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-wal-reliability", "Reliability and the Write-Ahead Log", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-wal-intro", "Write-Ahead Logging (WAL)", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-wal-configuration", "WAL Configuration", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-config-developer", "Developer Options", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-checksums", "Data Checksums", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-create-index", "CREATE INDEX, Building Indexes Concurrently", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-alter-database", "ALTER DATABASE, Collation Versions", "PostgreSQL Global Development Group", "15–18", "2026"),
	src("pg-alter-extension", "ALTER EXTENSION", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-hot-standby", "Hot Standby, Administrator's Overview", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-numeric-types", "Numeric Types, Serial Types", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-routine-vacuuming", "Routine Vacuuming", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-monitoring", "The Cumulative Statistics System", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-error-codes", "PostgreSQL Error Codes", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-explicit-locking", "Explicit Locking", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-signaling", "System Administration Functions, Server Signaling Functions", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-system-views", "System Views", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-tablespaces", "Tablespaces", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-test-timing", "pg_test_timing", "PostgreSQL Global Development Group", "13–19", "2026"),
	src("pg-disk-full", "Disk Full Failure", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-versioning", "Versioning Policy", "PostgreSQL Global Development Group", "", "2026"),
	src("pg-release-notes", "Release Notes", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-source-hash", "src/backend/executor/nodeHash.c", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-source-aio", "src/backend/storage/aio/aio_init.c", "PostgreSQL Global Development Group", "18", "2026"),
	src("pg-config-compatible", "Version and Platform Compatibility settings", "PostgreSQL Global Development Group", "13–19", "2026"),
	src("linux-net", "Documentation/admin-guide/sysctl/net.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-vm", "Documentation/admin-guide/sysctl/vm.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-numa-policy", "Documentation/admin-guide/mm/numa_memory_policy.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-hugetlb", "Documentation/admin-guide/mm/hugetlbpage.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-thp", "Documentation/admin-guide/mm/transhuge.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-commit-limit", "mm/util.c, vm_commit_limit", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-page-tables", "fs/proc/task_mmu.c and mm_pgtables_bytes", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-oom", "mm/oom_kill.c, oom_badness", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-writeback", "mm/page-writeback.c", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-cgroup-v2", "Documentation/admin-guide/cgroup-v2.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-psi", "Documentation/accounting/psi.rst", "The Linux kernel", "4.20–6.18", "2026"),
	src("linux-block", "Documentation/block and block/elevator.c", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-ext4", "Documentation/admin-guide/ext4.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-md", "md(4) and Documentation/admin-guide/md.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-md-ppl", "Documentation/driver-api/md/raid5-ppl.rst", "The Linux kernel", "4.12–6.18", "2026"),
	src("linux-dm", "Documentation/admin-guide/device-mapper", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-dm-thin", "Documentation/admin-guide/device-mapper/thin-provisioning.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-bcache", "Documentation/admin-guide/bcache.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-bfq", "Documentation/block/bfq-iosched.rst", "The Linux kernel", "4.12–6.18", "2026"),
	src("linux-btrfs", "btrfs(5)", "btrfs-progs", "", "2025"),
	src("openzfs-workload", "Workload Tuning", "OpenZFS", "", "2025"),
	src("smartctl", "smartctl(8)", "smartmontools", "7", "2025"),
	src("fstrim", "fstrim(8)", "util-linux", "", "2025"),
	src("linux-nfs", "nfs(5)", "The Linux man-pages project", "", "2025"),
	src("systemd-service", "systemd.service(5), OOMPolicy=", "systemd", "243+", "2025"),
	src("systemd-numa", "systemd.exec(5), NUMAPolicy= and NUMAMask=", "systemd", "243+", "2025"),
	src("systemd-exec", "systemd.exec(5), LimitNOFILE=", "systemd", "243+", "2025"),
	src("pg-release-old", "Release Notes of earlier versions", "PostgreSQL Global Development Group", "9.4–12", "2026"),
	src("pg-source-postmaster", "src/backend/postmaster/postmaster.c", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-source-miscinit", "src/backend/utils/init/miscinit.c", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-source-pgss", "contrib/pg_stat_statements/pg_stat_statements.c", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-source-parallel", "src/backend/optimizer/path/allpaths.c", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-release-19", "Release Notes of version 19 (beta)", "PostgreSQL Global Development Group", "19", "2026-06"),
	src("pg-bench", "pgbench", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-test-fsync", "pg_test_fsync", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("pg-authentication", "Client Authentication", "PostgreSQL Global Development Group", "13–18", "2026"),
	src("linux-md", "Documentation/admin-guide/md.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-sched", "kernel/sched/fair.c, autogroup.c and debug.c", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-xfs", "Documentation/admin-guide/xfs.rst", "The Linux kernel", "4.19–6.18", "2026"),
	src("linux-cpufreq", "Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("man-fanotify", "fanotify(7)", "Linux man-pages", "6", "2026"),
	src("man-adjtimex", "adjtimex(2)", "Linux man-pages", "6", "2026"),
	src("chrony-conf", "chrony.conf(5)", "The chrony project", "4", "2026"),
	src("linux-proc", "Documentation/filesystems/proc.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-vfs", "fs/inode.c and fs/namespace.c", "The Linux kernel", "4.18–6.18", "2026"),
	src("procps-sysctl", "sysctl(8) and sysctl.d(5)", "procps-ng and systemd", "", "2025"),
	src("procps-free", "free(1)", "procps-ng", "3.3.10+", "2025"),
	src("crontab-man", "crontab(5)", "cron", "", "2025"),
	src("rotation-arithmetic", "Arithmetic of rotation speeds and line codes", "pgfettle", "", "2026-11"),
	src("thebuild-work-mem", "A formula for work_mem", "thebuild.com", "", "2023-03"),
	src("thebuild-preempt", "Kernels without PREEMPT_NONE", "thebuild.com", "", "2026-04"),
	src("article-1c", "Configuring PostgreSQL for 1C:Enterprise", "an author's article", "", "2016"),
	src("linux-timekeeping", "Documentation/timers/timekeeping.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-vmstat", "mm/vmstat.c", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-kernel-sysctl", "Documentation/admin-guide/sysctl/kernel.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("linux-net-sysctl", "Documentation/admin-guide/sysctl/net.rst and networking/ip-sysctl.rst", "The Linux kernel", "4.18–6.18", "2026"),
	src("systemd-sysctl", "sysctl.d(5) and systemd-sysctl.service(8)", "systemd", "252–257", "2025"),
	src("systemd-logind", "logind.conf(5), RemoveIPC=", "systemd", "212+", "2025"),
	src("systemd-oomd", "systemd-oomd.service(8) and systemd.resource-control(5)", "systemd", "247+", "2025"),
	src("dalibo-j1", "Module J1: tuning the system and the instance", "Dalibo", "24.12", "2024-12"),
	src("blog-page-tables", "Page tables and the TLB", "a PostgreSQL consultant's blog", "", "2018"),
	src("percona-huge-pages", "Huge pages for PostgreSQL", "Percona", "", "2022"),
	src("its-1c", "Configuring PostgreSQL for 1C:Enterprise (ITS 5866)", "1C", "", "2026"),
	src("postgrespro-1c", "Configuration for 1C", "Postgres Pro", "12–18", "2025"),
	src("pgtune", "src/features/configuration/configurationSlice.js", "pgtune", "", "2026-07"),
	src("tuned-main", "tuned-main.conf(5) and tuned.conf(5)", "TuneD", "2", "2026"),
	src("tuned-postgresql", "tuned profile postgresql", "TuneD", "", "2026"),
	src("pgfettle-policy", "The policy file: what a site has decided for itself", "pgfettle", "", "2026-11"),
	src("pgfettle-measured", "Measured by this project on PostgreSQL 13–18 and kernel 6.18", "pgfettle", "", "2026-11"),
)

func index(list ...Source) map[string]Source {
	m := make(map[string]Source, len(list))
	for _, s := range list {
		m[s.ID] = s
	}
	return m
}
