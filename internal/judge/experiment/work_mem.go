package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

var workMem = Exercise{
	Name:     "work-mem",
	Title:    say.M("What more memory for sorts and hashes brings"),
	Question: say.M("Do reports run faster when their sorts and hashes stay in memory?"),
	A:        "default+pg:work_mem=4MB",
	B:        "default+pg:work_mem=64MB",
	Workload: "olap",
	Scale:    listScale,
	Clients:  2, // two reports at once: what work_mem is set high for
	Metric:   "tps",
	Duration: listRun,
	Warmup:   shortWarmup,
	Told: say.M("With too little of it sorts and hashes go through temporary files; with too much, several of them " +
		"at once exhaust the memory, since each node of each query may take it."),
	Expect: say.M("Fewer temporary files; faster only if queries waited for those files. In the page cache they " +
		"often do not, and a hash table that does not fit in the CPU cache can even be slower."),
	Caution: say.M("The memory is taken by each sort and hash of each session: what one report gains, a hundred " +
		"sessions may not afford. 'pgfettle plan' sets it from the sessions at work at once."),
}
