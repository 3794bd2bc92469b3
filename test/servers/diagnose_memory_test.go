package servers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
)

func memoryOf(t *testing.T, r collect.Request) *memory.Report {
	t.Helper()
	r.Memory, r.Killable = true, true
	a, err := collect.Run(t.Context(), &target.Local{}, r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	return memory.Diagnose(s, nil) // no advice is asked for
}

// TestMemoryOfEachInstance: with two servers side by side each one's processes and sessions are its own, sessions are
// grouped by database, role and state, proportional sizes add up to less than resident ones, and a role that cannot see
// the sessions of others gets a message about the missing right.
func TestMemoryOfEachInstance(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_buffers": "16MB", "cluster_name": "'a: b'"})
		second := start(t, b, map[string]string{"shared_buffers": "16MB"})
		admin := connect(t, i.ConnString())
		sql(t, admin, "create role app login")
		sql(t, admin, `create database "shop floor"`)
		as := func(role, db string) string {
			return strings.NewReplacer("user=postgres", "user="+role, "dbname=postgres",
				"dbname='"+db+"'").Replace(i.ConnString())
		}
		idle, open := connect(t, as("app", "shop floor")), connect(t, as("app", "postgres"))
		sql(t, open, "begin")
		elsewhere := connect(t, second.ConnString())

		r := memoryOf(t, collect.Request{Kind: collect.Here, PSS: true})
		var in *memory.Instance
		for k := range r.Instances {
			mine := r.Instances[k].Label == i.DataDir
			if mine {
				in = &r.Instances[k]
			}
			for _, p := range r.Instances[k].Processes {
				if p.PID == int(elsewhere.PID()) && r.Instances[k].Label != second.DataDir ||
					p.PID == int(idle.PID()) && !mine {
					t.Errorf("process %d is told to be of %s", p.PID, r.Instances[k].Label)
				}
			}
		}
		if in == nil {
			t.Fatalf("%s was not found", i.DataDir)
		}
		groups := map[string]int{}
		for _, g := range in.Sessions {
			groups[g.Database+"/"+g.Role+"/"+g.State] += g.Processes
		}
		if groups["shop floor/app/idle"] != 1 || groups["postgres/app/idle in transaction"] != 1 ||
			groups["postgres/postgres/idle"] != 1 {
			t.Errorf("sessions: %v", groups)
		}
		kinds, whole := map[string]bool{}, true
		for _, p := range in.Processes {
			kinds[p.Kind] = true
			// The servers of other versions are examined now, too, and these looks look at ours: a session of theirs
			// may end while ours goes on.
			stays := p.Kind != host.KindBackend || p.PID == int(admin.PID()) || p.PID == int(idle.PID()) ||
				p.PID == int(open.PID())
			whole = whole && p.PSS != nil
			odd := p.PSS != nil && (*p.PSS <= 0 || *p.PSS > p.RSS+p.RSS/10) // read at another moment
			if odd || p.PSS == nil && stays {
				t.Errorf("process %d: PSS %v of %s resident", p.PID, p.PSS, p.RSS)
			}
		}
		for _, k := range []string{host.KindPostmaster, host.KindBackend, "checkpointer", "background writer"} {
			if !kinds[k] {
				t.Errorf("no %s among the kinds: %v", k, kinds)
			}
		}
		if (in.Sum.PSS != nil) != whole || len(in.Options) < 2 || len(r.OOM) == 0 ||
			r.OOM[len(r.OOM)-1].Looked < len(in.Processes) {
			t.Errorf("%+v, options %+v, %+v", in.Sum, in.Options, r.OOM)
		}

		r = memoryOf(t, collect.Request{Kind: collect.Conninfo, Value: as("app", "postgres")})
		hidden := fmt.Sprint(r.Unknown)
		if !strings.Contains(hidden, "hidden from this role") || len(r.Instances[0].Sessions) > 0 ||
			r.Instances[0].Sum.Processes < 7 {
			t.Errorf("as a role that sees its own sessions only: %s, %+v", hidden, r.Instances[0].Sessions)
		}
	})
}
