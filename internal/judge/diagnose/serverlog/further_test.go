package serverlog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

func reportOf(t *testing.T, lines ...string) *Report {
	t.Helper()
	c := NewCollector(Options{})
	src, err := pglog.Read(strings.NewReader(strings.Join(lines, "\n")+"\n"), pglog.Options{}, c)
	if err != nil {
		t.Fatal(err)
	}
	c.File("x.log", src, false)
	return c.Report()
}

func toldOf(r *Report, id string) string {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
	if i < 0 {
		return ""
	}
	f := r.Findings[i]
	return strings.Join(slices.Concat([]string{f.Verdict.String()}, say.Strings(f.Evidence), say.Strings(f.Do)), "\n")
}

// TestKilledByTheKernel: a line of the kernel in the same file names the process.
func TestKilledByTheKernel(t *testing.T) {
	died := "2026-03-01 10:00:00.100 UTC [1] LOG:  server process (PID 77) was terminated by signal 9: Killed"
	for _, kernel := range []string{
		"[ 1234.5] Out of memory: Killed process 77 (postgres) total-vm:455336kB, anon-rss:297292kB, UID:999",
		"web.1 [info][  150.7] Memory cgroup out of memory: Kill process 77 (postgres) score 900 or sacrifice child",
	} {
		r := reportOf(t, kernel, died)
		if cause := r.Crashes[0].Cause.String(); !strings.Contains(cause, "was killed by the OOM killer") ||
			strings.Contains(toldOf(r, "crash"), "Check in the kernel log whether") ||
			!strings.Contains(toldOf(r, "crash"), "process 77 (postgres)") {
			t.Errorf("%s: %s\n%s", kernel, cause, toldOf(r, "crash"))
		}
		r = reportOf(t, strings.Replace(kernel, "process 77", "process 78", 1), died)
		if !strings.Contains(r.Crashes[0].Cause.String(), "does not show which") {
			t.Errorf("of another process: %s", r.Crashes[0].Cause)
		}
	}
}

// TestRecoveryThatFailsAgain: each failure counts, and the last has its time.
func TestRecoveryThatFailsAgain(t *testing.T) {
	r := reportOf(t,
		"2026-03-01 10:00:00 UTC [1] LOG:  client backend (PID 77) was terminated by signal 9: Killed",
		"2026-03-01 10:00:05 UTC [1] LOG:  startup process (PID 80) was terminated by signal 9: Killed",
		"2026-03-01 10:00:15 UTC [1] LOG:  startup process (PID 33) was terminated by signal 9: Killed",
		"2026-03-01 10:00:25 UTC [1] LOG:  startup process (PID 33) was terminated by signal 9: Killed")
	if got := r.Crashes[0].Cause.String(); len(r.Crashes) != 1 ||
		!strings.Contains(got, "recovery failed 3 times, the last time at 2026-03-01 10:00:25 UTC") {
		t.Error(got)
	}
}

// TestOnlyRefusedInRecovery: sessions hear of recovery mode only after a crash.
func TestOnlyRefusedInRecovery(t *testing.T) {
	refused := "2026-03-01 10:00:05 CST [81]: [1-1] user=app,db=shop,client=10.0.0.9 FATAL:  " +
		"the database system is in recovery mode"
	ready := "2026-03-01 10:00:24 CST [9]: [16-1] user=,db=,client= LOG:  database system is ready to accept " +
		"connections"
	r := reportOf(t, refused, refused, ready)
	if len(r.Crashes) != 1 || r.Crashes[0].DownSeconds != 19 || r.Crashes[0].Refused != 2 {
		t.Fatalf("%+v", r.Crashes)
	}
	if got := toldOf(r, "crash"); !strings.Contains(got, "refused: user app, database shop, host 10.0.0.9: 2 times") {
		t.Error(got)
	}
	r = reportOf(t, strings.ReplaceAll(refused, "in recovery mode", "starting up"), ready)
	if len(r.Crashes) != 0 {
		t.Errorf("%+v", r.Crashes)
	}
}

// TestSessionsOfOtherPrefixes: what a process said when it was authorized is known where the prefix has no names.
func TestSessionsOfOtherPrefixes(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:00 UTC [77] LOG:  connection authorized: user=app database=shop",
		"2026-03-01 10:00:01 UTC [77] FATAL:  database \"shop\" does not exist",
		"2026-03-01 10:00:02 UTC [78] LOG:  connection authorized: user=job database=shop application_name=x",
		"2026-03-01 10:00:09 UTC [1] LOG:  server process (PID 78) was terminated by exception 0xC0000374")
	if got := toldOf(r, "no_such_database_or_role"); !strings.Contains(got, "user app, database shop") {
		t.Error(got)
	}
	if len(r.Crashes) != 1 || r.Crashes[0].User != "job" || r.Crashes[0].Database != "shop" {
		t.Errorf("%+v", r.Crashes)
	}
}

// TestChangedSettings: reloads say what they changed.
func TestChangedSettings(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:00 UTC [1] LOG:  received SIGHUP, reloading configuration files",
		`2026-03-01 10:00:00 UTC [1] LOG:  parameter "work_mem" changed to "48MB"`,
		`2026-03-01 10:00:00 UTC [1] LOG:  parameter "log_statement" removed from configuration file, reset to default`)
	if len(r.Changed) != 2 || r.Changed[0].Name != "work_mem" || r.Changed[0].Value != "48MB" || !r.Changed[1].Reset {
		t.Errorf("%+v", r.Changed)
	}
}

// TestPhasesOfAStart: the parts of a start that take long report how far they are.
func TestPhasesOfAStart(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:10 UTC [7] LOG:  redo in progress, elapsed time: 10.00 s, current LSN: "+
		"6/CC0B3BE8",
		"2026-03-01 10:00:20 UTC [7] LOG:  resetting unlogged relations (init), elapsed time: 12.50 s, current "+
			"path: base/1",
		"2026-03-01 10:00:30 UTC [7] LOG:  resetting unlogged relations (init), elapsed time: 22.50 s, current "+
			"path: base/5")
	if r.Recovery == nil || len(r.Recovery.Phases) != 2 || r.Recovery.Phases[1].Seconds != 22.5 ||
		r.Recovery.Phases[1].At != "base/5" {
		t.Errorf("%+v", r.Recovery)
	}
}

// TestRecoveryInFull: what a recovery found, and that it had nothing to do.
func TestRecoveryInFull(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:10 UTC [7] LOG:  redo done at 0/1DB7A9A8",
		"2026-03-01 10:00:10 UTC [7] LOG:  last completed transaction was at log time 2026-02-28 17:42:53.8-07")
	if r.Recovery == nil || r.Recovery.LastCommit != "2026-02-28 17:42:53.8-07" || r.Recovery.None {
		t.Errorf("%+v", r.Recovery)
	}
	r = reportOf(t, "2026-03-01 10:00:10 UTC [7] LOG:  redo is not required")
	if r.Recovery == nil || !r.Recovery.None {
		t.Errorf("%+v", r.Recovery)
	}
}

// TestTerminatedSessions: whose sessions ended with a crash.
func TestTerminatedSessions(t *testing.T) {
	notice := "2026-03-01 10:00:00 UTC [77] app@shop WARNING:  terminating connection because of crash of another " +
		"server " +
		"process"
	if got := toldOf(reportOf(t, notice, notice), "crash"); !strings.Contains(got, "terminated: user app, database "+
		"shop: "+
		"2 times") {
		t.Error(got)
	}
}

// TestDeadlockInFull: its processes, the one that failed, and the row.
func TestDeadlockInFull(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:00 UTC [77] app@shop ERROR:  deadlock detected",
		"2026-03-01 10:00:00 UTC [77] app@shop DETAIL:  Process 77 waits for ShareLock on transaction 5; blocked by "+
			"process 78.",
		"\tProcess 78 waits for ShareLock on transaction 4; blocked by process 77.",
		"\tProcess 77: UPDATE stock SET n = 1 WHERE id = 1", "\tProcess 78: UPDATE stock SET n = 1 WHERE id = 2",
		"2026-03-01 10:00:00 UTC [77] app@shop CONTEXT:  while updating tuple (3,14) in relation \"stock\"")
	if got := toldOf(r, "deadlocks"); !strings.Contains(got, "PIDs 77, 78, of which 77 failed; tuple (3,14) in "+
		"relation "+
		"stock") {
		t.Errorf("%s\n%+v", got, r.Locks.Tied)
	}
}

// TestLimitBeside: what the kernel allows is in the input with the log.
func TestLimitBeside(t *testing.T) {
	log := []string{"2026-03-01 10:00:00 UTC FATAL:  could not create shared memory segment: Invalid argument",
		"2026-03-01 10:00:00 UTC DETAIL:  Failed system call was shmget(key=5432001, size=61816832, 03600).",
		"2026-03-01 10:00:00 UTC HINT:  This error usually means that PostgreSQL's request for a shared memory " +
			"segment " +
			"exceeded your kernel's SHMMAX parameter.", "", "$ cat /proc/sys/kernel/shmmax"}
	for value, want := range map[string]string{"33554432": "The segment exceeds SHMMAX", "4294967296": "allows the " +
		"request"} {
		got := toldOf(reportOf(t, append(slices.Clone(log), value)...), "no_shared_memory")
		if !strings.Contains(got, want) ||
			!strings.Contains(got, "kernel.shmmax in the input") {
			t.Errorf("%s: %s", value, got)
		}
	}
}

// TestSlotWithoutItsWAL: who asks with a slot for WAL that is gone is not advised to use one.
func TestSlotWithoutItsWAL(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:00 UTC [77] rep@[unknown] ERROR:  requested WAL segment "+
		"00000004000007A70000002A "+
		"has already been removed",
		`2026-03-01 10:00:00 UTC [77] rep@[unknown] STATEMENT:  START_REPLICATION SLOT "s_2" 7A7/2A000000 TIMELINE 4`)
	if got := toldOf(r, "wal_removed"); !strings.Contains(got, "replication slot s_2") ||
		!strings.Contains(got, "does not retain that segment") || strings.Contains(got, "and use a replication slot") {
		t.Error(got)
	}
}

// TestBackupLabel: the hint of the server is for one case only.
func TestBackupLabel(t *testing.T) {
	r := reportOf(t, "2026-03-01 10:00:00 UTC [7] FATAL:  could not locate required checkpoint record",
		`2026-03-01 10:00:00 UTC [7] HINT:  If you are not restoring from a backup, try removing the file `+
			`"/srv/pg/backup_label".`,
		"2026-03-01 10:00:00 UTC [1] LOG:  startup process (PID 7) exited with exit code 1",
		"2026-03-01 10:00:00 UTC [1] LOG:  aborting startup due to startup process failure")
	if got := toldOf(r, "start_failed"); !strings.Contains(got, "Remove backup_label only if") ||
		!strings.Contains(got, "startup process (PID 7) exited with code 1") {
		t.Error(got)
	}
}
