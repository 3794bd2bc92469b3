package oom

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const oldTable = "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n"

func oldRow(pid, rss int, name string) string {
	return fmt.Sprintf("[%7d]    26 %d 9000000 %d 200000 0 0 %s\n", pid, pid, rss, name)
}

func oldRows(n, rss int, name string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(oldRow(5000+i, rss, name))
	}
	return b.String()
}

// TestRemainder verifies that what the processes of a table without kinds have together is computed from the anonymous
// memory of all, if each of them may be only shared memory; and that nothing is computed if one process could have it
// all, or if rows are missing. 2,097,152 pages are 8 GB.
func TestRemainder(t *testing.T) {
	const ram, shared = 2 << 20, 300000
	host := func(anon int, rows string) string {
		return strings.Replace(oomHost(ram, anon, shared, 3000, 1000, 10000, oldTable+rows), "mapped:1 ",
			fmt.Sprintf("mapped:%d ", shared), 1)
	}
	for _, c := range []struct {
		name, log, cause string
	}{
		{"ten sorts of 600 MB", host(1500000, oldRows(10, 170000, "postgres")) + oomKilled(5003, 120000, 50000),
			oomQueries},
		{"ninety sessions", host(1500000, oldRows(90, 30000, "postgres")) + oomKilled(5003, 15000, 15000),
			oomConnections},
		{"one may have it all", host(1500000, oldRow(4000, 1600000, "postgres")+oldRows(3, 30000, "postgres")) +
			oomKilled(5001, 10000, 20000), oomOneQuery},
		{"rows are missing", host(1500000, oldRows(4, 30000, "postgres")) + oomKilled(5001, 10000, 20000), oomNotTold},
		{"eighty workers of another", host(1600000, oldRows(80, 21000, "php-fpm")+oldRow(4000, 5000, "postgres")) +
			strings.ReplaceAll(oomKilled(5001, 10000, 20000), "postgres", "php-fpm"), oomProgram},
	} {
		if k := oneKill(t, c.log, Facts{}); k.Cause.ID != c.cause {
			t.Errorf("%s: %+v", c.name, k.Cause)
		}
	}
}

// TestHugePagesAreNobodys verifies that huge pages count neither as memory that sessions can have nor in their share.
func TestHugePagesAreNobodys(t *testing.T) {
	const ram = 8 << 20 // 32 GB, 20 of them huge pages
	k := oneKill(t, strings.Replace(oomHost(ram, 2400000, 10000, 12000, 30000, 33000,
		"Node 0 hugepages_total=10240 hugepages_free=0 hugepages_surp=0 hugepages_size=2048kB\n"+oldTable+
			oldRow(900, 30000, "postgres")+oldRows(12, 195000, "postgres")), "mapped:1 ", "mapped:30000 ", 1)+
		oomKilled(5003, 194000, 1000), Facts{})
	if k.Cause.ID != oomQueries {
		t.Errorf("%+v", k.Cause)
	}
	told := false
	for _, p := range k.Prevention {
		if strings.Contains(p.What.String(), "work_mem") {
			told = true
			if !strings.Contains(p.Why.String(), "leave 11.") {
				t.Errorf("%+v", p)
			}
		}
	}
	if !told {
		t.Errorf("no work_mem is told: %+v", k.Prevention)
	}
}

// TestLimitWithoutServer verifies that the limit of a group in which no server is gets no advice about a server.
func TestLimitWithoutServer(t *testing.T) {
	const log = "java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n" +
		"memory: usage 2097152kB, limit 2097152kB, failcnt 1\nMemory cgroup stats for /kubepods/x:\nanon 2100000000\n" +
		"file 0\nshmem 0\n" + oldTable +
		"[    411]     0   411  2310440   520000  5365760        0           968 java\n" +
		"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/kubepods/x," +
		"task_memcg=/kubepods/x,task=java,pid=411,uid=0\nMemory cgroup out of memory: Killed process 411 (java) " +
		"total-vm:9241760kB, anon-rss:2079000kB, file-rss:1000kB, shmem-rss:0kB, UID:0 pgtables:5240kB " +
		"oom_score_adj:968\n"
	k := oneKill(t, log, Facts{})
	if k.Cause.ID != oomProgram || slices.ContainsFunc(k.Prevention, func(p Prevention) bool {
		return strings.Contains(p.Why.String(), "the server") || strings.Contains(p.What.String(), "another host")
	}) || len(k.Prevention) == 0 {
		t.Errorf("%+v %+v", k.Cause, k.Prevention)
	}
}

// TestYearless verifies that the time until the server is ready is reported even though syslog has no year, over New
// Year too.
func TestYearless(t *testing.T) {
	for _, c := range []struct {
		died, ready string
		want        float64
	}{{"Apr  2 11:20:14", "Apr  2 11:20:18", 4}, {"Dec 31 23:59:58", "Jan  1 00:00:03", 5}} {
		log := c.died + " vps kernel: OOM killed process 190 (postgres) vm:1210220kB, rss:402110kB, swap:101020kB\n" +
			c.died + " vps postgres[801]: [9-1] LOG:  server process (PID 190) was terminated by signal 9: Killed\n" +
			c.ready + " vps postgres[801]: [11-1] LOG:  all server processes terminated; reinitializing\n" +
			c.ready + " vps postgres[801]: [12-1] LOG:  database system is ready to accept connections\n"
		k := oneKill(t, log, Facts{})
		if k.After.State != oomRestarted || k.After.Seconds == nil || *k.After.Seconds != c.want {
			t.Errorf("%s: %+v", c.died, k.After)
		}
	}
}
