package paste

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

const (
	vmstatTop = "procs -----------memory---------- ---swap-- -----io---- -system-- ----cpu----\n" +
		" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa\n"
	benchTable = "| with jit | without |\n|---|---|\n| transaction type: <builtin: select only> | transaction type: " +
		"<builtin: select only> |\n| number of clients: 4 | number of clients: 8 |\n" +
		"| latency average = 1.305 ms | latency average = 2.609 ms |\n" +
		"| tps = 3065.5 (without initial connection time) | tps = 3066.25 (without initial connection time) |\n"
	gluedPs = "$ ps aux\nUSER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n" +
		"pgrun      311  0.0  1.0 300000 20000 ?        S    08:10   0:02 /usr/pgsql-16/bin/postgres -D /srv/pg " +
		"-c work_mem=6MB --max_connections=70 --hotpgrun      312  0.0  0.2  70000  5000 ?        Ss   08:10   0:00  " +
		"\\_ postgres: logger\n" +
		"pgrun      313  0.0  0.2  71000  5100 ?        Ss   08:10   0:00  \\_ postgres: checkpointer\n"
	fdiskDE = "# fdisk -l\nFestplatte /dev/sdq: 3 GiB, 3221225472 Bytes, 6291456 Sektoren\n" +
		"Einheiten: Sektoren von 1 * 512 = 512 Bytes\nFestplattenbezeichnungstyp: dos\n\n" +
		"Gerät      Boot  Anfang    Ende Sektoren Größe Kn Typ\n" +
		"/dev/sdq1  *       2048 2099199  2097152    1G 83 Linux\n"
	tunerSum = "[INFO]    shared_buffers: 3.00 GB\n[INFO]    Max memory usage :\n\t shared_buffers (3.00 GB)\n" +
		"\t+ max_connections * work_mem * average_work_mem_buffers_per_connection (240 * 8.00 MB * 150 / 100 = " +
		"2.81 GB)\n" +
		"\t+ autovacuum_max_workers * maintenance_work_mem (5 * 1.00 GB = 5.00 GB)\n"
)

// TestStyled holds facts of outputs that an author or a page has changed, and of lists and answers in further forms.
func TestStyled(t *testing.T) {
	for _, c := range []struct {
		name, text, fact, of string
		want                 any
	}{
		{"df with two columns in bold", "$ df -m\nFilesystem           1M-blocks      Used Available Use% " +
			"Mounted on\n" +
			"/dev/sdb2                 5000     ** 3000      2000**  60% /srv\n", "space.free", "/srv",
			int64(2000 * amount.MB)},
		{"df with a bold head", "**Filesystem** **1K-blocks** **Used** **Available** **Use%** **Mounted**\n" +
			"/dev/sdb2 5000 3000 2000 60% /srv\n", "space.total", "/srv", int64(5000 * amount.KB)},
		{"df with a glued head", "Filesystem1M-blocks Used Available Use% Mounted on\n" +
			"/dev/sdb2 5000 3000 2000 60% /srv\n", "space.total", "/srv", int64(5000 * amount.MB)},
		{"df -m without its head", "$ df -m /srv | tail -1\n/dev/sdb2 5000 3000 2000 60% /srv\n", "space.total", "/srv",
			int64(5000 * amount.MB)},
		{"df of blocks of a GB", "$ df --block-size=1G | grep srv\n/dev/sdb2 5 3 2 60% /srv\n", "space.total", "/srv",
			int64(5 * amount.GB)},
		{"df in kB", "$ df -k | grep srv\n/dev/sdb2 5000 3000 2000 60% /srv\n", "space.total", "/srv",
			int64(5000 * amount.KB)},
		{"vmstat in bold", vmstatTop + " 0  0      0   **6200**   900  5000    0    0     1     1    1    1  6 " +
			" 1 **93**  0\n",
			"memory.free", "", int64(6200 * amount.KB)},
		{"vmstat of a forum", vmstatTop + " 0  0      0   [b]6200[/b]   900  5000    0    0     1     1    1 " +
			"   1  6  1 93  0\n",
			"memory.free", "", int64(6200 * amount.KB)},
		{"iostat in a font", "As you see:\n[FONT=Monospace]avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n" +
			"           1.50    0.00    2.50    8.25    0.00   87.75\n\n" +
			"Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm " +
			" %util\n" +
			"sdk               0.00     0.00    1.00    1.00     8.00     4.00    12.00     0.05   26.50   9.50 " +
			"  4.75[/FONT]\n" +
			"That was it.\n", "cpu.iowait", "", 8.25},
		{"the last row in it", "[font=Courier New][size=2]Device:  tps  kB_read/s  kB_wrtn/s  kB_read  kB_wrtn\n" +
			"sdk      7.50   10.00   20.00   100   200 [/size][/font]\n", "device.transfers", "sdk", 7.5},
		{"the name of a model", "架构：        x86_64\nCPU:          12\n每个核的线程数：  2\n型号：        85\n型号名称：      " +
			"Intel(R) Xeon(R) Gold 5222\n", "cpu.model", "", "Intel(R) Xeon(R) Gold 5222"},
		{"a run in each column", benchTable, "pgbench.tps", "without", 3066.25},
		{"and its time", benchTable, "pgbench.latency", "with jit", 0.001305},
		{"a time as it was printed", "starting vacuum...end.\nlatency average = 2.573 " +
			"ms\n", "pgbench.latency", "", 0.002573},
		{"a setting in ms", "$ psql -c 'show deadlock_timeout'\n deadlock_timeout \n------------------\n " +
			"35ms\n(1 row)\n",
			"setting", "deadlock_timeout", 0.035},
		{"the first of two rows in one", gluedPs, "process.command", "311", "/usr/pgsql-16/bin/postgres -D /srv/pg " +
			"-c work_mem=6MB --max_connections=70 --hot"},
		{"the second", gluedPs, "process.resident", "312", int64(5000 * amount.KB)},
		{"the one behind", gluedPs, "process.resident", "313", int64(5100 * amount.KB)},
		{"a parameter of a server's command line", gluedPs, "setting", "max_connections", int64(70)},
		{"with -c", gluedPs, "setting", "work_mem", int64(6 * amount.MB)},
		{"docker ps in a format", "db-one | Up 3 days (healthy) | 5432/tcp\nweb | Exited (1) 2 hours ago | \n",
			"container.status", "db-one", "Up 3 days (healthy)"},
		{"with tabs", "$ docker ps -a --format '{{.Names}}\\t{{.Status}}'\ndb-one\tExited (137) 4 minutes ago\n",
			"container.status", "db-one", "Exited (137) 4 minutes ago"},
		{"as a table", "NAMES     STATUS          PORTS\ndb-one    Up 40 seconds " +
			"  5432/tcp\n", "container.status", "db-one",
			"Up 40 seconds"},
		{"docker compose ps", "NAME      IMAGE           COMMAND                  SERVICE   CREATED       STATUS " +
			"      PORTS\n" +
			"app-db-1  postgres:16.2   \"docker-entrypoint.s…\"   db        2 hours ago   Up 2 hours   5432/tcp\n",
			"server.version", "", "16.2"},
		{"swapon -s", "$ swapon -s\nDateiname      Typ        Größe    Benutzt   Priorität\n/dev/sdc3  partition " +
			" 2048  1024  -2\n",
			"swap.used", "/dev/sdc3", int64(amount.MB)},
		{"its rows", "# swapon -s | tail -1\n/swapfile   file   4096  0 " +
			" -2\n", "swap.size", "/swapfile", int64(4 * amount.MB)},
		{"fdisk", fdiskDE, "disk.size", "sdq", int64(3 << 30)},
		{"a partition", fdiskDE, "disk.size", "sdq1", int64(1 << 30)},
		{"lvdisplay", "# lvdisplay vg9/pg\n  --- Logical volume ---\n  LV Path                /dev/vg9/pg\n" +
			"  LV Name                pg\n  # open                 1\n  LV Size                12.50 GiB\n " +
			" Segments               1\n",
			"volume.size", "vg9/pg", int64(25 << 29)},
		{"a broken row of top", "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n" +
			"  771 pg        20   0   90000   8000   7000 R  50.0   0.1  91:40.02\npostgres: " +
			"x\n", "process.resident", "771",
			int64(8000 * amount.KB)},
		{"the sum of a tuner", tunerSum, "setting", "max_connections", int64(240)},
		{"its workers", tunerSum, "setting", "autovacuum_max_workers", int64(5)},
		{"rows of other things", "| Parameter | Here | Was |\n|---|---|---|\n| work_mem | 6MB | 4MB |\n| jit | " +
			"off | on |\n" +
			"| shmmax | 900 | 800 |\n| threads | 4 | 4 |\n| max_wal_senders | 7 | 10 " +
			"|\n", "setting", "max_wal_senders", int64(7)},
		{"a machine in one line", "Стоит на локальной машине:\n6CPU, 4096RAM\n", "stated.cpus", "", int64(6)},
		{"with a unit", "It runs on this:\n6 vCPU / 24 GB RAM\n", "stated.memory", "", int64(24 * amount.GB)},
		{"a prompt of two lines", "╭─ann@devbox ~/src\n╰─$ kubectl exec -it pg-1 -- uname " +
			"-r\n6.1.0-17-amd64\n", "kernel.release",
			"", "6.1.0-17-amd64"},
		{"uname -m", "$ uname -m\naarch64\n", "cpu.architecture", "", "aarch64"},
		{"blanks behind a prompt", "$   nproc\n14\n", "cpu.logical", "", int64(14)},
		{"docker compose exec", "$ docker compose exec -T db psql -Atc 'show work_mem'\n11MB\n", "setting", "work_mem",
			int64(11 * amount.MB)},
		{"samples of mpstat", "10:00:01 CPU %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle\n" +
			"10:00:02 all 1.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00 0.00 98.00\n" +
			"10:00:02 0 1.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00 0.00 98.00\n" +
			"10:00:02 1 1.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00 0.00 98.00\n", "samples", "", int64(1)},
	} {
		r := ReadAll([]Input{{Name: "x", Text: []byte(c.text)}}, "")
		if f, ok := told(r, c.fact, c.of); !ok || f.Value != c.want {
			t.Errorf("%s: %s %s is %v (%t), want %v", c.name, c.fact, c.of, f.Value, ok, c.want)
		}
	}
}

// TestStyledAround holds what is said of such parts: their lines, commands and hosts, and what they are called.
func TestStyledAround(t *testing.T) {
	read := func(text string) *Read { return ReadAll([]Input{{Name: "x", Text: []byte(text)}}, "") }
	if p := read(gluedPs + "\nThat is all.\n").Parts[0]; p.First != 2 || p.Last != 4 {
		t.Errorf("two rows in a line: lines %d to %d", p.First, p.Last)
	}
	r := read("## Uptime\n 10:11:12 up 2 days,  3:04,  1 user,  load average: 0.50, 0.40, 0.30\n")
	if len(r.Parts) != 1 || r.Parts[0].Command != "" {
		t.Errorf("a title is no command: %+v", r.Parts)
	}
	if p := read("## uptime\n 10:11:12 up 2 days,  3:04,  1 user,  load average: 0.50, 0.40, " +
		"0.30\n").Parts[0]; p.Command == "" {
		t.Error("a heading that is a command")
	}
	r = read("2024-02-03 04:05:06,789 INFO: no action. I am (pg-0), a secondary\n" +
		"2024-02-03 04:05:16,790 ERROR: failed to bootstrap\n")
	if p := r.Parts[0]; len(r.Parts) != 1 || p.Kind != part.PatroniLog || p.Used {
		t.Errorf("the log of Patroni: %+v", r.Parts)
	}
	r = read("Linux pgbox9 6.1.0-17-amd64 #1 SMP Debian 6.1.69-1 x86_64 GNU/Linux\n")
	if r.Host != "pgbox9" {
		t.Errorf("the host of uname is %q", r.Host)
	}
	r = read("╭─ann@devbox ~/src\n╰─$ kubectl exec -it pg-1 -- uname -r            1 ↵\n6.1.0-17-amd64\n\n" +
		"╭─ann@devbox ~/src\n╰─$ nproc\n8\n")
	if len(r.Parts) != 2 || r.Parts[0].Host != "" || r.Parts[1].Host != "devbox" || r.Lines.Unrecognized != 0 {
		t.Errorf("prompts of two lines: %+v", r.Parts)
	}
	files, err := read("[root@db7 ~]# uname -r\n6.1.0-17-amd64\n").Evidence()
	if name, _ := files.ReadFile("proc/sys/kernel/hostname"); err != nil || strings.TrimSpace(string(name)) != "db7" {
		t.Errorf("the host in the evidence is %q (%v)", name, err)
	}
	ran := read("[root@db7 ~]# sysctl -w vm.swappiness=2\nvm.swappiness = 2\n").Parts[0]
	told := read("Run this:\n\nsysctl -w vm.swappiness=2\n").Parts[0]
	if ran.Kind != part.SysctlSet || len(ran.Notes) != 0 || ran.Sure != part.Certain || len(told.Notes) != 1 {
		t.Errorf("a command that ran: %+v, one that is told: %+v", ran, told)
	}
	r = read("[root@db7 ~]# sysctl vm.swappiness\nvm.swappiness = 60\n[root@db7 ~]# sysctl vm.swappiness\n" +
		"vm.swappiness = 2\n")
	if len(r.Conflicts) != 1 || r.Conflicts[0].Why != "it was changed in between; the later one is used" {
		t.Errorf("changed on one host: %+v", r.Conflicts)
	}
	r = read("| Setting | Here |\n|---|---|\n| work_mem | 6MB |\n| jit | off |\n")
	if p := &r.Parts[0]; p.Kind != part.PgSettings || sourceOf(p) != 1 {
		t.Errorf("a table of a page: %+v", p)
	}
	notes := read("work_mem = 4MB            # min 64kB\ndynamic_shared_memory_type = posix      # the default\n" +
		"                                        # of the system\n").Lines
	if notes.Unrecognized != 0 {
		t.Errorf("a remark that goes on: %+v", notes)
	}
}

// TestStyledIsNot holds lines that only look like such outputs.
func TestStyledIsNot(t *testing.T) {
	for _, c := range []struct{ name, text, fact string }{
		{"a sentence with containers", "web | Up and running since May\ndb | Up too\n", "container.status"},
		{"a row of a table", "| a | Created |\n", "container.status"},
		{"words and a wish", "We need at least 4CPU, 8 GB RAM for it.\n", "stated.cpus"},
		{"other words", "4CPU, 8 users, 2048RAM\n", "stated.cpus"},
		{"powers in a formula", "x = 2**3**4\n", "memory.free"},
		{"a cut flag", "postgres   411  0.1  2.0 212345 40960 ?  Ss  09:00  0:01 /usr/lib/postgresql/16/bin/postgres " +
			"-D /srv/pg -c port=54\n", "setting"},
	} {
		r := ReadAll([]Input{{Name: "x", Text: []byte(c.text)}}, "")
		if f, ok := told(r, c.fact, ""); ok {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
	r := ReadAll([]Input{{Name: "x", Text: []byte("see [1] and a[i], *this* **and that**\n")}}, "")
	if slices.ContainsFunc(r.Parts, func(p Part) bool { return true }) {
		t.Errorf("marks of prose: %+v", r.Parts)
	}
}
