package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

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
	Title:    "Planner costs are out of proportion",
	Why: "Planner costs are ratios, not times: only their relation to each other selects a plan. On no device " +
		"is a random page cheaper than a sequential one. Page costs far below 1 with default CPU costs mean " +
		"that reading a page costs hardly more than comparing rows, which is true only of a fully cached " +
		"database. If all costs are scaled by one factor, fixed thresholds (parallel_setup_cost, " +
		"jit_above_cost) take effect earlier or later than intended.",
	Do: "For SSDs, set random_page_cost = 1.1 and keep the defaults of seq_page_cost, cpu_tuple_cost and " +
		"cpu_operator_cost. Remove the lines from postgresql.conf, or run: ALTER SYSTEM RESET seq_page_cost;\nThen " +
		"reload: SELECT pg_reload_conf();\nFor a single tablespace, use ALTER TABLESPACE TABLESPACE_NAME SET " +
		"(random_page_cost = VALUE);",
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
			c.That(check.Notice, say.M(c.Remedy()), say.N(int64(seq/tuple+0.5),
				"seq_page_cost = {seq}, cpu_tuple_cost = {tuple}: a page costs as much as {n} row (default: 100 rows).",
				"seq_page_cost = {seq}, cpu_tuple_cost = {tuple}: a page costs as much as {n} rows (default: 100 "+
					"rows).",
				"seq", seq, "tuple", tuple))
		case seq <= scaledDown && tuple <= scaledDown*defaultTuple:
			if setup, ok := set.Float("parallel_setup_cost"); ok && setup >= defaultSetup {
				c.Found(
					"seq_page_cost = {seq} and cpu_tuple_cost = {tuple} are scaled down, parallel_setup_cost is not: "+
						"parallel plans start only at {n} times the default amount of work.",
					"seq", seq, "tuple", tuple, "n", int64(1/seq+0.5))
			}
		}
	},
}
