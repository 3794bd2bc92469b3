package advice

// OnecItsValues: the values are those that a public configuration helper encodes from ITS 5866; the page itself was not read.
var OnecItsValues = Page{
	ID:    "onec-its-values",
	Kind:  Advice,
	Title: "1C: what the ITS values cost",
	Names: []string{"its", "5866", "row_security", "temp_buffers=256mb", "max_connections=500", "commit_delay", "bgwriter_delay"},
	Text: []string{
		"Many of the values in circulation for 1C are good: shared_buffers a quarter of the memory, checkpoint_completion_target 0.9, a " +
			"diligent background writer, autovacuum with a nap of 20 s and a quarter of the processors as workers, many locks and files. " +
			"Autovacuum workers share one cost limit, so more workers need a higher limit.",
		"Some are traps. temp_buffers 256 MB is for each session that uses temporary tables: 500 of them are 125 GB. work_mem of a 64th " +
			"of the memory is a risk with as many. effective_io_concurrency 2 is from before 13. row_security = off makes queries fail where " +
			"policies exist; ssl = off is right only where client and server are one machine or one guarded wire. commit_delay pays above " +
			"about a thousand transactions a second.",
		"pgfettle plan --profile 1c takes what is right of them and fits it to the memory.",
	},
	Verify:  "pgfettle plan --profile 1c.",
	Sources: []string{"its-1c", "postgrespro-1c"},
	See:     []string{"pg:temp_buffers", "pg:work_mem", "pg:max_connections", "pg:max_locks_per_transaction", "pg:autovacuum_max_workers", "pg:autovacuum_vacuum_cost_limit", "join-order"},
}
