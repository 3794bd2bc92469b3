package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

var randomPageCost = Exercise{
	Name:     "random-page-cost",
	Title:    say.M("What random_page_cost does to plans here"),
	Question: say.M("Do the plans that a lower price of random reads leads to run faster on this storage?"),
	A:        "default+pg:random_page_cost=4",
	B:        "default+pg:random_page_cost=1.1",
	Workload: "olap",
	Scale:    listScale,
	Metric:   "tps",
	Duration: listRun,
	Warmup:   shortWarmup,
	Told: say.M("A lower value makes plans by index more likely; 1.1 is usual for SSDs, and the default of 4 is a " +
		"rough guess that also stands for the effect of caches."),
	Expect: say.M("It depends: better where queries of a few rows fell back to reading whole tables, worse where an " +
		"index scan replaces a good sequential scan, and nothing where the plans stay as they are."),
	Caution: say.M("It is a constant of the planner, so the outcome is about these queries on these tables. Test it " +
		"with your own: prove --script your.sql."),
}
