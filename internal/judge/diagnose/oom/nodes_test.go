package oom

import (
	"strings"
	"testing"
)

// TestFreeMemoryWhereItWasAllowed: a process may be restricted to nodes that are not out of memory, whose zone the
// kernel does not use for what it needed.
func TestFreeMemoryWhereItWasAllowed(t *testing.T) {
	const zone = "Node 3 active_anon:1448kB inactive_anon:0kB active_file:0kB inactive_file:0kB\n" +
		"Node 3 NAME free:FREEkB min:9140kB low:39160kB high:69180kB active_anon:1448kB managed:91023424kB\n"
	const kill = "oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=vm,mems_allowed=3,global_oom," +
		"task_memcg=/x,task=qemu,pid=41,uid=0\nOut of memory: Killed process 41 (qemu) total-vm:40kB, anon-rss:8kB, " +
		"file-rss:4kB, shmem-rss:0kB\n"
	of := func(name, free string) string {
		return strings.NewReplacer("NAME", name, "FREE", free).Replace(zone) + kill
	}
	for text, want := range map[string]string{
		of("Movable", "20971520"): "only these nodes: 3. 20 GB was free there, in the zone Movable",
		of("Normal", "1200"):      "are allowed to use (3) were out of memory",
		kill:                      "are allowed to use (3) were out of memory",
	} {
		k := oneKill(t, text, Facts{})
		if got := k.Cause.Text.String(); !strings.Contains(got, strings.TrimPrefix(want, "are ")) &&
			!strings.Contains(got, strings.Replace(want, "are allowed", "is allowed", 1)) {
			t.Errorf("%s", got)
		}
		all := told(k)
		if strings.Contains(all, "the "+
			"server") || strings.Contains(all, "Movable") != strings.Contains(want, "Movable") {
			t.Errorf("%s", all)
		}
	}
	server := strings.NewReplacer("task=qemu", "task=postgres", "(qemu)", "(postgres)").Replace(kill)
	if all := told(oneKill(t, server, Facts{})); !strings.Contains(all, "Do not restrict the server") {
		t.Errorf("%s", all)
	}
}

// TestNotEachReportIsAKill: what only looks like one is told as what it is.
func TestNotEachReportIsAKill(t *testing.T) {
	read := func(text string) *Report {
		l, err := oomRead(text)
		if err != nil {
			t.Fatal(err)
		}
		return Diagnose(l, Facts{})
	}
	if d := read("ExitCode:137,\nOOMKilled:false,\n"); !d.Spared || len(d.Units) > 0 || len(d.Lines) > 0 {
		t.Errorf("%+v", d)
	}
	d := read("Message: The node was low on resource: memory. Container db was using 3Gi, which exceeds its request " +
		"of 0.\n")
	if len(d.Units) != 1 || !d.Units[0].Evicted || d.Units[0].By != ByKubelet || d.Units[0].RSS.String() != "3 GB" {
		t.Errorf("%+v", d.Units)
	}
	if d = read("postgres: page allocation failure: order:4, mode:0xd0\n"); d.FailedAllocations != 1 {
		t.Errorf("%+v", d)
	}
	if d = read("Our database is OOM-killed each night, why?\n"); d.Mention == "" || len(d.NotUnderstood) > 0 {
		t.Errorf("%+v", d)
	}
	d = read("active_anon:1200 inactive_anon:300 isolated_anon:0\nFree swap  = 900kB\n500000 pages RAM\n")
	if len(d.Kills) != 1 || !d.Kills[0].OnlyMemory || strings.Contains(d.Kills[0].After.Text.String(), "victim") {
		t.Errorf("%+v", d.Kills)
	}
	for _, m := range d.Kills[0].Missing {
		if m.Fact.String() == "victim" {
			t.Errorf("%+v", m)
		}
	}
}
