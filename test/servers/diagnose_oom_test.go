package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/act/oomdemo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/template"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestDiagnoseOOM: a real kill in a cgroup, and its post-mortem from this host's own logs: who it was, what it was
// running, the limit, the cause, and that the server came back.
func TestDiagnoseOOM(t *testing.T) {
	groupHere(t)
	if out, err := exec.Command("dmesg").CombinedOutput(); err != nil || len(out) == 0 {
		tier.Missing(t, tier.Servers, "the post-mortem of a real kill needs the kernel's log: dmesg: %v", err)
	}
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		at, err := cgroup.Places()
		if err != nil {
			t.Fatal(err)
		}
		g, err := cgroup.New(at, fmt.Sprintf("pgfettle-test-diagnose-%d-%d", os.Getpid(), b.Version.Major()),
			oomdemo.Limit)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := template.New(t.Context(), b, scratch.Options{Settings: map[string]string{"shared_buffers": "16MB",
			"max_connections": "20", "huge_pages": "off", "jit": "off", "autovacuum": "off"}})
		if err != nil {
			t.Fatal(errors.Join(err, g.Remove()))
		}
		t.Cleanup(func() {
			if err := errors.Join(inst.Remove(), g.Remove()); err != nil {
				t.Error(err)
			}
		})
		enter := func(pid int) error {
			// The tests may be protected from the killer; the server must not be.
			return errors.Join(g.Add(pid), os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("0"), 0))
		}
		if err := inst.StartConfined(t.Context(), scratch.Confinement{Enter: enter}); err != nil {
			t.Fatal(err)
		}
		c := connect(t, inst.ConnString())
		victim := int(c.PID())
		const greedy = "select count(*) from (select i, md5(i::text) from generate_series(1, 8000000) i order by 2, " +
			"1 offset 0) s"
		sql(t, c, "set work_mem = '1GB'")
		sql(t, c, "set max_parallel_workers_per_gather = 0")
		if _, err := c.Exec(t.Context(), greedy).ReadAll(); err == nil {
			t.Fatal("the query got all that it wanted: the limit of the group did not hold it")
		}
		// The post-mortem is of a server that has recovered, so that its log says so.
		// It takes connections for a moment more before it knows of the kill.
		await.That(t, "the server's recovery", func() (bool, any) {
			n := strings.Count(text(t, inst.Log()), "ready to accept connections")
			return n == 2, n
		})

		var out, said bytes.Buffer
		if code := cli.Main(t.Context(), []string{"diagnose", "oom", "--format", "json", inst.DataDir},
			strings.NewReader(""), &out, &said, os.Environ()); code != 0 {
			t.Fatalf("exit code %d: %s", code, said.String())
		}
		var d oom.Report
		if err := json.Unmarshal(out.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		// Other tests on this machine kill too: ours is identified by its group.
		i := slices.IndexFunc(d.Kills, func(k oom.Kill) bool {
			return strings.Contains(k.Group, fmt.Sprintf("pgfettle-test-diagnose-%d-%d", os.Getpid(),
				b.Version.Major()))
		})
		if i < 0 {
			t.Fatalf("no kill in our group among %d; missing %v", len(d.Kills), d.Missing)
		}
		k := d.Kills[i]
		if k.Victim == nil || k.Victim.PID != victim || k.Victim.Role != "backend" || k.Victim.Statement != greedy ||
			k.Victim.Anon == nil || *k.Victim.Anon < oomdemo.Limit/2 {
			t.Errorf("victim %+v, want process %d", k.Victim, victim)
		}
		if k.Constraint != "memcg" || k.Limit == nil || *k.Limit != oomdemo.Limit || k.Cause.ID != "one_query" ||
			k.Time.IsZero() {
			t.Errorf("constraint %s, limit %v, cause %+v, time %q", k.Constraint, k.Limit, k.Cause, k.Time)
		}
		if k.After.State != "restarted" || k.After.Seconds == nil {
			t.Errorf("after: %+v", k.After)
		}
		if i := slices.IndexFunc(k.Top, func(o oom.Task) bool { return o.PID == inst.PID() }); i < 0 ||
			k.Top[i].Role != "postmaster" || k.Top[i].Instance == "" && k.Top[i].RoleFrom.IsZero() {
			t.Errorf("the postmaster %d among %+v", inst.PID(), k.Top)
		}
		for _, p := range k.Prevention {
			if p.From == "plan" && strings.Contains(p.What.String(), "overcommit") {
				t.Errorf("strict overcommit would not have helped in a control group: %+v", p)
			}
		}
		var text bytes.Buffer
		if code := cli.Main(t.Context(), []string{"diagnose", "oom", inst.DataDir}, strings.NewReader(""), &text,
			&said, os.Environ()); code != 0 || !strings.Contains(text.String(),
			fmt.Sprintf("postgres, process %d, backend", victim)) {
			t.Errorf("exit code %d, %s\n%s", code, said.String(), text.String())
		}
	})
}
