package servers

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// wanted are 25 settings of every type, unit and context, as a plan has them.
var wanted = [][3]string{
	{"shared_buffers", "64MB", "8192"}, {"max_connections", "150", "150"}, {"wal_buffers", "8MB", "1024"},
	{"max_worker_processes", "12", "12"}, {"max_locks_per_transaction", "128", "128"}, {"huge_pages", "off", "off"},
	{"shared_preload_libraries", "pg_stat_statements, auto_explain", "pg_stat_statements, auto_explain"},
	{"autovacuum_max_workers", "4", "4"}, {"superuser_reserved_connections", "5", "5"},
	{"work_mem", "16MB", "16384"}, {"maintenance_work_mem", "128MB", "131072"},
	{"effective_cache_size", "6GB", "786432"},
	{"checkpoint_timeout", "15min", "900"}, {"checkpoint_completion_target", "0.9", "0.9"},
	{"max_wal_size", "4GB", "4096"},
	{"min_wal_size", "1GB", "1024"}, {"random_page_cost", "1.1", "1.1"},
	{"log_line_prefix", `%m [%p] '%q%u@%d' \ `, `%m [%p] '%q%u@%d' \ `},
	{"log_min_duration_statement", "1500ms", "1500"}, {"log_temp_files", "0", "0"},
	{"autovacuum_vacuum_cost_delay", "2ms", "2"},
	{"idle_in_transaction_session_timeout", "1h", "3600000"}, {"track_io_timing", "on", "on"}, {"jit", "off", "off"},
	{"wal_compression", "on", ""}, // pglz from 15 on
}

func changesOf(in *snapshot.Instance, list [][3]string) []plan.Change {
	var out []plan.Change
	set, _ := in.Server.Settings.Get()
	for _, w := range list {
		s := set[w[0]]
		c := plan.Change{Address: knob.PG(w[0]), Instance: in.Label(), Layer: knob.Instance, From: s.Show(),
			FromBase: s.Value,
			To:       w[1], ToBase: w[2], Effect: knob.EffectOf(s.Context), Key: in.Key}
		if c.ToBase == "" {
			c.To = "on"
			if slices.Contains(s.Enum, "pglz") {
				c.To = "pglz"
			}
			c.ToBase = c.To
		}
		out = append(out, c)
	}
	return out
}

// done is one change that was made, for taking it back.
type done struct {
	k             apply.Knob
	before, after journal.State
}

// carryOut does what the engine does with a kind: Look, Want, Set, Look.
func carryOut(t *testing.T, p pgsetting.Kind, in *snapshot.Instance, changes []plan.Change) []done {
	t.Helper()
	var out []done
	for _, c := range changes {
		k := apply.Knob{Address: c.Address, Instance: in}
		before := look(t, p, k)
		after, err := p.Want(before, k, c.To)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Set(t.Context(), k, after); err != nil {
			t.Fatalf("%s: %v", c.Address, err)
		}
		if found := look(t, p, k); !found.SameFile(after) {
			t.Fatalf("%s: read back\n%s\nwanted\n%s", c.Address, show(found), show(after))
		}
		if err := p.Set(t.Context(), k, after); err != nil {
			t.Errorf("%s set again: %v", c.Address, err)
		}
		out = append(out, done{k, before, after})
	}
	return out
}

// takeBack does what the engine does to undo.
func takeBack(t *testing.T, p pgsetting.Kind, list []done) {
	t.Helper()
	for _, d := range slices.Backward(list) {
		d.k.Place = d.after.File.Path
		found := look(t, p, d.k)
		want := d.before
		if !found.SameFile(d.after) {
			if !p.Ours(found, d.after, d.k) {
				continue
			}
			var err error
			if want, err = p.Without(found, d.before, d.k); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Set(t.Context(), d.k, want); err != nil {
			t.Fatalf("%s: %v", d.k.Address, err)
		}
		if found := look(t, p, d.k); !found.SameFile(want) {
			t.Fatalf("%s taken back: read back\n%s\nwanted\n%s", d.k.Address, show(found), show(want))
		}
	}
}

func look(t *testing.T, p pgsetting.Kind, k apply.Knob) journal.State {
	t.Helper()
	s, err := p.Look(t.Context(), k)
	if err != nil {
		t.Fatalf("%s: %v", k.Address, err)
	}
	return s
}

func show(s journal.State) string {
	if s.File == nil {
		return "no file"
	}
	if s.File.Text == nil {
		return s.File.Path + " is not there"
	}
	return fmt.Sprintf("%s %o %d:%d\n%s", s.File.Path, s.File.Mode, s.File.UID, s.File.GID, *s.File.Text)
}

func activate(t *testing.T, p pgsetting.Kind, in *snapshot.Instance, e knob.Effect) {
	t.Helper()
	if err := p.Activate(t.Context(), in, e); err != nil {
		t.Fatalf("%s: %v", e, err)
	}
}

func verified(t *testing.T, p pgsetting.Kind, in *snapshot.Instance, changes []plan.Change) []pgsetting.Unmet {
	t.Helper()
	u, err := p.Verify(t.Context(), in, changes)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func noTrouble(t *testing.T, p pgsetting.Kind, in *snapshot.Instance, changes []plan.Change) {
	t.Helper()
	tried, err := p.Try(t.Context(), in, changes)
	if err != nil || len(tried) > 0 {
		t.Fatalf("tried: %+v, %v", tried, err)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
