package checks

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// takenAt is 2026-11-21 00:00 UTC.
const takenAt = 1795219200

// wellKept is a host and an instance without findings: 64 GB in two nodes, 16 CPUs, PostgreSQL 17.12 with 16 GB of
// shared buffers in huge pages, data on a local NVMe disk. Cases change it.
func wellKept() *snapshot.Snapshot {
	none := known.Gap{Fact: "(not in this case)", Reason: "absent"}
	h := host.Host{
		Memory: known.Is(host.Memory{
			Total: 64 * unit.GB, Free: 30 * unit.GB, Available: 40 * unit.GB, Cached: 10 * unit.GB,
			AnonPages:  4 * unit.GB,
			PageTables: 60 * unit.MB, SwapTotal: 2 * unit.GB, SwapFree: 2 * unit.GB, CommitLimit: 26 * unit.GB,
			CommittedAS: 5 * unit.GB,
			HugeTotal:   8400, HugeFree: 200, HugeRsvd: 200, HugePageSize: 2 * unit.MB,
			Lines: map[string]unit.Bytes{"Hugetlb": 8400 * 2 * unit.MB, "AnonHugePages": 0},
		}),
		Swaps: known.Is([]host.Swap{{Path: "/swapfile", Kind: host.SwapFile, Size: 2 * unit.GB, Priority: -2}}),
		CPU:   known.Is(host.CPU{Logical: 16, Cores: 16, Sockets: 2}),
		Nodes: known.Is([]host.Node{{ID: 0, Total: 32 * unit.GB}, {ID: 1, Total: 32 * unit.GB}}),
		Sysctls: host.Sysctls{
			"vm.swappiness": known.Is("10"), "vm.zone_reclaim_mode": known.Is("0"),
			"vm.dirty_writeback_centisecs": known.Is("500"), "vm.min_free_kbytes": known.Is("90112"),
			"net.core.somaxconn": known.Is("4096"),
			"vm.panic_on_oom":    known.Is("0"), "vm.oom_kill_allocating_task": known.Is("0"),
			"vm.oom_dump_tasks":        known.Is("1"),
			"kernel.io_uring_disabled": known.Is("0"),
			"vm.overcommit_memory":     known.Is("0"), "vm.overcommit_ratio": known.Is("50"),
			"vm.overcommit_kbytes":    known.Is("0"),
			"vm.admin_reserve_kbytes": known.Is("8192"), "vm.user_reserve_kbytes": known.Is("131072"),
			"vm.dirty_bytes": known.Is("1073741824"), "vm.dirty_ratio": known.Is("0"),
			"vm.dirty_background_bytes": known.Is("268435456"), "vm.dirty_background_ratio": known.Is("0"),
		},
		SysctlConf: known.Is([]host.SysctlSet{{Name: "vm.swappiness", Value: "10",
			File: "/etc/sysctl.d/60-postgresql.conf", Line: 1, Read: true}}),
		Cron: known.Is([]host.CronLine{{File: "/etc/crontab", Line: 3, User: "root",
			Rest: "sysctl -p /etc/sysctl.d/60-postgresql.conf"}}),
		Init:      known.Is(host.Init{Comm: "systemd", Systemd: true}),
		OS:        known.Is(host.OS{ID: "debian", Version: "12"}),
		Logind:    known.Is(host.Logind{}),
		SysUIDMax: known.Is(999),
		Clock:     known.Is(host.Clock{Current: "tsc", Available: []string{"tsc", "hpet"}}),
		Tuned:     known.Is(""),
		Tuning:    known.None[host.Tuning](none),
		Programs:  known.Is([]host.Program{}),
		ClockKept: known.Is(true),
		CPUFreq:   known.Is(host.CPUFreq{Driver: "intel_pstate", Governor: "performance", Preference: "performance"}),
		THP:       host.THP{Enabled: known.Is("madvise"), ShmemEnabled: known.Is("never")},
		HugePages: known.Is([]host.Pool{
			{Size: 2 * unit.MB, Total: 8400, Free: 200, Reserved: 200},
			{Size: unit.GB},
		}),
		Mounts: known.Is([]host.Mount{
			{Point: "/", Device: "259:1", Root: "/", FSType: "ext4", Source: "/dev/nvme0n1p1",
				Options: []string{"rw", "relatime"}},
			{Point: "/srv", Device: "259:2", Root: "/", FSType: "ext4", Source: "/dev/nvme0n1p2",
				Options: []string{"rw", "noatime"}},
		}),
		Blocks: known.Is([]host.Block{
			{Device: "259:2", Name: "nvme0n1p2", Kind: "partition", Below: []string{"nvme0n1"}},
			{Device: "259:0", Name: "nvme0n1", Kind: "disk", ReadAhead: known.Is(128 * unit.KB),
				WriteCache: known.Is("write back"), Scheduler: known.Is("none"), Rotational: known.Is(false)},
		}),
		Spaces: known.Is([]host.Space{{Path: "/srv/pg/data/pg_wal", Total: 500 * unit.GB, Free: 300 * unit.GB,
			Files: 32_000_000, FFree: 31_000_000}}),
		Mapped:   known.None[[]host.Mapped](none),
		Exts:     known.Is([]host.Ext{{Device: "259:2", Features: []string{"has_journal", "dir_index"}}}),
		Datasets: known.None[[]host.Dataset](none), FileFlags: known.None[[]host.FileFlags](none),
		ERCs:     known.None[[]host.ERC](none),
		Virt:     known.Is(host.Virt{Kind: "none"}),
		Pressure: host.Pressure{Memory: known.Is(host.PSI{})},
		CPUTime:  known.Is(host.CPUTime{BootTime: takenAt - 30*86400}),
		VMStat:   known.Is(host.VMStat{"oom_kill": 0}),
		PageSize: known.Is(4 * unit.KB),
	}
	process := func(pid int, kind string, adj int) host.Process {
		return host.Process{PID: pid, Parent: 100, Name: "postgres", Kind: kind, PageTables: 300 * unit.KB,
			Huge: 50 * unit.MB, OOMScoreAdj: known.Is(adj)}
	}
	in := snapshot.Instance{
		Key: "1", DataDirectory: known.Is("/srv/pg/data"), Port: known.Is(5432), Running: known.Is(true),
		Processes: known.Is([]host.Process{process(100, "postmaster", -900), process(101, "checkpointer", 0),
			process(102, "backend", 0)}),
		CGroup: known.Is(host.CGroup{
			Path: "/system.slice/postgresql.service", Version: 2, Hugetlb: map[int64]known.Fact[unit.Bytes]{},
			LimitedBy: map[string]string{},
			Memory:    known.None[unit.Bytes](none), CPUs: known.None[float64](none), CPUSet: known.None[int](none),
			HugeCounts: known.Is(false), OOMGroup: known.Is(false), OOMKills: known.Is(int64(0)),
		}),
		Placement: known.Is(host.Placement{CPUs: "0-15", Mems: "0-1"}),
		Unit: known.Is(host.Unit{Name: "postgresql.service", OOMPolicy: "continue",
			Properties: map[string]string{"TimeoutStopUSec": "1h"}}),
		Limits: known.Is(host.Limits{NoFile: 65536, NProc: -1, MemLock: 8 << 20, Stack: 8 << 20, AS: -1, Core: 0}),
		Places: known.Is([]snapshot.Place{
			{Role: snapshot.DataPlace, Path: "/srv/pg/data", Device: "259:2"},
			{Role: snapshot.WALPlace, Path: "/srv/pg/data/pg_wal", Device: "259:2"},
		}),
		Package:  known.None[host.Package](none),
		Segment:  known.Is(host.Segment{StartedAt: takenAt - 7*86400, CreatedAt: takenAt - 7*86400}),
		Manager:  known.Is(""),
		StatsDir: known.Is("/srv/pg/data/pg_stat"),
	}
	week := int64(7 * 86400)
	in.Server = pg.Server{
		Version: known.Is(unit.Version(170012)),
		Access: known.Is(pg.Access{Role: "postgres", Database: "app", Superuser: true, StartedAt: takenAt - week,
			Now: takenAt}),
		Settings:     known.Is(wellSet()),
		FileSettings: known.Is([]pg.FileSetting{}),
		Databases: known.Is([]pg.Database{{Name: "app", XIDAge: 120_000_000, MXIDAge: 1_000_000, TempFiles: 40,
			TempBytes: 2 * unit.GB, StatsReset: takenAt - week}}),
		SharedFails:  known.Is(int64(0)),
		RoleSettings: known.Is([]pg.RoleSetting{}),
		Activity: known.Is(pg.Activity{States: map[string]pg.StateCount{"active": {Count: 6, Oldest: 1},
			"idle": {Count: 30, Oldest: 200}}, Clients: 36}),
		Checkpoints: known.Is(pg.Checkpoints{Timed: 600, Requested: 20, Done: known.None[int64](none),
			StatsReset: takenAt - week, Secs: float64(week)}),
		WAL:         known.Is(pg.WAL{Bytes: 200 * unit.GB, StatsReset: takenAt - week, Secs: float64(week)}),
		Archiver:    known.Is(pg.Archiver{Archived: 12000, LastOK: takenAt - 60}),
		Tablespaces: known.Is([]pg.Tablespace{{Name: "pg_default", OID: 1663}, {Name: "pg_global", OID: 1664}}),
		Replicas:    known.Is([]pg.Replica{}),
		Slots:       known.Is([]pg.Slot{}),
		Prepared:    known.Is([]pg.PreparedXact{}),
		WALDir:      known.Is(pg.WALDir{Files: 200, Size: 3 * unit.GB, Ready: known.Is(int64(2))}),
		Deep: pg.Deep{Tables: known.Is([]pg.Table{}), Indexes: known.Is([]pg.Index{}),
			Unanalyzed: known.Is([]pg.Unanalyzed{}), Unused: known.Is([]pg.Index{}),
			Duplicates: known.Is([]pg.Duplicate{}),
			Sequences:  known.Is([]pg.Sequence{}), Catalogs: known.Is([]pg.Catalog{}),
			Visits: known.Is([]pg.Visit{{Database: "app"}})},
		Decoding: known.Is([]pg.Decoding{}),
		OneC:     known.Is(pg.OneC{}),
		Controlled: known.Is([]pg.Controlled{{Name: "max_connections", Value: 200},
			{Name: "max_wal_senders", Value: 10}}),
		IO: known.Is([]pg.IO{{Backend: "client backend", Object: "relation", Context: "normal", Writes: 1_000_000,
			Secs: float64(week)},
			{Backend: "checkpointer", Object: "relation", Context: "normal", Writes: 20_000_000, Secs: float64(week)}}),
		Shmem:      known.None[[]pg.ShmemPart](none),
		Extensions: known.Is([]pg.Extension{{Name: "pg_stat_statements", Version: "1.11", Default: "1.11"}}),
		HBA: known.Is([]pg.HBARule{{Line: 1, Type: "local", Method: "peer", Reach: "socket", AllUsers: true,
			Superusers: true}}),
		Passwords: known.Is([]pg.PasswordKind{{Kind: "scram-sha-256", Roles: 3, Example: "app"}}),
		Libraries: known.Is([]pg.Library{{Parameter: "shared_preload_libraries", Name: "pg_stat_statements",
			InForce: true, InFiles: true, Installed: known.Is(true)}}),
		Recovery: known.Is(false),
	}
	return &snapshot.Snapshot{Schema: snapshot.Schema, TakenAt: takenAt, HostSeen: true, Root: true, Host: h,
		Instances: []snapshot.Instance{in},
		Measured:  known.None[measured.Probe](none)}
}

// wellSet holds the settings that checks look at: name, value in the base unit, unit.
func wellSet() pg.Settings {
	set := pg.Settings{}
	for _, s := range [][3]string{
		{"server_version_num", "170012"}, {"fsync", "on"}, {"full_page_writes", "on"}, {"synchronous_commit", "on"},
		{"wal_writer_delay", "200", "ms"}, {"wal_sync_method", "fdatasync"},
		{"data_checksums", "on"}, {"zero_damaged_pages", "off"}, {"ignore_checksum_failure", "off"},
		{"autovacuum", "on"}, {"track_counts", "on"}, {"autovacuum_vacuum_threshold", "50"},
		{"autovacuum_vacuum_scale_factor", "0.2"}, {"autovacuum_freeze_max_age", "200000000"},
		{"autovacuum_multixact_freeze_max_age", "400000000"},
		{"autovacuum_max_workers", "3"}, {"autovacuum_work_mem", "262144", "kB"},
		{"maintenance_work_mem", "1048576", "kB"},
		{"idle_in_transaction_session_timeout", "600000", "ms"},
		{"checkpoint_timeout", "900", "s"}, {"checkpoint_completion_target", "0.9"}, {"wal_keep_size", "0", "MB"},
		{"random_page_cost", "1.1"}, {"seq_page_cost", "1"}, {"temp_tablespaces", ""}, {"max_wal_size", "16384", "MB"},
		{"wal_compression", "off"}, {"synchronous_standby_names", ""}, {"wal_segment_size", "16777216", "B"},
		{"archive_mode", "on"}, {"archive_command", "/usr/bin/archive %p"}, {"archive_library", ""},
		{"max_slot_wal_keep_size", "102400", "MB"}, {"logical_decoding_work_mem", "65536", "kB"},
		{"max_connections", "200"}, {"max_wal_senders", "10"}, {"max_files_per_process", "1000"},
		{"superuser_reserved_connections", "3"}, {"reserved_connections", "0"},
		{"max_worker_processes", "16"}, {"max_parallel_workers", "16"}, {"max_parallel_workers_per_gather", "2"},
		{"work_mem", "65536", "kB"}, {"hash_mem_multiplier", "2"}, {"temp_buffers", "1024", "8kB"},
		{"shared_buffers", "2097152", "8kB"}, {"shared_memory_size", "16800", "MB"},
		{"shared_memory_size_in_huge_pages", "8400"},
		{"huge_pages", "on"}, {"huge_pages_status", "on"}, {"huge_page_size", "0", "kB"},
		{"shared_preload_libraries", "pg_stat_statements"},
	} {
		set[s[0]] = pg.Setting{Name: s[0], Value: s[1], Unit: s[2]}
	}
	return set
}
