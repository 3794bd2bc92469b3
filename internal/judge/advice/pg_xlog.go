package advice

// PgXlog: pg_xlog, pg_clog and the functions with xlog in their names were renamed in 10.
var PgXlog = Page{
	ID:    "pg-xlog",
	Kind:  NotSo,
	Title: "pg_xlog is called pg_wal",
	Names: []string{"pg_xlog", "pg_clog", "pg_xlogdump", "pg_resetxlog", "pg_switch_xlog"},
	Read:  "pg_xlog should be moved to another disk",
	Since: "PostgreSQL 10",
	Until: "PostgreSQL 9.6",
	Text: []string{
		"The folder is called pg_wal, pg_clog is pg_xact, and programs and functions followed (pg_waldump, pg_resetwal, pg_switch_wal). " +
			"Moving it with a symbolic link, a junction on Windows, is still right; on flash the gain is separate space and quiet flushes " +
			"rather than 10 %.",
		"Neither folder may ever be emptied by hand, whatever they are called.",
	},
	Verify:  "ls PGDATA.",
	Sources: []string{"pg-release-old", "pg-wal-intro", "article-1c"},
	See:     []string{"wal-device"},
}
