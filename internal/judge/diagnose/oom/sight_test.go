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
