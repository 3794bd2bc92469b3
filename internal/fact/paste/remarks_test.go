package paste

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

const freeOut = "              total        used        free      shared  buff/cache   available\n" +
	"Mem:           7800         400         500           9        6900        7100\n"

// TestRemarks holds values with what their author wrote beside them, and fields and lists in further forms.
func TestRemarks(t *testing.T) {
	for _, c := range []struct {
		name, text, fact, of string
		want                 any
	}{
		{"a remark without a blank", "vm.swappiness = 3   #小さく\nvm.dirty_ratio = 9\n", "sysctl", "vm.swappiness", "3"},
		{"a remark with a blank", "vm.swappiness = 3 # low\nvm.dirty_ratio = 9\n", "sysctl", "vm.swappiness", "3"},
		{"a remark in parentheses", "vm.swappiness = 3 (default is 60)\nvm.dirty_ratio = 9\n", "sysctl",
			"vm.swappiness", "3"},
		{"a report of the Java VM", "OS:NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux v3.10\"\n" +
			"uname:Linux 3.10.0-1062.el7.x86_64 #1 SMP Fri Dec 6 15:49:49 UTC 2019 x86_64\n" +
			"load average:0.03 0.19 0.41\n",
			"os.name", "", "Alpine Linux v3.10"},
		{"its kernel", "OS:NAME=\"Alpine Linux\"\n" +
			"uname:Linux 3.10.0-1062.el7.x86_64 #1 SMP Fri Dec 6 15:49:49 UTC 2019 x86_64\n" +
			"load average:0.03 0.19 0.41\n",
			"kernel.release", "", "3.10.0-1062.el7.x86_64"},
		{"its load", "OS uptime: 0 days 1:45 hours\nload average:0.03 0.19 0.41\n", "load.15", "", 0.41},
		{"a distribution in one breath", "On a RHEL 7 VM with 1CPU, 2GB RAM I see the following:\n", "os.name", "",
			"RHEL 7"},
		{"a value that begins so", "$ sysctl -a\nkernel.version = #42-Ubuntu SMP Tue\nkernel.pid_max = 4194304\n",
			"sysctl", "kernel.version", "#42-Ubuntu SMP Tue"},
		{"a remark in meminfo", "MemTotal:   2048 kB #всего\nMemFree:   1024 kB\n", "memory.total", "",
			int64(2 * amount.MB)},
		{"in TuneD", "# profile of the team\n\n[sysctl]\nvm.swappiness=4  #кратко\n", "sysctl", "vm.swappiness", "4"},
		{"a speed behind the size", "RAM: 48GB 2933MHz\n", "stated.memory", "", int64(48 * amount.GB)},
		{"modules in brackets", "Memory: 48 GB (DDR4 ECC)\n", "stated.memory", "", int64(48 * amount.GB)},
		{"a size in TB", "- RAM: 1.5 TB\n", "stated.memory", "", int64(3 << 39)},
		{"signs of trade", "CPU: AMD Ryzen™ 9 5950X\n", "cpu.model", "", "AMD Ryzen 9 5950X"},
		{"two sockets", "CPU: 2x Intel(R) Xeon(R) Gold 5218 CPU @ 2.30GHz\n", "cpu.model", "",
			"Intel(R) Xeon(R) Gold 5218 CPU @ 2.30GHz"},
		{"bytes in backquotes", "- Memory bytes: `8349265920`\n- Online CPUs: `6`\n", "stated.memory", "",
			int64(8349265920)},
		{"a count in backquotes", "- Memory bytes: `8349265920`\n- Online CPUs: `6`\n", "stated.cpus", "", int64(6)},
		{"a host in backquotes", "- Hostname: `pgbox7`\n", "host.name", "", "pgbox7"},
		{"the line above a block", "Postgres 14.9 config:\n\nwork_mem = 8MB\nfsync = on\n", "server.version", "",
			"14.9"},
		{"a version in brackets", "**PostgreSQL (version 13) parameters:**\n", "server.major", "", "13"},
		{"words and points", "Стенд: KVM. Rocky Linux 9.4. XFS. Два диска.\n", "os.name", "", "Rocky Linux 9.4"},
		{"a row of two cells", "| Component | Value |\n|---|---|\n| RAM | 32 GB |\n| PostgreSQL version | 15.6 " +
			"(Debian) |\n",
			"server.version", "", "15.6"},
		{"remarks in cells", "| Parameter | Current | Proposed |\n|---|---|---|\n| work_mem | 4 MB | 64 MB |\n" +
			"| wal_buffers | 8 MB (1024*8kB) | 16 MB |\n| statement_timeout | 0 (off) | 60s |\n| jit | on (default) |" +
			" off |\n",
			"setting", "jit", "on"},
		{"the column of what is", "| Parameter | Default | Current |\n|---|---|---|\n| work_mem | 4MB | 12MB |\n" +
			"| max_connections | 100 | 250 |\n", "setting", "max_connections", int64(250)},
		{"a calculator in one line", "# DB Version: 14 | OS Type: linux | Total Memory (RAM): 8 GB | CPUs num: 2\n\n" +
			"work_mem = 5MB\n", "server.major", "", "14"},
		{"and its machine", "# DB Version: 14 | OS Type: linux | Total Memory (RAM): 8 GB | CPUs num: 2\n\n" +
			"work_mem = 5MB\n", "stated.memory", "", int64(8 * amount.GB)},
		{"ps aux", "postgres  411  0.1  2.0 212345 40960 ?  Ss  09:00  0:01 postgres: walwriter\n",
			"process.virtual", "411",
			int64(212345 * amount.KB)},
		{"ps -o vsz", "$ ps -o pid,vsz,rss,cmd -p 7\n  PID    VSZ   RSS CMD\n    7   2048  1024 postgres: x\n",
			"process.virtual", "7", int64(2 * amount.MB)},
		{"a login shell", "postgres   53   52  0 00:22 pts/0    00:00:00 -su\n" +
			"postgres   54    1  0 00:22 ?    00:00:00 postgres: writer\n", "process.command", "53", "-su"},
		{"shares of vmstat", "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n" +
			" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" +
			" 1  0      0   1000     10    100    0    0     1     1    1    1  7  1 92  0  0\n" +
			" 2  0      0   1000     10    100    0    0     1     1    1    1 41  3 56  0  0\n", "cpu.user.max",
			"", 41.0},
		{"a node", "Capacity:\n  cpu:  16\n  memory:  2048Ki\nAllocatable:\n  cpu:  15\n  memory:  1024Ki\n",
			"node.allocatable.cpu", "", int64(15)},
		{"peak of a unit", "× pg.service - PG\n     Loaded: loaded (/x; enabled)\n     Active: failed (Result: " +
			"exit-code)\n" +
			"   Mem peak: 96M\n", "unit.memory_peak", "", int64(96 * amount.MB)},
		{"a unit that ended", "× pg.service - PG\n     Loaded: loaded (/x; enabled)\n     Active: failed (Result: " +
			"exit-code)\n" +
			"   Main PID: 9 (code=killed, signal=KILL)\n", "unit.exit", "", "code=killed, signal=KILL"},
		{"the version in a path", "$ ps -ef | grep postgres\npostgres   77      1  0 00:22 ?        00:00:00 " +
			"/usr/pgsql-15/bin/postmaster -D /data\n", "server.major", "", "15"},
		{"of Nix", "● pg.service\n   Loaded: loaded (/x)\n   Active: active (running)\n  Process: 8 " +
			"ExecStart=/nix/store/" +
			"0a1b-postgresql-17.2/bin/postgres (code=exited, status=0/SUCCESS)\n", "server.version", "", "17.2"},
		{"an image that runs", "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n" +
			"0123456789ab   postgres:14.5-alpine   \"x\"   2 days ago   Up 2 days   5432/tcp   db\n",
			"server.version", "",
			"14.5"},
		{"the number of a control file", "pg_control version number:            960\nDatabase cluster state:  shut " +
			"down\n",
			"server.major", "", "9.6"},
		{"of 8.2", "pg_control version number:            822\nCatalog version number:    200611241\n", "server.major",
			"", "8.2"},
		{"clusters of one version", "Ver Cluster Port Status Owner    Data directory Log file\n" +
			"15  main    5432 online postgres /d /l\n15  two     5433 down   postgres /e /l\n", "server.major", "",
			"15"},
		{"THP behind a name", "thp_enabled=[always] madvise never\n", "thp.enabled", "", "always"},
		{"THP with a colon", "Transparent huge pages: always madvise [never]\n", "thp.enabled", "", "never"},
		{"defrag behind a name", "thp_defrag: always defer [defer+madvise] madvise never\n", "thp.defrag", "",
			"defer+madvise"},
		{"names of a script", "page_size=4096\nopen_files_soft=2048\nopen_files_hard=4096\n", "limit", "open_files",
			int64(2048)},
		{"hdparm", "/dev/sdb:\n Timing cached reads:   20000 MB in  2.00 seconds = 10000.00 MB/sec\n" +
			" Timing buffered disk reads: 1500 MB in  3.00 seconds = 500.00 MB/sec\n", "hdparm.disk", "/dev/sdb",
			int64(500 * amount.MB)},
		{"counted lines", "$ grep 'model name' /proc/cpuinfo | wc -l\n12\n", "cpu.logical", "", int64(12)},
		{"a prompt without a blank", "[root@db5]$cat /proc/cpuinfo | grep processor | wc -l\n3\n", "cpu.logical",
			"", int64(3)},
		{"counted sockets", "$ cat /proc/cpuinfo | grep 'physical id' | sort | uniq | wc -l\n2\n", "cpu.sockets", "",
			int64(2)},
		{"a prompt that is a folder", "~/src free -m\n" + freeOut, "memory.total", "", int64(7800 * amount.MB)},
		{"a prompt of macOS", "mini:~ ann$ nproc\n10\n", "cpu.logical", "", int64(10)},
		{"postmaster.pid", "$ head -1 $PGDATA/postmaster.pid\n812\n", "process.postmaster", "", int64(812)},
		{"pg_ctl status", "pg_ctl: el servidor está en ejecución (PID: 4410)\n" +
			"/usr/lib/postgresql/14/bin/postgres \"-D\" \"/srv/pg\"\n", "data_directory", "4410", "/srv/pg"},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); !ok || f.Value != c.want {
			t.Errorf("%s: %s %s is %v (%T), want %v", c.name, c.fact, c.of, f.Value, f.Value, c.want)
		}
	}
}

// TestNoRemarks holds what looks alike and is something else.
func TestNoRemarks(t *testing.T) {
	for _, c := range []struct{ name, text, fact, of string }{
		{"a column of wishes", "| Parameter | Recommended |\n|---|---|\n| work_mem | 64MB |\n| jit | off |\n",
			"setting", ""},
		{"a table of wishes", "| Component | Minimum |\n|---|---|\n| RAM | 32 GB |\n", "stated.memory", ""},
		{"memory of a unit", "Active: active (running)\nMemory: 1.5G\nCGroup: /x\n", "stated.memory", ""},
		{"a share in words", "vm.swappiness = 9\nvm.min_free_kbytes = 3% of system memory\n", "sysctl",
			"vm.min_free_kbytes"},
		{"a message for the client", "$ pg_basebackup -D /x\nNOTICE:  pg_stop_backup complete\n", "log.entries", ""},
		{"an error of a session", "db=# select 1/0;\nERROR:  division by zero\n", "log.entries", ""},
		{"another program's version", "My osm (version 1.2.1) command:\n", "server.version", ""},
		{"images of two versions", "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n" +
			"0123456789ab   postgres:14   \"x\"   2 days ago   Up 2 days   5432/tcp   db\n" +
			"0123456789ac   postgres:15   \"x\"   2 days ago   Up 2 days   5433/tcp   db2\n", "server.major", ""},
		{"a guide", "## PostgreSQL 17 configuration guide for beginners\n", "server.major", ""},
		{"one assignment", "cpu_count=4\n", "cpu.logical", ""},
		{"a date in a list", "- date: 2025-11-02\n4\n", "host.time", ""},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); ok {
			t.Errorf("%s: %s %s is told: %v", c.name, f.Name, f.Of, f.Value)
		}
	}
}

// TestCommandOf holds that a part is told of the command that may have printed it, and of no other.
func TestCommandOf(t *testing.T) {
	const pods = "NAME   CPU(cores)   MEMORY(bytes)\npg-0   20m          64Mi\n"
	for _, c := range []struct {
		name, text string
		kind       part.Kind
		want       string
	}{
		{"another program ran before", "$ dd if=/dev/zero of=/tmp/x bs=1M count=9\n" + pods, part.KubectlTop, ""},
		{"the line says it", "$ dd if=/dev/zero of=/tmp/x bs=1M count=9\n\n`kubectl top pod` shows:\n\n" + pods,
			part.KubectlTop, "kubectl top pod"},
		{"the output of", "Here is the output of `df -h` on it:\n```\nFilesystem Size Used Avail Use% Mounted on\n" +
			"/dev/sda1 20G 10G 10G 50% /\n```\n", part.Df, "df -h"},
		{"an item with a remark", "3. free -m ： メモリ\n```\n" + freeOut + "```\n", part.Free, "free -m"},
		{"the file that was edited", "root@a:/etc# vi postgresql.conf\nroot@a:/etc# chown postgres postgresql.conf\n" +
			"work_mem = 4MB\nfsync = on\n", part.PostgresConf, "vi postgresql.conf"},
		{"the first of two", "```\npostgres --version\ninitdb -D /d\n```\n```\npostgres (PostgreSQL) 17.1\n```\n",
			part.Version, "postgres --version"},
		{"a script may print it", "$ cat report.txt\n" + freeOut, part.Free, "cat report.txt"},
	} {
		r := read(c.text)
		at := slices.IndexFunc(r.Parts, func(p Part) bool { return p.Kind == c.kind })
		if at < 0 || r.Parts[at].Command != c.want {
			t.Errorf("%s: %+v", c.name, r.Parts)
		}
	}
	if r := read("3. free -m ： メモリ\n```\n" + freeOut + "```\n"); len(r.Parts) != 1 || len(r.Parts[0].Notes) > 0 {
		t.Errorf("the unit is in the input: %+v", r.Parts)
	}
}

// TestPlanned holds that what a program proposes or a script would write is not what is in effect.
func TestPlanned(t *testing.T) {
	const proposal = "# DB Version: 16\n# Total Memory (RAM): 4 GB\n\nwork_mem = 9MB\nshared_buffers = 1GB\n"
	const show = "\ndb=# show work_mem;\n work_mem \n----------\n 4MB\n(1 row)\n"
	const here = "cat > /etc/sysctl.d/9.conf <<EOF\nvm.swappiness = 1\nvm.overcommit_memory = 2\nEOF\n"
	for _, c := range []struct {
		name, text string
		used       bool
	}{
		{"a proposal", proposal + show, false},
		{"the file", "$ cat postgresql.conf\n" + proposal, true},
		{"a file with more", proposal + "listen_addresses = '*'\n" + show, true},
		{"a script", "#!/bin/sh\n" + here, false},
		{"typed", "[root@a ~]# " + here, true},
	} {
		r := read(c.text)
		if len(r.Parts) == 0 || r.Parts[0].Used != c.used {
			t.Errorf("%s: %+v", c.name, r.Parts)
			continue
		}
		noted := strings.Contains(strings.Join(r.Parts[0].Notes, " "), "the input does not show whether")
		if noted == c.used {
			t.Errorf("%s: the notes are %q", c.name, r.Parts[0].Notes)
		}
		if !c.used && len(r.Conflicts) > 0 {
			t.Errorf("%s: %+v", c.name, r.Conflicts)
		}
	}
}

// TestNoSpaces holds that files which a container is given, and what the kernel shows, are no file systems to plan for.
func TestNoSpaces(t *testing.T) {
	r := read("Filesystem Size Used Avail Use% Mounted on\noverlay 20G 5G 15G 25% /\n" +
		"/dev/vda1 20G 5G 15G 25% /etc/hosts\ntmpfs 2G 0 2G 0% /proc/acpi\n")
	a, err := r.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.ReadFile("statfs.json")
	if err != nil || strings.Contains(string(b), "hosts") || strings.Contains(string(b), "acpi") {
		t.Errorf("%s: %v", b, err)
	}
	if f, ok := told(r, "space.source", "/etc/hosts"); !ok || f.Value != "/dev/vda1" {
		t.Errorf("%+v", f)
	}
}
