package gapwords

import "github.com/pgfettle/pgfettle/internal/base/say"

// Why a block of an experiment does not count.
var disturbances = []say.Template{
	"other load took {one} of the CPU time in run 1 and {two} in run 2 (usual difference: {usual})",
	"fixed CPU work took {one} before run 1 and {two} before run 2 (usual difference: {usual})",
	"copying memory took {one} before run 1 and {two} before run 2 (usual difference: {usual})",
	"fsyncs took {one} before run 1 and {two} before run 2 (usual difference: {usual})",
	"run {n}: the clock was set, by {share} (most: {most})",
	"run {n}: a vacuum against wraparound was at work",
	"run {n}: {count} transactions failed",
	"run {n}: {count} of {most} checkpoint cycles were complete after {share}",
	"one run had {n} checkpoints, the other {most}",
}

// What has to be known to read the result of an experiment. Those without a placeholder are in the catalogs by
// themselves.
var notes = []say.Template{
	"interrupted after block {n}: the blocks after it began with new copies of the data",
	"stopped after {n} blocks: {count} of them cannot be compared, whatever else is on the host",
	"Durations of {name} transactions differ by orders of magnitude, so timed runs vary with the random choice of " +
		"transactions. To run the same ones with both configurations and detect much smaller differences, use " +
		"--transactions 100 --duration 0",
	"Runs of {size} are too short for this: below {limit}, the checkpoint after a run weighs more than in production.",
	"{names} shifts work to or from checkpoints, and deferred work is not part of a run. To include it, use --metric " +
		"tps_with_checkpoint --duration 0",
	"{names} shifts work to or from checkpoints, and a run of {size} may contain less than two timed " +
		"checkpoint cycles ({span}), so deferred work is not part of a run. For runs that are long enough, " +
		"use --checkpoint-cycles 2",
	"The database {database} ({size}) is read whole, once, by one pg_dump: a transaction that only reads. " +
		"Meanwhile, its locks block schema changes (DDL), and VACUUM keeps the rows that it may still see. It waits " +
		"for a lock of another session for {limit}, then gives up.",
	"The collation {name} of the original is not available here ({error}): texts are compared as in C, which is " +
		"faster.",
	"Synthetic: {n} of {most} statements, {share} of the calls; {count} of them have the rows of a call within 20 % " +
		"of the original, {size} find or read as many blocks a call.",
	"Not like the original within 20 %: {query}: {share} of the calls and {count} here, rows a call {n} and {most}, " +
		"blocks a call {size} and {limit}.",
	"Not like it either: {n} more statement.",
	"Not like it either: {n} more statements.",
	"Left out for {n} other reason: see pg_stat_statements for what is not among the scripts.",
	"Left out for {n} other reasons: see pg_stat_statements for what is not among the scripts.",
	"Left out: {n} statement with {share} of the calls: {reason}.",
	"Left out: {n} statements with {share} of the calls: {reason}.",
}

// Why a statement is not in a load that is made from statements.
var statements = []say.Template{
	"the server refuses it: {error}",
	"its text is longer than {n} bytes",
	"its text is hidden: it needs the role pg_read_all_stats",
	"its text is not in UTF-8",
	"it is empty",
	"it is no query but a command",
	"it inserts rows, whose new keys cannot be made up",
	"it writes, and only reading was asked for",
	"it locks rows, and only reading was asked for",
	"it makes a table",
	"it is more than one statement",
	"it holds a colon before a name, which pgbench would take for a variable",
	"it reads the statistics themselves",
	"its plan cannot be read: {reason}",
	"it has {n} plans",
	"the parameter {name} has no type",
	"the possible values of parameter {name} are unknown",
	"the statistics of {column} hold no value for the parameter {name}",
	"the type {name} is not known",
	"the column {name} may be of several tables",
	"the column {name} is of no table of the statement",
	"there are no statistics of the column {name}",
	"its views are nested deeper than {n}",
	"it calls {name}, a volatile function that may do more than the statement shows",
	"it reads {table}, a table of another server",
	"its view {name}: {reason}",
}
