package serverlog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// found is a finding of a report, and all of its words.
func found(t *testing.T, r *Report, id string) (Finding, string) {
	t.Helper()
	for _, f := range r.Findings {
		if f.ID == id {
			return f, strings.Join(say.Strings(slices.Concat([]say.Message{f.Verdict}, f.Evidence, f.Do)), "\n")
		}
	}
	t.Fatalf("no finding %s, but %q", id, ids(r))
	return Finding{}, ""
}

func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

func lacks(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%q is in\n%s", w, text)
		}
	}
}

// TestPostmasterGone: the sessions outlive the postmaster, and say so; the next start
// finds no clean end.
func TestPostmasterGone(t *testing.T) {
	r := reported(t, Options{},
		"2026-11-20 09:00:00.000 UTC [100] LOG:  database system is ready to accept connections",
		"2026-11-20 09:30:00.000 UTC [201] FATAL:  terminating connection due to unexpected postmaster exit",
		"2026-11-20 09:30:00.001 UTC [202] FATAL:  terminating connection due to unexpected postmaster exit",
		"2026-11-20 11:30:00.000 UTC [300] LOG:  starting PostgreSQL 17.4 on x86_64-pc-linux-gnu, 64-bit",
		"2026-11-20 11:30:00.020 UTC [301] LOG:  database system was interrupted; last known up at 2026-11-20 "+
			"09:25:00 UTC",
		"2026-11-20 11:30:00.030 UTC [301] LOG:  database system was not properly shut down; automatic recovery in "+
			"progress",
		"2026-11-20 11:30:00.049 UTC [300] LOG:  database system is ready to accept connections")
	if len(r.Crashes) != 1 {
		t.Fatalf("%+v", r.Crashes)
	}
	x := r.Crashes[0]
	if x.Kind != postmasterGone || x.ProcessesEnded != 2 || x.LastAlive != "2026-11-20 09:30:00 UTC" ||
		x.DownSeconds != 7200.049 || x.DownAtMost || x.Ready != "2026-11-20 11:30:00 UTC" {
		t.Errorf("%+v", x)
	}
	f, text := found(t, r, "crash")
	has(t, text, "postmaster", "OOM", "2.0 h")
	if f.Count != 1 {
		t.Errorf("%+v", f)
	}
}

// TestOutageSinceTheLastSign: two hours without a server are no 29 ms, though the new one
// was ready after them.
func TestOutageSinceTheLastSign(t *testing.T) {
	lines := []string{
		"2026-11-20 08:59:00.000 UTC [100] LOG:  database system is ready to accept connections",
		"2026-11-20 09:00:00.000 UTC [100] LOG:  checkpoint starting: time",
		"2026-11-20 11:00:00.000 UTC [300] LOG:  starting PostgreSQL 17.4 on x86_64-pc-linux-gnu, 64-bit",
		"2026-11-20 11:00:00.020 UTC [301] LOG:  database system was interrupted; last known up at 2026-11-20 " +
			"08:55:00 UTC",
		"2026-11-20 11:00:00.049 UTC [300] LOG:  database system is ready to accept connections",
	}
	x := reported(t, Options{}, lines...).Crashes[0]
	if x.DownSeconds != 7200.049 || !x.DownAtMost || x.LastAlive != "2026-11-20 09:00:00 UTC" {
		t.Errorf("%+v", x)
	}
	// Without entries of its life "last known up" is the last sign.
	r := reported(t, Options{}, lines[2:]...)
	if x := r.Crashes[0]; x.DownSeconds != 7500.049 || x.LastAlive != "2026-11-20 08:55:00 UTC" {
		t.Errorf("%+v", x)
	}
	_, text := found(t, r, "crash")
	has(t, text, "at most 2.1 h")
	// Clocks of two zones are not compared.
	lines[3] = strings.Replace(lines[3], "08:55:00 UTC", "08:55:00 CET", 1)
	if x := reported(t, Options{}, lines[2:]...).Crashes[0]; x.DownSeconds != -1 ||
		x.LastAlive != "2026-11-20 08:55:00 CET" {
		t.Errorf("%+v", x)
	}
}

// TestReplacedDataDirectory: a server that was shut down in order and then finds no clean
// end was given other files.
func TestReplacedDataDirectory(t *testing.T) {
	r := reported(t, Options{},
		at("09:00:00", "LOG:  received fast shutdown request"), at("09:00:01", "LOG:  database system is shut down"),
		at("09:10:00", "LOG:  starting PostgreSQL 17.4 on x86_64-pc-linux-gnu, 64-bit"),
		at("09:10:00", "LOG:  database system was interrupted; last known up at 2026-11-20 03:00:00 UTC"),
		at("09:10:05", "LOG:  database system is ready to accept connections"))
	if len(r.Crashes) > 0 || len(r.Shutdowns) != 1 || r.Shutdowns[0].DownSeconds == nil ||
		*r.Shutdowns[0].DownSeconds != 604 {
		t.Errorf("%+v %+v", r.Crashes, r.Shutdowns)
	}
}

// TestDeathsOfOneCrash: what the postmaster ends after the first death is no crash of its
// own, and neither is its starting all over a start.
func TestDeathsOfOneCrash(t *testing.T) {
	r := reported(t, Options{},
		at("09:00:00", "LOG:  starting PostgreSQL 17.4 on x86_64-pc-linux-gnu, 64-bit"),
		at("09:00:00", "LOG:  database system was shut down at 2026-11-20 08:00:00 UTC"),
		at("09:00:01", "LOG:  database system is ready to accept connections"),
		at("09:10:00", "LOG:  server process (PID 7) was terminated by signal 11: Segmentation fault"),
		at("09:10:00", "LOG:  terminating any other active server processes"),
		at("09:10:00", "LOG:  archiver process (PID 8) exited with exit code 2"),
		at("09:10:01", "LOG:  all server processes terminated; reinitializing"),
		at("09:10:01", "LOG:  database system was interrupted; last known up at 2026-11-20 09:05:00 UTC"),
		at("09:10:01", "LOG:  database system was not properly shut down; automatic recovery in progress"),
		at("09:10:03", "LOG:  database system is ready to accept connections"))
	if len(r.Crashes) != 1 || r.Crashes[0].ProcessesEnded != 1 || r.Crashes[0].DownSeconds != 3 || len(r.Starts) != 1 {
		t.Errorf("%+v %+v", r.Crashes, r.Starts)
	}
}

// TestLimitsOfRolesAndDatabases: a role's limit is none of the server's.
func TestLimitsOfRolesAndDatabases(t *testing.T) {
	r := reported(t, Options{},
		at("09:00:00", `FATAL:  too many connections for role "app"`),
		at("09:00:01", `FATAL:  too many connections for role "app"`),
		at("09:00:02", `FATAL:  too many connections for database "shop"`),
		at("09:00:03", `FATAL:  number of requested standby connections exceeds "max_wal_senders" (currently 10)`))
	_, role := found(t, r, "role_limit")
	has(t, role, "role app: 2 times", "ALTER ROLE")
	lacks(t, role, "max_connections", "No free connection slot")
	_, database := found(t, r, "database_limit")
	has(t, database, "database shop: once", "ALTER DATABASE")
	lacks(t, database, "max_connections")
	found(t, r, "wal_senders_limit")
	if slices.Contains(ids(r), "too_many_connections") || r.Connections.Full != 0 || r.Connections.Senders != 1 {
		t.Errorf("%q %+v", ids(r), r.Connections)
	}
}

// TestDynamicSharedMemory: /dev/shm is no disk.
func TestDynamicSharedMemory(t *testing.T) {
	r := reported(t, Options{},
		at("09:00:00",
			`ERROR:  could not resize shared memory segment "/PostgreSQL.1234" to 16777216 bytes: No space left `+
				`on device`), at("09:00:00", "STATEMENT:  select count(*) from big where id = $1"))
	_, text := found(t, r, "dynamic_shared_memory")
	has(t, text, "/dev/shm", "16 MB (16777216 bytes)", "shm-size", "id = $1")
	if slices.Contains(ids(r), "disk_full") {
		t.Errorf("%q", ids(r))
	}
}

// TestSharedMemoryLimits: the hint names the limit that was met.
func TestSharedMemoryLimits(t *testing.T) {
	for want, lines := range map[string][]string{
		"kernel.shmall": {at("09:00:00", "FATAL:  could not create shared memory segment: Cannot allocate memory"),
			at("09:00:00", "DETAIL:  Failed system call was shmget(key=5432001, size=1122689024, 03600)."),
			at("09:00:00", "HINT:  This error usually means that PostgreSQL's request for a shared memory segment "+
				"exceeded your kernel's SHMALL parameter.")},
		"vm.nr_hugepages": {at("09:00:00", "FATAL:  could not map anonymous shared memory: Cannot allocate memory"),
			at("09:00:00", "HINT:  This error usually means that PostgreSQL's request for a shared memory segment "+
				"exceeded available memory, swap space, or huge pages. To reduce the request size (currently "+
				"1122689024 bytes), reduce PostgreSQL's shared memory usage, perhaps by reducing \"shared_buffers\" "+
				"or "+
				"\"max_connections\".")},
	} {
		r := reported(t, Options{}, lines...)
		_, text := found(t, r, "no_shared_memory")
		has(t, text, want, "1.05 GB")
		if r.SharedMemory.Request == nil || *r.SharedMemory.Request != 1122689024 {
			t.Errorf("%s: %+v", want, r.SharedMemory)
		}
	}
}

// TestBusErrors: SIGBUS is 7 on Linux and 10 elsewhere; it points at huge pages.
func TestBusErrors(t *testing.T) {
	for _, n := range []string{"7", "10"} {
		r := reported(t, Options{}, at("09:00:00", "LOG:  server process (PID 7) was terminated by signal "+
			n+": Bus error"))
		_, text := found(t, r, "crash")
		has(t, text+r.Crashes[0].Cause.String(), "huge pages", "hugepages-2Mi")
		lacks(t, text+r.Crashes[0].Cause.String(), "a bug in the server")
	}
}

// maintained is a temporary file of a statement.
func maintained(sql string) []string {
	return []string{at("09:00:00", `LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp100.0", size 104857600`),
		at("09:00:00", "STATEMENT:  "+sql)}
}

// TestSpillsOfMaintenance: index builds, constraints and the like sort within
// maintenance_work_mem, and work_mem has no part in them.
func TestSpillsOfMaintenance(t *testing.T) {
	for _, sql := range []string{
		"CREATE INDEX ON a (b)", "create unique index concurrently x on a (b)", "REINDEX TABLE a", "CLUSTER a USING x",
		"VACUUM FULL a", "ALTER TABLE a ADD PRIMARY KEY (id)", "ALTER TABLE ONLY public.a\n    ADD CONSTRAINT a_pkey " +
			"PRIMARY KEY (id);", "/* migration 7 */ ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES c",
		"ALTER TABLE a VALIDATE CONSTRAINT f", "-- x\nREINDEX (VERBOSE) DATABASE d", "ALTER TABLE a ADD UNIQUE (b)",
	} {
		r := reported(t, Options{}, maintained(strings.ReplaceAll(sql, "\n", "\n\t"))...)
		_, text := found(t, r, "maintenance_spills")
		has(t, text, "maintenance_work_mem = '300MB'")
		_, temp := found(t, r, "temporary_files")
		lacks(t, temp, "work_mem")
		if len(r.Temp.Holds) > 0 || r.Temp.Maintenance.Spills != 1 || r.Temp.Spills != 1 {
			t.Errorf("%s: %+v", sql, r.Temp)
		}
	}
	for _, sql := range []string{"SELECT * FROM a ORDER BY b", "CREATE TABLE x AS SELECT 1",
		"REFRESH MATERIALIZED VIEW v",
		"ALTER TABLE a ADD COLUMN b int", "INSERT INTO index_of SELECT 1", "CREATE MATERIALIZED VIEW v AS SELECT 1"} {
		r := reported(t, Options{}, maintained(sql)...)
		if r.Temp.Maintenance != nil || len(r.Temp.Holds) == 0 || slices.Contains(ids(r), "maintenance_spills") {
			t.Errorf("%s: %+v", sql, r.Temp)
		}
	}
	// In a function the CONTEXT names it.
	r := reported(t, Options{}, at("09:00:00",
		`LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp100.0", size 104857600`),
		at("09:00:00", `CONTEXT:  SQL statement "CREATE INDEX i ON a ("b")"`),
		"\tPL/pgSQL function build() line 3 at SQL statement", at("09:00:00", "STATEMENT:  SELECT build()"))
	found(t, r, "maintenance_spills")
	if w := r.Temp.Statements[0].Within; w != `CREATE INDEX i ON a ("b")` {
		t.Errorf("%q", w)
	}
}

// checkpointed is a checkpoint by WAL of so many kilobytes at a time.
func checkpointed(hms, done, kb string) []string {
	return []string{at(hms, "LOG:  checkpoint starting: wal"),
		at(done,
			"LOG:  checkpoint complete: wrote 1 buffers (0.0%), wrote 2 SLRU buffers; 0 WAL file(s) added, 0 removed, "+
				"33 recycled; write=9.100 s, sync=0.003 s, total=9.200 s; sync files=90, longest=0.002 s, "+
				"average=0.001 s; "+
				"distance="+kb+" kB, estimate=540671 kB; lsn=1/2, redo lsn=1/1")}
}

// TestExtrapolatedWAL: two checkpoints six seconds apart show 243 MB of WAL, and no server
// that wrote twelve gigabytes.
func TestExtrapolatedWAL(t *testing.T) {
	lines := slices.Concat(checkpointed("09:00:00", "09:00:05", "124416"),
		checkpointed("09:00:06", "09:00:12", "124416"))
	r := reported(t, Options{}, lines...)
	_, text := found(t, r, "checkpoints")
	has(t, text, "extrapolated", "243 MB", "max_wal_size = '1GB'")
	lacks(t, text, "wrote")
	if w := r.Checkpoints; !w.Extrapolated || w.Distance != 243*unit.MB || w.MaxWALSize != unit.GB ||
		w.LargestDistance != 124416*unit.KB || w.SeenSeconds != 6 {
		t.Errorf("%+v", w)
	}
}

// TestWALThatTheDiskHas: no more is advised than the plan would give.
func TestWALThatTheDiskHas(t *testing.T) {
	set := pg.Settings{"checkpoint_timeout": {Value: "60", Unit: "s"}, "checkpoint_completion_target": {Value: "0.9"},
		"max_wal_size": {Value: "1024", Unit: "MB"}}
	var lines []string
	for _, m := range []string{"00", "01", "02", "03"} {
		lines = append(lines, checkpointed("09:"+m+":00", "09:"+m+":50", "20971520")...)
	}
	for _, c := range []struct {
		disk *WALDisk
		want unit.Bytes
		says string
	}{
		{nil, 38 * unit.GB, "five times as large"},
		{&WALDisk{Total: unit.TB, Free: 500 * unit.GB}, 38 * unit.GB, "all checkpoints of this log would have been " +
			"timed"},
		{&WALDisk{Total: 50 * unit.GB, Free: 40 * unit.GB}, 10 * unit.GB, "has room"},
		{&WALDisk{Total: 4 * unit.GB, Free: unit.GB}, 384 * unit.MB, "no room for more"},
	} {
		r := reported(t, Options{Settings: set, WALDisk: c.disk}, lines...)
		_, text := found(t, r, "checkpoints")
		has(t, text, c.says)
		if r.Checkpoints.MaxWALSize != c.want || r.Checkpoints.Extrapolated {
			t.Errorf("%+v: %+v", c.disk, r.Checkpoints)
		}
	}
}

// TestConfigurationThatWaits: "contains errors" of a setting that needs a restart is no refusal, and of another error
// in addition it is one.
func TestConfigurationThatWaits(t *testing.T) {
	waits := at("09:00:00", `LOG:  parameter "max_connections" cannot be changed without restarting the server`)
	file := at("09:00:00",
		`LOG:  configuration file "/x/postgresql.conf" contains errors; unaffected changes were applied`)
	wrong := at("09:00:00", `LOG:  unrecognized configuration parameter "wrk_mem" in file "/x/postgresql.conf" line 9`)
	if got := ids(reported(t, Options{}, waits, file)); !slices.Equal(got, []string{"needs_restart"}) {
		t.Errorf("%q", got)
	}
	if got := ids(reported(t, Options{}, wrong, waits, wrong, file)); !slices.Equal(got,
		[]string{"config_error", "needs_restart"}) {
		t.Errorf("%q", got)
	}
	if got := ids(reported(t, Options{}, file)); !slices.Equal(got, []string{"config_error"}) {
		t.Errorf("%q", got)
	}
}

// TestOwnStatements: what pgfettle asks with short timeouts is no error of the server's.
func TestOwnStatements(t *testing.T) {
	c := NewCollector(Options{})
	for _, e := range []pglog.Entry{
		{Severity: pglog.Error, State: []byte("57014"), App: []byte("pgfettle"),
			Message: []byte("canceling statement due to statement timeout")},
		{Severity: pglog.Error, State: []byte("55P03"), Statement: []byte(ownGuard +
			",\n pg_catalog.set_config('x', 'y', true)"),
			Message: []byte("canceling statement due to lock timeout")},
	} {
		c.Entry(&e)
	}
	r := c.Report()
	if len(r.Findings) > 0 || len(r.Errors) > 0 || r.Entries != 2 {
		t.Errorf("%q %+v", ids(r), r.Errors)
	}
	has(t, text(t, r), "statements of pgfettle")
}

// TestOtherErrors: what is reported about errors without a finding is their text, the names of tables, columns and
// files, and none of the values in them.
func TestOtherErrors(t *testing.T) {
	lines := []string{
		at("09:00:00", `ERROR:  relation "orders_1" does not exist at character 15`) +
			"\n" + at("09:00:00", `STATEMENT:  SELECT * FROM orders_1 WHERE id = 'secret'`),
		at("09:00:01", `ERROR:  relation "orders_2" does not exist at character 15`),
		at("09:00:02", `ERROR:  invalid input syntax for type integer: "secret"`),
		at("09:00:03",
			`FATAL:  could not open relation mapping file "global/pg_filenode.map": No such file or directory`),
	}
	r := reported(t, Options{}, lines...)
	if len(r.Messages) != 3 || r.Messages[0].Severity != "FATAL" ||
		r.Messages[1].Text != `relation "…" does not exist` || r.Messages[1].Count != 2 {
		t.Errorf("%+v", r.Messages)
	}
	lacks(t, text(t, r), "secret")
	if m := r.Messages[1]; m.Example != `relation "orders_1" does not exist` || !m.Varied ||
		m.Statement != "SELECT * FROM orders_1 WHERE id = ?" {
		t.Errorf("%+v", m)
	}
	lacks(t, text(t, reported(t, Options{Redact: true}, lines...)), "orders")
}

// TestRecoveryFacts: what a start replayed, and that two clocks make no span.
func TestRecoveryFacts(t *testing.T) {
	r := reported(t, Options{},
		"2026-11-20 05:00:00.000 GMT [1] LOG:  starting archive recovery",
		at("09:00:01", `LOG:  restored log file "000000010000000000000004" from archive`),
		at("09:00:02", `LOG:  redo starts at 0/4000028`),
		at("09:00:03", `LOG:  consistent recovery state reached at 0/4000120`),
		at("09:00:09", `LOG:  redo done at 0/5000060 system usage: CPU: user: 0.10 s, system: 0.02 s, elapsed: 6.50 s`),
		at("09:00:10", `LOG:  selected new timeline ID: 2`),
		at("09:00:11", `LOG:  archive recovery complete`))
	x := r.Recovery
	if x == nil || x.Restored != 1 || x.From != "0/4000028" || x.To != "0/5000060" || x.Consistent != "0/4000120" ||
		x.RedoSeconds == nil || *x.RedoSeconds != 6.5 || x.Timeline != 2 || !x.Complete || !x.Archive || x.Standby {
		t.Errorf("%+v", x)
	}
	if r.SpanSeconds != 0 {
		t.Errorf("span %g", r.SpanSeconds)
	}
	r = reported(t, Options{}, at("09:00:01", `LOG:  entering standby mode`),
		at("09:00:03", `LOG:  started streaming WAL from primary at 0/6000000 on timeline 3`),
		at("09:00:04", `FATAL:  could not receive data from WAL stream: ERROR:  requested starting point 0/6000000 is `+
			`ahead of the WAL flush position of this server 0/5000060`))
	if x = r.Recovery; x == nil || x.StreamingFrom != "0/6000000" || x.OnTimeline != "3" || !x.Standby {
		t.Errorf("%+v", x)
	}
	if _, text := found(t, r, "timeline_diverged"); strings.Contains(text, "Check the network") {
		t.Error(text)
	}
}

// TestShutdownWithoutRequest: sessions that a shutdown ends were not ended by pg_terminate_backend.
func TestShutdownWithoutRequest(t *testing.T) {
	_, text := found(t, reported(t, Options{},
		at("09:00:01", `FATAL:  terminating connection due to administrator command`),
		at("09:00:02", `LOG:  shutting down`), at("09:00:03", `LOG:  database system is shut down`)),
		"sessions_terminated")
	has(t, text, "a shutdown terminates all sessions")
	lacks(t, text, "pg_terminate_backend")
}

// TestFatalAtTheStart: whatever keeps a server from starting is reported, known or not.
func TestFatalAtTheStart(t *testing.T) {
	r := reported(t, Options{},
		at("09:00:00", "LOG:  starting PostgreSQL 17.4 on x86_64-pc-linux-gnu, 64-bit"),
		at("09:00:00", `FATAL:  something that no list of ours has`),
		at("09:00:00", "LOG:  database system is shut down"))
	_, text := found(t, r, "start_failed")
	has(t, text, "no list of ours has")
}

// TestDeadlockStatements: each statement is reported in full.
func TestDeadlockStatements(t *testing.T) {
	r := reported(t, Options{}, at("09:00:00", "ERROR:  deadlock detected"),
		at("09:00:00", "DETAIL:  Process 1 waits for ShareLock on transaction 5; blocked by process 2."),
		"\tProcess 2 waits for ShareLock on transaction 6; blocked by process 1.", "\tProcess 1: UPDATE a",
		"\t\tSET b = 1", "\tProcess 2: DELETE FROM c WHERE d = 'Process 9: x'",
		at("09:00:00", "HINT:  See server log for query details."),
		at("09:00:00", `CONTEXT:  while updating tuple (0,1) in relation "a"`))
	var got []string
	for _, s := range r.Locks.Deadlocked {
		got = append(got, s.Text)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"DELETE FROM c WHERE d = ?", "UPDATE a SET b = ?"}) {
		t.Errorf("%q", got)
	}
	if len(r.Locks.Relations) != 1 || r.Locks.Relations[0].Name != "a" {
		t.Errorf("%+v", r.Locks.Relations)
	}
}

// TestWhatIsNotSaid verifies that sentences claim only what a log contains: a standby that only pauses did start, a
// connection refused by a shutdown does not belong to a start, and what a line lacks is not reported.
func TestWhatIsNotSaid(t *testing.T) {
	const ready = "LOG:  database system is ready to accept connections"
	_, text := found(t, reported(t, Options{}, at("09:00:00", ready),
		at("09:00:01", "WARNING:  hot standby is not possible because of insufficient parameter settings")),
		"start_failed")
	has(t, text, "stopped replaying WAL", "max_worker_processes")
	lacks(t, text, "could not start")

	f, text := found(t, reported(t, Options{}, at("09:00:00", "FATAL:  the database system is shutting down"),
		at("09:00:01", "FATAL:  the database system is starting up"), at("09:00:02", ready)), "not_accepting")
	has(t, text, "1 connection was refused")
	if f.Count != 1 {
		t.Errorf("%+v", f)
	}

	_, text = found(t, reported(t, Options{}, at("09:00:00",
		"LOG:  checkpoint complete: wrote 1 buffers (0.0%); 0 WAL file(s) added, 0 removed, 0 recycled; write=1.0 s, "+
			"sync=7.0 s, total=9.0 s; sync files=3, longest=6.5 s")),
		"slow_sync")
	has(t, text, "one file (longest=) 6.500 s")
	lacks(t, text, "-1")
}
