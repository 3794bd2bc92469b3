package plan_test

import (
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	facts "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestOnePool: of a server whose settings stay and whose pool of huge pages is missing the plan and the check say one
// number of pages; if the plan changes the shared memory, the check also gives the plan's number, and its source.
func TestOnePool(t *testing.T) {
	advice := regexp.MustCompile(`vm\.nr_hugepages = ([0-9]+)`)
	one, two := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.spec.Container, h.spec.CGroup, h.opt.Shared, h.opt.Pins = "", 0, false, nil
		h.opt.Connections, h.spec.Major = 0, max(h.spec.Major, 17) // which shows where its memory is
		s := h.snapshot(t)
		if rapid.Bool().Draw(t, "settled") {
			s = plan.Simulate(s, mustPlan(t, s, h.opt))
		} else { // 1 GB to a quarter of a large host
			set(&s.Instances[0], "shared_buffers", strconv.Itoa(rapid.IntRange(1<<17, 1<<22).Draw(t, "blocks")))
		}
		set(&s.Instances[0], "huge_pages", "try")
		set(&s.Instances[0], "huge_pages_status", "off")
		s.Host.Sysctls["vm.nr_hugepages"] = known.Is("0")
		s.Host.Memory = known.Map(s.Host.Memory, func(m facts.Memory) facts.Memory {
			m.HugeTotal, m.HugeFree = 0, 0
			return m
		})
		s.Host.HugePages = known.Is([]facts.Pool{{Size: 2 << 20}})
		want, stays := "", true
		for _, c := range mustPlan(t, s, h.opt).Changes {
			switch c.Address {
			case "sysctl:vm.nr_hugepages":
				want = c.To
			case "pg:huge_pages":
			default:
				stays = stays && c.Effect < knob.Restart
			}
		}
		if want == "" {
			return
		}
		for _, f := range check.Run(s, checks.All(),
			check.Options{Only: []string{"huge_pages_not_used", "page_tables_large"}, Plan: h.opt}).Findings {
			list := advice.FindAllStringSubmatch(f.Do.String(), -1)
			for i, m := range list {
				last := i == len(list)-1
				switch {
				case m[1] != want && (last || stays):
					t.Fatalf("%v\n%s says %s, and the plan %s pages", h, f.ID, f.Do, want)
				case m[1] == want && stays:
					one++
				case last && i > 0:
					two++
				}
			}
		}
	})
	t.Logf("one number %d times, two %d times", one, two)
	if one == 0 || two == 0 {
		t.Error("this test has seen one of the two only")
	}
}
