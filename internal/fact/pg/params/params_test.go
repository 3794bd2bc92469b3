package params

import (
	"slices"
	"sort"
	"strings"
	"testing"
)

// The expectations are from the release notes and manuals, not from the table.
func TestLookup(t *testing.T) {
	for _, c := range []struct {
		name  string
		major int
		want  Param
	}{
		{"work_mem", 13, Param{Name: "work_mem", Type: "integer", Unit: "kB", Context: "user", Min: "64",
			Max: "2147483647", Boot: "4096"}},
		{"shared_buffers", 14, Param{Name: "shared_buffers", Type: "integer", Unit: "8kB", Context: "postmaster",
			Min: "16", Max: "1073741823", Boot: "1024", Reset: "16384"}},
		{"shared_buffers", 15, Param{Name: "shared_buffers", Type: "integer", Unit: "8kB", Context: "postmaster",
			Min: "16", Max: "1073741823", Boot: "16384"}},
		{"checkpoint_completion_target", 13, Param{Name: "checkpoint_completion_target", Type: "real",
			Context: "sighup", Min: "0", Max: "1", Boot: "0.5"}},
		{"checkpoint_completion_target", 14, Param{Name: "checkpoint_completion_target", Type: "real",
			Context: "sighup", Min: "0", Max: "1", Boot: "0.9"}},
		{"wal_compression", 14, Param{Name: "wal_compression", Type: "bool", Context: "superuser", Boot: "off"}},
		{"wal_compression", 15, Param{Name: "wal_compression", Type: "enum", Context: "superuser",
			Enum: []string{"pglz", "on", "off"}, Boot: "off"}},
		{"effective_io_concurrency", 18, Param{Name: "effective_io_concurrency", Type: "integer", Context: "user",
			Min: "0", Max: "1000", Boot: "16"}},
		{"data_checksums", 17, Param{Name: "data_checksums", Type: "bool", Context: "internal", Boot: "off"}},
		{"data_checksums", 18, Param{Name: "data_checksums", Type: "bool", Context: "internal", Boot: "off",
			Reset: "on"}},
	} {
		got, ok := Lookup(c.major, c.name)
		if !ok || !equal(got, c.want) {
			t.Errorf("Lookup(%d, %s)\n got %+v, %v\nwant %+v", c.major, c.name, got, ok, c.want)
		}
	}
}

func TestWhatAVersionHasNot(t *testing.T) {
	for _, c := range []struct {
		name  string
		major int
		want  bool
	}{
		{"stats_temp_directory", 14, true}, {"stats_temp_directory", 15, false},
		{"shared_memory_size_in_huge_pages", 14, false}, {"shared_memory_size_in_huge_pages", 15, true},
		{"huge_page_size", 13, false}, {"huge_page_size", 14, true},
		{"old_snapshot_threshold", 16, true}, {"old_snapshot_threshold", 17, false},
		{"io_method", 17, false}, {"io_method", 18, true},
		{"autovacuum_worker_slots", 17, false}, {"autovacuum_worker_slots", 18, true},
		{"work_mem", 12, false}, {"work_mem", 99, false}, {"no_such_parameter", 18, false}, {"", 18, false},
	} {
		if _, ok := Lookup(c.major, c.name); ok != c.want {
			t.Errorf("Lookup(%d, %s) found: %v", c.major, c.name, ok)
		}
	}
}

func TestCounts(t *testing.T) {
	// select count(*) from pg_settings on a server of each version without extensions.
	want := map[int]int{13: 331, 14: 347, 15: 354, 16: 363, 17: 379, 18: 399, 19: 419}
	if got := Majors(); !slices.Equal(got, []int{13, 14, 15, 16, 17, 18, 19}) {
		t.Fatalf("Majors() = %v", got)
	}
	for _, m := range Majors() {
		all := All(m)
		if len(all) != want[m] {
			t.Errorf("PostgreSQL %d: %d parameters, want %d", m, len(all), want[m])
		}
		if !sort.SliceIsSorted(all, func(i, j int) bool { return all[i].Name < all[j].Name }) {
			t.Errorf("PostgreSQL %d: not sorted by name", m)
		}
		for _, p := range all {
			if q, ok := Lookup(m, p.Name); !ok || !equal(p, q) {
				t.Errorf("PostgreSQL %d: Lookup(%s) differs from All", m, p.Name)
			}
			if (p.Type == "enum") != (len(p.Enum) > 0) {
				t.Errorf("PostgreSQL %d: %s is of type %s with values %v", m, p.Name, p.Type, p.Enum)
			}
		}
	}
}

func TestNothingOfTheMachine(t *testing.T) {
	for _, m := range Majors() {
		for _, name := range []string{"data_directory", "config_file", "hba_file", "ident_file", "TimeZone",
			"log_timezone", "lc_messages", "max_stack_depth", "listen_addresses"} {
			if p, ok := Lookup(m, name); !ok || p.Reset != "" {
				t.Errorf("PostgreSQL %d: %s found %v, reset %q", m, name, ok, p.Reset)
			}
		}
		for _, p := range All(m) {
			if strings.HasPrefix(p.Reset, "/") || strings.HasPrefix(p.Boot, "/") && p.Boot != "/tmp" {
				t.Errorf("PostgreSQL %d: %s holds a path: %q, %q", m, p.Name, p.Boot, p.Reset)
			}
		}
	}
}

func TestCallersCannotWriteIntoTheTable(t *testing.T) {
	p, _ := Lookup(18, "io_method")
	p.Enum[0] = "changed"
	if q, _ := Lookup(18, "io_method"); q.Enum[0] == "changed" {
		t.Error("a caller's write reached the table")
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "heading\n"
	for _, line := range []string{"work_mem\tinteger", "a\tb\tc\td\te\tf\tg\th\ti\tx\t18",
		"a\tb\tc\td\te\tf\tg\th\ti\t18\t13"} {
		if _, err := parse(head + line + "\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func equal(a, b Param) bool {
	e := slices.Equal(a.Enum, b.Enum)
	a.Enum, b.Enum = nil, nil
	return e && a.Name == b.Name && a.Type == b.Type && a.Unit == b.Unit && a.Context == b.Context &&
		a.Min == b.Min && a.Max == b.Max && a.Boot == b.Boot && a.Reset == b.Reset
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		Lookup(18, "work_mem")
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
