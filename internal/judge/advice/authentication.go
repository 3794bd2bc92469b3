package advice

// Authentication: password_encryption is md5 by default in 13 and scram-sha-256 from 14 on.
var Authentication = Page{
	ID:    "authentication",
	Kind:  Advice,
	Title: "scram-sha-256, and trust for tests only",
	Names: []string{"pg_hba", "pg_hba.conf", "trust", "md5", "scram", "scram-sha-256", "pgpass"},
	Text: []string{
		"Use scram-sha-256; trust lets in whoever reaches the port. md5 is deprecated from 18 on and warns at login in 19. " +
			"password_encryption is scram-sha-256 by default from 14 on and md5 in 13; passwords that are stored as md5 must be set again, " +
			"changing the parameter does not convert them. A .pgpass file needs mode 600.",
		"After a change of pg_hba.conf or postgresql.conf look before you reload: SELECT * FROM pg_hba_file_rules WHERE error IS NOT " +
			"NULL, and the same for pg_file_settings. An error in pg_hba.conf leaves all old rules in force; a wrong value in postgresql.conf " +
			"leaves that one setting as it was while others change.",
	},
	Sources: []string{"pg-authentication", "dalibo-j1"},
	See:     []string{"config_file_errors"},
}
