package oom

import (
	"strings"
	"testing"
)

// told is the evidence of a kill's cause, and its advice.
func told(k Kill) string {
	var b strings.Builder
	for _, m := range k.Cause.Evidence {
		b.WriteString(m.String() + "\n")
	}
	for _, p := range k.Prevention {
		b.WriteString(p.What.String() + ": " + p.Why.String() + "\n")
	}
	return b.String()
}

// TestChildOfTheChosen: before 5.1 a child was killed for the process that was chosen, whose score is its own. Where
// both have one name, the one that was chosen may be a thread of the other.
func TestChildOfTheChosen(t *testing.T) {
	const lines = "[89942.480388] Out of memory: Kill process 19 (python) score 561 or sacrifice child\n" +
		"[89942.482095] Killed process 31 (sh) total-vm:536552kB, anon-rss:12012kB, file-rss:53740kB, shmem-rss:4kB\n"
	k := oneKill(t, lines, Facts{})
	if k.Victim.PID != 31 || k.Victim.Score != nil || !strings.Contains(told(k),
		"chose process 19 (python), and killed its child 31") {
		t.Errorf("%+v\n%s", k.Victim, told(k))
	}
	k = oneKill(t, strings.Replace(lines, "(python)", "(sh)", 1), Facts{})
	if k.Victim.Score == nil || *k.Victim.Score != 561 || !strings.Contains(told(k), "a thread of") {
		t.Errorf("%+v\n%s", k.Victim, told(k))
	}
	k = oneKill(t, strings.Replace(lines, "process 19 (python)", "process 31 (sh)", 1), Facts{})
	if k.Victim.Score == nil || strings.Contains(told(k), "chose") {
		t.Errorf("%+v\n%s", k.Victim, told(k))
	}
}

// TestVictimWithLittleOfItsOwn: where nothing else is in the log, what a victim has touched of shared memory is what
// there is to say.
func TestVictimWithLittleOfItsOwn(t *testing.T) {
	const line = "Out of memory: Killed process 18 (postgres) total-vm:4596384kB, anon-rss:29884kB, file-rss:0kB, " +
		"shmem-rss:4287752kB\n"
	if k := oneKill(t, line, Facts{}); !strings.Contains(told(k), "Check that shared_buffers") {
		t.Errorf("%s", told(k))
	}
	if k := oneKill(t, strings.Replace(line, "29884kB", "4929884kB", 1), Facts{}); len(k.Prevention) > 0 {
		t.Errorf("%s", told(k))
	}
}

// TestNoServerInTheTable: what a program takes is missing to no server where there is none.
func TestNoServerInTheTable(t *testing.T) {
	const text = "sshd invoked oom-killer: gfp_mask=0x201da, order=0, oom_adj=0, oom_score_adj=0\nMem-info:\n" +
		"active_anon:6854 inactive_anon:6987 isolated_anon:0\n free:252 slab_reclaimable:194 slab_unreclaimable:366\n" +
		" mapped:14 shmem:831 pagetables:134 bounce:0\n16384 pages of RAM\n" +
		"[ pid ]   uid  tgid total_vm      rss cpu oom_adj oom_score_adj name\n" +
		"[  410]     0   410      533       52   0     -17         -1000 udevd\n" +
		"[  738]     0   738    12586    10245   0       0             0 f951\n" +
		"Out of memory: Kill process 738 (f951) score 639 or sacrifice child\n" +
		"Killed process 738 (f951) total-vm:50344kB, anon-rss:40956kB, file-rss:24kB\n"
	k := oneKill(t, text, Facts{})
	if s := told(k); !strings.Contains(s, "Limit the memory of f951, or use a host with more memory") ||
		strings.Contains(s, "the server cannot use") {
		t.Errorf("%s", s)
	}
	server := strings.Replace(text, "-1000 udevd", "-1000 postgres", 1)
	if s := told(oneKill(t, server, Facts{})); !strings.Contains(s, "the server cannot use") {
		t.Errorf("%s", s)
	}
}

// TestPageTablesWithoutSharedMemory: where there is hardly any shared memory, page tables are not of it, and huge pages
// save none of them.
func TestPageTablesWithoutSharedMemory(t *testing.T) {
	const text = "mysqld invoked oom-killer: gfp_mask=0x201da, order=0, oom_adj=0\nMem-Info:\n" +
		"active_anon:342624 inactive_anon:114504 isolated_anon:0\n free:3488 slab_unreclaimable:6436\n" +
		" mapped:299 shmem:13 pagetables:29176 bounce:0\n524288 pages RAM\n11923 pages reserved\n" +
		"Out of memory: kill process 4944 (apache2) score 261929 or a child\nKilled process 22576 (apache2)\n"
	k := oneKill(t, text, Facts{})
	if k.Cause.ID != oomNotTold || !strings.Contains(k.Cause.Text.String(), "Private memory of processes: 1.74 GB") ||
		len(k.Prevention) > 0 {
		t.Errorf("%s %s\n%s", k.Cause.ID, k.Cause.Text, told(k))
	}
	k = oneKill(t, strings.Replace(text, "pagetables:29176", "pagetables:209176", 1), Facts{})
	if k.Cause.ID != oomPageTables || !strings.Contains(k.Cause.Text.String(), "only 52 kB") || len(k.Prevention) > 0 {
		t.Errorf("%s %s\n%s", k.Cause.ID, k.Cause.Text, told(k))
	}
	k = oneKill(t, strings.NewReplacer("shmem:13", "shmem:60000", "pagetables:29176", "pagetables:59176").Replace(text),
		Facts{})
	if k.Cause.ID != oomPageTables || !strings.Contains(told(k), "Use huge pages") {
		t.Errorf("%s %s\n%s", k.Cause.ID, k.Cause.Text, told(k))
	}
}

// TestNoServerInTheInput: of a table with rows left out, what a program takes is missing to no server that nothing
// tells of, and others may have had more.
func TestNoServerInTheInput(t *testing.T) {
	const text = "java invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0\nMem-Info:\n" +
		"active_anon:3040136 inactive_anon:133722 isolated_anon:0\n free:8942 slab_unreclaimable:9591\n" +
		" mapped:1006 shmem:1567 pagetables:103807 bounce:0\n3345679 pages RAM\n60310 pages reserved\n" +
		"[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name\n" +
		"[53549]     0 53549  1499403  1006857    2798        8             0 worker_be  <=======\n" +
		"[  410]     0   410      533       52       9       0             0 sshd\n" +
		"Out of memory: Kill process 53549 (worker_be) score 237 or sacrifice child\n" +
		"Killed process 53549 (worker_be) total-vm:5997612kB, anon-rss:4027428kB, file-rss:0kB, shmem-rss:0kB\n"
	k := oneKill(t, text, Facts{})
	if s := told(k); !strings.Contains(s, "Limit the memory of worker_be") ||
		strings.Contains(s, "the server cannot use") ||
		!strings.Contains(k.Cause.Text.String(), "another program may have had more") ||
		!strings.HasSuffix(k.Prevention[0].Commands[0], "UNIT-OF-worker_be MemoryMax=LIMIT") {
		t.Errorf("%s\n%s%v", k.Cause.Text, s, k.Prevention)
	}
}

// TestLimitOfMemoryAndSwap: of the two limits of cgroup version 1 that one was hit of which less is left.
func TestLimitOfMemoryAndSwap(t *testing.T) {
	const text = "a invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0\n" +
		"Task in /g killed as a result of limit of /g\nmemory: usage 101716kB, limit 102400kB, failcnt 30881\n" +
		"memory+swap: usage 204800kB, limit 204800kB, failcnt 6749\n" +
		"Memory cgroup stats for /g: cache:0KB rss:101716KB mapped_file:0KB swap:103084KB\n" +
		"Memory cgroup out of memory: Kill process 6 (a) score 634 or sacrifice child\n" +
		"Killed process 6 (a) total-vm:269616kB, anon-rss:55384kB, file-rss:4kB, shmem-rss:0kB\n"
	k := oneKill(t, text, Facts{})
	if !k.LimitSwap || *k.Limit != 204800<<10 ||
		!strings.Contains(k.Cause.Text.String(), "200 MB (100% of the limit)") {
		t.Errorf("%v %v %s", k.LimitSwap, *k.Limit, k.Cause.Text)
	}
	if k = oneKill(t, strings.Replace(text, "101716kB, limit", "102400kB, limit", 1), Facts{}); k.LimitSwap {
		t.Errorf("memory is full too, and nothing shows that swap was")
	}
}

// TestMostOfAGroup: where the limit of a group is not in the log, its task table shows which program had most of it.
func TestMostOfAGroup(t *testing.T) {
	const text = "Tasks state (memory values in pages):\n" +
		"[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n" +
		"[   7863]     0  7863     1013      156    45056       21          -997 sleep\n" +
		"[  11638]     0 11638  2109807    76320  9076736  1045307          -997 uwsgi\n" +
		"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c,mems_allowed=0,oom_memcg=/g,task_memcg=/g," +
		"task=uwsgi,pid=11638,uid=0\n"
	k := oneKill(t, text, Facts{})
	if k.Cause.ID != oomProgram || !strings.Contains(k.Cause.Text.String(), "uwsgi had 100%") {
		t.Errorf("%s %s", k.Cause.ID, k.Cause.Text)
	}
	if k = oneKill(t, strings.ReplaceAll(text, "uwsgi", "postgres"), Facts{}); k.Cause.ID != oomNotTold {
		t.Errorf("each process of a server counts the shared memory: %s %s", k.Cause.ID, k.Cause.Text)
	}
	alone := oneKill(t, "Memory cgroup out of memory: Killed process 5 (tail) total-vm:459896kB, anon-rss:458176kB, "+
		"file-rss:772kB, shmem-rss:0kB\n", Facts{})
	if !strings.Contains(alone.Cause.Text.String(), "only the memory of the victim (447 MB)") {
		t.Errorf("%s", alone.Cause.Text)
	}
}

// TestStateThatWasAskedFor: what SysRq m showed is the state of memory, and there is nothing to prevent.
func TestStateThatWasAskedFor(t *testing.T) {
	k := oneKill(t, "[ 1336.841310] sysrq: Show Memory\n[ 1336.843919] Mem-Info:\n"+
		"[ 1336.845313] active_anon:15 inactive_anon:40000\n[ 1336.845313]  shmem:90000 pagetables:18\n"+
		"[ 1336.94] free:900\n[ 1336.945720] Total swap = 4157436kB\n[ 1336.945721] 200000 pages RAM\n", Facts{})
	if !k.Shown || !k.OnlyMemory || k.Memory.SwapTotal == nil || len(k.Prevention)+len(k.Missing) > 0 ||
		!strings.Contains(k.Cause.Text.String(), "It is no OOM kill") {
		t.Errorf("%+v %s", k, k.Cause.Text)
	}
}
