package paste

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

func kinds(r *Read) string {
	var out []string
	for _, p := range r.Parts {
		out = append(out, string(p.Kind))
	}
	return strings.Join(out, " ")
}

// value is the first value of a fact in any part.
func value(r *Read, name, of string) any {
	for i := range r.Parts {
		if f, ok := r.Parts[i].Fact(name, of); ok {
			return f.Value
		}
	}
	return nil
}

// TestLaterState: of two states that one session shows, the later one is used and the change is told; of two hosts it
// is not.
func TestLaterState(t *testing.T) {
	const disk = "Filesystem Size Used Avail Use% Mounted on\n/dev/vda1 "
	const before, after = disk + "8.0G 7.0G 1.0G 88% /\n", disk + "30G 7.0G 23G 24% /\n"
	for _, c := range []struct {
		one, two  string // prompts
		used, why string
	}{
		{"[root@db1 ~]# ", "[root@db1 ~]# ", "false true", "it was changed in between; the later one is used"},
		{"[admin ~]$ ", "[admin ~]$ ", "false true",
			"it was changed in between, or they are of different servers; the later one is used"},
		{"", "", "true false", "they are of different hosts, or of different times"},
	} {
		text := "```\n" + c.one + "df -h\n" + before + "```\nThen it grew.\n```\n" + c.two + "df -h\n" + after + "```\n"
		r := read(text)
		got := ""
		for _, p := range r.Parts {
			got += map[bool]string{true: "true ", false: "false "}[p.Used]
		}
		if len(r.Conflicts) != 1 || strings.TrimSpace(got) != c.used || r.Conflicts[0].Why != c.why {
			t.Errorf("%q: %s, %+v", c.one, got, r.Conflicts)
		}
	}
	r := read("[admin ~]$ nproc\n4\n[admin ~]$ nproc\n8\n") // no change that a session makes
	if len(r.Conflicts) != 1 || r.Conflicts[0].Kept != 0 {
		t.Errorf("%+v", r.Conflicts)
	}
}

// TestOtherForms: forms that people paste, with what must be read of each.
func TestOtherForms(t *testing.T) {
	for _, c := range []struct {
		name, text, kinds, fact, of string
		want                        any
	}{
		{"a warning of apt", "```\napt list -i\n\nWARNING: apt does not have a stable CLI interface.\n```\n",
			"", "", "", nil},
		{"a warning of a server", "WARNING:  database \"x\" has a collation version mismatch\n" +
			"HINT:  Rebuild all objects in this database.\n", "server_log", "log.entries", "", int64(1)},
		{"memory of top below the command of a benchmark", "## Load\n\n```\n./pgbench -c 8 -T 600\n```\n\n" +
			"## Memory\n\n```\nKiB Mem :  8167848 total,   167848 free,  2000000 used,  6000000 buff/cache\n```\n",
			"top", "memory.free", "", int64(167848 << 10)},
		{"tags around each line",
			"[FONT=courier]MemTotal: 16303428 kB[/FONT]\n[FONT=courier]MemFree: 1000 kB[/FONT]\n" +
				"[FONT=courier]SwapTotal: 0 kB[/FONT]\n", "meminfo", "memory.free", "", int64(1000 << 10)},
		{"top in Portuguese, cut", "top - 10:00:00 up  1:05,  1 user,  load average: 0,10, 0,20, 0,30\n" +
			"%Cpu(s):  9,0 usuario,  1,0 sistema,  0,0 ajustado, 88,0 inativo,  2,0 espera\n" +
			"MiB Mem :   7800,0 total,    700,0 livre,   4300,0 usado,   2800,0 buff/cache\n" +
			"MiB Permutacao:   1700,0 total,   1600,0 livre,    100,0 usado.   2900,0 dispon\n", "top", "swap.used", "",
			int64(100 << 20)},
		{"switches of a server", "postgres   101  0.0  0.6 324708 26212 ?        S    05:33   0:00 " +
			"/usr/lib/postgresql/16/bin/postgres -D /srv/pg -p 5455 -h *\n" +
			"postgres   102  0.0  0.1 324832  7604 ?        Ss   05:33   0:00 postgres: checkpointer\n", "ps",
			"setting", "port", int64(5455)},
		{"a row of docker stats", "It takes this much:\n" +
			"`aabbccddeeff   0.10%   300.5 MB / 33.25 GB   0.90%   1.5 GB / 2.5 GB   0 B / 4 GB   12`\n",
			"docker_stats", "container.memory", "aabbccddeeff", int64(300500000)},
		{"a lag with a decimal", "+---------+--------+------+--------+---------+----+-----------+\n" +
			"| Cluster | Member | Host |  Role  |  State  | TL | Lag in MB |\n" +
			"+---------+--------+------+--------+---------+----+-----------+\n" +
			"| main    | m1     | h1   |                    | running |  3 |      12.0 |\n" +
			"+---------+--------+------+--------+---------+----+-----------+\n", "patronictl_list", "member.lag", "m1",
			int64(12 << 20)},
		{"the start of a server",
			"2024-05-06 07:08:09 UTC [7]: LOG:  starting PostgreSQL 15.6 on x86_64-pc-linux-gnu\n" +
				"2024-05-06 07:08:09 UTC [7]: LOG:  listening on IPv4 address \"0.0.0.0\", port 5432\n", "server_log",
			"server.version", "", "15.6"},
		{"a process by its number", "Pid:            77\nVmPeak:         2048 kB\n", "process_status",
			"process.virtual_peak", "77", int64(2048 << 10)},
		{"an old numastat", "```\n$ numastat -m\n\nPer-node system memory usage (in MBs):\n" +
			"Token Zswap not in hash table.\n" +
			"                          Node 0           Total\n                 --------------- ---------------\n" +
			"MemTotal                 1024.00         1024.00\n```\n", "numactl", "numa.node.total", "0",
			int64(1 << 30)},
	} {
		r := read(c.text)
		if got := kinds(r); got != c.kinds {
			t.Errorf("%s: %s, want %s", c.name, got, c.kinds)
			continue
		}
		if c.fact == "" {
			continue
		}
		if got := value(r, c.fact, c.of); got != c.want {
			t.Errorf("%s: %s is %v, want %v: %+v", c.name, c.fact, got, c.want, r.Parts)
		}
		if p := r.Parts[0]; p.Kind == part.Top && p.Command != "" ||
			p.Kind == part.Numactl && p.Command != "numastat -m" {
			t.Errorf("%s: the command is %q", c.name, p.Command)
		}
	}
}
