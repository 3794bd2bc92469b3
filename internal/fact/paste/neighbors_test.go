package paste

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
)

// TestNeighbors holds facts of the programs that stand beside PostgreSQL in a paste, each in
// more than one form.
func TestNeighbors(t *testing.T) {
	controldata := "pg_control version number:            1300\nCatalog version number:               202209061\n" +
		"Database cluster state:               in production\n"
	escaped := strings.ReplaceAll(controldata, "\n", `\n`)
	for _, c := range []struct {
		name, text, fact, of string
		want                 any
	}{
		{"docker stats", "CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %   NET I/O   BLOCK I/O   PIDS\n" +
			"b19e77aa0c52   db     1.5%    1.5GiB / 4GiB       37.5%   1MB / 2MB   3MB / 4MB   19\n",
			"container.memory",
			"db", int64(3 * amount.GB / 2)},
		{"podman stats", "ID            NAME  CPU %  MEM USAGE / LIMIT  MEM %  NET IO  BLOCK IO  PIDS\n" +
			"0123456789ab  pg    0.10%  45.5MB / 2GB       2.2%   -- / --  -- / --   7\n", "container.memory_limit",
			"pg",
			int64(2e9)},
		{"docker stats --format", "NAME   MEM USAGE / LIMIT\ndb   10MiB / 1GiB\n", "container.memory", "db",
			int64(10 * amount.MB)},
		{"kubectl top pod", "NAME    CPU(cores)   MEMORY(bytes)\npg-0    250m         512Mi\n", "container.memory",
			"pg-0",
			int64(512 * amount.MB)},
		{"kubectl top node", "NAME  CPU(cores)  CPU%  MEMORY(bytes)  MEMORY%\nw1    2  12%  4096Mi  50%\n",
			"node.memory", "w1", int64(4 * amount.GB)},
		{"node", "Capacity:\n  cpu:  4\n  memory:  1024Ki\nAllocatable:\n  cpu:  3800m\n", "cpu.logical", "", int64(4)},
		{"node, YAML", "capacity:\n  cpu: \"4\"\n  memory: 2048Ki\n", "memory.total", "", int64(2 * amount.MB)},
		{"pod", "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n",
			"container.ended",
			"", "OOMKilled"},
		{"pod, limits", "    Limits:\n      cpu:     500m\n      memory:  8Gi\n", "container.memory_limit", "",
			int64(8 * amount.GB)},
		{"pg_lsclusters", "Ver Cluster Port Status Owner    Data directory Log file\n" +
			"16  main    5433 down   postgres /d /l\n", "cluster.status", "16/main", "down"},
		{"pg_lsclusters -h", "# pg_lsclusters -h\n9.6 main 5432 online,recovery postgres /d /l\n", "cluster.status",
			"9.6/main",
			"online,recovery"},
		{"du -sh", "$ du -sh /pg/*\n1.5G\t/pg/pg_wal\n", "path.size", "/pg/pg_wal", int64(3 * amount.GB / 2)},
		{"du", "$ du -s pg_wal\n2048\tpg_wal\n", "path.size", "pg_wal", int64(2 * amount.MB)},
		{"du -b", "$ du -sb pg_wal\n2048\tpg_wal\n", "path.size", "pg_wal", int64(2048)},
		{"dd", "1+0 records in\n1+0 records out\n8192 bytes (8.2 kB, 8.0 KiB) copied, 0.5 s, 16.4 kB/s\n", "dd.rate",
			"",
			int64(16400)},
		{"dd, German", "8192 Bytes (8,2 kB, 8,0 KiB) kopiert, 0,5 s, 16,4 kB/s\n", "dd.rate", "", int64(16400)},
		{"dd, old", "8192 bytes (8.2 kB) copied, 2 seconds, 4.1 kB/s\n", "dd.time", "", 2.0},
		{"sar -u", "12:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n" +
			"12:10:01 AM     all      1.00      0.00      1.00      7.50      0.00     90.50\n" +
			"12:20:01 AM     all      1.00      0.00      1.00      2.50      0.00     95.50\n" +
			"Average:        all      1.00      0.00      1.00      5.00      0.00     93.00\n", "cpu.iowait.max", "",
			7.5},
		{"sar -r", "00:00:01    kbmemfree kbmemused  %memused kbbuffers  kbcached\n" +
			"00:10:01         1000      2000     66,67        10        20\n", "memory.free", "",
			int64(1000 * amount.KB)},
		{"sar -d", "00:00:01          DEV       tps     rkB/s     wkB/s     await     %util\n" +
			"00:10:01          sda     10.00      1.00      2.00      4.00     50.00\n" +
			"00:20:01          sda     10.00      1.00      2.00      9.00     80.00\n", "device.util.max", "sda",
			80.0},
		{"mpstat",
			"10:00:00     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n" +
				"10:00:05     all    1.00    0.00    1.00    3.00    0.00    0.00    0.00    0.00    0.00   95.00\n",
			"cpu.idle.min", "", 95.0},
		{"zfs get", "NAME  PROPERTY    VALUE  SOURCE\nt/pg  recordsize  16K    local\n", "zfs.recordsize", "t/pg",
			"16K"},
		{"zpool list", "NAME  SIZE  ALLOC  FREE  CKPOINT  EXPANDSZ  FRAG  CAP  DEDUP  HEALTH  ALTROOT\n" +
			"tank  4T  1T  3T  -  -  1%  25%  1.00x  DEGRADED  -\n", "pool.health", "tank", "DEGRADED"},
		{"smem", "  PID User     Command   Swap  USS   PSS   RSS\n  12 postgres postgres: walwriter 0 10 20 30\n",
			"process.proportional", "12", int64(20 * amount.KB)},
		{"pmap -x", "$ pmap -x 77 | tail -1\ntotal kB 100 50 20\n", "process.resident", "77", int64(50 * amount.KB)},
		{"ipcs -l", "------ Shared Memory Limits --------\nmax seg size (kbytes) = 1024\n", "ipc.limit", "max_seg_size",
			int64(amount.MB)},
		{"ipcs -m", "------ Shared Memory Segments --------\nkey shmid owner perms bytes nattch status\n" +
			"0x0052e2c1 32769 postgres 600 56 6\n", "ipc.segment", "32769", int64(56)},
		{"limits.conf", "postgres soft nofile 65536\n", "limits.conf", "postgres soft nofile", "65536"},
		{"grub", "GRUB_CMDLINE_LINUX=\"quiet transparent_hugepage=never\"\n", "boot.option", "transparent_hugepage",
			"never"},
		{"zsh", "-n: file descriptors                1024\n-l: locked-in-memory size (kbytes)  64\n", "limit",
			"max_locked_memory", int64(64 * amount.KB)},
		{"dash", "$ ulimit -a\nnofiles(descriptors)  1024\nlocked memory(kbytes)  64\n", "limit", "open_files",
			int64(1024)},
		{"prlimit", "RESOURCE DESCRIPTION SOFT HARD UNITS\nNOFILE   max number of open files  1024 2048 files\n",
			"limit",
			"open_files", int64(1024)},
		{"systemctl show", "$ systemctl show pg -p MemoryMax\nMemoryMax=1024\nMainPID=7\n", "unit.main_pid", "",
			int64(7)},
		{"mdstat", "md0 : active raid1 sdb1[1]\n      1024 blocks super 1.2 [2/1] [_U]\n", "raid.disks", "md0", "_U"},
		{"vgs", "  VG   #PV #LV #SN Attr   VSize VFree\n  data   1   2   0 wz--n- <2.00t 1.00g\n", "group.free", "data",
			int64(amount.GB)},
		{"lvs", "  LV   VG   Attr       LSize\n  pg data -wi-ao---- 3.00g\n", "volume.size", "data/pg",
			int64(3 * amount.GB)},
		{"patronictl list", "+ Cluster: c (7291002213345566771) --+----+\n| Member | Host | Role | State | TL | Lag " +
			"in MB |\n+---+---+---+---+---+---+\n| a | h | Replica | running | 2 | 3 |\n+---+---+---+---+---+---+\n",
			"member.lag", "a",
			int64(3 * amount.MB)},
		{"patronictl list, old", "+---+---+---+---+---+---+---+\n| Cluster | Member | Host | Role | State | TL | Lag " +
			"in MB |\n+---+---+---+---+---+---+---+\n|  c  | a | h | Leader | running | 2 | |\n" +
			"|  c  | b | h | | start failed | | unknown |\n+---+---+---+---+---+---+---+\n",
			"member.state", "b", "start failed"},
		{"pressure", "$ cat /proc/pressure/io\nsome avg10=1.00 avg60=2.00 avg300=3.00 total=4\n", "pressure.avg60",
			"io some",
			2.0},
		{"vmstat counters", "$ grep oom /proc/vmstat\noom_kill 3\n", "oom.kills", "", int64(3)},
		{"a pool", "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages:7\n", "huge_pages.pool", "2048 kB",
			int64(7)},
		{"a pool's file", "$ cat /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages\n7\n", "huge_pages.pool",
			"2048 kB", int64(7)},
		{"JSON of a log", `{"level":"info","logger":"pg_controldata","msg":"` + escaped + `"}` + "\n",
			"control.version", "",
			int64(1300)},
		{"JSON behind a name", `postgres {"message":"` + escaped + `"}` + "\n", "control.state", "", "in production"},
		{"in Patroni's log", "2025-02-11 04:22:18,902 INFO: pg_controldata:\n  " +
			strings.ReplaceAll(controldata, "\n", "\n  ") + "\n", "server.major", "", "15"},
		{"unit in a journal", "Aug 14 10:49:51 h systemd[1]: pg.service: Consumed 1h CPU time, 7.5G memory peak.\n",
			"unit.memory_peak", "pg.service", int64(15 * amount.GB / 2)},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); !ok || f.Value != c.want {
			t.Errorf("%s: %s %s is %v (%T), want %v", c.name, c.fact, c.of, f.Value, f.Value, c.want)
		}
	}
}

// TestDress holds known outputs in what mail programs, runners of jobs, shells and people put around them.
func TestDress(t *testing.T) {
	free := "              total  used  free  shared  buff/cache  available\nMem:  1000  10  20  0  970  900\n"
	stamp := func(before string) string {
		return "" + before + strings.ReplaceAll(strings.TrimRight(free, "\n"), "\n", "\n"+before) + "\n" + before +
			"x\n"
	}
	for _, c := range []struct {
		name, text, fact, of string
		want                 any
	}{
		{"folded by a mail program", "   name   | current_setting |\n  " +
			"source\n----------+-----------------+-----\n---------\n work_mem | 64MB            |\nuser\n(1 row)\n",
			"setting", "work_mem", int64(64 * amount.MB)},
		{"folded within a row", "   name   | setting |\nunit\n----------+---------+\n------\n work_mem | 64\n      | " +
			"MB\n",
			"setting", "work_mem", int64(64 * amount.MB)},
		{"runner of jobs", stamp("2025-09-02T10:14:55.1203341Z "), "memory.total", "", int64(1000 * amount.MB)},
		{"container's log", stamp("2025-09-02T10:14:55.120334112Z stdout F "), "memory.total", "",
			int64(1000 * amount.MB)},
		{"pipeline", stamp("[2025-09-02T10:14:55.120Z] "), "memory.total", "", int64(1000 * amount.MB)},
		{"a diff", "--- a/postgresql.conf\n+++ b/postgresql.conf\n@@ -1,2 +1,2 @@\n fsync = on\n-work_mem = " +
			"1MB\n+work_mem = 2MB\n",
			"setting", "work_mem", int64(2 * amount.MB)},
		{"a prompt of a name", "pg1$ nproc\n6\n", "cpu.logical", "", int64(6)},
		{"a prompt =$", "=$ nproc\n6\n", "cpu.logical", "", int64(6)},
		{"pgcli", "a@h:d> show work_mem\n+----------+\n| work_mem |\n|----------|\n| 4MB      " +
			"|\n+----------+\nSHOW\nTime: 0.01s\n",
			"setting", "work_mem", int64(4 * amount.MB)},
		{"a prompt with the user", "[local] a@d=# show work_mem;\n work_mem \n----------\n 4MB\n(1 row)\n", "setting",
			"work_mem", int64(4 * amount.MB)},
		{"current_setting", "d=> select current_setting('work_mem');\n current_setting \n-----------------\n 8MB\n(1 " +
			"row)\n",
			"setting", "work_mem", int64(8 * amount.MB)},
		{"banner of psql", "psql (16.4, server 14.9)\n", "server.version", "", "14.9"},
		{"banner of one version", "psql (16.4 (Debian 16.4-1))\n", "server.version", "", "16.4"},
		{"version on Windows", "\"PostgreSQL 14.9, compiled by Visual C++ build 1936, 64-bit\"\n", "server.version", "",
			"14.9"},
		{"version, folded", "PostgreSQL 12.17 on x86_64-pc-linux-gnu, compiled by gcc (GCC) 8.5.0\n20210514 (Red " +
			"Hat), 64-bit\n",
			"server.version", "", "12.17"},
		{"field", "- PostgreSQL version: 16.3 (Docker)\n", "server.version", "", "16.3"},
		{"field of the kernel", "**Kernel:** 6.1.0-21-amd64\n", "kernel.release", "", "6.1.0-21-amd64"},
		{"uname in a field", "Linux kernel (server): Linux h 5.4.0-164-generic #181-Ubuntu SMP x x86_64 GNU/Linux\n",
			"kernel.release", "", "5.4.0-164-generic"},
		{"login", "Welcome to Ubuntu 22.04.3 LTS (GNU/Linux 5.15.0-91-generic x86_64)\n", "os.name", "",
			"Ubuntu 22.04.3 LTS"},
		{"list", "* `work_mem = 32MB`\n* fsync = on\n", "setting", "work_mem", int64(32 * amount.MB)},
		{"compose, a list", "    command:\n      - postgres\n      - -c\n      - \"work_mem=32MB\"\n", "setting",
			"work_mem",
			int64(32 * amount.MB)},
		{"compose, one line", "    command: postgres -c work_mem=32MB -c fsync=on\n", "setting", "work_mem",
			int64(32 * amount.MB)},
		{"docker run", "$ docker run -d postgres:16 -c work_mem=32MB -c fsync=on\n", "setting", "work_mem",
			int64(32 * amount.MB)},
		{"playbook", "  - { option: \"work_mem\", value: \"32MB\" }\n", "setting", "work_mem", int64(32 * amount.MB)},
		{"YAML of a cloud", "  - name: work_mem\n    value: '1024'\n", "setting", "work_mem", int64(amount.MB)},
		{"JSON of a cloud", "    \"ParameterName\": \"work_mem\",\n    \"ParameterValue\": \"1024\",\n", "setting",
			"work_mem",
			int64(amount.MB)},
		{"Terraform", "  parameter {\n    name  = \"work_mem\"\n    value = \"1024\"\n  }\n", "setting", "work_mem",
			int64(amount.MB)},
		{"several -c", "$ psql -At -c 'show work_mem' -c \"show fsync\"\n4MB\non\n", "setting", "fsync", "on"},
		{"a loop", "$ while true; do free -m; done\n" + free + free, "memory.total", "", int64(1000 * amount.MB)},
		{"lsblk -f", "NAME   FSTYPE LABEL UUID                                 MOUNTPOINT\nsda\n" +
			"└─sda1 xfs          3b0c5ab2-71d5-4d3b-9f5f-1d7f5a0b9c11 /\n", "disk.filesystem", "sda1", "xfs"},
		{"Cyrillic units", "top - 11:42:07 up 1 day,  1:13,  3 users,  load average: 1,0, 1,0, 1,0\n" +
			"МиБ Mem :   1000,0 total,    500,0 free,    100,0 used,    400,0 buff/cache\n", "memory.total", "",
			int64(1000 * amount.MB)},
		{"broken head of iostat", "Device            r/s     rkB/s     w/s     wkB\n/s  %util\nsda 1.00 2.00 3.00 " +
			"4.\n00 50.00\n",
			"device.util", "sda", 50.0},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); !ok || f.Value != c.want {
			t.Errorf("%s: %s %s is %v (%T), want %v", c.name, c.fact, c.of, f.Value, f.Value, c.want)
		}
	}
}

// TestNotNeighbors holds what looks alike and is something else.
func TestNotNeighbors(t *testing.T) {
	for _, c := range []struct{ name, text, fact, of string }{
		{"limits of ipcs are none of a shell", "max seg size (kbytes) = 1048576\n", "limit", ""},
		{"a formula", "    \"ParameterName\": \"shared_buffers\",\n    \"ParameterValue\": " +
			"\"{DBInstanceClassMemory/32768}\",\n",
			"setting", ""},
		{"a template", "  - { option: \"work_mem\", value: \"{{ ram }}MB\" }\n", "setting", ""},
		{"what a diff takes out", "@@ -1 +0,0 @@\n-work_mem = 1MB\n", "setting", ""},
		{"percent and a word", "it is 95% free\n", "memory.total", ""},
		{"memory in prose", "- RAM: 32 GB\n", "memory.total", ""},
		{"a container is no host", "CONTAINER ID NAME CPU % MEM USAGE / LIMIT MEM %\n" +
			"b19e77aa0c52 db 1.5% 1.5GiB / 4GiB 37.5%\n", "memory.total", ""},
		{"an option of another program", "app -c work_mem_x=1 --jobs=4\n", "setting", ""},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); ok {
			t.Errorf("%s: %s %s is told: %v", c.name, f.Name, f.Of, f.Value)
		}
	}
}
