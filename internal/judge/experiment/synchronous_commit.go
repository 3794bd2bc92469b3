package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

var synchronousCommit = Exercise{
	Name:     "synchronous-commit",
	Title:    say.M("What waiting for each commit costs"),
	Question: say.M("How much of the price of fsync comes back when commits are confirmed before they are on disk?"),
	A:        "default",
	B:        "default+pg:synchronous_commit=off",
	Workload: "tpcb",
	Scale:    135,
	Clients:  3,
	Metric:   "tps",
	Restore:  RestoreKept,
	Duration: shortRun,
	Warmup:   shortWarmup,
	Told: say.M("It gains most of what fsync = off gains (6,344 transactions per second on a training course's " +
		"machine), " +
		"and keeps the cluster consistent."),
	Expect: say.M("More transactions with synchronous_commit = off where the disk is slow to confirm; the cluster " +
		"stays consistent."),
	Caution: say.M("After a crash, recently acknowledged commits may be lost, up to three times wal_writer_delay. " +
		"It can be set for single transactions (SET LOCAL) whose loss is acceptable; pgfettle never plans it for a " +
		"server."),
}
