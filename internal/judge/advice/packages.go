package advice

// Packages: EL 8 and 9 have modules, EL 10 has none.
var Packages = Page{
	ID:    "packages",
	Kind:  Advice,
	Title: "Which packages, and where they put things",
	Names: []string{"pgdg", "dnf_module", "postgresql_packages", "data_directory"},
	Text: []string{
		"The project's own repositories (PGDG) have every supported major version for the common distributions at the day of a release. " +
			"Those of the RHEL family are supported by Red Hat and lag; choose by policy. On EL 8 and 9 switch the module off first (dnf -qy " +
			"module disable postgresql), EL 10 has no modules.",
		"RHEL family: programs in /usr/pgsql-NN, data in /var/lib/pgsql/NN/data. Debian family: /usr/lib/postgresql/NN, " +
			"/etc/postgresql/NN/main for the configuration, /var/lib/postgresql/NN/main, logs in /var/log/postgresql.",
		"Make clusters with checksums (default from 18 on; pg_upgrade wants both sides alike) and lc_messages = C, so that programs can " +
			"read the log.",
	},
	Sources: []string{"pg-creating-cluster", "pg-checksums", "dalibo-j1"},
	See:     []string{"checksums_off", "minor_behind"},
}
