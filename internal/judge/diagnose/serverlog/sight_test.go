package serverlog

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// TestStatementOfAnEntryBefore: with log_statement, the entry of a duration has no statement. It is the one that the
// same session logged before, unless that has ended.
func TestStatementOfAnEntryBefore(t *testing.T) {
	r := reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [7] a@b LOG:  statement: SELECT sum(total) FROM invoices",
		"2026-11-20 09:00:00.001 UTC [8] a@b LOG:  execute s1: UPDATE stock SET n = $1",
		"2026-11-20 09:00:05.000 UTC [7] a@b LOG:  duration: 5000.000 ms",
		"2026-11-20 09:00:06.000 UTC [8] a@b LOG:  duration: 6000.000 ms",
		"2026-11-20 09:00:20.000 UTC [7] a@b LOG:  duration: 3000.000 ms",
		"2026-11-20 09:00:21.000 UTC [9] a@b LOG:  statement: SELECT oops",
		"2026-11-20 09:00:21.001 UTC [9] a@b ERROR:  column \"oops\" does not exist",
		"2026-11-20 09:00:30.000 UTC [9] a@b LOG:  duration: 2000.000 ms")
	_, text := found(t, r, "slow_statements")
	has(t, text, "6 s: UPDATE stock", "5 s: SELECT sum(total)", "3 s: statement unknown", "2 s: statement unknown")
	lacks(t, text, "oops")
}

// TestWaitsAndDeadlocksApart: the relations of waits are none of a deadlock, and a wait whose end is not in the log
// took at least what is.
func TestWaitsAndDeadlocksApart(t *testing.T) {
	lines := []string{
		"2026-11-20 09:00:01.000 UTC [7] a@b LOG:  process 7 still waiting for ShareLock on transaction 9 after " +
			"1000.100 ms",
		"2026-11-20 09:00:01.000 UTC [7] a@b CONTEXT:  while updating tuple (0,1) in relation \"orders\"",
		"2026-11-20 09:00:02.000 UTC [8] a@b ERROR:  deadlock detected",
		"2026-11-20 09:00:02.000 UTC [8] a@b CONTEXT:  while updating tuple (0,2) in relation \"stock\"",
	}
	r := reported(t, Options{}, lines...)
	_, text := found(t, r, "deadlocks")
	has(t, text, "relation stock: once")
	lacks(t, text, "orders")
	_, text = found(t, r, "lock_waits")
	has(t, text, "relation orders: once", "longest: at least 1 s")
	lacks(t, text, "stock")
	if len(r.Locks.Relations) != 2 {
		t.Errorf("%+v", r.Locks.Relations)
	}
	r = reported(t, Options{}, append(lines,
		"2026-11-20 09:00:04.000 UTC [7] a@b LOG:  process 7 acquired ShareLock on transaction 9 after 4000.100 ms")...)
	_, text = found(t, r, "lock_waits")
	has(t, text, "longest: 4 s")
	lacks(t, text, "at least")
}

// TestLockFilesOfThreeKinds: what to do depends on whether a file is in the way, is gone, or shared memory is in use.
func TestLockFilesOfThreeKinds(t *testing.T) {
	const remove = "remove the file, and start the server"
	_, text := found(t, reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [7] FATAL:  lock file \"postmaster.pid\" already exists"), "lock_file")
	has(t, text, remove)
	_, text = found(t, reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [7] FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use"),
		"lock_file")
	has(t, text, "processes of the former server still run")
	lacks(t, text, remove)
	r := reported(t, Options{},
		at("09:00:00", "LOG:  performing immediate shutdown because data directory lock file is invalid"),
		"2026-11-20 09:00:00.001 UTC [7] LOG:  received immediate shutdown request",
		"2026-11-20 09:00:00.002 UTC [7] LOG:  database system is shut down")
	_, text = found(t, r, "lock_file")
	has(t, text, "stops itself")
	lacks(t, text, remove)
	if len(r.Shutdowns) != 1 || r.Shutdowns[0].Cause != lockFileLost {
		t.Errorf("%+v", r.Shutdowns)
	}
}

// TestRecoveryThatCrashes: it is no crash of a server that ran, its PANIC says why, and each attempt is a start.
func TestRecoveryThatCrashes(t *testing.T) {
	attempt := func(hm string) []string {
		return []string{
			"2026-11-20 " + hm + ":01.000 UTC [28] LOG:  database system was interrupted; last known up at " +
				"2026-11-20 08:00:05 UTC",
			"2026-11-20 " + hm + ":01.100 UTC [28] PANIC:  could not locate a valid checkpoint record",
			"2026-11-20 " + hm + ":04.000 UTC [26] LOG:  startup process (PID 28) was terminated by signal 6: Aborted",
			"2026-11-20 " + hm + ":04.001 UTC [26] LOG:  aborting startup due to startup process failure",
			"2026-11-20 " + hm + ":04.002 UTC [26] LOG:  database system is shut down",
		}
	}
	lines := append(attempt("09:00")[2:], attempt("09:05")...)
	r := reported(t, Options{}, append(lines, attempt("09:10")...)...)
	if len(r.Starts) != 2 || r.Starts[0].Found != "interrupted" || r.Starts[1].Time != "2026-11-20 09:10:01 UTC" {
		t.Errorf("%+v", r.Starts)
	}
	_, text := found(t, r, "crash")
	has(t, text, "Recovery crashed once, the server did not start")
	lacks(t, text, "core dump", "journalctl")
	_, text = found(t, reported(t, Options{}, append(append([]string{}, attempt("09:05")[0],
		"2026-11-20 09:05:01.050 UTC [28] LOG:  database system was not properly shut down; automatic recovery in "+
			"progress"), attempt("09:05")[1:]...)...), "crash")
	has(t, text, "Server crashed once") // before it, and without a word
}

// TestRefusedAtItsEnd: a log that has nothing else of a shutdown says that the server was shutting down.
func TestRefusedAtItsEnd(t *testing.T) {
	const refused = "2026-11-20 09:00:01.000 UTC [9] a@b FATAL:  the database system is shutting down"
	f, text := found(t, reported(t, Options{}, refused, refused), "not_accepting")
	if has(t, text, "2 connections were refused because the server was shutting down"); f.Count != 2 {
		t.Errorf("%+v", f)
	}
	for _, f := range reported(t, Options{}, at("09:00:00", "LOG:  received fast shutdown request"), refused).Findings {
		t.Errorf("a shutdown that was asked for: %s", f.ID)
	}
}

// TestRestoreCommandBringsNothing: one that ends well without a file is set, and wrong.
func TestRestoreCommandBringsNothing(t *testing.T) {
	gone := at("09:00:00", "FATAL:  could not receive data from WAL stream: ERROR:  requested WAL segment "+
		"000000010000000000000003 has already been removed")
	_, text := found(t, reported(t, Options{}, gone), "wal_removed")
	has(t, text, "set restore_command on the standby")
	_, text = found(t, reported(t, Options{}, gone,
		at("09:00:01", "LOG:  could not stat file \"pg_wal/RECOVERYXLOG\": No such file or directory"),
		at("09:00:01", "DETAIL:  restore_command returned a zero exit status, but stat() failed.")), "wal_removed")
	has(t, text, "exits with 0 and provides no file")
	lacks(t, text, "set restore_command on the standby")
}

// TestHalfOfATableIsDead: rows that cannot be removed matter by their share of the table too, and autovacuum of 9.6
// and earlier has other words for its time.
func TestHalfOfATableIsDead(t *testing.T) {
	run := func(left, dead string) *Report {
		return reported(t, Options{},
			at("09:00:00", "LOG:  automatic vacuum of table \"app.public.jobs\": index scans: 0"),
			"\tpages: 0 removed, 900 remain, 0 skipped due to pins",
			"\ttuples: 0 removed, "+left+" remain, "+dead+" are dead but not yet removable",
			"\tsystem usage: CPU 0.31s/0.12u sec elapsed 61.25 sec")
	}
	r := run("300000", "200000")
	_, text := found(t, r, "autovacuum_stuck")
	has(t, text, "app.public.jobs: 200,000 dead rows not yet removable, of 300,000 rows in all", "replication slot")
	if r.Vacuum.Longest[0].Seconds != 61.25 || r.Vacuum.Longest[0].Rows != 300000 {
		t.Errorf("%+v", r.Vacuum.Longest)
	}
	for _, f := range append(run("900000", "200000").Findings, run("3000", "2900").Findings...) {
		t.Errorf("%s", f.Verdict)
	}
}

// TestDumpWithoutItsTotal: dumps of 9.5 and earlier belong to their error, before it and, on a page, behind it.
func TestDumpWithoutItsTotal(t *testing.T) {
	dump := []string{"TopMemoryContext: 68688 total in 10 blocks; 2184 free (7 chunks); 66504 used",
		"  ExecutorState: 45280062 total in 4 blocks; 18040 free (9 chunks); 45262022 used",
		"    ExprContext: 8192 total in 1 blocks; 8160 free (0 chunks); 32 used",
		"  CacheMemoryContext: 81784 total in 20 blocks; 5313 free (1 chunks); 76471 used: of a name that makes " +
			"the line wider than a letter is",
		"  ErrorContext: 8192 total in 1 blocks; 8160 free (0 chunks); 32 used"}
	failed := []string{"2026-11-20 09:00:00.000 UTC [7] ERROR:  out of memory",
		"2026-11-20 09:00:00.000 UTC [7] DETAIL:  Failed on request of size 4096."}
	const after = "2026-11-20 09:00:09.000 UTC [8] LOG:  checkpoint starting: time"
	for name, lines := range map[string][]string{"before": append(append(dump, failed...), after),
		"behind": append(append(failed, dump...), after)} {
		c := NewCollector(Options{})
		if _, err := pglog.Read(strings.NewReader(strings.Join(lines, "\n")+"\n"), pglog.Options{}, c); err != nil {
			t.Fatal(err)
		}
		d := c.Report().Memory.Dumps
		if len(d) != 1 || d[0].Request != 4096 || d[0].PID != 7 || d[0].Largest[0].Name != "ExecutorState" {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestCheckpointRecordThatIsNotValid: without the PANIC that follows it is the reason why the server does not start,
// unless that has started, and with it one reason.
func TestCheckpointRecordThatIsNotValid(t *testing.T) {
	lines := []string{
		"2026-11-20 09:00:00.000 UTC [7] LOG:  database system was interrupted; last known up at 2026-11-20 08:30:00 " +
			"UTC",
		"2026-11-20 09:00:00.100 UTC [7] LOG:  invalid resource manager ID in primary checkpoint record",
	}
	r := reported(t, Options{}, lines...)
	f, text := found(t, r, "start_failed")
	has(t, text, "cannot start without a valid one (once)", "invalid resource manager ID", "restore a backup")
	if f.Severity != Critical {
		t.Errorf("%+v", f)
	}
	_, _ = found(t, r, "crash")
	has(t, r.Crashes[0].Cause.String(), "before this start, the server had ended without a message in the log")
	f, text = found(t, reported(t, Options{}, append(lines,
		"2026-11-20 09:00:02.000 UTC [1] LOG:  database system is ready to accept connections")...), "start_failed")
	has(t, text, "but the server started")
	lacks(t, text, "cannot start")
	if f.Severity != Warning {
		t.Errorf("%+v", f)
	}
	f, text = found(t, reported(t, Options{}, append(lines,
		"2026-11-20 09:00:00.200 UTC [7] PANIC:  could not locate a valid checkpoint record")...), "start_failed")
	has(t, text, "Server could not start (once)")
	if f.Count != 1 {
		t.Errorf("%+v", f)
	}
}

// TestExitCodeOfAnother: no process of PostgreSQL exits with such a code, and the log of the host says nothing of it.
func TestExitCodeOfAnother(t *testing.T) {
	const died = "2026-11-20 09:00:00.000 UTC [1] LOG:  server process (PID 58) exited with exit code "
	_, text := found(t, reported(t, Options{}, died+"255"), "crash")
	has(t, text, "code 255 comes from something else")
	lacks(t, text, "reboots")
	_, text = found(t, reported(t, Options{}, died+"2"), "crash")
	has(t, text, "SIGQUIT")
	lacks(t, text, "something else")
}

// TestLinesOfNoEntry: a prefix helps only where a line has a severity.
func TestLinesOfNoEntry(t *testing.T) {
	entry := "2026-11-20 09:00:00.000 UTC [7] LOG:  checkpoint starting: time\n"
	for more, want := range map[string]bool{"": false, "db1/7 ana:ERROR:  deadlock detected\n": true} {
		c := NewCollector(Options{})
		text := strings.Repeat("What can that be\n", 12) + more + entry
		src, err := pglog.Read(strings.NewReader(text), pglog.Options{Prefix: "%m [%p] ", Known: true}, c)
		if err != nil {
			t.Fatal(err)
		}
		c.File("log", src, false)
		hint := false
		for _, g := range c.Report().Unknown {
			if g.Fact.String() == "lines of log" {
				hint = !g.Reveal.IsZero()
			}
		}
		if hint != want {
			t.Errorf("%q: a hint: %v, of %+v", more, hint, src)
		}
	}
}

// TestNeededProcessThatExited: the crash is that of the process, with the FATAL that it ended with.
func TestNeededProcessThatExited(t *testing.T) {
	r := reported(t, Options{}, at("09:00:00", "LOG:  database system is ready to accept connections"),
		"2026-11-20 09:00:01.000 UTC [29] FATAL:  could not open relation mapping file "+
			"\"global/pg_filenode.map\": No such file or directory",
		at("09:00:01", "LOG:  autovacuum launcher process (PID 29) exited with exit code 1"),
		at("09:00:01", "LOG:  terminating any other active server processes"),
		at("09:00:01", "LOG:  all server processes terminated; reinitializing"))
	if len(r.Crashes) != 1 || r.Crashes[0].PID != 29 || r.Crashes[0].ExitCode != 1 {
		t.Fatalf("%+v", r.Crashes)
	}
	has(t, r.Crashes[0].Cause.String(), "exited with code 1 after its FATAL", "pg_filenode.map")
	_, text := found(t, r, "crash")
	has(t, text, "restore a backup")
	lacks(t, text, "last -x")
}

// TestInterruptedWhileInRecovery: the server itself doubts its data then.
func TestInterruptedWhileInRecovery(t *testing.T) {
	r := reported(t, Options{}, at("09:00:10",
		"LOG:  database system was interrupted while in recovery at 2026-11-20 08:59:00 UTC"))
	has(t, r.Crashes[0].Cause.String(), "while in recovery")
}

// TestReplicationEndedInOrder: a primary that shuts down ends its streams, which is no fault of the network.
func TestReplicationEndedInOrder(t *testing.T) {
	ended := at("09:00:00", "LOG:  replication terminated by primary server")
	f, text := found(t, reported(t, Options{}, ended), "replication_broken")
	has(t, text, "closed the replication stream normally", "shuts down")
	if f.Severity != Notice || strings.Contains(text, "network") {
		t.Errorf("%+v\n%s", f, text)
	}
	f, text = found(t, reported(t, Options{}, ended, at("09:00:05", "FATAL:  terminating walreceiver due to timeout")),
		"replication_broken")
	if f.Severity != Warning || !strings.Contains(text, "network") {
		t.Errorf("%+v\n%s", f, text)
	}
}

// TestUserOfADeadlock: the prefix of the error is of the process whose error it is, and of no other.
func TestUserOfADeadlock(t *testing.T) {
	r := reported(t, Options{}, "2026-11-20 09:00:00.000 UTC [7] ana@shop ERROR:  deadlock detected",
		"2026-11-20 09:00:00.000 UTC [7] ana@shop DETAIL:  Process 7 waits for ShareLock on transaction 5; blocked by "+
			"process 8.", "\tProcess 8 waits for ShareLock on transaction 6; blocked by process 7.",
		"\tProcess 7: UPDATE a SET b = 1", "\tProcess 8: DELETE FROM c")
	for _, s := range r.Locks.Deadlocked {
		want := ""
		if strings.HasPrefix(s.Text, "UPDATE") {
			want = "ana"
		}
		if s.User != want {
			t.Errorf("%+v", s)
		}
	}
	if len(r.Locks.Deadlocked) != 2 {
		t.Errorf("%+v", r.Locks.Deadlocked)
	}
}
