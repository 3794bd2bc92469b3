package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

var reconnect = Exercise{
	Name:     "reconnect",
	Title:    say.M("What a new connection for each transaction costs"),
	Question: say.M("What would a pool of connections spare an application that opens one for each transaction?"),
	A:        "default",
	B:        "default+client:reconnect",
	Workload: "tpcb",
	Scale:    135,
	Clients:  3,
	Metric:   "tps",
	Restore:  RestoreKept,
	Duration: shortRun,
	Warmup:   shortWarmup,
	Protocol: "simple", // what is prepared does not outlive its connection
	Told: say.M("About two thirds of the transactions are lost (1,112 a second with connections kept, 358 with new " +
		"ones), and a network between would make it worse."),
	Expect: say.M("Far fewer transactions with a new connection for each."),
	Caution: say.M("Here the client is on the same host and needs neither TLS nor a password: what an application " +
		"pays in truth is more. The cure is a pool of connections, not a setting of the server."),
}
