package advice

// SysctlConfD: on Debian 13 systemd-sysctl does not read /etc/sysctl.conf either.
var SysctlConfD = Page{
	ID:    "sysctl-conf-d",
	Kind:  NotSo,
	Title: "Kernel values belong in /etc/sysctl.d",
	Names: []string{"sysctl.conf.d", "/etc/sysctl.conf.d", "sysctl.conf", "sysctl.d", "sysctl -p", "sysctl --system"},
	Read:  "kernel values can be put in a file of the folder /etc/sysctl.conf.d",
	Text: []string{
		"No program reads such a folder; the values stand there and never come into force. The folder is /etc/sysctl.d, and the names of " +
			"its files end in .conf. Files of /etc/sysctl.d, /run/sysctl.d and /usr/lib/sysctl.d are read in the order of their names, and " +
			"one in /etc hides one of the same name elsewhere.",
		"sysctl --system reads them all and /etc/sysctl.conf last; sysctl -p reads /etc/sysctl.conf alone or the file that it is given; " +
			"sysctl -w changes the live value until the next boot. systemd-sysctl of newer systems (Debian 13) no longer reads " +
			"/etc/sysctl.conf. TuneD writes its values again after all of that.",
	},
	Verify:  "sysctl --system prints each file that it reads; sysctl NAME prints what is in force.",
	Sources: []string{"procps-sysctl", "dalibo-j1"},
	See:     []string{"sysctl:vm.overcommit_memory", "sysctl:vm.dirty_bytes"},
}
