package advice

// LogLinePrefix: '%m [%p] ' is the default in 13 to 18; Debian adds %q%u@%d.
var LogLinePrefix = Page{
	ID:    "log-line-prefix",
	Kind:  Advice,
	Title: "Prefixes differ from host to host",
	Names: []string{"log_line_prefix_parse", "%t_[%p]"},
	Text: []string{
		"The default is '%m [%p] ', Debian's '%m [%p] %q%u@%d ', and analysers of logs ask for user, database, application and client as " +
			"well. Whatever reads a log has to be told the prefix; csvlog and jsonlog (15 and later) need none.",
	},
	Verify:  "SHOW log_line_prefix;",
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	See:     []string{"pg:log_line_prefix"},
}
