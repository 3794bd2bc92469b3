package system

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// script runs the plan in its form as a shell script, without pgfettle: what it
// says has to wait for a restart, a boot brings.
func script(t *testing.T, g *guest) *plan.Plan {
	t.Helper()
	p, _ := g.plan(t)
	text := g.fettle(t, 0, append([]string{"plan", "--format", "script", "--accept-risk", "all"}, bounds...)...).Stdout
	g.put(t, "/root/plan.sh", text)
	r := g.try(t, 2*patience, "", "env", "PATH="+bin+":/usr/sbin:/usr/bin:/sbin:/bin", "sh", "/root/plan.sh")
	if r.Code != 0 {
		t.Fatalf("the script ended with %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	t.Logf("%s", lastLines(r.Stdout, 6))
	files, values := g.files(t), g.values(t)
	if again := g.try(t, 2*patience, "", "sh", "/root/plan.sh"); again.Code != 0 {
		t.Errorf("run again the script ended with %d\n%s%s", again.Code, again.Stdout, again.Stderr)
	}
	differ(t, "files after the script was run again", files, g.files(t))
	differ(t, "values after the script was run again", values, g.values(t))
	return p
}

// scripted is the machine after a boot: everything of the plan is in force.
func scripted(t *testing.T, g *guest, p *plan.Plan) {
	t.Helper()
	inForce(t, g, p)
	onHugePages(t, g, true)
	if again, _ := g.plan(t); len(again.Changes) != 0 {
		t.Errorf("planned again after the script there are changes: %+v", again.Changes)
	}
}
