package oom

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const newTable = "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents " +
	"oom_score_adj name\n"

// task is a row of the table of 6.8; sizes are pages.
func oomRow(pid, anon, shm int, tables int64, adj int, name string) string {
	return fmt.Sprintf("[%7d]    26 %d 9000000 %d %d 0 %d %d 0 %d %s\n", pid, pid, anon+shm, anon,
		shm, tables, adj, name)
}

// oomHost is the state of a host; counts are pages of 4 kB.
func oomHost(ram, anon, shmem, tables, slab, free int, more string) string {
	return fmt.Sprintf(
		"x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\nMem-Info:\nactive_anon:0 "+
			"inactive_anon:%d isolated_anon:0\nslab_reclaimable:0 slab_unreclaimable:%d\nmapped:1 shmem:%d "+
			"pagetables:%d\nfree:%d free_pcp:0\nNode 0 DMA: 1*4kB (M) = 4kB\nFree swap  = 0kB\nTotal swap = 0kB\n%d "+
			"pages RAM\n0 pages reserved\n%s", anon+shmem, slab, shmem, tables, free, ram, more)
}

func oomKilled(pid int, anon, shm int) string {
	return fmt.Sprintf(
		"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/postgresql.service,task=postgres,pid=%d,uid=26\nOut of memory: Killed process %d (postgres) total-vm:36000000kB, anon-rss:%dkB, file-rss:0kB, shmem-rss:%dkB, UID:26 pgtables:1kB oom_score_adj:0\n", pid, pid, anon*4, shm*4)
}

// TestOOMCauses holds each cause on a report that has it, with the remedy that
// follows from it. 4,194,304 pages are 16 GB.
func TestOOMCauses(t *testing.T) {
	const ram = 4 << 20
	sessions := func(n, anon, shm int, tables int64) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(oomRow(1000+i, anon, shm, tables, 0, "postgres"))
		}
		return b.String()
	}
	own := oomRow(900, 500, 3000, 160000, -900, "postgres")
	for _, c := range []struct {
		name, log, cause, prevents string
		also                       string
	}{
		{"a map of 8 GB in each of 300 backends", oomHost(ram, 300000, 1000000, 1300000, 1000, 10000,
			newTable+own+sessions(300, 800, 900000, 17<<20)) + oomKilled(1000, 800, 900000), "page_tables",
			"sysctl -w vm.nr_hugepages=1954", ""},
		{"one sort", oomHost(ram, 3500000, 300000, 3000, 1000, 10000, newTable+own+sessions(10, 2000, 10000, 200000)+
			oomRow(2000, 3300000, 1000, 30<<20, 0, "postgres")) + oomKilled(2000, 3300000, 1000), "one_query",
			"sysctl -w vm.overcommit_kbytes=", ""},
		{"four sorts", oomHost(ram, 3500000, 300000, 3000, 1000, 10000, newTable+own+sessions(4, 800000, 10000, 200000)+
			oomRow(2001, 500, 100, 9000, 0, "postgres")+oomRow(2002, 500, 100, 9000, 0, "postgres")+
			oomRow(2003, 500, 100, 9000, 0, "postgres")+oomRow(2004, 500, 100, 9000, 0, "postgres")) +
			oomKilled(1000, 800000, 1000), "several_queries", "ALTER SYSTEM SET work_mem", ""},
		{"600 sessions with a little each", oomHost(ram, 3400000, 300000, 30000, 1000, 10000,
			newTable+own+sessions(600, 5000, 10000, 200000)) + oomKilled(1000, 5000, 1000), "many_connections",
			"pgfettle explain max_connections", ""},
		{"a pool that nobody uses", oomHost(ram, 500000, 100000, 3000, 1000, 10000,
			"Node 0 hugepages_total=5000 hugepages_free=5000 hugepages_surp=0 hugepages_size=2048kB\n"+newTable+own+
				sessions(10, 5000, 10000, 200000)) + oomKilled(1000, 5000, 1000), "huge_pages_unused",
			"sysctl -w vm.nr_hugepages=0", ""},
		{"another program", oomHost(ram, 3500000, 300000, 3000, 1000, 10000,
			newTable+own+sessions(10, 2000, 10000, 200000)+oomRow(2000, 3000000, 0, 30<<20, 0, "java")) +
			oomKilled(1000, 2000, 1000), "other_program", "UNIT-OF-java", ""},
		{"the kernel's own", oomHost(ram, 500000, 300000, 3000, 2000000, 10000,
			newTable+own+sessions(10, 2000, 10000, 200000)) + oomKilled(1000, 2000, 1000), "kernel_memory", "", ""},
		{"shared memory", oomHost(ram, 900000, 3000000, 3000, 1000, 10000,
			newTable+own+sessions(10, 2000, 10000, 200000)) + oomKilled(1000, 2000, 1000), "shared_memory",
			"ALTER SYSTEM SET shared_buffers = '4GB';", ""},
		{"the nodes of a cpuset", strings.ReplaceAll(oomHost(ram, 900000, 300000, 3000, 1000, 1000000, newTable+own)+
			oomKilled(900, 500, 1000), "CONSTRAINT_NONE", "CONSTRAINT_CPUSET"), "numa_nodes", "numactl --show", ""},
		{"a person", strings.Replace(oomHost(ram, 900000, 300000, 3000, 1000, 1000000, newTable+own)+
			oomKilled(900, 500, 1000), "order=0", "order=-1", 1), "sysrq", "", ""},
		{"in one piece", strings.Replace(oomHost(ram, 900000, 300000, 3000, 1000, 1000000, newTable+own)+
			oomKilled(900, 500, 1000), "order=0", "order=3", 1), "fragmentation", "explain huge_pages", ""},
		{"a query and, less, another program", oomHost(ram, 3500000, 300000, 3000, 1000, 10000,
			newTable+own+oomRow(2000, 2000000, 1000, 30<<20, 0, "postgres")+oomRow(2001, 900000, 0, 9<<20, 0, "java")) +
			oomKilled(2000, 2000000, 1000), "one_query", "", "other_program"},
		{"a limit without room for shared memory",
			"x invoked oom-killer: order=0\nmemory: usage 1048576kB, limit 1048576kB, failcnt 9\nswap: usage 0kB, " +
				"limit 0kB, failcnt 0\nMemory cgroup stats for /system.slice/pg.service:\nanon 209715200\nfile " +
				"806354944\nshmem 805306368\npagetables 1048576\n" + newTable + own +
				"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/system.slice/pg.service,task_memcg=/system.slice/pg.service,task=postgres,pid=900,uid=26\nMemory cgroup out of memory: Killed process 900 (postgres) total-vm:1kB, anon-rss:2000kB, file-rss:0kB, shmem-rss:12000kB, UID:26 pgtables:160kB oom_score_adj:-900\n", "shared_memory", "systemctl set-property pg.service MemoryMax=3221225472", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := oneKill(t, c.log, Facts{})
			if k.Cause.ID != c.cause || len(k.Cause.Evidence) == 0 {
				t.Errorf("cause %+v, also %+v", k.Cause, k.Also)
			}
			if c.also != "" && !slices.ContainsFunc(k.Also, func(o Cause) bool { return o.ID == c.also }) {
				t.Errorf("also %+v, not %s", k.Also, c.also)
			}
			if cmds := fmt.Sprint(k.Prevention); !strings.Contains(cmds, c.prevents) {
				t.Errorf("prevention %s, not %s", cmds, c.prevents)
			}
		})
	}
}

func oneKill(t *testing.T, text string, f Facts) Kill {
	t.Helper()
	l, err := oomRead(text)
	if err != nil {
		t.Fatal(err)
	}
	d := Diagnose(l, f)
	if len(d.Kills) != 1 {
		t.Fatalf("%d kills: %+v", len(d.Kills), d.Kills)
	}
	return d.Kills[0]
}

// TestOOMPostmaster: the protected process with the lowest id is the postmaster,
// and without it nothing restarts by itself.
func TestOOMPostmaster(t *testing.T) {
	log := oomHost(1<<20, 100000, 30000, 3000, 1000, 10000, newTable+oomRow(900, 500, 30000, 160000, -10, "postgres")+
		oomRow(901, 500, 30000, 160000, 0, "postgres")) + strings.ReplaceAll(oomKilled(900, 500, 30000),
		"oom_score_adj:0", "oom_score_adj:-10")
	k := oneKill(t, log, Facts{})
	if k.Victim.Role != "postmaster" || !strings.Contains(k.After.Text.String(), "until systemd, a cluster manager") ||
		!strings.Contains(fmt.Sprint(k.Prevention), "OOMScoreAdjust=-1000") {
		t.Errorf("%+v %+v %+v", k.Victim, k.After, k.Prevention)
	}
}

// TestOOMPlan: of the plan for the host, only changes that take less memory and affect the kill are listed.
func TestOOMPlan(t *testing.T) {
	s := &snapshot.Snapshot{HostSeen: true, Instances: []snapshot.Instance{
		{Key: "1", DataDirectory: known.Is("/a"), CGroup: known.Is(host.CGroup{Path: "/system.slice/a.service"})},
		{Key: "2", DataDirectory: known.Is("/b"), CGroup: known.Is(host.CGroup{Path: "/system.slice/b.service"})}}}
	f := Facts{Snapshot: s, Changes: []Change{
		{Address: "pg:work_mem", Instance: "/a", From: "64MB", To: "16MB"},
		{Address: "pg:work_mem", Instance: "/b", From: "32MB", To: "8MB"},
		{Address: "pg:maintenance_work_mem", Instance: "/a", From: "64MB", To: "2GB", Raises: true},
		{Address: "sysctl:vm.overcommit_memory", From: "0", To: "2", Raises: true},
		{Address: "pg:wal_buffers", Instance: "/a", From: "1MB", To: "2MB"},
	}}
	const ram = 4 << 20
	global := oomHost(ram, 3500000, 300000, 3000, 1000, 10000, newTable+
		oomRow(2000, 3300000, 1000, 30<<20, 0, "postgres")) + oomKilled(2000, 3300000, 1000)
	memcg := strings.NewReplacer("CONSTRAINT_NONE", "CONSTRAINT_MEMCG", "global_oom",
		"oom_memcg=/system.slice/a.service", "Out of memory", "Memory cgroup out of memory").Replace(global)
	for name, c := range map[string]struct {
		log  string
		want []string
	}{
		"the whole host": {global, []string{"Set work_mem = 16MB (now 64MB) for /a",
			"Set work_mem = 8MB (now 32MB) for /b", "Set vm.overcommit_memory = 2 (now 0)"}},
		"one group": {memcg, []string{"Set work_mem = 16MB (now 64MB) for /a"}},
	} {
		var got []string
		for _, p := range oneKill(t, c.log, f).Prevention {
			if p.From == "plan" {
				got = append(got, p.What.String())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOOMSamePID: a process ID comes again; the death of an hour before is of another process.
func TestOOMSamePID(t *testing.T) {
	const log = `2026-11-21 06:00:00.000 UTC [1] LOG:  server process (PID 77) was terminated by signal 9: Killed
2026-11-21 06:00:00.000 UTC [1] DETAIL:  Failed process was running: the wrong one
2026-11-21 07:00:01.000 UTC [1] LOG:  server process (PID 77) was terminated by signal 9: Killed
2026-11-21 07:00:01.000 UTC [1] DETAIL:  Failed process was running: the right one
2026-11-21T07:00:00.000000+0000 h kernel: Out of memory: Killed process 77 (postgres) total-vm:10kB, anon-rss:8kB, ` +
		`file-rss:0kB, shmem-rss:0kB, UID:26 pgtables:1kB oom_score_adj:0
`
	l, err := oomRead(log)
	if err != nil {
		t.Fatal(err)
	}
	d := Diagnose(l, Facts{})
	if len(d.Kills) != 1 || d.Kills[0].Victim.Statement != "the right one" || len(d.Unexplained) != 1 ||
		d.Unexplained[0].Statement != "the wrong one" {
		t.Errorf("%+v\n%+v", d.Kills, d.Unexplained)
	}
}

// TestOOMTwoServers: what another server in the same log did is not attributed to ours.
func TestOOMTwoServers(t *testing.T) {
	const log = `[1.000001] Out of memory: Killed process 77 (postgres) total-vm:10kB, anon-rss:8kB, file-rss:0kB, ` +
		`shmem-rss:0kB, UID:26 pgtables:1kB oom_score_adj:0
2026-11-21 07:00:01.000 UTC [10] LOG:  server process (PID 77) was terminated by signal 9: Killed
2026-11-21 07:00:01.100 UTC [20] LOG:  database system is ready to accept connections
2026-11-21 07:00:01.200 UTC [10] LOG:  all server processes terminated; reinitializing
`
	l, err := oomRead(log)
	if err != nil {
		t.Fatal(err)
	}
	if a := Diagnose(l, Facts{}).Kills[0].After; a.State != "recovering" {
		t.Errorf("%+v", a)
	}
}

// TestOOMContainer: a container counts its processes by itself; the time identifies the death, if there was only one
// then.
func TestOOMContainer(t *testing.T) {
	kernel := func(group string) string {
		return "2026-11-21T07:00:00.000000+0000 h kernel: " +
			"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=" + group +
			",task_memcg=" + group + ",task=postgres,pid=990077,uid=26\n" +
			"2026-11-21T07:00:00.000001+0000 h kernel: Memory cgroup out of memory: Killed process 990077 " +
			"(postgres) total-vm:10kB, anon-rss:8kB, file-rss:0kB, shmem-rss:0kB, UID:26 pgtables:1kB oom_score_adj:0\n"
	}
	const one = "2026-11-21 07:00:00.200 UTC [1] LOG:  client backend (PID 77) was terminated by signal 9: " +
		"Killed\n2026-11-21 07:00:00.200 UTC [1] DETAIL:  Failed process was running: this\n"
	const docker = "/system.slice/docker-0.scope"
	for name, c := range map[string]struct{ log, statement string }{
		"one":           {kernel(docker) + one, "this"},
		"two":           {kernel(docker) + one + strings.ReplaceAll(one, "PID 77", "PID 78"), ""},
		"no container":  {kernel("/system.slice/pg.service") + one, ""},
		"an hour later": {kernel(docker) + strings.ReplaceAll(one, "07:00:00", "08:00:00"), ""},
	} {
		k := oneKill(t, c.log, Facts{})
		if k.Victim.Statement != c.statement || (c.statement != "") != (k.Victim.Role == "backend") {
			t.Errorf("%s: %+v", name, k.Victim)
		}
	}
}

func oomRead(text string) (*Log, error) {
	r := NewReader()
	err := r.Add(strings.NewReader(text))
	return r.Log(), err
}
