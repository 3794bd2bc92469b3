package engine

import (
	"strings"
	"testing"
)

func TestSame(t *testing.T) {
	file := "configuration file"
	for _, c := range []struct {
		have setting
		want string
		same bool
	}{
		{setting{"shared_buffers", "16384", "8kB", "integer", file, false}, "128MB", true},
		{setting{"shared_buffers", "16384", "8kB", "integer", file, false}, "16384", true},
		{setting{"shared_buffers", "16384", "8kB", "integer", file, false}, "256MB", false},
		{setting{"unix_mode", "448", "", "integer", file, false}, "0700", true},
		{setting{"hash_mem_multiplier", "2", "", "real", file, false}, "2.0", true},
		{setting{"random_page_cost", "1.1", "", "real", file, false}, "1.2", false},
		{setting{"random_page_cost", "4", "", "real", "default", false}, "1.1", false},
		{setting{"wal_buffers", "2048", "8kB", "integer", "default", false}, "-1", true},
		{setting{"wal_buffers", "2048", "8kB", "integer", file, false}, "64MB", false},
		{setting{"autovacuum_work_mem", "-1", "kB", "integer", file, false}, "-1", true},
		{setting{"fsync", "on", "", "bool", file, false}, "TRUE", true},
		{setting{"fsync", "off", "", "bool", file, false}, "of", true},
		{setting{"fsync", "off", "", "bool", file, false}, "o", false},
		{setting{"fsync", "on", "", "bool", file, false}, "off", false},
		{setting{"wal_compression", "pglz", "", "enum", file, false}, "on", true},
		{setting{"wal_compression", "off", "", "enum", "default", false}, "on", false},
		{setting{"wal_compression", "pglz", "", "enum", file, false}, "lz4", false},
		{setting{"wal_level", "replica", "", "enum", file, false}, "Replica", true},
		{setting{"search_path", "a, b", "", "string", file, false}, "a, b", true},
		{setting{"DateStyle", "ISO, MDY", "", "string", file, false}, "iso, mdy", true},
		{setting{"DateStyle", "ISO, MDY", "", "string", "default", false}, "german, dmy", false},
		{setting{"TimeZone", "Europe/Paris", "", "string", file, false}, "europe/paris", true},
		{setting{"search_path", "a", "", "string", file, false}, "b", false},
		{setting{"work_mem", "4096", "kB", "integer", file, false}, "4 parsecs", false},
	} {
		if got := same(c.have, c.want); got != c.same {
			t.Errorf("%s: %q for %q: %v", c.have.name, c.have.value, c.want, got)
		}
	}
}

func TestVerify(t *testing.T) {
	have := []setting{{"work_mem", "4096", "kB", "integer", "default", false}, {"max_connections", "100", "", "integer", "default", false}}
	if err := verify("A", nil, have); err != nil {
		t.Error(err)
	}
	if err := verify("A", map[string]string{"Work_Mem": "4MB"}, have); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		want map[string]string
		says string
	}{{map[string]string{"work_mem": "5MB"}, `work_mem is "4096 kB"`}, {map[string]string{"nothing": "1"}, "nothing is no parameter"}} {
		if err := verify("B", c.want, have); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.want, err)
		}
	}
	have[1].pending = true
	if err := verify("B", nil, have); err == nil || !strings.Contains(err.Error(), "pending_restart") {
		t.Errorf("pending: %v", err)
	}
	// What differs between copies of a cluster is no difference of settings.
	a := []setting{{name: "data_directory", value: "/a"}, {name: "work_mem", value: "1"}}
	b := []setting{{name: "work_mem", value: "1"}, {name: "data_directory", value: "/b"}}
	if hash(a) != hash(b) || hash(a) == hash(b[1:]) {
		t.Error("hash of the settings")
	}
}

func TestSchedule(t *testing.T) {
	seen := map[string]int{}
	for all := range uint64(200) {
		for n := 1; n <= 8; n += 2 {
			one, two := order(all, n), order(all, n+1)
			if one == two {
				t.Fatalf("blocks %d and %d both %s", n, n+1, one)
			}
			seen[one]++
		}
	}
	if seen["AB"] < 300 || seen["BA"] < 300 { // of 800: six deviations from the middle are 85
		t.Errorf("orders drawn: %v", seen)
	}
	if got := strings.Join(turns("AB", 4), ""); got != "ABBAABBA" {
		t.Error(got)
	}
	if got := strings.Join(turns("BA", 3), ""); got != "BAABBA" {
		t.Error(got)
	}
	drawn := map[uint64]bool{}
	for n := range uint64(10000) {
		s := seed(1, forRun, n)
		if s >= 1<<32 {
			t.Fatalf("seed %d is too large for pgbench", s)
		}
		drawn[s] = true
	}
	if len(drawn) < 9990 {
		t.Errorf("only %d of 10000 seeds differ", len(drawn))
	}
}

func TestWindows(t *testing.T) {
	if w := windows([]float64{1, 3, 5, 7, 9}, 2); len(w) != 2 || w[0] != 2 || w[1] != 6 {
		t.Error(w)
	}
	if window(300) != 10 || window(60) != 10 || window(12) != 2 || window(1) != 1 {
		t.Error("width of windows")
	}
	rising := make([]float64, 120)
	level := make([]float64, 120)
	for i := range rising {
		rising[i] = float64(i)
		level[i] = 1000 + float64(mix(uint64(i))%20)
	}
	if flat(rising, 10) || !flat(level, 10) || flat(level[:30], 10) {
		t.Error("flat")
	}
	// What rose at first and is level since is flat.
	if !flat(append(rising[:60:60], level...), 10) {
		t.Error("the beginning counts")
	}
}
