package kernel

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// CrontabWithoutUser has no list of users: it fires if the field cannot be a user
// name, such as a path or a command.
var CrontabWithoutUser = check.Check{
	ID:       "crontab_without_user",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "crontab entry without a user field never runs",
	Why: "In /etc/crontab and /etc/cron.d a user field stands between the times and the command; only crontabs " +
		"of users have none. Cron takes the first word of the command for the user, finds no such user and " +
		"does not run the line. Some versions then ignore the whole file. The value that the line should set " +
		"keeps the kernel default.",
	Do: "Add root after the times: @reboot root echo VALUE > /sys/PATH\n" +
		"Better use a file in /etc/sysctl.d (for /proc/sys) or /etc/tmpfiles.d (w /sys/PATH - - - - VALUE). " +
		"They work without cron and before PostgreSQL starts.\n" +
		"Verify: journalctl -t cron -t crond shows the messages of cron.",
	Sources: []string{"crontab-man", "systemd-sysctl"},
	Judge: func(c *check.Case) {
		lines, ok := check.Need(c, c.Snapshot.Host.Cron)
		if !ok {
			return
		}
		for _, l := range lines {
			if noUser(l.User) {
				c.Found("{file} line {line}: cron takes {user} for the user name and does not run the line.",
					"file", l.File, "line", l.Line, "user", l.User)
			}
		}
	},
}

// noUser reports whether a word cannot be a user name: useradd rejects these characters, and the commands are those
// that guides write there.
func noUser(word string) bool {
	return strings.ContainsAny(word, `/<>|&;$()'"=[`+"`") ||
		slices.Contains([]string{"echo", "printf", "sysctl", "tee", "sh", "bash", "cat", "test", "sudo", "exec", "nice",
			"ionice", "env"}, word)
}
