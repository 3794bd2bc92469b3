package engine

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
)

func TestSame(t *testing.T) {
	file := "configuration file"
	for _, c := range []struct {
		have machine.Setting
		want string
		same bool
	}{
		{machine.Setting{Name: "shared_buffers", Value: "16384", Unit: "8kB", Kind: "integer", Source: file},
			"128MB", true},
		{machine.Setting{Name: "shared_buffers", Value: "16384", Unit: "8kB", Kind: "integer", Source: file},
			"16384", true},
		{machine.Setting{Name: "shared_buffers", Value: "16384", Unit: "8kB", Kind: "integer", Source: file},
			"256MB", false},
		{machine.Setting{Name: "unix_mode", Value: "448", Unit: "", Kind: "integer", Source: file}, "0700", true},
		{machine.Setting{Name: "hash_mem_multiplier", Value: "2", Unit: "", Kind: "real", Source: file}, "2.0", true},
		{machine.Setting{Name: "random_page_cost", Value: "1.1", Unit: "", Kind: "real", Source: file}, "1.2", false},
		{machine.Setting{Name: "random_page_cost", Value: "4", Unit: "", Kind: "real", Source: "default"},
			"1.1", false},
		{machine.Setting{Name: "wal_buffers", Value: "2048", Unit: "8kB", Kind: "integer", Source: "default"},
			"-1", true},
		{machine.Setting{Name: "wal_buffers", Value: "2048", Unit: "8kB", Kind: "integer", Source: file},
			"64MB", false},
		{machine.Setting{Name: "autovacuum_work_mem", Value: "-1", Unit: "kB", Kind: "integer", Source: file},
			"-1", true},
		{machine.Setting{Name: "fsync", Value: "on", Unit: "", Kind: "bool", Source: file}, "TRUE", true},
		{machine.Setting{Name: "fsync", Value: "off", Unit: "", Kind: "bool", Source: file}, "of", true},
		{machine.Setting{Name: "fsync", Value: "off", Unit: "", Kind: "bool", Source: file}, "o", false},
		{machine.Setting{Name: "fsync", Value: "on", Unit: "", Kind: "bool", Source: file}, "off", false},
		{machine.Setting{Name: "wal_compression", Value: "pglz", Unit: "", Kind: "enum", Source: file}, "on", true},
		{machine.Setting{Name: "wal_compression", Value: "off", Unit: "", Kind: "enum", Source: "default"},
			"on", false},
		{machine.Setting{Name: "wal_compression", Value: "pglz", Unit: "", Kind: "enum", Source: file}, "lz4", false},
		{machine.Setting{Name: "wal_level", Value: "replica", Unit: "", Kind: "enum", Source: file}, "Replica", true},
		{machine.Setting{Name: "search_path", Value: "a, b", Unit: "", Kind: "string", Source: file}, "a, b", true},
		{machine.Setting{Name: "DateStyle", Value: "ISO, MDY", Unit: "", Kind: "string", Source: file},
			"iso, mdy", true},
		{machine.Setting{Name: "DateStyle", Value: "ISO, MDY", Unit: "", Kind: "string", Source: "default"},
			"german, dmy", false},
		{machine.Setting{Name: "TimeZone", Value: "Europe/Paris", Unit: "", Kind: "string", Source: file},
			"europe/paris", true},
		{machine.Setting{Name: "search_path", Value: "a", Unit: "", Kind: "string", Source: file}, "b", false},
		{machine.Setting{Name: "work_mem", Value: "4096", Unit: "kB", Kind: "integer", Source: file},
			"4 parsecs", false},
	} {
		if got := isSetTo(c.have, c.want); got != c.same {
			t.Errorf("%s: %q for %q: %v", c.have.Name, c.have.Value, c.want, got)
		}
	}
}

func TestVerify(t *testing.T) {
	have := []machine.Setting{{Name: "work_mem", Value: "4096", Unit: "kB", Kind: "integer", Source: "default"},
		{Name: "max_connections", Value: "100", Unit: "", Kind: "integer", Source: "default"}}
	if err := verify("A", nil, have); err != nil {
		t.Error(err)
	}
	if err := verify("A", map[string]string{"Work_Mem": "4MB"}, have); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		want map[string]string
		says string
	}{{map[string]string{"work_mem": "5MB"}, `work_mem is "4096 kB"`},
		{map[string]string{"nothing": "1"}, "nothing is no parameter"}} {
		if err := verify("B", c.want, have); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.want, err)
		}
	}
	// over a Unix socket these show 0, whatever the file says, which is read; what a session has set is another matter
	for source, same := range map[string]bool{"configuration file": true, "session": false} {
		socket := []machine.Setting{{Name: "tcp_keepalives_idle", Value: "0", Unit: "s", Kind: "integer",
			Source: source}}
		if err := verify("A", map[string]string{"tcp_keepalives_idle": "600"}, socket); (err == nil) != same {
			t.Errorf("from %s: %v", source, err)
		}
	}
	have[1].Pending = true
	if err := verify("B", nil, have); err == nil || !strings.Contains(err.Error(), "pending_restart") {
		t.Errorf("pending: %v", err)
	}
	// What differs between copies of a cluster is no difference of settings.
	a := []machine.Setting{{Name: "data_directory", Value: "/a"}, {Name: "work_mem", Value: "1"}}
	b := []machine.Setting{{Name: "work_mem", Value: "1"}, {Name: "data_directory", Value: "/b"}}
	if hash(a) != hash(b) || hash(a) == hash(b[1:]) {
		t.Error("hash of the settings")
	}
}

func TestSchedule(t *testing.T) {
	seen := map[string]int{}
	for all := range uint64(200) {
		for eight := range 2 {
			n := map[string]int{}
			for i := range 8 {
				n[order(all, 1+8*eight+i)]++
			}
			if n["AB"] < 2 || n["BA"] < 2 || n["AB"]+n["BA"] != 8 {
				t.Fatalf("seed %d, blocks from %d: %v", all, 1+8*eight, n)
			}
			seen["AB"], seen["BA"] = seen["AB"]+n["AB"], seen["BA"]+n["BA"]
		}
	}
	if seen["AB"] < 1430 || seen["BA"] < 1430 { // of 3200: six deviations from the middle are 170
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
