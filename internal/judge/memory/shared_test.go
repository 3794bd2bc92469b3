package memory

import (
	"bufio"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// settings is what a server of a major version would show with these values in
// its configuration file.
func settings(t *testing.T, major int, values map[string]string) pg.Settings {
	t.Helper()
	set := pg.Settings{}
	for _, p := range params.All(major) {
		s := pg.Setting{Name: p.Name, Value: p.Boot, Boot: p.Boot, Unit: p.Unit, Type: p.Type, Context: p.Context,
			Source: "default"}
		if p.Reset != "" {
			s.Value = p.Reset
		}
		set[p.Name] = s
	}
	for k, v := range values {
		s, ok := set[k]
		if !ok && !strings.Contains(k, ".") {
			t.Fatalf("PostgreSQL %d has no %s", major, k)
		}
		s.Name, s.Value, s.Source, s.File = k, v, "configuration file", "postgresql.conf"
		set[k] = s
	}
	return set
}

// TestEstimateAgainstServers holds the estimate against what real servers asked
// the kernel for: never below, and at most 3 % above. 15.18 and 19.0
// (its first release candidate) are Debian's builds, which have GSSAPI, systemd, LLVM and, in 19, io_uring; the others
// have not.
func TestEstimateAgainstServers(t *testing.T) {
	f, err := os.Open("testdata/shared.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type span struct {
		n        int
		min, max float64
	}
	seen := map[int]*span{}
	lines := bufio.NewScanner(f)
	lines.Scan() // heading
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		if len(c) != 3 {
			t.Fatalf("%q", lines.Text())
		}
		word, _, _ := strings.Cut(c[0], ".")
		major, _ := strconv.Atoi(word)
		truth, err := strconv.ParseInt(c[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]string{}
		for _, kv := range strings.Fields(c[1]) {
			k, v, _ := strings.Cut(kv, "=")
			values[k] = v
		}
		p, ok := SharedOf(settings(t, major, values), nil)
		if !ok {
			t.Fatalf("%s %s: settings not understood", c[0], c[1])
		}
		over := float64(EstimateShared(major, p))/float64(truth) - 1
		if over < 0 || over > 0.03 {
			t.Errorf("%s %s: %+.3f %% of %s", c[0], c[1], 100*over, unit.Bytes(truth))
		}
		s := seen[major]
		if s == nil {
			s = &span{min: math.Inf(1)}
			seen[major] = s
		}
		s.n, s.min, s.max = s.n+1, min(s.min, over), max(s.max, over)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, m := range params.Majors() {
		if seen[m] == nil {
			t.Errorf("no measurement of PostgreSQL %d", m)
			continue
		}
		t.Logf("PostgreSQL %d: %d points, %+.3f %% to %+.3f %%", m, seen[m].n, 100*seen[m].min, 100*seen[m].max)
	}
}

// TestEstimateOfPreloadedStatements holds pg_stat_statements against servers:
// 128 MB, 100 connections, the library preloaded, measured as the grid was.
func TestEstimateOfPreloadedStatements(t *testing.T) {
	for _, c := range []struct {
		major int
		max   string
		truth unit.Bytes // without the library plus what the library added
	}{
		{13, "5000", 149110784 + 1515520}, {14, "5000", 148856832 + 1548288}, {15, "5000", 149512192 + 1966080},
		{16, "5000", 149536768 + 1957888}, {17, "5000", 149889024 + 2195456}, {18, "5000", 157024256 + 2310144},
		{19, "5000", 162250752}, {19, "100000", 207323136},
		{13, "100000", 149110784 + 29859840}, {18, "100000", 157024256 + 45858816},
	} {
		p, _ := SharedOf(settings(t, c.major, map[string]string{
			"shared_buffers": "16384", "shared_preload_libraries": "pg_stat_statements",
			"pg_stat_statements.max": c.max}), nil)
		over := float64(EstimateShared(c.major, p))/float64(c.truth) - 1
		if over < 0 || over > 0.03 {
			t.Errorf("PostgreSQL %d with %s statements: %+.3f %%", c.major, c.max, 100*over)
		}
	}
}

// TestComputedValuesAreNotChosen: what the server computed from shared_buffers
// must be computed again when shared_buffers is planned otherwise.
func TestComputedValuesAreNotChosen(t *testing.T) {
	// shows wal_buffers = 512, transaction_buffers = 32
	set := settings(t, 17, map[string]string{"shared_buffers": "16384"})
	planned := func(name string) (string, bool) { return "1048576", name == "shared_buffers" }
	got, _ := SharedOf(set, planned)
	want, _ := SharedOf(settings(t, 17, map[string]string{"shared_buffers": "1048576"}), nil)
	if got != want || got.WALBuffers >= 0 || got.Transaction != 0 {
		t.Errorf("planned %+v\n  fresh %+v", got, want)
	}
	// A configured value stays.
	set = settings(t, 17, map[string]string{"shared_buffers": "16384", "wal_buffers": "512"})
	if got, _ := SharedOf(set, planned); got.WALBuffers != 4*unit.MB {
		t.Errorf("wal_buffers of the configuration became %s", got.WALBuffers)
	}
}

func TestEstimatePlanned(t *testing.T) {
	present, _ := SharedOf(settings(t, 16, map[string]string{"shared_buffers": "16384"}), nil)
	planned, _ := SharedOf(settings(t, 16, map[string]string{"shared_buffers": "131072"}), nil)
	bare := EstimateShared(16, planned)
	if got := EstimatePlanned(16, present, 0, planned); got != bare {
		t.Errorf("nothing known of the present: %s instead of %s", got, bare)
	}
	// An unknown library holds 300 MB now; it will hold them then too.
	if got := EstimatePlanned(16, present, EstimateShared(16, present)+300*unit.MB, planned); got != bare+300*unit.MB {
		t.Errorf("%s instead of %s and 300 MB", got, bare)
	}
	if got := EstimatePlanned(16, present, 100*unit.MB, planned); got != bare {
		t.Errorf("a present size below the estimate lowered the plan: %s instead of %s", got, bare)
	}
}

func TestSharedSettings(t *testing.T) {
	if !slices.IsSorted(SharedSettings) {
		t.Error("SharedSettings is searched by halving and must be sorted")
	}
	for _, name := range SharedSettings {
		known := false
		for _, m := range params.Majors() {
			p, ok := params.Lookup(m, name)
			known = known || ok
			if ok && p.Context == "internal" {
				t.Errorf("%s cannot be set in %d", name, m)
			}
		}
		if !known {
			t.Errorf("%s: no version has it", name)
		}
	}
	for name, want := range map[string]bool{"shared_buffers": true, "work_mem": false, "pg_stat_statements.max": true,
		"": false} {
		if MattersForShared(name) != want {
			t.Errorf("MattersForShared(%s) = %v", name, !want)
		}
	}
}

func TestHugePages(t *testing.T) {
	for _, c := range []struct {
		shared, page unit.Bytes
		want         int64
	}{
		{4445978624, 2 * unit.MB, 2121}, // 13.23 with 4 GB and 500 connections: 2121 pages start it, 2120 do not
		{4495368192, 2 * unit.MB, 2144}, // 18.6 likewise
		{4 * unit.MB, 2 * unit.MB, 2}, {4*unit.MB + 1, 2 * unit.MB, 3}, {5 * unit.GB, unit.GB, 5}, {5 * unit.GB, 0, 0},
	} {
		if got := HugePages(c.shared, c.page); got != c.want {
			t.Errorf("HugePages(%d, %d) = %d, want %d", c.shared, c.page, got, c.want)
		}
	}
}

func TestEstimateOfNonsense(t *testing.T) {
	for _, p := range []SharedParams{{}, {Connections: -1, Locks: -5, SharedBuffers: -1},
		{SharedBuffers: unit.GB, Connections: 1 << 18, Locks: 1 << 20, WALBuffers: -1}} {
		for _, major := range []int{0, 13, 18, 99} {
			EstimateShared(major, p) // must not panic or hang
		}
	}
}
