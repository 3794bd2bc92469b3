package slow

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// TestLikeTimes holds that times of the same kind are compared: of a cut plan, those of the nodes; without planning in
// one, those of the execution.
func TestLikeTimes(t *testing.T) {
	plan := func(text string) *queryplan.Plan {
		list, err := queryplan.Parse([]byte(text))
		if err != nil || len(list) != 1 {
			t.Fatalf("%q: %d plans, %v", text, len(list), err)
		}
		return list[0]
	}
	const first = "Seq Scan on a  (cost=0.00..9.00 rows=1 width=8) (actual time=0.010..2.000 rows=1 loops=1)\n"
	const second = "Seq Scan on a  (cost=0.00..9.00 rows=1 width=8) (actual time=0.010..4.000 rows=1 loops=1)\n"
	const planning, execution = "Planning Time: 5.000 ms\n", "Execution Time: 3.000 ms\n"
	for _, c := range []struct {
		a, b   string
		factor float64
		slow   string
	}{
		{first + planning + execution, second, 2, "b"},
		{first + planning + execution, second + "Execution Time: 6.000 ms\n", 2, "b"},
		{first + planning + execution, second + planning + "Execution Time: 11.000 ms\n", 2, "b"},
	} {
		d := Compare("a", plan(c.a), "b", plan(c.b))
		if d.Factor == nil || *d.Factor != c.factor || d.Slow.Name != c.slow {
			t.Errorf("%q against %q: %v, slow is %s", c.a, c.b, d.Factor, d.Slow.Name)
		}
	}
}
