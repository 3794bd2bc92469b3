package serverlog

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

func reported(t testing.TB, o Options, lines ...string) *Report {
	t.Helper()
	c := NewCollector(o)
	src, err := pglog.Read(strings.NewReader(strings.Join(lines, "\n")+"\n"),
		pglog.Options{Prefix: "%m [%p] %q%u@%d ", Known: true}, c)
	if err != nil {
		t.Fatal(err)
	}
	if src.Stray > 0 {
		t.Fatalf("%d lines of the test are no entries", src.Stray)
	}
	c.File("log", src, false)
	return c.Report()
}

func ids(r *Report) (out []string) {
	for _, f := range r.Findings {
		out = append(out, f.ID)
	}
	return out
}

// at writes a line of a second of one morning.
func at(hms, text string) string { return "2026-11-20 " + hms + ".000 UTC [100] " + text }

// TestLogStartsThatAreNoCrash: a standby, a restored backup and an orderly restart
// look like the aftermath of a crash, and are none; the others are.
func TestLogStartsThatAreNoCrash(t *testing.T) {
	interrupted := at("09:00:10", "LOG:  database system was interrupted; last known up at 2026-11-20 08:00:00 UTC")
	ready := at("09:00:20", "LOG:  database system is ready to accept connections")
	for name, c := range map[string]struct {
		lines []string
		cause string  // "": no crash
		down  float64 // from the last sign of life to ready; -1: not logged
	}{
		"orderly": {[]string{at("09:00:00", "LOG:  received fast shutdown request"),
			at("09:00:05", "LOG:  database system is shut down"), at("09:00:09", "LOG:  starting PostgreSQL 17.4"),
			ready}, "", 0},
		"standby": {[]string{interrupted, at("09:00:11", "LOG:  entering standby mode"), ready}, "", 0},
		"backup": {[]string{interrupted, at("09:00:11",
			"LOG:  starting backup recovery with redo LSN 0/2000028"), ready}, "", 0},
		"power": {[]string{at("09:00:09", "LOG:  starting PostgreSQL 17.4"), interrupted, ready},
			"lost power", 3620}, // since "last known up at"
		"immediate": {[]string{at("09:00:00", "LOG:  received immediate shutdown request"),
			at("09:00:01", "LOG:  database system is shut down"), at("09:00:09", "LOG:  starting PostgreSQL 17.4"),
			interrupted, ready}, "immediate shutdown", 20},
		"segfault": {[]string{at("09:00:10",
			"LOG:  client backend (PID 7) was terminated by signal 11: Segmentation fault"), ready},
			"a bug in the server", 10},
		"worker ends": {[]string{at("09:00:10",
			`LOG:  background worker "logical replication launcher" (PID 7) exited with exit code 1`), ready}, "", 0},
		// It said why, and the server did not start: no crash.
		"startup gives up": {[]string{at("09:00:10", "LOG:  startup process (PID 7) exited with exit code 1")},
			"", 0},
	} {
		r := reported(t, Options{}, c.lines...)
		if c.cause == "" && len(r.Crashes) > 0 {
			t.Errorf("%s: %+v", name, r.Crashes)
		}
		if c.cause == "" {
			continue
		}
		if len(r.Crashes) != 1 || !strings.Contains(r.Crashes[0].Cause.String(), c.cause) || !slices.Contains(ids(r),
			"crash") {
			t.Errorf("%s: %+v", name, r.Crashes)
			continue
		}
		if r.Crashes[0].DownSeconds != c.down {
			t.Errorf("%s: down for %g s, want %g", name, r.Crashes[0].DownSeconds, c.down)
		}
	}
}

// TestLogMaxWALSize: a server that writes 1 GB of WAL a minute needs room for the ten
// minutes of its checkpoint_timeout, and as much again while one is being finished.
func TestLogMaxWALSize(t *testing.T) {
	set := pg.Settings{
		"checkpoint_timeout":           {Value: "600", Unit: "s"},
		"checkpoint_completion_target": {Value: "1"},
	}
	var lines []string
	for _, m := range []string{"00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"} {
		lines = append(lines, at("09:"+m+":00", "LOG:  checkpoint starting: wal"),
			at("09:"+m+":50",
				"LOG:  checkpoint complete: wrote 1 buffers (0.0%); 0 WAL file(s) added, 0 removed, 33 recycled; "+
					"write=49.1 s, sync=0.3 s, total=50.0 s; sync files=90, longest=0.2 s, average=0.01 s; "+
					"distance=1048576 kB, estimate=1048576 kB"))
	}
	r := reported(t, Options{Settings: set}, lines...)
	if w := r.Checkpoints; w.MaxWALSize != 20*unit.GB || w.Busiest != 10*unit.GB || w.ByWAL != 13 || w.Assumed {
		t.Errorf("%+v", w)
	}
	if !slices.Contains(ids(r), "checkpoints") {
		t.Errorf("%q", ids(r))
	}
	// By the clock nothing has to grow.
	for i := range lines {
		lines[i] = strings.Replace(lines[i], "starting: wal", "starting: time", 1)
	}
	if r := reported(t, Options{Settings: set}, lines...); r.Checkpoints.MaxWALSize != 0 ||
		slices.Contains(ids(r), "checkpoints") {
		t.Errorf("%+v", r.Checkpoints)
	}
}

// TestLogSettingsHideEvents: what the settings keep out of a log is named.
func TestLogSettingsHideEvents(t *testing.T) {
	quiet := at("09:00:00", "LOG:  database system is ready to accept connections")
	facts := func(set pg.Settings) (out []string) {
		for _, g := range reported(t, Options{Settings: set}, quiet).Unknown {
			out = append(out, g.Fact.String())
		}
		return out
	}
	if f := facts(pg.Settings{"log_temp_files": {Value: "-1"}, "log_checkpoints": {Value: "off"},
		"log_lock_waits": {Value: "off"}, "log_autovacuum_min_duration": {Value: "-1"}}); !slices.Equal(f,
		[]string{"temporary files", "checkpoints", "lock waits", "autovacuum"}) {
		t.Errorf("%q", f)
	}
	if f := facts(pg.Settings{"log_temp_files": {Value: "0"}, "log_checkpoints": {Value: "on"},
		"log_lock_waits": {Value: "on"}, "log_autovacuum_min_duration": {Value: "0"}}); len(f) != 0 {
		t.Errorf("%q", f)
	}
}

// TestSizesQuantile: a quantile is never below the true one, and little above it.
func TestSizesQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1<<62), 1, 60).Draw(t, "values")
		percent := rapid.IntRange(1, 100).Draw(t, "percent")
		var s sizes
		for _, v := range values {
			s.add(v)
		}
		slices.Sort(values)
		// The least value that so many percent are not above.
		truth := values[(len(values)*percent+99)/100-1]
		if got := s.quantile(percent); got < truth || float64(got) > float64(truth)*1.13 {
			t.Fatalf("%d %% of %d: %d, want %d", percent, values, got, truth)
		}
	})
}

// TestLogRedacted: no name and no literal is left in a redacted report.
func TestLogRedacted(t *testing.T) {
	lines := []string{
		"2026-11-20 09:00:00.000 UTC [100] zaphod@heartofgold LOG:  temporary file: path " +
			"\"base/pgsql_tmp/pgsql_tmp100.0\", size 1000000",
		"2026-11-20 09:00:00.000 UTC [100] zaphod@heartofgold STATEMENT:  select towel from marvin where trillian = " +
			"'ford'",
		"2026-11-20 09:00:01.000 UTC [100] zaphod@heartofgold FATAL:  password authentication failed for user " +
			"\"zaphod\"",
		"2026-11-20 09:00:01.000 UTC [100] zaphod@heartofgold FATAL:  no pg_hba.conf entry for host \"10.9.8.7\", " +
			"user \"zaphod\", database \"heartofgold\"",
		"2026-11-20 09:00:02.000 UTC [100] LOG:  automatic vacuum of table \"heartofgold.public.marvin\": index " +
			"scans: 0",
		"\ttuples: 5000000 are dead but not yet removable",
		"2026-11-20 09:00:03.000 UTC [100] LOG:  server process (PID 7) was terminated by signal 9: Killed",
		"2026-11-20 09:00:03.000 UTC [100] DETAIL:  Failed process was running: select towel from marvin",
		"2026-11-20 09:00:04.000 UTC [100] zaphod@heartofgold ERROR:  could not extend file \"/magrathea/16384\": " +
			"No space left on device",
	}
	plain, redacted := reported(t, Options{}, lines...), reported(t, Options{Redact: true}, lines...)
	for _, word := range []string{"zaphod", "heartofgold", "towel", "marvin", "10.9.8.7", "magrathea"} {
		if !strings.Contains(text(t, plain), word) {
			t.Errorf("%q is not in the plain report: the test shows nothing", word)
		}
		if strings.Contains(text(t, redacted), word) {
			t.Errorf("%q is in the redacted report", word)
		}
	}
	for _, r := range []*Report{plain, redacted} {
		if strings.Contains(text(t, r), "ford") {
			t.Error("a literal of a statement is in a report")
		}
	}
	if !slices.Equal(ids(plain), ids(redacted)) {
		t.Errorf("%q and %q", ids(plain), ids(redacted))
	}
}

func text(t *testing.T, r *Report) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
