package serverlog

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// TestPanicOfAStart: a PANIC that keeps the server from starting is told once, with what to do.
func TestPanicOfAStart(t *testing.T) {
	r := reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [1] LOG:  starting PostgreSQL 16.4 on x86_64-pc-linux-musl, 64-bit",
		"2026-11-20 09:00:00.010 UTC [29] LOG:  database system was shut down at 2026-11-19 20:00:00 UTC",
		"2026-11-20 09:00:00.010 UTC [29] LOG:  invalid resource manager ID 80 at 0/5F7C6E0",
		"2026-11-20 09:00:00.011 UTC [29] LOG:  invalid checkpoint record",
		"2026-11-20 09:00:00.012 UTC [29] PANIC:  could not locate a valid checkpoint record at 0/5F7C6E0",
		"2026-11-20 09:00:00.200 UTC [1] LOG:  startup process (PID 29) was terminated by signal 6: Aborted",
		"2026-11-20 09:00:00.201 UTC [1] LOG:  aborting startup due to startup process failure",
		"2026-11-20 09:00:00.202 UTC [1] LOG:  database system is shut down")
	_, text := found(t, r, "start_failed")
	has(t, text, "could not locate a valid checkpoint record", "invalid resource manager ID 80", "pg_resetwal")
	if len(r.Crashes) > 0 {
		t.Errorf("%+v", r.Crashes)
	}
	for _, f := range r.Findings {
		if f.ID == "panic" {
			t.Errorf("%q", f.Verdict)
		}
	}
	// Another PANIC is one of a server that ran.
	_, text = found(t, reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [29] PANIC:  could not write to file \"pg_wal/xlogtemp.29\": No space left on "+
			"device"), "panic")
	has(t, text, "Server stopped with a PANIC once")
}

// TestForkOfAHistory: where the histories parted is in the DETAIL, and a message that was cut is known by it.
func TestForkOfAHistory(t *testing.T) {
	_, text := found(t, reported(t, Options{},
		"2026-11-20 09:00:00 UTC [7] FATAL:  could not start WAL streaming: ERROR:  requested starting point "+
			"5/C1000000 on timeline 4 is not in this server's history",
		"\tDETAIL:  This server's history forked from timeline 4 at 5/C0745DD0."), "timeline_diverged")
	has(t, text, "5/C1000000", "forked from timeline 4 at 5/C0745DD0")
	r := reported(t, Options{},
		"2026-11-20 09:00:00 UTC [7] FATAL:  could not start WAL streaming: ERROR:  requested starting poi",
		"\tDETAIL:  This server's history forked from timeline 4 at 5/C0745DD0.")
	found(t, r, "timeline_diverged")
	for _, f := range r.Findings {
		if f.ID == "replication_broken" {
			t.Errorf("%q", f.Verdict)
		}
	}
}

// TestCheckpointsThatAreNotLogged: warnings without log_checkpoints tell nothing of how many checkpoints there were.
func TestCheckpointsThatAreNotLogged(t *testing.T) {
	_, text := found(t, reported(t, Options{},
		"2026-11-20 09:00:00 UTC [7] LOG:  checkpoints are occurring too frequently (19 seconds apart)",
		"2026-11-20 09:00:20 UTC [7] LOG:  checkpoints are occurring too frequently (20 seconds apart)"), "checkpoints")
	has(t, text, "2 warnings", "shortest interval: 19 s")
	lacks(t, text, "0 by")
}

// TestDeadlockWithoutItsDetail: the statement and the user are those that the log has.
func TestDeadlockWithoutItsDetail(t *testing.T) {
	_, text := found(t, reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [145] a@shop LOG:  process 145 detected deadlock while waiting for ShareLock on "+
			"transaction 1477 after 1000.076 ms",
		"2026-11-20 09:00:00.000 UTC [145] a@shop DETAIL:  Process holding the lock: 144. Wait queue: .",
		"2026-11-20 09:00:00.000 UTC [145] a@shop CONTEXT:  while inserting index tuple (6,24) in relation \"seen\"",
		"2026-11-20 09:00:00.000 UTC [145] a@shop STATEMENT:  INSERT INTO seen (ip, at) VALUES ($1, $2)",
		"2026-11-20 09:00:00.000 UTC [145] a@shop ERROR:  deadlock detected"), "deadlocks")
	has(t, text, "INSERT INTO seen", "relation seen: once", "held by PID 144", "user a, database shop",
		"not in the input")
	lacks(t, text, "The DETAIL in the log shows")
	_, text = found(t, reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [145] a@shop ERROR:  deadlock detected",
		"2026-11-20 09:00:00.000 UTC [145] a@shop DETAIL:  Process 145 waits for ShareLock on transaction 9; blocked "+
			"by process 144.",
		"\tProcess 144 waits for ShareLock on transaction 8; blocked by process 145.",
		"\tProcess 145: UPDATE x SET a = 1",
		"\tProcess 144: UPDATE y SET a = 1"), "deadlocks")
	has(t, text, "The DETAIL in the log shows", "UPDATE x", "UPDATE y")
}

// TestSettingsBelowThePrimary: to 13, the message names one setting and the value that it needs.
func TestSettingsBelowThePrimary(t *testing.T) {
	_, text := found(t, reported(t, Options{},
		"2026-11-20 09:00:00 UTC [7] LOG:  database system was interrupted; last known up at 2026-11-20 08:50:00 UTC",
		"2026-11-20 09:00:00 UTC [7] LOG:  starting archive recovery",
		"2026-11-20 09:00:00 UTC [7] FATAL:  hot standby is not possible because max_connections = 100 is a lower "+
			"setting than on the master server (its value was 194)",
		"2026-11-20 09:00:00 UTC [1] LOG:  startup process (PID 7) exited with exit code 1",
		"2026-11-20 09:00:00 UTC [1] LOG:  aborting startup due to startup process failure"), "start_failed")
	has(t, text, "Set max_connections to at least 194")
	lacks(t, text, "Correct what the message names")
}

// TestLastUpOfACrashWithoutTimes: where the entries have no time, that of a message is the only one.
func TestLastUpOfACrashWithoutTimes(t *testing.T) {
	c := NewCollector(Options{})
	if _, err := pglog.Read(strings.NewReader(strings.Join([]string{
		"[1] LOG:  server process (PID 77) was terminated by signal 9: Killed",
		"[1] LOG:  terminating any other active server processes",
		"[1] LOG:  all server processes terminated; reinitializing",
		"[80] LOG:  database system was interrupted; last known up at 2026-11-20 16:51:16 UTC",
		"[80] LOG:  database system was not properly shut down; automatic recovery in progress",
		"[1] LOG:  database system is ready to accept connections"}, "\n")), pglog.Options{}, c); err != nil {
		t.Fatal(err)
	}
	_, text := found(t, c.Report(), "crash")
	has(t, text, "2026-11-20 16:51:16 UTC")
}

// TestExceptionsOfTwoKinds: a bug is one whatever the server runs in, and a console that is closed is none.
func TestExceptionsOfTwoKinds(t *testing.T) {
	const console, bug = "Run the server as a service", "test without extensions"
	for code, want := range map[string]string{"0xC0000005": bug, "0xC0000374": bug, "0xC000013A": console,
		"0xC0000142": console} {
		_, text := found(t, reported(t, Options{},
			"2026-11-20 09:00:00 UTC [1] LOG:  server process (PID 77) was terminated by exception "+code), "crash")
		has(t, text, want)
		lacks(t, text, map[string]string{bug: console, console: bug}[want])
	}
}

// TestStatementOnTheNextLine: the statement of a process that crashed may begin behind a line break.
func TestStatementOnTheNextLine(t *testing.T) {
	r := reported(t, Options{},
		"2026-11-20 09:00:00 UTC [1] LOG:  server process (PID 77) was terminated by signal 11: Segmentation fault",
		"2026-11-20 09:00:00 UTC [1] DETAIL:  Failed process was running:",
		"\tSELECT broken()")
	if len(r.Crashes) != 1 || r.Crashes[0].Statement != "SELECT broken()" {
		t.Errorf("%+v", r.Crashes)
	}
}

// TestRecoveryTarget: what a recovery was to stop at.
func TestRecoveryTarget(t *testing.T) {
	r := reported(t, Options{},
		"2026-11-20 09:00:00 UTC [7] LOG:  starting point-in-time recovery to 2026-11-20 08:43:43+08",
		"2026-11-20 09:00:01 UTC [7] LOG:  restored log file \"000000010000000000000003\" from archive")
	if r.Recovery == nil || r.Recovery.Target != "2026-11-20 08:43:43+08" {
		t.Errorf("%+v", r.Recovery)
	}
}

// TestRestorePointRedacted: a restore point has a name that somebody gave it.
func TestRestorePointRedacted(t *testing.T) {
	r := reported(t, Options{Redact: true},
		"2026-11-20 09:00:00 UTC [7] LOG:  starting point-in-time recovery to \"before_sales_drop\"",
		"2026-11-20 09:00:01 UTC [7] LOG:  restored log file \"000000010000000000000003\" from archive")
	lacks(t, text(t, r), "sales")
	if r.Recovery == nil || r.Recovery.Target == "" {
		t.Errorf("%+v", r.Recovery)
	}
}
