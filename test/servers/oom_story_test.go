package servers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/oomdemo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestOOMStory is the exercise of the founding document from start to end: a sort of millions of numbers, without the
// settings of overcommit and with them. The post-mortem of the first names the sort, its backend, the statement and the
// restart; the reading of the second's log the refusal and its ExecutorState.
func TestOOMStory(t *testing.T) {
	groupHere(t)
	if out, err := exec.Command("dmesg").CombinedOutput(); err != nil || len(out) == 0 {
		tier.Missing(t, tier.Servers, "the post-mortem of a real kill needs the kernel's log: dmesg: %v", err)
	}
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		res, err := oomdemo.RunOOM(t.Context(), oomdemo.Options{Binaries: these(b), Overcommit: oomresult.StandIn,
			StateDir: filepath.Join(t.TempDir(), "oomdemo")})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Rounds) != 2 || len(res.Rounds[0].Readings) != 1 || len(res.Rounds[1].Readings) != 1 {
			t.Fatalf("%+v", res.Rounds)
		}
		k, r := res.Rounds[0].Readings[0], res.Rounds[1].Readings[0]
		t.Logf("%+v", k)
		t.Logf("%+v", r)
		if k.Command != "oom" || k.PID != int(res.Rounds[0].Query.PID) || k.Role != "backend" ||
			k.Statement != res.Query || k.After != "restarted" || !strings.Contains(k.Cause.String(), "query") {
			t.Errorf("the kill of %d: %+v", res.Rounds[0].Query.PID, k)
		}
		if r.Command != "log" || r.PID != int(res.Rounds[1].Query.PID) ||
			!strings.Contains(r.Statement, "order by i desc") {
			t.Errorf("the refusal of %d: %+v", res.Rounds[1].Query.PID, r)
		}
		if len(r.Held) == 0 || r.Held[0].Name != "ExecutorState" || r.Held[0].Size < oomdemo.Budget/4 ||
			r.Held[0].Size > oomdemo.Budget {
			t.Errorf("what held the memory: %+v", r.Held)
		}
	})
}
