package plan_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	facts "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// TestOneWorkMem: what a plan sets, what it says that it would set if it keeps more, what it hands to a diagnosis and
// what the check of work_mem advises is one number, whether a shortage was seen or not.
func TestOneWorkMem(t *testing.T) {
	advice := regexp.MustCompile(`work_mem = '([0-9]+[kMGT]B)'`)
	set, kept, found := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := crowds().Draw(t, "host")
		if rapid.Bool().Draw(t, "much") {
			h.spec.Settings["work_mem"] = strconv.Itoa(rapid.IntRange(4096, 1<<20).Draw(t, "work_mem"))
		}
		s := h.snapshot(t)
		if rapid.Bool().Draw(t, "short") {
			s.Described = false
			s.Host.VMStat = known.Is(facts.VMStat{"oom_kill": 1})
		}
		out, err := rule.Decide(s, rules.All(), h.opt)
		if err != nil {
			t.Fatalf("%v", err)
		}
		p := mustPlan(t, s, h.opt)
		d := out.Of(s.Instances[0].Key, "pg:work_mem")
		if d == nil || len(p.AtWork) != 1 {
			t.Fatalf("%v\nno work_mem is decided", h)
		}
		want := p.AtWork[0].WorkMem
		for _, c := range p.Changes {
			if c.Address == "pg:work_mem" {
				set++
				if kb, err := strconv.ParseInt(c.ToBase, 10, 64); err != nil || unit.Bytes(kb)*unit.KB != want {
					t.Fatalf("%v\nthe plan sets %s, and a diagnosis says %s", h, c.To, want)
				}
			}
		}
		if _, after, ok := strings.Cut(d.Reason.String(), "; the plan would otherwise be "); ok {
			kept++
			if !strings.HasPrefix(after, want.String()+": ") {
				t.Fatalf("%v\nthe plan says %s, and a diagnosis %s", h, d.Reason, want)
			}
		}
		asked := h.opt
		for _, f := range check.Run(s, checks.All(), check.Options{Only: []string{"work_mem_vs_memory"},
			Plan: asked}).Findings {
			if m := advice.FindStringSubmatch(f.Do.String()); m != nil {
				found++
				if m[1] != unit.ShowGUC(strconv.FormatInt(int64(want/unit.KB), 10), "kB") {
					t.Fatalf("%v\nthe check says %s, and the plan %s", h, f.Do, want)
				}
			}
		}
	})
	t.Logf("%d set, %d kept, %d found", set, kept, found)
	if set == 0 || kept == 0 || found == 0 {
		t.Error("this test has seen too little")
	}
}
