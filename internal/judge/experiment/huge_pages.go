package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

var hugePages = Exercise{
	Name:  "huge-pages",
	Title: say.M("What huge pages bring"),
	Question: say.M("What do shared buffers of a quarter of the memory cost on ordinary pages, with a hundred " +
		"backends that read all of it?"),
	A:        "default+pg:shared_buffers={memory/4},max_connections=200,huge_pages=off",
	B:        "default+pg:shared_buffers={memory/4},max_connections=200,huge_pages=on",
	Workload: "select-only",
	Times:    0.2, // fits in shared buffers of a quarter: memory accesses are measured, not the disk
	Clients:  100, // each has its own page tables
	Metric:   "tps",
	Duration: shortRun,
	Warmup:   shortWarmup,
	Design:   "restart", // both at once would need the memory twice
	Kernel:   true,
	Told: say.M("Each process has its own page table, which for 8 GB of shared buffers grows to 16 MB with regular " +
		"pages and to about 100 kB with huge pages. With few connections and little memory it hardly matters."),
	Expect: say.M("More transactions and far smaller page tables with huge pages, and the more so the more " +
		"connections there are."),
	Caution: say.M("The pool of huge pages is reserved during the experiment and released afterwards. Nothing else " +
		"can use memory in a pool; 'pgfettle plan' computes how many pages a server needs."),
}
