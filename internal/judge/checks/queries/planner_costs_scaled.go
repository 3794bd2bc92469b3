package queries

import "github.com/pgfettle/pgfettle/internal/judge/check"

// cheapPage: half of the default relation between a page and a row is still
// within what people set for a well-cached database; a quarter (0.25) is the
// documents' own halving done twice. defaultTuple is the default cpu_tuple_cost,
// defaultSetup that of parallel_setup_cost.
const (
	cheapPage    = 0.25
	defaultTuple = 0.01
	defaultSetup = 1000
)

// scaledDown: costs that are all a quarter of the defaults or less make every
// threshold that is compared with them four times as high.
const scaledDown = 0.25

// PlannerCostsScaled lets equal page costs pass: they are the documented setting for data in memory.
var PlannerCostsScaled = check.Check{
	ID:       "planner_costs_scaled",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The planner's costs are out of proportion",
	Why: "The costs are relations, not times: only how they stand to each other chooses a plan. A random page that " +
		"is cheaper than a sequential " +
		"one does not exist on any device. Page costs far below 1 with the processor's costs left alone say that " +
		"reading pages costs hardly more " +
		"than comparing rows: right only for a database that is wholly cached. All costs scaled by one factor " +
		"choose the same plans, but what is compared " +
		"with fixed thresholds (parallel_setup_cost, jit_above_cost) is chosen later or earlier than meant.",
	Do: "For SSDs set random_page_cost = 1.1 and leave seq_page_cost, cpu_tuple_cost and cpu_operator_cost at their " +
		"defaults (ALTER SYSTEM RESET " +
		"seq_page_cost; SELECT pg_reload_conf();). Set costs of a single tablespace with ALTER TABLESPACE … SET " +
		"(random_page_cost = …).",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET seq_page_cost;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-query", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		seq, ok1 := set.Float("seq_page_cost")
		random, ok2 := set.Float("random_page_cost")
		tuple, ok3 := set.Float("cpu_tuple_cost")
		if !ok1 || !ok2 || !ok3 {
			return
		}
		switch {
		case random < seq:
			c.FoundAs(check.Warning, "random_page_cost = {random} is below seq_page_cost = {seq}.", "random", random,
				"seq", seq)
		case seq < cheapPage*tuple/defaultTuple:
			c.Found(
				"seq_page_cost = {seq} with cpu_tuple_cost = {tuple}: a page costs as much as {n} rows, by default "+
					"as much as 100.",
				"seq", seq, "tuple", tuple, "n", int64(seq/tuple+0.5))
		case seq <= scaledDown && tuple <= scaledDown*defaultTuple:
			if setup, ok := set.Float("parallel_setup_cost"); ok && setup >= defaultSetup {
				c.Found(
					"All costs are scaled: seq_page_cost = {seq}, cpu_tuple_cost = {tuple}. parallel_setup_cost and "+
						"jit_above_cost are not: parallel plans and JIT are "+
						"taken {n} times as late as by default.", "seq", seq, "tuple", tuple, "n", int64(1/seq+0.5))
			}
		}
	},
}
