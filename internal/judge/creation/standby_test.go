package creation

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pgpass"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// copying is a host whose programs can copy a server.
func copying() Site {
	return with(debian(), func(s *Site) {
		s.Programs = slices.Clone(s.Programs)
		for i := range s.Programs {
			s.Programs[i].BaseBackup = s.Programs[i].Bin + "/pg_basebackup"
		}
	})
}

// primary is a server of 17 with the settings of a small one, changed by a test.
func primary(change func(*Primary)) *Primary {
	p := &Primary{Conninfo: "host='db1' user='repl'", Passfile: "/var/lib/postgresql/.pgpass", Where: "db1:5432",
		Role: "repl", System: "7712935843349953643", Version: 170009, Superuser: "admin", Bytes: known.Is(3 * unit.GB),
		Settings: map[string]string{"max_connections": "300", "max_worker_processes": "8", "max_wal_senders": "10",
			"max_prepared_transactions": "20", "max_locks_per_transaction": "64", "wal_level": "replica",
			"max_replication_slots": "10", "max_slot_wal_keep_size": "-1", "wal_segment_size": "16MB",
			"data_checksums": "on", "data_directory_mode": "0700", "TimeZone": "Europe/Paris",
			"lc_time": "de_DE.UTF-8"},
		Databases: []Database{{Name: "template1", Encoding: "UTF8", Collate: "de_DE.UTF-8", CType: "de_DE.UTF-8",
			Provider: "c"}}}
	if change != nil {
		change(p)
	}
	return p
}

// TestFollowRefuses: what a primary lacks, with the line that mends it.
func TestFollowRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Order
		at   Site
		code int
		says []string
	}{
		{"another major", Order{Major: 15, Name: "a", Primary: primary(nil)}, copying(), say.CodeRefused,
			[]string{"PostgreSQL 15 cannot be a standby of 17.9", "17/a"}},
		{"no programs of its major", Order{Primary: primary(func(p *Primary) { p.Version = 160003 })}, copying(),
			say.CodeRefused, []string{"PostgreSQL 16 are not installed"}},
		{"no pg_basebackup", Order{Primary: primary(nil)}, debian(), say.CodeRefused, []string{"pg_basebackup",
			"apt install postgresql-client-17"}},
		{"wal_level", Order{Primary: primary(func(p *Primary) { p.Settings["wal_level"] = "minimal" })}, copying(),
			say.CodeRefused, []string{"wal_level = minimal", "SET wal_level = replica"}},
		{"a tablespace without a directory", Order{Primary: primary(func(p *Primary) {
			p.Tablespaces = []Space{{Path: "/fast"}, {Path: "/a=b"}}
		}), Tablespaces: []newcluster.Mapping{{Old: "/fast", New: "/srv/fast"}}}, copying(), say.CodeRefused,
			[]string{"has tablespaces: /a=b", `--tablespace-mapping /a\=b=/srv/tablespace/a\=b`}},
		{"a tablespace in the data directory", Order{Primary: primary(func(p *Primary) {
			p.Tablespaces = []Space{{Path: "pg_tblspc/16384"}}
		})}, copying(), say.CodeRefused, []string{"pg_tblspc/16384", "DROP TABLESPACE"}},
		{"a tablespace that is not there", Order{Primary: primary(nil), Tablespaces: []newcluster.Mapping{{Old: "/fast",
			New: "/srv/fast"}}}, copying(), say.CodeUsage, []string{"no tablespace in /fast"}},
		{"a tablespace with two directories", Order{Primary: primary(func(p *Primary) {
			p.Tablespaces = []Space{{Path: "/fast"}}
		}), Tablespaces: []newcluster.Mapping{{Old: "/fast", New: "/a"}, {Old: "/fast", New: "/b"}}}, copying(),
			say.CodeUsage, []string{"/fast is mapped twice"}},
		{"no walsender", Order{Primary: primary(func(p *Primary) { p.Senders = 9 })}, copying(), say.CodeRefused,
			[]string{"max_wal_senders is 10", "needs 2", "max_wal_senders = 12"}},
		{"no slot", Order{Primary: primary(func(p *Primary) {
			p.Settings["max_replication_slots"], p.Slots = "1", []string{"other"}
		})}, copying(), say.CodeRefused, []string{"max_replication_slots is 1", "max_replication_slots = 2"}},
		{"a slot of that " +
			"name", Order{Name: "b.C", Primary: primary(func(p *Primary) { p.Slots = []string{"pgfettle_b_c"} })},
			copying(), say.CodeRefused, []string{"pgfettle_b_c", "--slot", "pg_drop_replication_slot('pgfettle_b_c')"}},
		{"not a name", Order{Slot: "A-b", Primary: primary(nil)}, copying(), say.CodeUsage, []string{"--slot"}},
		{"a locale that is not here", Order{Primary: primary(func(p *Primary) {
			p.Databases = append(p.Databases, Database{Name: "x", Collate: "fr_FR.UTF-8", CType: "C"})
		})}, copying(), say.CodeRefused, []string{"fr_FR.UTF-8", "locale-gen"}},
		{"a locale of a setting", Order{Primary: primary(func(p *Primary) { p.Settings["lc_time"] = "fr_FR.UTF-8" })},
			copying(), say.CodeRefused, []string{"fr_FR.UTF-8"}},
		{"ICU", Order{Primary: primary(func(p *Primary) { p.Databases[0].Provider = "i" })}, with(copying(),
			func(s *Site) {
				s.Programs[0].ICU = false
			}), say.CodeRefused, []string{"template1", "without ICU"}},
	} {
		_, err := Lay(c.o, c.at)
		t.Run(c.name, func(t *testing.T) { wantProblem(t, err, c.code, c.says) })
	}
	small := Folder{Path: "/d", Total: 10 * unit.GB, Free: 3 * unit.GB}
	wantProblem(t, Layout{Order: Order{Primary: primary(nil)}}.Room(small, nil, unit.MB), say.CodeRefused,
		[]string{"4 GB are needed", "3 GB"})
}

// TestFollow: what a standby takes over of its primary, and the order of its steps.
func TestFollow(t *testing.T) {
	l, err := Lay(Order{Name: "copy", AuthLocal: "scram-sha-256", Primary: primary(nil),
		Allow: prefixes("10.0.0.0/8")}, copying())
	if err != nil {
		t.Fatal(err)
	}
	if l.Major != 17 || l.Locale != (Locale{Provider: "libc", Name: "de_DE.UTF-8", Encoding: "UTF8"}) ||
		l.Order.Slot != "pgfettle_copy" {
		t.Errorf("%+v", l)
	}
	data := Folder{Path: l.Data, Missing: []string{l.Data}}
	p := &plan.Plan{Changes: []plan.Change{{Key: Key, Address: knob.PG("max_worker_processes"), To: "4", ToBase: "4"}}}
	out, err := Make(l, "0123456789abcdef", data, Folder{}, nil, p, nil, unit.GB)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range out.Settings {
		got[s.Name] = s.Value
	}
	for name, want := range map[string]string{"max_connections": "300", "max_prepared_transactions": "20",
		"max_worker_processes": "8", "max_wal_senders": "", "TimeZone": "Europe/Paris", "lc_messages": "C",
		"primary_slot_name": "pgfettle_copy",
		"primary_conninfo":  "host='db1' user='repl' passfile='/var/lib/postgresql/.pgpass'"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	var steps []string
	for _, s := range out.Steps {
		steps = append(steps, s.Address.Prefix())
	}
	if s := strings.Join(steps, " "); s != "dir slot cluster file service" {
		t.Errorf("steps: %s", s)
	}
	if !strings.Contains(out.Spec.HBA, "admin") || out.Spec.Standby == nil || len(out.Spec.InitDB) > 0 {
		t.Errorf("%+v", out.Spec)
	}
	if _, err := newcluster.Parse(out.Spec.Text()); err != nil {
		t.Error(err)
	}
	in := Beside(&snapshot.Snapshot{}, l, data, nil).Instances[0]
	if standby, ok := in.Server.Recovery.Get(); !ok || !standby {
		t.Error("it is planned as no standby")
	}
}

// TestLayers: what of the host is changed, by what was asked for.
func TestLayers(t *testing.T) {
	for a, layer := range map[knob.Address]string{
		"sysctl:vm.swappiness":    LayerSysctl,
		"sysctl:vm.nr_hugepages":  LayerHugePages,
		"boot:hugepages":          LayerHugePages,
		"thp:enabled":             LayerTHP,
		"block:sda/read_ahead_kb": LayerDisks,
		knob.MountOptions("/srv"): LayerMounts,
		knob.PG("work_mem"):       "",
	} {
		if got := layerOf(a); got != layer {
			t.Errorf("%s is of %q", a, got)
		}
		all, one := Order{Kernel: true}, Order{Kernel: true, Layers: []string{LayerDisks}}
		if all.takes(a) != (layer != "") || one.takes(a) != (layer == LayerDisks) || (Order{}).takes(a) {
			t.Errorf("%s", a)
		}
	}
}

// TestPgpass: the step of a line names whom it is for, and is read again.
func TestPgpass(t *testing.T) {
	e := pgpass.Entry{Host: "localhost", Port: "5433", Database: "*", User: "postgres"}
	for _, made := range []bool{true, false} {
		w := &Pgpass{File: "/root/.pgpass", Entry: e, New: made}
		if got, new, err := ParsePgpass(w.value()); err != nil || got != e || new != made {
			t.Errorf("%+v, %v, %v", got, new, err)
		}
	}
	if _, _, err := ParsePgpass("absent"); err == nil {
		t.Error("absent is a line")
	}
}
