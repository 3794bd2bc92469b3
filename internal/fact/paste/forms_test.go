package paste

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// told returns the first fact of a name in a text.
func told(r *Read, name, of string) (part.Fact, bool) {
	for i := range r.Parts {
		if f, ok := r.Parts[i].Fact(name, of); ok {
			return f, true
		}
	}
	return part.Fact{}, false
}

// TestForms holds facts of forms that people paste, each in more than one.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		name, text, fact, of string
		want                 any
	}{
		{"psql -At", "$ psql -Atc \"select name,setting,unit from " +
			"pg_settings\"\nwork_mem|4096|kB\nfsync|on|\n", "setting",
			"work_mem", int64(4096 * amount.KB)},
		{"order of columns", "$ psql -At -c 'select unit, name, setting from pg_settings'\nshared_buffers|x|y\n" +
			"\n$ psql -AtF, -c 'select name, unit, setting from pg_settings'\nshared_buffers,8kB,1024\n", "setting",
			"shared_buffers", int64(8 * amount.MB)},
		{"quoted rows", "\"shared_buffers\";\"1024\";\"8kB\"\n\"work_mem\";\"64\";\"kB\"\n", "setting", "work_mem",
			int64(64 * amount.KB)},
		{"unicode frame", "┌──────────┐\n│ work_mem │\n├──────────┤\n│ 4MB      │\n└──────────┘\n(1 row)\n",
			"setting", "work_mem",
			int64(4 * amount.MB)},
		{"unicode rule", " work_mem \n──────────\n 8MB\n(1 row)\n", "setting", "work_mem", int64(8 * amount.MB)},
		{"wrapped, ASCII", "      name      | setting \n----------------+---------\n maintenance_wo.| " +
			"2GB\n.rk_mem         | \n",
			"setting", "maintenance_work_mem", int64(2 * amount.GB)},
		{"HTML", "<table><tr><th>name</th><th>setting</th></tr>\n<tr><td>work_mem</td><td>2048</td></tr></table>\n",
			"setting", "work_mem", int64(2 * amount.MB)},
		{"AsciiDoc", "[options=\"header\",cols=\"<l,<l\"]\n|====\n^l|name ^l|setting\n|work_mem " +
			"|1024\n|====\n", "setting",
			"work_mem", int64(amount.MB)},
		{"expanded, unaligned", "name|work_mem\nsetting|512\nunit|kB\n\nname|fsync\nsetting|on\nunit|\n",
			"setting", "fsync", "on"},
		{"dconfig", "db=# \\dconfig work_mem\nСписок параметров конфигурации\n Параметр | Значение " +
			"\n----------+----------\n" +
			" work_mem | 4MB\n(1 строка)\n", "setting", "work_mem", int64(4 * amount.MB)},
		{"postgres -C", "$ postgres -C shared_buffers -D /x\n131072\n", "setting", "shared_buffers", int64(amount.GB)},
		{"show twice", "$ psql -Atc 'show work_mem; show shared_buffers'\n4MB\n1GB\n", "setting",
			"shared_buffers", int64(amount.GB)},
		{"cat of several", "$ cat /proc/sys/vm/{swappiness,overcommit_memory}\n10\n2\n", "sysctl",
			"vm.overcommit_memory", "2"},
		{"between files", "==> /proc/sys/vm/swappiness <==\n5\n", "sysctl", "vm.swappiness", "5"},
		{"behind a name", "/proc/sys/vm/swappiness:7\n", "sysctl", "vm.swappiness", "7"},
		{"numbered", "$ grep -n work_mem postgresql.conf\n12:work_mem = 3MB\n", "setting", "work_mem",
			int64(3 * amount.MB)},
		{"behind &&", "$ free -h && nproc\n      total used free shared buff/cache available\nMem: 7Gi 1Gi 1Gi 0B " +
			"5Gi 6Gi\n4\n",
			"cpu.logical", "", int64(4)},
		{"bash -x", "+ nproc\n6\n", "cpu.logical", "", int64(6)},
		{"heading", "==== nproc ====\n8\n", "cpu.logical", "", int64(8)},
		{"in a chat", "```$ nproc\n12```\nthanks\n", "cpu.logical", "", int64(12)},
		{"busybox top", "Mem: 100K used, 28K free, 0K shrd, 1K buff, 40K cached\nCPU:  12% usr   4% sys   0% nic  " +
			"81% idle  " +
			" 2% io   0% irq   0% sirq\n", "memory.total", "", int64(128 * amount.KB)},
		{"French top", "top - 10:00:00 up 1 day,  2:00,  1 user,  load average: 1,50, 1,40, 1,30\n%Cpu(s): 10,0 " +
			"ut,  2,0 sy,  0,0 ni, " +
			"86,0 id,  2,0 wa,  0,0 hi,  0,0 si,  0,0 st\nMiB Mem :  15900,5 total,   1000,0 libr,   5000,0 util, " +
			"  9900,5 tamp/cache\n",
			"memory.used", "", int64(5000 * amount.MB)},
		{"Czech lscpu", "Architektura: x86_64\nPočet CPU: 20\nVláken na jádro: 2\nPatic: 1\n", "cpu.logical",
			"", int64(20)},
		{"Turkish df", "Dosya sistemi  Boyut Dolu Boş Kullanım% Bağlanılan yer\n/dev/sda1  20G 10G 10G  50% " +
			"/\n", "space.free", "/",
			int64(10 * amount.GB)},
		{"Swedish inodes", "$ df -i\nFilsystem  Inoder IAnvänt ILediga IAnv% Monterat på\n/dev/sda1  1000 10 990 " +
			"1% /\n",
			"space.files_free", "/", int64(990)},
		{"vmstat -S m", "$ vmstat -S m 1 2\nprocs -----------memory---------- ---swap-- -----io---- -system-- " +
			"------cpu-----\n" +
			" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" +
			" 1  0      1      2      3      4    0    0     1     1    1    1  1  1 98  0  0\n" +
			" 1  0      1      2      3      4    5    0     1     1    1    1  1  1 98  0  0\n", "swap.in.max", "",
			int64(5_000_000)},
		{"ps -o without a head", "$ ps -eo pid,rss,args | grep postgres\n 12 400 postgres: checkpointer\n",
			"process.resident",
			"12", int64(400 * amount.KB)},
		{"groups of several files", "memory.max:max\nmemory.current:4096\n", "cgroup.memory",
			"memory.current", int64(4096)},
		{"Patroni", "postgresql:\n  parameters:\n    work_mem: '16MB'\n    fsync: on\n", "setting",
			"work_mem", int64(16 * amount.MB)},
		{"lsblk -J", "{\n \"blockdevices\": [{\"name\":\"sda\",\"size\":1024,\"rota\":\"1\"}]\n}\n",
			"disk.size", "sda", int64(1024)},
		{"findmnt -J", "{\"filesystems\": " +
			"[{\"target\":\"/\",\"source\":\"/dev/sda\",\"fstype\":\"xfs\",\"options\":\"rw\"}]}\n",
			"mount.type", "/", "xfs"},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); !ok || f.Value != c.want {
			t.Errorf("%s: %s %s is %v, want %v", c.name, c.fact, c.of, f.Value, c.want)
		}
	}
}

// TestNotForms holds what looks alike and is something else.
func TestNotForms(t *testing.T) {
	for _, c := range []struct{ name, text, fact, of string }{
		{"a remark of fstab", "# grep swap /etc/fstab\n#/dev/sda3 none swap sw 0 0\n", "mount.type", ""},
		{"a remark of sysctl.conf", "$ grep swappiness /etc/sysctl.conf\n#vm.swappiness=10\n", "sysctl", ""},
		{"a wish", "| parameter | value |\n|---|---|\n| work_mem | 4MB |\n", "setting", ""},
		{"names in a row", "work_mem, shared_buffers, and the rest\nwork_mem, 4MB\n", "setting", ""},
		{"a number that was cut", "MemTotal: 16332236 kB\nMemFree:   81\n", "memory.free", ""},
		{"one node", "Node 0 MemTotal: 1024 kB\nNode 0 MemFree: 10 kB\n", "memory.total", ""},
		{"an error for a value", "$ psql -Atc 'show work_mem'\nERROR:  permission denied\n", "setting", ""},
	} {
		if f, ok := told(read(c.text), c.fact, c.of); ok {
			t.Errorf("%s: %s %s is told: %v", c.name, f.Name, f.Of, f.Value)
		}
	}
}

// TestNoOtherPart: a part that is alone is not left for another, and a note behind a row of lsblk is no mount point.
func TestNoOtherPart(t *testing.T) {
	r := read("$ lscpu\nModel name:  Example CPU at 2.50GHz\nThread(s) per core:  2\nCore(s) per socket:  8\n")
	if len(r.Parts) != 1 || strings.Contains(r.Parts[0].Unused, "another part") {
		t.Errorf("%+v", r.Parts)
	}
	r = read("NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nsda      8:0    0  100G  0 disk\n" +
		"└─sda1   8:1    0  100G  0 part /\nsdb      8:16   0  200G  0 disk ← the new one\n")
	if f, ok := told(r, "disk.mount", "sdb"); ok {
		t.Errorf("%+v", f)
	}
	if f, ok := told(r, "disk.mount", "sda1"); !ok || f.Value != "/" {
		t.Errorf("%+v", f)
	}
}

// TestSeveralHosts holds that an output is of the host on which its command ran.
func TestSeveralHosts(t *testing.T) {
	const out = "      total used free shared buff/cache available\nMem: 64258 1 2 3 4 5\n"
	for _, c := range []struct{ name, text, want string }{
		{"prompt", "me@one:~$ free -m\n" + out, "one"},
		{"ssh", "me@one:~$ ssh two free -m\n" + out, "two"},
		{"ssh with options", "me@one:~$ ssh -o BatchMode=yes -p 22 root@two 'free -m'\n" + out, "two"},
		{"ansible", "$ ansible all -a 'free -m'\ntwo | CHANGED | rc=0 >>\n" + out, "two"},
		{"pssh", "$ pssh -i -H 'two' 'free -m'\n[1] 10:00:00 [SUCCESS] root@two\n" + out, "two"},
		{"ssh before", "me@one:~$ ssh two uptime\nme@one:~$ free -m\n" + out, "one"},
	} {
		r := read(c.text)
		if len(r.Parts) != 1 || r.Parts[0].Host != c.want {
			t.Errorf("%s: %+v", c.name, r.Parts)
			continue
		}
		if f, _ := r.Parts[0].Fact("memory.total", ""); f.Value != int64(64258*amount.MB) {
			t.Errorf("%s: %v", c.name, f.Value)
		}
	}
}

// TestControl holds pg_controldata where one label stands for two.
func TestControl(t *testing.T) {
	r := read("Número de versión de pg_control: 1300\nUbicación de REDO de último checkpoint: 1/2\n" +
		"Ubicación de REDO de último checkpoint: 000000010000000000000001\n")
	for name, want := range map[string]string{"control.redo": "1/2", "control.redo_file": "000000010000000000000001"} {
		if f, _ := told(r, name, ""); f.Value != want {
			t.Errorf("%s is %v", name, f.Value)
		}
	}
}

// TestEachNode holds that nodes that are told in parts of their own are all used.
func TestEachNode(t *testing.T) {
	r := read("Node 0 MemTotal: 1024 kB\nNode 0 MemFree: 10 kB\n```\nNode 1 MemTotal: 2048 kB\nNode 1 MemFree: 20 kB\n")
	a, err := r.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"0", "1"} {
		if _, err := a.ReadFile("sys/devices/system/node/node" + n + "/meminfo"); err != nil {
			t.Error(err)
		}
	}
}
