package advice

// CrontabUserField: cron takes the sixth word of /etc/crontab as the user; with @reboot it is the second.
var CrontabUserField = Page{
	ID:    "crontab-user-field",
	Kind:  NotSo,
	Title: "Lines of /etc/crontab name a user",
	Names: []string{"crontab", "/etc/crontab"},
	Read:  "the line \"@reboot echo 5000000 > /sys/kernel/debug/sched/migration_cost_ns\" in /etc/crontab sets a kernel value at boot",
	Text: []string{
		"/etc/crontab and the files of /etc/cron.d have a field for the user: in that line echo is taken for a user's name and nothing " +
			"runs. It has to be @reboot root echo …. Better is a tmpfiles.d line or a unit, which run before the server, tell their failure " +
			"and need no cron. A write to debugfs also fails under Secure Boot, in containers, and where debugfs is not mounted.",
	},
	Verify:  "journalctl -u cron shows an unknown user; then read the value itself.",
	Sources: []string{"crontab-man", "linux-sched", "dalibo-j1"},
	See:     []string{"thp-at-boot", "sched-migration-cost"},
}
