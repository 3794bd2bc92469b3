package upgrade

import (
	"maps"
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// byHand are the settings of a server of a major version with values from its file, in the base unit.
func byHand(major int, values map[string]string) pg.Settings {
	set := pg.Settings{}
	for _, p := range params.All(major) {
		set[p.Name] = pg.Setting{Name: p.Name, Value: p.Fresh(), Unit: p.Unit, Type: p.Type, Context: p.Context,
			Boot: p.Boot, Source: "default"}
	}
	for name, v := range values {
		s := set[name]
		s.Name, s.Value, s.Source = name, v, "configuration file"
		set[name] = s
	}
	return set
}

// TestTranslate has each class of what becomes of a setting.
func TestTranslate(t *testing.T) {
	for _, c := range []struct {
		from, to    int
		name, value string
		fate        Fate
		newName     string
		newValue    string // as SHOW prints it
		with        map[string]string
		adds        map[string]string
	}{
		{15, 19, "random_page_cost", "1.1", Kept, "random_page_cost", "1.1", nil, nil},
		{15, 19, "enable_seqscan", "on", AsDefault, "enable_seqscan", "on", nil, nil},
		{15, 19, "shared_buffers", "16384", Kept, "shared_buffers", "128MB", nil, nil}, // initdb writes it too
		{15, 19, "jit", "on", Kept, "jit", "on", nil, nil},                             // the default of 15
		{13, 19, "force_parallel_mode", "on", Renamed, "debug_parallel_query", "on", nil, nil},
		{17, 18, "ssl_ecdh_curve", "secp384r1", Renamed, "ssl_groups", "secp384r1", nil, nil},
		{18, 19, "io_workers", "5", Renamed, "io_max_workers", "5", nil, nil},
		{18, 19, "io_workers", "8", AsDefault, "io_max_workers", "8", nil, nil},
		{13, 14, "operator_precedence_warning", "on", Dropped, "", "", nil, nil},
		{13, 19, "vacuum_cleanup_index_scale_factor", "0.2", Dropped, "", "", nil, nil},
		{14, 15, "stats_temp_directory", "/run/x", Dropped, "", "", nil, nil},
		{15, 16, "promote_trigger_file", "/tmp/x", Dropped, "", "", nil, nil},
		{15, 16, "vacuum_defer_cleanup_age", "5", Dropped, "", "", nil, nil},
		{16, 17, "old_snapshot_threshold", "60", Dropped, "", "", nil, nil},
		{18, 19, "standard_conforming_strings", "off", Dropped, "", "", nil, nil},
		{18, 19, "max_locks_per_transaction", "200", Adapted, "max_locks_per_transaction", "400", nil, nil},
		{18, 19, "max_locks_per_transaction", "64", AsDefault, "max_locks_per_transaction", "128", nil, nil},
		{18, 19, "max_locks_per_transaction", "2000000000", Adapted, "max_locks_per_transaction", "2147483647", nil,
			nil},
		{17, 18, "log_connections", "on", Adapted, "log_connections", "receipt,authentication,authorization", nil, nil},
		{17, 18, "log_connections", "off", AsDefault, "log_connections", "", nil, nil},
		{14, 15, "work_mem", "65536", Kept, "work_mem", "64MB", nil, map[string]string{"hash_mem_multiplier": "1"}},
		{14, 15, "work_mem", "65536", Kept, "work_mem", "64MB", map[string]string{"hash_mem_multiplier": "1.5"}, nil},
		{15, 16, "work_mem", "65536", Kept, "work_mem", "64MB", nil, nil},
		{18, 19, "log_autovacuum_min_duration", "0", Kept, "log_autovacuum_min_duration", "0", nil,
			map[string]string{"log_autoanalyze_min_duration": "0"}},
		{17, 18, "max_replication_slots", "30", Kept, "max_replication_slots", "30", nil,
			map[string]string{"max_active_replication_origins": "30"}},
		{17, 18, "max_replication_slots", "4", Kept, "max_replication_slots", "4", nil, nil},
		{15, 16, "archive_command", "cp %p /a/%f", Dropped, "", "", map[string]string{"archive_library": "basic"}, nil},
		{15, 16, "archive_command", "cp %p /a/%f", Kept, "archive_command", "cp %p /a/%f", nil, nil},
		{15, 16, "archive_command", "(hidden)", Dropped, "", "", nil, nil},
		{15, 16, "hba_file", "/etc/pg_hba.conf", Dropped, "", "", nil, nil},
		{15, 16, "my.own", "x", Kept, "my.own", "x", nil, nil},
		{15, 16, "of_a_fork", "x", Dropped, "", "", nil, nil},
		{15, 16, "wal_compression", "lz4", Kept, "wal_compression", "lz4", nil, nil},
	} {
		values := map[string]string{c.name: c.value}
		maps.Copy(values, c.with)
		adds := map[string]string{}
		found := false
		for _, p := range translate(byHand(c.from, values), c.from, c.to).Parameters {
			switch {
			case p.Fate == Added:
				adds[p.NewName] = p.New
			case p.Name == c.name:
				found = true
				if p.Fate != c.fate || p.NewName != c.newName || p.New != c.newValue {
					t.Errorf("%d to %d: %s = %s: %s %s = %s, want %s %s = %s", c.from, c.to, c.name, c.value, p.Fate,
						p.NewName, p.New, c.fate, c.newName, c.newValue)
				}
				if p.Fate != Kept && p.Fate != AsDefault && p.Reason.IsZero() {
					t.Errorf("%d to %d: %s = %s: no reason", c.from, c.to, c.name, c.value)
				}
			}
		}
		if !found || !maps.Equal(adds, c.adds) && len(adds)+len(c.adds) > 0 {
			t.Errorf("%d to %d: %s = %s: found %v, adds %v, want %v", c.from, c.to, c.name, c.value, found, adds,
				c.adds)
		}
	}
}

// TestNothingIsLost: with each parameter of each version set by hand, each is told once, and what is carried over is
// accepted by the new version.
func TestNothingIsLost(t *testing.T) {
	for _, from := range params.Covered() {
		for _, to := range Targets(from) {
			values := map[string]string{}
			for _, p := range params.All(from) {
				if p.Context == "internal" {
					continue
				}
				values[p.Name] = p.Fresh()
				if p.Max != "" && p.Type == "integer" { // the bounds of both versions
					values[p.Name] = p.Max
				}
			}
			var told []string
			for _, p := range translate(byHand(from, values), from, to).Parameters {
				if p.Fate != Added {
					told = append(told, p.Name)
				}
				if p.Fate == Dropped {
					continue
				}
				fact, ok := params.Lookup(to, p.NewName)
				if r := fact.Accepts(to, p.New); !ok || r != nil && r.Fault != params.BuildDecides {
					t.Errorf("%d to %d: %s = %s: refused: %v", from, to, p.NewName, p.New, r)
				}
			}
			if want := slices.Sorted(maps.Keys(values)); !slices.Equal(told, want) {
				t.Errorf("%d to %d: told %d of %d settings", from, to, len(told), len(want))
			}
		}
	}
}

// TestStored: what pg_upgrade cannot restore is reset before, and set afterwards if there is a new name or value.
func TestStored(t *testing.T) {
	tr := &translation{set: byHand(15, nil), from: 15, to: 19}
	tr.stored([]pg.RoleSetting{{Role: "app", Name: "force_parallel_mode", Value: "on"},
		{Database: "shop", Name: "standard_conforming_strings", Value: "off"},
		{Role: "app", Database: "shop", Name: "work_mem", Value: "100MB"},
		{Name: "my.key", Value: "(hidden)"}})
	want := []Stored{
		{Before: `ALTER ROLE "app" RESET force_parallel_mode;`,
			After: `ALTER ROLE "app" SET debug_parallel_query = 'on';`, Parameter: Parameter{Fate: Renamed}},
		{Before: `ALTER DATABASE "shop" RESET standard_conforming_strings;`, Parameter: Parameter{Fate: Dropped}},
		{Parameter: Parameter{Fate: Kept}}, {Parameter: Parameter{Fate: Kept}}}
	for i, w := range want {
		if s := tr.out.Stored[i]; s.Before != w.Before || s.After != w.After || s.Fate != w.Fate {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
}

// TestInstanceSettings: what the session that asked set for itself is that of the files, or is known to be unknown.
func TestInstanceSettings(t *testing.T) {
	set := byHand(15, nil)
	s := set["search_path"]
	s.Source = "session"
	set["search_path"] = s
	delete(set, "application_name")
	files := []pg.FileSetting{{File: "/c", Line: 3, Name: "Search_Path", Value: "odd", Applied: true},
		{File: "/c", Line: 4, Name: "application_name", Value: "x", Applied: true},
		{File: "/c", Line: 5, Name: "work_mem", Value: "1GB"}}
	in := &snapshot.Instance{}
	if _, complete := instanceSettings(in, set, 15); !complete {
		t.Error("all but what clients set was shown")
	}
	delete(set, "work_mem")
	if _, complete := instanceSettings(in, set, 15); complete {
		t.Error("a parameter was not shown, nor were the files")
	}
	in.Server.FileSettings = known.Is(files)
	out, complete := instanceSettings(in, set, 15)
	if p, a := out["search_path"], out["application_name"]; !complete || p.Value != "odd" || p.Line != 3 ||
		!SetByHand(p) || a.Value != "x" || !SetByHand(a) {
		t.Errorf("%v %v %v", complete, p, a)
	}
	if _, ok := out["work_mem"]; ok {
		t.Error("a line that does not apply counts")
	}
}

// TestNewClusters: the instance is one of the new version, and the snapshot that was given is as it was.
func TestNewClusters(t *testing.T) {
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1"}, {Key: "2"}}}
	for i, major := range []int{15, 19} {
		srv := &s.Instances[i].Server
		srv.Version = known.Is(unit.MajorVersion(major))
		srv.Settings = known.Is(byHand(major, map[string]string{"max_locks_per_transaction": "256"}))
	}
	next, list := NewClusters(s, 19)
	if len(list) != 1 || list[0].Key != "1" {
		t.Fatalf("%v", list)
	}
	set, _ := next.Instances[0].Server.Settings.Get()
	old, _ := s.Instances[0].Server.Settings.Get()
	if v, _ := next.Instances[0].Server.Version.Get(); v.Major() != 19 ||
		set["max_locks_per_transaction"].Value != "512" || set["io_max_workers"].Value == "" ||
		set["shared_memory_size"].Name != "" ||
		old["max_locks_per_transaction"].Value != "256" {
		t.Errorf("%v %v %v", v, set["max_locks_per_transaction"], old["max_locks_per_transaction"])
	}
}
