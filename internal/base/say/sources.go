package say

import "sort"

// Source is a published text that a judgment is based on.
type Source struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Publisher string `json:"publisher"`
	Version   string `json:"version,omitempty"` // of the text: a PostgreSQL or kernel version
	Date      string `json:"date,omitempty"`    // of the version read, as year or year-month
	// of its current version; else of the publisher, or of our page that names it
	URL string `json:"url"`
}

// SourcesOf returns the sources with these ids, in their order; of an id that is not
// known the id alone.
func SourcesOf(ids []string) []Source {
	out := []Source{}
	for _, id := range ids {
		s, ok := sources[id]
		if !ok {
			s = Source{ID: id, Title: id}
		}
		out = append(out, s)
	}
	return out
}

// SourceByID returns a source; ok is false if no literal may use that id.
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

func src(id, title, publisher, version, date, url string) Source {
	return Source{ID: id, Title: title, Publisher: publisher, Version: version, Date: date, URL: url}
}

// own is a source of this project, whose title follows the language.
func own(id string, title Template, url string) Source {
	return Source{ID: id, Title: string(title), Publisher: ownPublisher, Date: "2026-11", URL: url}
}

const ownPublisher = "pgfettle"

// unnamed is a publisher that is described and not named.
const unnamed Template = "a PostgreSQL consultant's blog"

// In returns the source with its words of this project in the language of a catalog. A title of others stays.
func (s Source) In(c *Catalogue) Source {
	switch s.Publisher {
	case ownPublisher:
		s.Title = c.Text(s.Title)
	case string(unnamed):
		s.Publisher = c.Text(s.Publisher)
	}
	return s
}

// SourcesIn returns sources with their words of this project in the language of a catalog.
func SourcesIn(list []Source, c *Catalogue) []Source {
	if c == nil {
		return list
	}
	out := make([]Source, len(list))
	for i, s := range list {
		out[i] = s.In(c)
	}
	return out
}

var sources = index(
	src("pg-config", "Server Configuration", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config.html"),
	src("pg-config-resource", "Resource Consumption", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-resource.html"),
	src("pg-config-wal", "Write Ahead Log settings", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-wal.html"),
	src("pg-config-query", "Query Planning settings", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-query.html"),
	src("pg-config-autovacuum", "Automatic Vacuuming settings", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-vacuum.html"),
	src("pg-config-logging", "Error Reporting and Logging settings", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-logging.html"),
	src("pg-config-client", "Client Connection Defaults", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-client.html"),
	src("pg-config-connection", "Connections and Authentication settings", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-connection.html"),
	src("pg-config-statistics", "Run-time Statistics settings", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-statistics.html"),
	src("pg-config-replication", "Replication settings", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-replication.html"),
	src("pg-hba", "The pg_hba.conf File", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/auth-pg-hba-conf.html"),
	src("pg-auth-methods", "Authentication Methods", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/auth-methods.html"),
	src("pg-ssl", "Secure TCP/IP Connections with SSL", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/ssl-tcp.html"),
	src("pg-stat-statements", "pg_stat_statements", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/pgstatstatements.html"),
	src("pg-server-start", "Starting the Database Server", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/server-start.html"),
	src("pg-server-shutdown", "Shutting Down the Server", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/server-shutdown.html"),
	src("pg-creating-cluster", "Creating a Database Cluster", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/creating-cluster.html"),
	src("pg-upgrading", "Upgrading a PostgreSQL Cluster", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/upgrading.html"),
	src("pg-kernel-resources", "Managing Kernel Resources", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/kernel-resources.html"),
	src("pg-overcommit", "Linux Memory Overcommit", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-MEMORY-OVERCOMMIT"),
	src("pg-huge-pages", "Linux Huge Pages", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-HUGE-PAGES"),
	src("pg-creating-cluster", "Creating a Database Cluster", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/creating-cluster.html"),
	src("pg-wal-reliability", "Reliability and the Write-Ahead Log", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://www.postgresql.org/docs/current/wal.html"),
	src("pg-wal-intro", "Write-Ahead Logging (WAL)", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/wal-intro.html"),
	src("pg-wal-configuration", "WAL Configuration", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/wal-configuration.html"),
	src("pg-config-developer", "Developer Options", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-developer.html"),
	src("pg-checksums", "Data Checksums", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/checksums.html"),
	src("pg-create-index", "CREATE INDEX, Building Indexes Concurrently", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY"),
	src("pg-alter-database", "ALTER DATABASE, Collation Versions", "PostgreSQL Global Development Group",
		"15–18", "2026",
		"https://www.postgresql.org/docs/current/sql-alterdatabase.html"),
	src("pg-alter-extension", "ALTER EXTENSION", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/sql-alterextension.html"),
	src("pg-hot-standby", "Hot Standby, Administrator's Overview", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN"),
	src("pg-numeric-types", "Numeric Types, Serial Types", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/datatype-numeric.html#DATATYPE-SERIAL"),
	src("pg-routine-vacuuming", "Routine Vacuuming", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/routine-vacuuming.html"),
	src("pg-monitoring", "The Cumulative Statistics System", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/monitoring-stats.html"),
	src("pg-error-codes", "PostgreSQL Error Codes", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/errcodes-appendix.html"),
	src("pg-explicit-locking", "Explicit Locking", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/explicit-locking.html"),
	src("pg-signaling", "System Administration Functions, Server Signaling Functions",
		"PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SIGNAL"),
	src("pg-system-views", "System Views", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/views.html"),
	src("pg-tablespaces", "Tablespaces", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/manage-ag-tablespaces.html"),
	src("pg-test-timing", "pg_test_timing", "PostgreSQL Global Development Group", "13–19", "2026",
		"https://www.postgresql.org/docs/current/pgtesttiming.html"),
	src("pg-disk-full", "Disk Full Failure", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/disk-full.html"),
	src("pg-versioning", "Versioning Policy", "PostgreSQL Global Development Group", "", "2026",
		"https://www.postgresql.org/support/versioning/"),
	src("pg-release-notes", "Release Notes", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/release.html"),
	src("pg-source-hash", "src/backend/executor/nodeHash.c", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://git.postgresql.org/gitweb/?p=postgresql.git;a=blob;hb=HEAD;f=src/backend/executor/nodeHash.c"),
	src("pg-source-aio", "src/backend/storage/aio/aio_init.c", "PostgreSQL Global Development Group", "18", "2026",
		"https://git.postgresql.org/gitweb/?p=postgresql.git;a=blob;hb=HEAD;f=src/backend/storage/aio/aio_init.c"),
	src("pg-config-compatible", "Version and Platform Compatibility settings", "PostgreSQL Global Development Group",
		"13–19", "2026",
		"https://www.postgresql.org/docs/current/runtime-config-compatible.html"),
	src("linux-net", "Documentation/admin-guide/sysctl/net.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/sysctl/net.html"),
	src("linux-vm", "Documentation/admin-guide/sysctl/vm.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/sysctl/vm.html"),
	src("linux-numa-policy", "Documentation/admin-guide/mm/numa_memory_policy.rst", "The Linux kernel",
		"4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html"),
	src("linux-hugetlb", "Documentation/admin-guide/mm/hugetlbpage.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/mm/hugetlbpage.html"),
	src("linux-thp", "Documentation/admin-guide/mm/transhuge.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/mm/transhuge.html"),
	src("linux-commit-limit", "mm/util.c, vm_commit_limit", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/mm/util.c"),
	src("linux-page-tables", "fs/proc/task_mmu.c and mm_pgtables_bytes", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/fs/proc/task_mmu.c"),
	src("linux-oom", "mm/oom_kill.c, oom_badness", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/mm/oom_kill.c"),
	src("linux-writeback", "mm/page-writeback.c", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/mm/page-writeback.c"),
	src("linux-cgroup-v2", "Documentation/admin-guide/cgroup-v2.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/cgroup-v2.html"),
	src("linux-psi", "Documentation/accounting/psi.rst", "The Linux kernel", "4.20–6.18", "2026",
		"https://docs.kernel.org/accounting/psi.html"),
	src("linux-block", "Documentation/block and block/elevator.c", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/block/index.html"),
	src("linux-ext4", "Documentation/admin-guide/ext4.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/ext4.html"),
	src("linux-md", "md(4) and Documentation/admin-guide/md.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/md.html"),
	src("linux-md-ppl", "Documentation/driver-api/md/raid5-ppl.rst", "The Linux kernel", "4.12–6.18", "2026",
		"https://docs.kernel.org/driver-api/md/raid5-ppl.html"),
	src("linux-dm", "Documentation/admin-guide/device-mapper", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/device-mapper/index.html"),
	src("linux-dm-thin", "Documentation/admin-guide/device-mapper/thin-provisioning.rst", "The Linux kernel",
		"4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/device-mapper/thin-provisioning.html"),
	src("linux-bcache", "Documentation/admin-guide/bcache.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/bcache.html"),
	src("linux-bfq", "Documentation/block/bfq-iosched.rst", "The Linux kernel", "4.12–6.18", "2026",
		"https://docs.kernel.org/block/bfq-iosched.html"),
	src("linux-btrfs", "btrfs(5)", "btrfs-progs", "", "2025",
		"https://btrfs.readthedocs.io/en/latest/btrfs-man5.html"),
	src("openzfs-workload", "Workload Tuning", "OpenZFS", "", "2025",
		"https://openzfs.github.io/openzfs-docs/Performance%20and%20Tuning/Workload%20Tuning.html"),
	src("smartctl", "smartctl(8)", "smartmontools", "7", "2025",
		"https://www.smartmontools.org/browser/trunk/smartmontools/smartctl.8.in"),
	src("fstrim", "fstrim(8)", "util-linux", "", "2025",
		"https://man7.org/linux/man-pages/man8/fstrim.8.html"),
	src("linux-nfs", "nfs(5)", "The Linux man-pages project", "", "2025",
		"https://man7.org/linux/man-pages/man5/nfs.5.html"),
	src("systemd-service", "systemd.service(5), OOMPolicy=", "systemd", "243+", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#OOMPolicy="),
	src("systemd-numa", "systemd.exec(5), NUMAPolicy= and NUMAMask=", "systemd", "243+", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#NUMAPolicy="),
	src("systemd-exec", "systemd.exec(5), LimitNOFILE=", "systemd", "243+", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#Process%20Properties"),
	src("pg-release-old", "Release Notes of earlier versions", "PostgreSQL Global Development Group", "9.4–12", "2026",
		"https://www.postgresql.org/docs/release/"),
	src("pg-source-postmaster", "src/backend/postmaster/postmaster.c", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://git.postgresql.org/gitweb/?p=postgresql.git;a=blob;hb=HEAD;f=src/backend/postmaster/postmaster.c"),
	src("pg-source-miscinit", "src/backend/utils/init/miscinit.c", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://git.postgresql.org/gitweb/?p=postgresql.git;a=blob;hb=HEAD;f=src/backend/utils/init/miscinit.c"),
	src("pg-source-pgss", "contrib/pg_stat_statements/pg_stat_statements.c", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://git.postgresql.org/gitweb/?p=postgresql.git;a=blob;hb=HEAD;f=contrib/pg_stat_statements/pg_stat_statements.c"),
	src("pg-source-parallel", "src/backend/optimizer/path/allpaths.c", "PostgreSQL Global Development Group",
		"13–18", "2026",
		"https://git.postgresql.org/gitweb/?p=postgresql.git;a=blob;hb=HEAD;f=src/backend/optimizer/path/allpaths.c"),
	src("pg-release-19", "Release Notes of version 19 (beta)", "PostgreSQL Global Development Group", "19", "2026-06",
		"https://www.postgresql.org/docs/19/release-19.html"),
	src("pg-bench", "pgbench", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/pgbench.html"),
	src("pg-test-fsync", "pg_test_fsync", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/pgtestfsync.html"),
	src("pg-authentication", "Client Authentication", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/client-authentication.html"),
	src("pg-initdb", "initdb", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/app-initdb.html"),
	src("pg-locale", "Locale Support", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/locale.html"),
	src("pg-multibyte", "Character Set Support", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/multibyte.html"),
	src("pg-auth-problems", "Authentication Problems", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/client-authentication-problems.html"),
	src("pg-pgpass", "The Password File", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/libpq-pgpass.html"),
	src("pg-create-tablespace", "CREATE TABLESPACE", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/sql-createtablespace.html"),
	src("pg-alter-table", "ALTER TABLE", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/sql-altertable.html"),
	src("pg-reindex", "REINDEX", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/sql-reindex.html"),
	src("pg-basebackup", "pg_basebackup", "PostgreSQL Global Development Group", "13–18", "2026",
		"https://www.postgresql.org/docs/current/app-pgbasebackup.html"),
	src("pg-download-debian", "Linux downloads (Debian)", "PostgreSQL Global Development Group", "", "2026",
		"https://www.postgresql.org/download/linux/debian/"),
	src("pg-download-redhat", "Linux downloads (Red Hat family)", "PostgreSQL Global Development Group", "", "2026",
		"https://www.postgresql.org/download/linux/redhat/"),
	src("pg-download-suse", "Linux downloads (SUSE)", "PostgreSQL Global Development Group", "", "2026",
		"https://www.postgresql.org/download/linux/suse/"),
	src("pgdg-apt", "Apt", "PostgreSQL wiki", "", "2026",
		"https://wiki.postgresql.org/wiki/Apt"),
	src("pgdg-rpm", "postgresql-17.service, postgresql-17-setup, and README.rpm-dist of the RPM packages",
		"PostgreSQL Global Development Group", "17", "2025",
		"https://yum.postgresql.org/"),
	src("pg-createcluster", "pg_createcluster(1)", "postgresql-common", "248", "2026",
		"https://manpages.debian.org/bookworm/postgresql-common/pg_createcluster.1.en.html"),
	src("suse-readme", "postgresql-README.SUSE", "openSUSE", "", "2025",
		"https://build.opensuse.org/projects/openSUSE:Factory/packages/postgresql/files/postgresql-README.SUSE"),
	src("redhat-databases-10", "Discover the packaging of parallel database streams on RHEL 10", "Red Hat", "10",
		"2025-03",
		"https://developers.redhat.com/articles/2025/03/11/discover-packaging-parallel-database-streams-rhel-10"),
	src("locale-gen", "locale-gen(8)", "Debian", "12", "2026",
		"https://manpages.debian.org/bookworm/locales/locale-gen.8.en.html"),
	src("systemd-unit", "systemd.unit(5), drop-ins and RequiresMountsFor=", "systemd", "252–257", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html"),
	src("firewalld-rich", "firewalld.richlanguage(5)", "firewalld", "", "2025",
		"https://firewalld.org/documentation/man-pages/firewalld.richlanguage.html"),
	src("nft-man", "nft(8)", "The netfilter project", "1", "2025",
		"https://www.netfilter.org/projects/nftables/manpage.html"),
	src("ufw-man", "ufw(8)", "Ubuntu", "0.36", "2025",
		"https://manpages.ubuntu.com/manpages/noble/en/man8/ufw.8.html"),
	src("swapon-man", "swapon(8)", "util-linux", "", "2025",
		"https://man7.org/linux/man-pages/man8/swapon.8.html"),
	src("linux-md", "Documentation/admin-guide/md.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/md.html"),
	src("linux-sched", "kernel/sched/fair.c, autogroup.c and debug.c", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/kernel/sched"),
	src("linux-xfs", "Documentation/admin-guide/xfs.rst", "The Linux kernel", "4.19–6.18", "2026",
		"https://docs.kernel.org/admin-guide/xfs.html"),
	src("linux-cpufreq", "Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst", "The Linux kernel",
		"4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/pm/cpufreq.html"),
	src("man-fanotify", "fanotify(7)", "Linux man-pages", "6", "2026",
		"https://man7.org/linux/man-pages/man7/fanotify.7.html"),
	src("man-adjtimex", "adjtimex(2)", "Linux man-pages", "6", "2026",
		"https://man7.org/linux/man-pages/man2/adjtimex.2.html"),
	src("chrony-conf", "chrony.conf(5)", "The chrony project", "4", "2026",
		"https://chrony-project.org/doc/latest/chrony.conf.html"),
	src("linux-proc", "Documentation/filesystems/proc.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/filesystems/proc.html"),
	src("linux-vfs", "fs/inode.c and fs/namespace.c", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/fs"),
	src("procps-sysctl", "sysctl(8) and sysctl.d(5)", "procps-ng and systemd", "", "2025",
		"https://man7.org/linux/man-pages/man8/sysctl.8.html"),
	src("procps-free", "free(1)", "procps-ng", "3.3.10+", "2025",
		"https://man7.org/linux/man-pages/man1/free.1.html"),
	src("crontab-man", "crontab(5)", "cron", "", "2025",
		"https://man7.org/linux/man-pages/man5/crontab.5.html"),
	own("rotation-arithmetic", "Arithmetic of rotation speeds and line codes",
		"https://github.com/pgfettle/pgfettle/blob/main/docs/pages/sata-line-rate.md"),
	src("thebuild-work-mem", "A formula for work_mem", "thebuild.com", "", "2023-03",
		"https://thebuild.com/blog/"),
	src("thebuild-preempt", "Kernels without PREEMPT_NONE", "thebuild.com", "", "2026-04",
		"https://thebuild.com/blog/"),
	src("article-1c", "Configuring PostgreSQL for 1C:Enterprise", "an author's article", "", "2016",
		"https://github.com/pgfettle/pgfettle/blob/main/docs/coverage.md"),
	src("linux-timekeeping", "Documentation/timers/timekeeping.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/timers/timekeeping.html"),
	src("linux-vmstat", "mm/vmstat.c", "The Linux kernel", "4.18–6.18", "2026",
		"https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/mm/vmstat.c"),
	src("linux-kernel-sysctl", "Documentation/admin-guide/sysctl/kernel.rst", "The Linux kernel", "4.18–6.18", "2026",
		"https://docs.kernel.org/admin-guide/sysctl/kernel.html"),
	src("linux-net-sysctl", "Documentation/admin-guide/sysctl/net.rst and networking/ip-sysctl.rst", "The Linux kernel",
		"4.18–6.18", "2026",
		"https://docs.kernel.org/networking/ip-sysctl.html"),
	src("systemd-sysctl", "sysctl.d(5) and systemd-sysctl.service(8)", "systemd", "252–257", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/sysctl.d.html"),
	src("systemd-logind", "logind.conf(5), RemoveIPC=", "systemd", "212+", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/logind.conf.html#RemoveIPC="),
	src("systemd-oomd", "systemd-oomd.service(8) and systemd.resource-control(5)", "systemd", "247+", "2025",
		"https://www.freedesktop.org/software/systemd/man/latest/systemd-oomd.service.html"),
	src("dalibo-j1", "Module J1: tuning the system and the instance", "Dalibo", "24.12", "2024-12",
		"https://public.dalibo.com/exports/formation/manuels/modules/j1/j1.handout.html"),
	src("blog-page-tables", "Page tables and the TLB", string(unnamed), "", "2018",
		"https://github.com/pgfettle/pgfettle/blob/main/docs/coverage.md"),
	src("percona-huge-pages", "Huge pages for PostgreSQL", "Percona", "", "2022",
		"https://www.percona.com/blog/"+
			"why-linux-hugepages-are-super-important-for-database-servers-a-case-with-postgresql/"),
	src("its-1c", "Configuring PostgreSQL for 1C:Enterprise (ITS 5866)", "1C", "", "2026",
		"https://its.1c.ru/db/metod8dev/content/5866/hdoc"),
	src("postgrespro-1c", "Configuration for 1C", "Postgres Pro", "12–18", "2025",
		"https://postgrespro.ru/docs/postgrespro/current/config-one-c"),
	src("onec-techlog", "Technological journal of a connection of 1C to PostgreSQL 18.1-2.1C (dbpostgrs_sample.log)",
		"1c-optimyzer", "8.3", "2026-05",
		"https://github.com/Borisskin/1c-optimyzer/blob/main/tools/sprint8_discovery/pg_tj_samples/"+
			"dbpostgrs_sample.log"),
	src("infostart-2175030", "How the 1C server changes parameters of PostgreSQL", "Infostart", "8.3.23, 15.6",
		"2024-08", "https://infostart.ru/1c/articles/2175030/"),
	src("pgtune", "src/features/configuration/configurationSlice.js", "pgtune", "", "2026-07",
		"https://github.com/le0pard/pgtune"),
	src("tuned-main", "tuned-main.conf(5) and tuned.conf(5)", "TuneD", "2", "2026",
		"https://tuned-project.org/"),
	src("tuned-postgresql", "tuned profile postgresql", "TuneD", "", "2026",
		"https://github.com/redhat-performance/tuned/blob/master/profiles/postgresql/tuned.conf"),
	own("pgfettle-policy", "The policy file: what a site has decided for itself",
		"https://github.com/pgfettle/pgfettle/blob/main/docs/policy.md"),
	own("pgfettle-measured", "Measured by this project on PostgreSQL 13–18 and kernel 6.18",
		"https://github.com/pgfettle/pgfettle/blob/main/docs/benchmarks.md"),
)

func index(list ...Source) map[string]Source {
	m := make(map[string]Source, len(list))
	for _, s := range list {
		m[s.ID] = s
	}
	return m
}
