package pglog

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEachMessageIsOfItsKind: a message with any values in it is of the kind that the list
// says, at a severity that it has, and so it is where it is cut behind its first words.
func TestEachMessageIsOfItsKind(t *testing.T) {
	seen := map[string]bool{}
	for i := range messages {
		m := &messages[i]
		if seen[m.id] {
			t.Errorf("%q appears twice", m.id)
		}
		seen[m.id] = true
		if strings.HasPrefix(m.id, "%") {
			t.Errorf("%q begins with a value: kind.go is the place for it", m.id)
			continue
		}
		parts := literals(m.id)
		text := parts[0] + m.with
		for _, p := range parts[1:] {
			text += "7" + p
		}
		e := Entry{Severity: severityFor(m.only), Message: []byte(text)}
		if k := e.Kind(); k != m.kind {
			t.Errorf("%q: kind %d, want %d", text, k, m.kind)
		}
		if m.only == anywhere {
			continue
		}
		e.Severity = map[bool]Severity{true: Notice, false: Log}[m.only == logged || m.only == refused]
		if k := e.Kind(); k == m.kind && k != ConfigError {
			t.Errorf("%q at %s: kind %d", text, e.Severity, k)
		}
	}
}

func severityFor(o only) Severity {
	switch o {
	case fatal, refused, worse:
		return Fatal
	}
	return Log
}

// TestCutMessages: a message that ends within its words is known where no other begins so.
func TestCutMessages(t *testing.T) {
	for text, want := range map[string]Kind{
		"the database sys":  NotAccepting,
		"canceling stateme": Fault, // of several
		"requested WAL segment 00000004000000000000000B has alread": WALGone,
		"remaining connection slots are reserved for no":            TooMany,
		"requested WAL segment 00000004000000000000000B was found":  Fault,
		"database system is ":                      Fault, // of many
		"could not receive data from":              Fault, // of two
		"could not access status of transaction 0": Corrupt,
		"checkpoints are":                          Fault,
		"process 12 still waiting for ShareLock on transaction 5 after 1000.1 ms": LockWait,
	} {
		e := Entry{Severity: Fatal, Message: []byte(text)}
		if k := e.Kind(); k != want {
			t.Errorf("%q: %d, want %d", text, k, want)
		}
	}
}

// TestWordsOfTheKernel: what the C library says of an error decides what failed, in its
// DETAIL too.
func TestWordsOfTheKernel(t *testing.T) {
	for _, c := range []struct {
		message, detail, state string
		want                   Kind
	}{
		{`could not extend file "base/1/2": No space left on device`, "", "", DiskFull},
		{`could not fsync file "base/1/2": I/O error`, "", "", IOError},
		{`could not read block 3 in file "base/1/2": Input/output error`, "", "58030", IOError},
		{`could not access status of transaction 0`, `Could not write to file "pg_subtrans/000B" at offset 32768: ` +
			`No space left on device.`, "58P01", DiskFull},
		{`could not access status of transaction 9`, `Could not open file "pg_xact/0000": No such file or directory.`,
			"58P01", Corrupt},
		{`could not resize shared memory segment "/PostgreSQL.1" to 8 bytes: No space left on device`, "", "53100",
			DynamicShared},
		{`could not create shared memory segment: No space left on device`, "", "", NoSharedMemory},
		{`could not write lock file "postmaster.pid": No space left on device`, "", "", DiskFull},
		{`out of memory`, "", "P0001", Fault}, // RAISE EXCEPTION
		{`слишком много подключений для роли "x"`, "", "53300", TooMany},
	} {
		e := Entry{Severity: Fatal, Message: []byte(c.message), Detail: []byte(c.detail), State: []byte(c.state)}
		if k := e.Kind(); k != c.want {
			t.Errorf("%s: %d, want %d", c.message, k, c.want)
		}
	}
}

// TestCutNumbers: a part of a number is none.
func TestCutNumbers(t *testing.T) {
	whole := Entry{Severity: Log,
		Message: []byte("checkpoint complete: wrote 1658 buffers (10.1%); 0 WAL file(s) added, " +
			"8 removed, 25 recycled; write=31.146 s, sync=6.772 s, total=39.045 s; sync files=100, longest=1.173 s, " +
			"average=0.068 s; distance=529212 kB, estimate=540671 kB")}
	c := whole.Checkpoint()
	if c.Distance != 529212<<10 || c.Estimate != 540671<<10 || c.Longest != 1.173 || c.Sync != 6.772 ||
		c.Files != 100 ||
		c.Buffers != 1658 {
		t.Errorf("%+v", c)
	}
	for n := range whole.Message {
		e := Entry{Severity: Log, Message: slices.Clone(whole.Message[:n+1])}
		if k := e.Kind(); k != CheckpointDone {
			continue
		}
		got := e.Checkpoint()
		for _, x := range [][2]float64{{float64(got.Distance), float64(c.Distance)}, {got.Sync, c.Sync},
			{float64(got.Estimate), float64(c.Estimate)}, {got.Longest, c.Longest}, {got.Total, c.Total},
			{float64(got.Buffers), float64(c.Buffers)}, {float64(got.Files), float64(c.Files)}, {got.Write, c.Write}} {
			if x[0] != -1 && x[0] != x[1] {
				t.Fatalf("%s: %+v", e.Message, got)
			}
		}
	}
	for detail, want := range map[string]int64{
		`Failed on request of size 23 in memory context "ExecutorState".`:            23,
		`Failed on request of size 324589128.`:                                       324589128,
		`Failed on request of size 1xxxxxxxxx in memory context "TopMemoryContext".`: -1,
		`Failed on request of size 32`:                                               -1,
	} {
		e := Entry{Detail: []byte(detail)}
		if size, _ := e.Request(); size != want {
			t.Errorf("%s: %d", detail, size)
		}
	}
}

// TestLastUp: the time and its zone, both or none.
func TestLastUp(t *testing.T) {
	for text, want := range map[string]string{
		"database system was interrupted; last known up at 2026-11-20 08:55:00 UTC": "2026-11-20 " +
			"08:55:00 UTC",
		"database system was shut down in recovery at 2026-11-20 08:55:00 CET": "2026-11-20 " +
			"08:55:00 CET",
		// of a checkpoint that was replayed
		"database system was interrupted while in recovery at log time 2026-11-20 08:55:00 +03": "",

		"database system was shut down at 2026-11-20 08:55:00": "",
		"database system was shut down at":                     "",
	} {
		e := Entry{Message: []byte(text)}
		us, zone, ok := e.LastUp()
		got := ""
		if ok {
			got = time.UnixMicro(us).UTC().Format(time.DateTime) + " " + string(zone)
		}
		if got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestTook: how long, and what.
func TestTook(t *testing.T) {
	for text, want := range map[string]struct {
		ms  float64
		sql string
	}{
		"duration: 5936.468 ms  statement: CREATE INDEX i ON a (b)": {5936.468, "CREATE INDEX i ON a (b)"},
		"duration: 0.622 ms": {0.622, ""},
		"duration: 12.000 ms  execute <unnamed>: SELECT $1":          {12, "SELECT $1"},
		"duration: 12.000 ms  execute fetch from S_1/C_2: SELECT $1": {12, "SELECT $1"},
		"duration: 2.5 ms": {-1, ""},
		"duration: 2.500 ms  plan:\nQuery Text: SELECT 1\nResult  (cost=0.00 rows=1)": {2.5, "SELECT 1"},
		"duration: 2.500 ms  plan:\nQuery Text: SELECT 1\n  FROM t\nSeq Scan on t  (cost=0.00..1.00 rows=1)": {2.5,
			"SELECT 1\n  FROM t"},
		"duration: 2.500 ms  bind S_1: SELECT 1": {2.5, ""},
		"duration: 5936.4":                       {-1, ""},
	} {
		e := Entry{Severity: Log, Message: []byte(text)}
		if ms, _ := e.Took(); ms != want.ms || string(e.TookStatement()) != want.sql || e.Kind() != Duration {
			t.Errorf("%s: %g, %q", text, ms, e.TookStatement())
		}
	}
}

// FuzzDetails reads every detail of any entry: nothing is read beyond it.
func FuzzDetails(f *testing.F) {
	for i := range messages {
		f.Add(uint8(Fatal), messages[i].id, "Process 1: x\nProcess 2: y", `(PID 7) "x" (currently 5 bytes)`,
			`SQL statement "x"`, "ALTER TABLE a ADD PRIMARY KEY (b)")
	}
	f.Fuzz(func(t *testing.T, severity uint8, message, detail, hint, context, statement string) {
		e := Entry{Severity: Severity(severity % uint8(Panic+1)), Message: []byte(message), Detail: []byte(detail),
			Hint: []byte(hint), Context: []byte(context), Statement: []byte(statement)}
		if k := e.Kind(); k >= Kinds {
			t.Fatal(k)
		}
		if len(message) > 0 {
			e.Checkpoint()
			e.CheckpointReason()
		}
		e.Death()
		e.Wait()
		e.Request()
		e.SharedRequest()
		e.SegmentRequest()
		e.LimitOf()
		e.Locked()
		e.Version()
		e.LastUp()
		e.Timeline()
		e.Apart()
		e.Relation()
		e.Spill()
		e.Vacuum()
		e.Took()
		e.TookStatement()
		e.Running()
		if pids, _ := e.Holders(); len(pids) > maxHolders {
			t.Fatal(pids)
		}
		Maintenance(e.Within())
		Maintenance(e.Doing())
		for _, l := range e.DeadlockStatements() {
			if !bytes.Contains(e.Detail, l.SQL) {
				t.Fatalf("%q", l.SQL)
			}
		}
	})
}
