package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

var fsyncOff = Exercise{
	Name:  "fsync-off",
	Title: say.M("What fsync costs"),
	Question: say.M("How much of the time of short writing transactions is spent waiting for the disk to confirm " +
		"them?"),
	A:        "default",
	B:        "default+pg:fsync=off",
	Workload: "tpcb",
	Scale:    135, // about 2 GB, as in the course
	Clients:  3,   // as in the course: few enough that commits hardly share a flush
	Metric:   "tps",
	Restore:  RestoreKept,
	Duration: shortRun,
	Warmup:   shortWarmup,
	Told: say.M("With three clients, fsync = off gave about six times as many transactions as fsync = on on a " +
		"training course's machine (6,838 and 1,112 per second)."),
	Expect: say.M("Many more transactions without fsync. On a disk whose cache keeps its contents without power the " +
		"difference is small; where it is none at all, something confirms writes that it has not made."),
	Caution: say.M("fsync = off is never recommended, whatever the result: a crash of the host can leave a cluster " +
		"that cannot be repaired. The difference is the cost of durability, and shows what a faster disk could " +
		"gain."),
}
