package kernel

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// CrontabWithoutUser knows no list of users: it speaks where the field can be
// none, a path or a command that no system has as a user.
var CrontabWithoutUser = check.Check{
	ID:       "crontab_without_user",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "A line of a crontab names no user, so its kernel value is never set",
	Why: "In /etc/crontab and /etc/cron.d a user stands between the times and the command; only the crontabs of " +
		"single users have none. Cron takes the first word of the command for a user, finds no such user and runs " +
		"nothing, " +
		"and some versions then leave the whole file alone. The value that the line should set stays as the kernel " +
		"has it.",
	Do: "Put root behind the times: @reboot root echo VALUE > /sys/PATH. Better, use a file in /etc/sysctl.d (for " +
		"/proc/sys) or /etc/tmpfiles.d (w /sys/PATH - - - - VALUE): they work without cron and before PostgreSQL " +
		"starts. " +
		"journalctl -t cron -t crond shows what cron said of the line.",
	Sources: []string{"crontab-man", "systemd-sysctl"},
	Judge: func(c *check.Case) {
		lines, ok := check.Need(c, c.Snapshot.Host.Cron)
		if !ok {
			return
		}
		for _, l := range lines {
			if noUser(l.User) {
				c.Found("{file} line {line}: cron takes {user} for the name of a user, and does not run the line.",
					"file", l.File, "line", l.Line, "user", l.User)
			}
		}
	},
}

// noUser says whether a word cannot be the name of a user: useradd takes none
// of these characters, and the commands are those that guides write there.
func noUser(word string) bool {
	return strings.ContainsAny(word, `/<>|&;$()'"=[`+"`") ||
		slices.Contains([]string{"echo", "printf", "sysctl", "tee", "sh", "bash", "cat", "test", "sudo", "exec", "nice",
			"ionice", "env"}, word)
}
