package monitor

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TestSettingChanged: what a first look finds is no change; a setting that differs afterwards is one event, with its
// file and what wrote it; one that the server does not report has not changed.
func TestSettingChanged(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	wants(t, "at first", x.turned())
	x.look(described(t, small))
	wants(t, "nothing changed", x.turned())

	x.w.o.logs = func(_ target.Target, _ *snapshot.Instance, names []string) map[string]string {
		if !slices.Equal(names, []string{"work_mem"}) {
			t.Errorf("the log is asked for %v", names)
		}
		return map[string]string{"work_mem": "at 12:29:59 UTC"}
	}
	changed := set(t, described(t, small), "work_mem", "8192", "/srv/pg/postgresql.auto.conf", 3)
	x.look(changed)
	wants(t, "told", x.turned(),
		"work_mem of /srv/pg: 4MB → 8MB (ALTER SYSTEM, /srv/pg/postgresql.auto.conf:3, read by the server at "+
			"12:29:59 UTC)")
	wants(t, "kept", x.events(),
		"setting work_mem 4MB→8MB ALTER SYSTEM /srv/pg/postgresql.auto.conf:3, read by the server at 12:29:59 UTC")

	hidden := described(t, small)
	hidden.Instances[0].Server.Settings = known.Barred[pg.Settings](known.Gap{Fact: "pg/1/settings",
		Reason: "the server is down"})
	x.look(hidden)
	wants(t, "nothing is known", x.turned())
	x.look(changed)
	wants(t, "and then it is as it was", x.turned())
	wants(t, "kept", x.events())
	x.w.o.logs = func(target.Target, *snapshot.Instance, []string) map[string]string { return nil }

	roles := set(t, described(t, small), "work_mem", "8192", "/srv/pg/postgresql.auto.conf", 3)
	roles.Instances[0].Server.RoleSettings = known.Is([]pg.RoleSetting{{Role: "app", Name: "work_mem", Value: "1GB"},
		{Database: "shop", Name: "jit", Value: "off"}})
	x.look(roles)
	wants(t, "overrides", x.turned(),
		"jit (database shop) of /srv/pg: nothing → off (ALTER DATABASE, pg_db_role_setting)",
		"work_mem (role app) of /srv/pg: nothing → 1GB (ALTER ROLE, pg_db_role_setting)")
	x.look(changed) // which does not show the overrides
	wants(t, "overrides that cannot be seen are what they were", x.turned())
}

// TestApplyIsNamed: what an apply changed is reported as its work.
func TestApplyIsNamed(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	j := &journal.Journal{ID: "20261121-103000-k3x9qz", State: journal.Whole, Changes: []journal.Change{
		{Address: "pg:work_mem", Instance: "/srv/pg", Before: "4MB", After: "64MB", State: journal.IsDone},
		{Address: "pg:jit", Instance: "/srv/other", Before: "on", After: "off", State: journal.IsDone},
	}}
	x.w.o.Applied = func() *journal.Journal { return j }
	s := set(t, described(t, small), "work_mem", "65536", "/srv/pg/conf.d/pgfettle.conf", 3)
	x.look(set(t, s, "jit", "off", "/srv/pg/postgresql.conf", 9))
	wants(t, "told", x.turned(), "jit of /srv/pg: on → off (/srv/pg/postgresql.conf:9)",
		"work_mem of /srv/pg: 4MB → 64MB (pgfettle apply 20261121-103000-k3x9qz, /srv/pg/conf.d/pgfettle.conf:3)")
	if got := x.w.bases["/srv/pg"].Journal; got != j.ID {
		t.Errorf("the plan rests on %q", got)
	}
}

// TestWritten: a line that is not in force is reported once, with what it waits for; when it takes effect, that is
// reported as a change.
func TestWritten(t *testing.T) {
	x := newWorld(t)
	auto := pg.FileSetting{File: "/srv/pg/postgresql.auto.conf", Line: 3, Name: "max_connections", Value: "300",
		Error: needsRestart}
	typo := pg.FileSetting{File: "/srv/pg/postgresql.conf", Line: 9, Name: "work_mem", Value: "lots",
		Error: "invalid value"}
	x.look(lines(described(t, small)))
	x.look(lines(described(t, small), auto, typo))
	wants(t, "written", x.turned(),
		"max_connections of /srv/pg: 100 → 300 (ALTER SYSTEM, /srv/pg/postgresql.auto.conf:3): written, "+
			"not in effect until a restart")
	x.look(lines(described(t, small), auto, typo))
	wants(t, "told already", x.turned())
	reload := pg.FileSetting{File: "/srv/pg/postgresql.conf", Line: 8, Name: "Work_Mem", Value: "8MB"}
	x.look(lines(described(t, small), auto, reload))
	wants(t, "not in effect until a reload", x.turned(),
		"work_mem of /srv/pg: 4MB → 8MB (/srv/pg/postgresql.conf:8): written, not "+
			"in effect until a reload")
	x.look(lines(set(t, described(t, small), "work_mem", "8192", "/srv/pg/postgresql.conf", 8), auto, reload))
	wants(t, "in force", x.turned(), "work_mem of /srv/pg: 4MB → 8MB (/srv/pg/postgresql.conf:8)")
}

// TestAnotherVersion: an upgrade brings settings that were not set by anyone.
func TestAnotherVersion(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, "ram=16GB,cpus=4,storage=ssd,pg=16"))
	x.stands(described(t, "ram=16GB,cpus=4,storage=ssd,pg=17"))
	have := x.turned()
	stale := slices.ContainsFunc(have, func(l string) bool {
		return strings.HasPrefix(l, "the plan of /srv/pg is stale: major version changed from 16 to 17")
	})
	upgraded := slices.ContainsFunc(have, func(l string) bool {
		return strings.HasPrefix(l, "server_version of /srv/pg: 16")
	})
	if !stale || !upgraded {
		t.Errorf("told: %s", strings.Join(have, "\n"))
	}
	for _, line := range have {
		if strings.Contains(line, "from nothing") || strings.Contains(line, "to nothing") {
			t.Errorf("a setting of the new version: %s", line)
		}
	}
}

// TestHostSettings: values of the kernel are reported by the addresses of their knobs; what could not be read has not
// changed.
func TestHostSettings(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	s := described(t, small)
	s.Host.Sysctls["vm.swappiness"] = known.Is("1")
	s.Host.THP.Enabled = known.Barred[string](known.Gap{Fact: "thp", Reason: "permission denied"})
	s.Host.Blocks = known.Missed[[]host.Block](known.Gap{Fact: "blocks", Reason: "not collected"})
	x.look(s)
	wants(t, "the kernel", x.turned(), "sysctl:vm.swappiness: 60 → 1 (/proc/sys/vm/swappiness)")
}

// TestFindings: a finding that appears, gets worse and goes is reported once each; one whose fact is missing, or whose
// server is gone, has not vanished.
func TestFindings(t *testing.T) {
	x := newWorld(t)
	fine := func() *snapshot.Snapshot { return described(t, "ram=16GB,cpus=4,storage=ssd,pg=17,thp=never") }
	off := func() *snapshot.Snapshot { return set(t, fine(), "fsync", "off", "/srv/pg/postgresql.conf", 7) }
	only := func(list []string) (out []string) {
		for _, l := range list {
			if strings.Contains(l, ": fsync_off") || strings.Contains(l, "fsync_off of") {
				out = append(out, l)
			}
		}
		return out
	}
	x.look(fine())
	x.look(off())
	wants(t, "appears", only(x.told()), "new critical: fsync_off of /srv/pg")
	x.look(off())
	wants(t, "stands", only(x.told()))
	blind := fine()
	blind.Instances[0].Server.Settings = known.Missed[pg.Settings](known.Gap{Fact: "pg/1/settings",
		Reason: "the server is down"})
	x.look(blind)
	wants(t, "its fact is missing", only(x.told()))
	gone := fine()
	gone.Instances = nil
	x.look(gone)
	wants(t, "its server is gone", only(x.told()))
	x.stands(fine())
	wants(t, "vanishes", only(x.told()), "resolved: fsync_off of /srv/pg (was critical)")
	var kept []string
	for _, e := range x.events() {
		if strings.Contains(e, "fsync_off") {
			kept = append(kept, strings.Fields(e)[0])
		}
	}
	wants(t, "kept", kept, "finding-appeared", "finding-vanished")

	x.look(off())
	x.w.o.Checks = func() check.Options {
		return check.Options{Today: "2026-11-21",
			Accept: []check.Acceptance{{ID: "fsync_off", Reason: "a test", Expires: "2027-01-01"}}}
	}
	x.told()
	x.look(off())
	wants(t, "accepted is gone", only(x.told()), "resolved: fsync_off")
}

// TestGone: a server that an hour's looks have not seen is given up, with what
// was found of it; when it comes it is new.
func TestGone(t *testing.T) {
	x := newWorld(t)
	x.look(set(t, described(t, small), "fsync", "off", "/srv/pg/postgresql.conf", 7))
	x.sample()
	none := described(t, small)
	none.Instances = nil
	for range mostAbsent - 1 {
		x.look(none)
	}
	for _, l := range x.told() {
		if strings.Contains(l, "fsync_off") || strings.Contains(l, "watched no more") {
			t.Errorf("too early: %s", l)
		}
	}
	x.look(none)
	have := x.told()
	if !slices.Contains(have, "/srv/pg has ended and is no longer watched") ||
		!slices.Contains(have, "resolved: fsync_off of /srv/pg (was critical)") {
		t.Errorf("told: %q", have)
	}
	asked := x.asker.asked
	x.sample()
	if len(x.w.servers)+len(x.w.written)+len(x.w.started) > 0 || x.asker.asked != asked {
		t.Errorf("it is still known: %v", x.w.labels())
	}
	x.look(described(t, small))
	x.sample()
	if x.asker.asked != asked+1 {
		t.Error("it came back, and is not asked")
	}
}

// TestWorse: a finding that gets worse is reported with both severities.
func TestWorse(t *testing.T) {
	a := []history.Finding{{ID: "x", Severity: "notice", Title: "X"},
		{ID: "y", Instance: "/srv/pg", Severity: "warning", Title: "Y"}}
	b := []history.Finding{{ID: "x", Severity: "critical", Title: "X"},
		{ID: "y", Instance: "/srv/pg", Severity: "warning", Title: "Y"}}
	var have []string
	for _, e := range turns(a, b, true) {
		have = append(have, Sentence(e).String())
	}
	wants(t, "worse", have, "x: notice → critical: X")
	if n := len(turns(nil, b, false)); n != 0 {
		t.Errorf("%d events at a first look", n)
	}
}

// TestSummary is the line of a look.
func TestSummary(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	x.asker.values[sample.ColTotal] = 12
	x.sample()
	x.look(described(t, small))
	last := x.lines[len(x.lines)-1]
	if !strings.HasPrefix(last, "checked; critical: 0, ") || !strings.Contains(last,
		" of 16 GB memory available, page tables ") || !strings.HasSuffix(last, "; 12 sessions") {
		t.Error(last)
	}
}

// TestDear: what a whole look gives for the history goes with the next sample.
func TestDear(t *testing.T) {
	s := described(t, small)
	s.Instances[0].Processes = known.Is([]host.Process{{PID: 1, Anon: 5 * unit.MB, PageTables: unit.MB},
		{PID: 2, Anon: 3 * unit.MB, PageTables: 2 * unit.MB}})
	x := newWorld(t)
	x.look(s, 7e9)
	x.sample()
	at, list, err := x.store.Latest(t.Context())
	if err != nil || !at.Equal(x.now) {
		t.Fatal(at, err)
	}
	have := map[string]float64{}
	for _, p := range list {
		have[p.Name+"{"+p.Label+"}"+p.Instance] = p.Value
	}
	for name, want := range map[string]float64{"instance_anonymous_bytes{}/srv/pg": 8 << 20,
		"instance_page_tables_bytes{}/srv/pg": 3 << 20, "instance_processes{}/srv/pg": 2,
		"database_bytes{}/srv/pg": 7e9, "page_tables_bytes{}": 70000 * 1024, "connections{idle}/srv/pg": 0,
		"findings{critical}": 0} {
		if v, ok := have[name]; !ok || v != want {
			t.Errorf("%s is %v (%v), not %v", name, v, ok, want)
		}
	}
	x.sample()
	if _, list, err = x.store.Latest(t.Context()); err != nil ||
		slices.ContainsFunc(list, func(p history.Point) bool { return p.Name == "database_bytes" }) {
		t.Errorf("the sizes are told twice: %v", err)
	}
}
