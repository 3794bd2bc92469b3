package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/test/tier"
)

// The pages of docs/pages say what is not the case and since when. Here the servers, their programs and this kernel are
// asked whether that is true.

// gone are settings that pages say are gone, with the first version without them.
var gone = map[string]int{
	"checkpoint_segments": 9, "wal_keep_segments": 13, "vacuum_cleanup_index_scale_factor": 14,
	"operator_precedence_warning": 14,
	"stats_temp_directory":        15, "promote_trigger_file": 16, "vacuum_defer_cleanup_age": 16,
	"force_parallel_mode":    16,
	"old_snapshot_threshold": 17, "db_user_namespace": 17, "trace_recovery_messages": 17, "ssl_ecdh_curve": 18,
	"escape_string_warning": 19, "io_workers": 19,
}

// come are settings that pages say came with a version.
var come = map[string]int{
	"wal_keep_size": 13, "hash_mem_multiplier": 13, "logical_decoding_work_mem": 13, "huge_page_size": 14,
	"shared_memory_size_in_huge_pages": 15,
	"debug_parallel_query":             16, "io_combine_limit": 17, "huge_pages_status": 17, "io_max_combine_limit": 18,
	"ssl_groups": 18,
	"io_workers": 18, "autovacuum_worker_slots": 18,
}

// TestPagesOfSettings: what pages say of names, defaults and bounds is what each
// server says.
func TestPagesOfSettings(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		major := b.Version.Major()
		c := dial(t, start(t, b, nil))
		have := map[string]bool{}
		for _, r := range ask(t, c, "select name from pg_settings") {
			have[r[0]] = true
		}
		for name, from := range gone {
			if have[name] && major >= from {
				t.Errorf("%s is said to be gone in %d", name, from)
			}
			if !have[name] && major == from-1 {
				t.Errorf("%s is said to be there up to %d", name, major)
			}
			if len(advice.ByName(name)) == 0 && name != "io_workers" { // which has a knob's page
				t.Errorf("%s finds no page", name)
			}
		}
		for name, from := range come {
			if until, ok := gone[name]; ok && major >= until {
				continue
			}
			if have[name] != (major >= from) {
				t.Errorf("%s is said to come with %d; it is there: %t", name, from, have[name])
			}
		}
		before := func(v int, old, now string) string {
			if major < v {
				return old
			}
			return now
		}
		for name, want := range map[string]string{
			"effective_io_concurrency":        before(18, "1", "16"),
			"maintenance_io_concurrency":      before(18, "10", "16"),
			"hash_mem_multiplier":             before(15, "1", "2"),
			"password_encryption":             before(14, "md5", "scram-sha-256"),
			"checkpoint_completion_target":    before(14, "0.5", "0.9"),
			"enable_partitionwise_join":       "off",
			"enable_partitionwise_aggregate":  "off",
			"backend_flush_after":             "0",
			"bgwriter_flush_after":            "64",  // pages: 512 kB
			"checkpoint_flush_after":          "32",  // pages: 256 kB
			"wal_writer_flush_after":          "128", // pages: 1 MB
			"logical_decoding_work_mem":       "65536",
			"default_statistics_target":       "100",
			"from_collapse_limit":             "8",
			"join_collapse_limit":             "8",
			"geqo_threshold":                  "12",
			"min_parallel_table_scan_size":    "1024", // pages: 8 MB
			"min_parallel_index_scan_size":    "64",   // pages: 512 kB
			"parallel_setup_cost":             "1000",
			"max_worker_processes":            "8",
			"cpu_operator_cost":               "0.0025",
			"log_line_prefix":                 "%m [%p] ",
			"track_functions":                 "none",
			"wal_writer_delay":                "200",
			"max_parallel_workers_per_gather": "2",
		} {
			if got := ask(t, c, "select boot_val from pg_settings where name = $1", name); len(got) != 1 ||
				got[0][0] != want {
				t.Errorf("the default of %s is %v, a page says %s", name, got, want)
			}
		}
		for name, want := range map[string]string{
			"work_mem": "2147483647", "default_statistics_target": "10000", "effective_io_concurrency": "1000",
			"backend_flush_after": "256",
			"io_combine_limit":    map[bool]string{true: "128", false: "32"}[major >= 18], // pages: 1 MB, 256 kB
		} {
			if got := ask(t, c, "select max_val from pg_settings where name = $1", name); have[name] &&
				got[0][0] != want {
				t.Errorf("%s may be %v at most, a page says %s", name, got, want)
			}
		}
		methods := ask(t, c,
			"select array_to_string(enumvals, ' ') from pg_settings where name = 'wal_sync_method'")[0][0]
		if got := strings.Fields(methods); !slices.Equal(slices.Sorted(slices.Values(got)),
			[]string{"fdatasync", "fsync", "open_datasync", "open_sync"}) {
			t.Errorf("wal_sync_method knows %s", methods)
		}
		if err := c.Exec(t.Context(), "set work_mem = '1000GB'").Close(); err != nil {
			t.Error(err)
		}
		// The 1C page: up to 18 off is accepted.
		err := c.Exec(t.Context(), "set standard_conforming_strings = off").Close()
		if accepted := major < 19; accepted != (err == nil) {
			t.Errorf("standard_conforming_strings = off: %v", err)
		}
	})
}

// TestPagesOfRefusals: what pages say keeps a server from starting does.
func TestPagesOfRefusals(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		major := b.Version.Major()
		i := start(t, b, nil)
		conf := i.DataDir + "/postgresql.conf" // written over in place: it keeps its owner
		plain := text(t, conf)
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, value, said string
			from              int
		}{
			{"checkpoint_segments", "32", `unrecognized configuration parameter "checkpoint_segments"`, 0},
			{"stats_temp_directory", "'pg_stat_tmp'", `unrecognized configuration parameter "stats_temp_directory"`,
				15},
			{"shared_preload_libraries", "'online_analyze, plantuner'", `could not access file "online_analyze"`, 0},
			{"wal_sync_method", "fsync_writethrough", `invalid value for parameter "wal_sync_method"`, 0},
		} {
			line := fmt.Sprintf("\n%s = %s\n", c.name, c.value)
			if err := os.WriteFile(conf, []byte(plain+line), 0o600); err != nil {
				t.Fatal(err)
			}
			err := i.Start(t.Context())
			log, readErr := i.ReadLog(1 << 20)
			if readErr != nil {
				t.Error(readErr)
			}
			switch refuses := major >= c.from; {
			case refuses && err == nil:
				t.Errorf("the server starts with %s = %s", c.name, c.value)
			case !refuses && err != nil:
				t.Errorf("up to %d the server starts with %s: %v", c.from-1, c.name, err)
			case refuses && !strings.Contains(log, c.said):
				t.Errorf("%s: the log has no %q:\n%s", c.name, c.said, log)
			}
			if err := i.Stop(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestPagesOfOutput: words and columns that pages say have changed.
func TestPagesOfOutput(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		major := b.Version.Major()
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements", "track_io_timing": "on"})
		c := dial(t, i)
		columns := func(view, column string) bool {
			return len(ask(t, c, "select 1 from pg_attribute where attrelid = to_regclass($1) and attname = $2", view,
				column)) == 1
		}
		ask(t, c, "create extension pg_stat_statements")
		for _, want := range []struct {
			view, column string
			from, to     int
		}{
			{"pg_stat_wal", "wal_write_time", 14, 17}, {"pg_stat_wal", "wal_sync_time", 14, 17},
			{"pg_stat_io", "read_time", 16, 99},
			{"pg_stat_statements", "blk_read_time", 0, 16}, {"pg_stat_statements", "shared_blk_read_time", 17, 99},
			{"pg_stat_statements", "temp_blk_read_time", 15, 99}, {"pg_stat_replication_slots", "spill_bytes", 14, 99},
			{"pg_backend_memory_contexts", "total_bytes", 14, 99}, {"pg_stat_database", "sessions", 14, 99},
		} {
			if got := columns(want.view, want.column); got != (major >= want.from && major <= want.to) {
				t.Errorf("%s.%s is there: %t; pages say from %d to %d", want.view, want.column, got, want.from, want.to)
			}
		}
		// A catalog that no start of a session reads: its blocks come from outside shared_buffers.
		var plan strings.Builder
		for _, r := range ask(t, c, "explain (analyze, buffers, costs off) select count(*) from pg_description") {
			plan.WriteString(r[0] + "\n")
		}
		if want := regexp.MustCompile(map[bool]string{false: `I/O Timings: read=`,
			true: `I/O Timings: shared read=`}[major >= 15]); !want.MatchString(plan.String()) {
			t.Errorf("no %s in\n%s", want, &plan)
		}
		res := c.ExecParams(t.Context(), "select 1 from (values (1)) a(x) full join (values (2)) b(y) on x < y", nil,
			nil, nil, nil).Read()
		if res.Err == nil || !strings.Contains(res.Err.Error(),
			"FULL JOIN is only supported with merge-joinable or hash-joinable join conditions") {
			t.Errorf("FULL JOIN with < says %v", res.Err)
		}
		for name, want := range map[string]bool{"pg_wal": true, "pg_xact": true, "pg_xlog": false, "pg_clog": false,
			"pg_stat_tmp/pgss_query_texts.stat": true} {
			if _, err := os.Stat(filepath.Join(i.DataDir, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if major >= 15 {
			// The page of VmPeak: it is more than the segment.
			peak := status(t, i.PID(), "VmPeak")
			size, err := strconv.Atoi(ask(t, c,
				"select setting from pg_settings where name = 'shared_memory_size'")[0][0])
			if err != nil {
				t.Fatal(err)
			}
			if peak <= size<<10 {
				t.Errorf("VmPeak is %d kB, the shared memory %d MB", peak, size)
			}
		}
	})
}

// TestQueryTextsStayWhereTheyAre: up to 14 stats_temp_directory may point
// elsewhere, and the texts of pg_stat_statements do not follow.
func TestQueryTextsStayWhereTheyAre(t *testing.T) {
	on(t, []int{13, 14}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements",
			"stats_temp_directory": "pg_stat"})
		if got := ask(t, dial(t, i), "show stats_temp_directory")[0][0]; got != "pg_stat" {
			t.Fatalf("stats_temp_directory is %s", got)
		}
		if _, err := os.Stat(i.DataDir + "/pg_stat_tmp/pgss_query_texts.stat"); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(i.DataDir + "/pg_stat/pgss_query_texts.stat"); err == nil {
			t.Error("the texts follow stats_temp_directory")
		}
	})
}

// TestBackendsHaveSessionsOfTheirOwn: on this kernel each backend is the head
// of its own session, and where autogroups are, has its own.
func TestBackendsHaveSessionsOfTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		groups := map[string]int{}
		pids := []int{i.PID()}
		for range 2 {
			pid, err := strconv.Atoi(ask(t, dial(t, i), "select pg_backend_pid()")[0][0])
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
			stat := text(t, fmt.Sprintf("/proc/%d/stat", pid))
			// After the name in parentheses: state, parent, group, session.
			f := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
			if f[3] != strconv.Itoa(pid) || f[1] != strconv.Itoa(i.PID()) {
				t.Errorf("backend %d is in session %s, its parent is %s", pid, f[3], f[1])
			}
		}
		for _, pid := range pids {
			g, err := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", pid))
			if os.IsNotExist(err) || err == nil && len(strings.TrimSpace(string(g))) == 0 {
				return // a kernel without autogroups, or with an empty file of them: the sessions were examined
			}
			if err != nil {
				t.Fatal(err)
			}
			groups[strings.Fields(string(g))[0]]++
		}
		if len(groups) != len(pids) {
			t.Errorf("%d processes are in %d autogroups: %v", len(pids), len(groups), groups)
		}
	})
}

// TestPagesOfTools: pg_test_timing counts in microseconds up to 18, pgbench reports tps without the connection time
// since 14, free has no buffers line.
func TestPagesOfTools(t *testing.T) {
	tools, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_test_timing")
	seen := 0
	for _, tool := range tools {
		major, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(tool))))
		if err != nil || major < 14 || major > 18 {
			continue
		}
		seen++
		out := output(t, tool, "-d", "1")
		if !strings.Contains(out, "< us ") {
			t.Errorf("%s prints\n%s", tool, out)
		}
		help := output(t, filepath.Join(filepath.Dir(tool), "pgbench"), "--help")
		if want := map[bool]string{false: "-d, --debug", true: "-d, --dbname"}[major >= 17]; !strings.Contains(help,
			want) {
			t.Errorf("the help of pgbench %d has no %s", major, want)
		}
	}
	if seen == 0 {
		tier.Missing(t, tier.Servers, "no pg_test_timing of 14 to 18 in /usr/lib/postgresql/*/bin")
	}
	pgbench, err := exec.LookPath("pgbench")
	if err != nil {
		tier.Missing(t, tier.Servers, "pgbench is not installed")
	}
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		script := filepath.Join(t.TempDir(), "one.sql")
		if err := os.WriteFile(script, []byte("SELECT 1;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out := output(t, pgbench, "-n", "-f", script, "-t", "5", i.ConnString())
		if !strings.Contains(out, "(without initial connection time)") ||
			strings.Contains(out, "connections establishing") {
			t.Errorf("pgbench prints\n%s", out)
		}
	})
}

// status reads a number of /proc/PID/status, in kB.
func status(t *testing.T, pid int, field string) int {
	t.Helper()
	for line := range strings.Lines(text(t, fmt.Sprintf("/proc/%d/status", pid))) {
		if name, rest, _ := strings.Cut(line, ":"); name == field {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s of process %d", field, pid)
	return 0
}

// output runs a program and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}
