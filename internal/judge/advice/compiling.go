package advice

// Compiling: classic icc was discontinued in 2023.
var Compiling = Page{
	ID:    "compiling",
	Kind:  NotSo,
	Title: "Compiling PostgreSQL oneself gains nothing",
	Names: []string{"icc", "compile", "cflags", "march=native"},
	Read:  "compiling PostgreSQL oneself, or with Intel's icc, makes it up to 10 % faster",
	Since: "the end of the classic icc in 2023",
	Text: []string{
		"The packages of the distribution and of the PostgreSQL project are built with current compilers, tested and kept up to date, " +
			"with lz4, zstd, ICU, systemd and JIT. A build of one's own must be repeated at every minor release, and misses one of those " +
			"libraries easily: what wal_compression or io_method accept depends on it.",
	},
	Verify:  "SELECT name, setting FROM pg_config; in the server as superuser.",
	Sources: []string{"dalibo-j1", "pg-versioning"},
	See:     []string{"minor_behind"},
}
