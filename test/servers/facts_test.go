package servers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// TestEveryQueryRuns: as superuser every SQL file of the version is answered,
// and every answer is read as facts.
func TestEveryQueryRuns(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements"})
		a := evidenceOf(t, i, true)
		for _, q := range pg.Queries(b.Version.Major(), true) {
			if _, err := a.ReadFile(pg.Path("1", q.Name)); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
		for _, m := range a.MissingFiles() {
			if strings.HasPrefix(m.Name, "pg/") && m.State != known.Absent &&
				!strings.HasSuffix(m.Name, "shmem_answers.json") {
				t.Errorf("%s is missing: %s", m.Name, m.Reason)
			}
		}
		srv := read(t, a).Instances[0].Server
		for name, f := range map[string]interface{ State() known.State }{
			"version": srv.Version, "access": srv.Access, "settings": srv.Settings, "file settings": srv.FileSettings,
			"databases":   srv.Databases,
			"tablespaces": srv.Tablespaces, "extensions": srv.Extensions, "activity": srv.Activity,
			"checkpoints": srv.Checkpoints,
			"archiver":    srv.Archiver, "replicas": srv.Replicas, "slots": srv.Slots, "prepared": srv.Prepared,
			"shared memory": srv.Shmem, "control": srv.Control,
			"hba": srv.HBA, "passwords": srv.Passwords, "libraries": srv.Libraries,
		} {
			if f.State() != known.Present {
				t.Errorf("%s is %s", name, f.State())
			}
		}
		if v, _ := srv.Version.Get(); v != b.Version {
			t.Errorf("the server says %s, its binary %s", v, b.Version)
		}
		if libs, _ := srv.Libraries.Get(); len(libs) != 1 || libs[0].Name != "pg_stat_statements" ||
			libs[0].Installed != known.Is(true) {
			t.Errorf("pg_stat_statements is preloaded and installed, read %+v", libs)
		}
		if rules, _ := srv.HBA.Get(); len(rules) == 0 || rules[0].Broken {
			t.Errorf("the server started with its pg_hba.conf, read %+v", rules)
		}
		if dbs, _ := srv.Databases.Get(); len(dbs) != 3 {
			t.Errorf("a fresh cluster has three databases, read %d", len(dbs))
		}
	})
}

// TestParametersEqualTheServer: the generated parameter facts are those of the
// live server: names, types, units, contexts, bounds, defaults, enums.
func TestParametersEqualTheServer(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		live := settingsOf(t, read(t, evidenceOf(t, start(t, b, nil), false)))
		known := map[string]bool{}
		for _, p := range params.All(b.Version.Major()) {
			known[p.Name] = true
			s, ok := live[p.Name]
			// those of our own session are not asked for
			if !ok && p.Name != "application_name" && p.Name != "client_encoding" {
				t.Errorf("%s is in the table and not in the server", p.Name)
			}
			if !ok {
				continue
			}
			got := params.Param{Name: s.Name, Type: s.Type, Unit: s.Unit, Context: s.Context, Min: s.Min, Max: s.Max,
				Enum: s.Enum, Boot: p.Boot, Reset: p.Reset}
			if p.Name == "max_stack_depth" { // its bound is the stack limit of the process
				got.Max = p.Max
			}
			// The table has no words that only some builds know.
			got.Enum = slices.DeleteFunc(got.Enum, func(word string) bool {
				r := p.Accepts(b.Version.Major(), word)
				return r != nil && r.Fault == params.BuildDecides
			})
			if diff := cmp.Diff(p, got); diff != "" {
				t.Errorf("%s (-table +server):\n%s", p.Name, diff)
			}
			if p.Boot != "" && s.Source == "default" && s.Value != p.Boot && s.Context != "internal" &&
				!computed[p.Name] {
				t.Errorf("%s: the table says the default is %q, the server has %q", p.Name, p.Boot, s.Value)
			}
		}
		for n := range live {
			if !known[n] {
				t.Errorf("%s is in the server and not in the table", n)
			}
		}
	})
}

// computed lists parameters whose default the server replaces at start.
var computed = map[string]bool{
	"wal_buffers": true, "max_stack_depth": true, "autovacuum_work_mem": true, "transaction_buffers": true,
	"subtransaction_buffers":   true,
	"commit_timestamp_buffers": true, "io_max_concurrency": true, "client_encoding": true, "application_name": true,
	"unix_socket_permissions": true, "log_file_mode": true, "data_directory_mode": true, "TimeZone": true,
	"log_timezone": true, "timing_clock_source": true,
}
