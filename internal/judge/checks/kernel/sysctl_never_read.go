package kernel

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SysctlNeverRead is a warning: whoever wrote the file believes that it works.
var SysctlNeverRead = check.Check{
	ID:       "sysctl_never_read",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "Kernel parameters stand in a file that nothing reads",
	Why: "No program reads /etc/sysctl.conf.d, though some guides name it: the folder is /etc/sysctl.d, and only " +
		"names that end in .conf count there. What is written here has never been in force and will not be after " +
		"the next boot.",
	Do: "Move the file to /etc/sysctl.d with a name that ends in .conf, and run sysctl --system. Read it first: " +
		"other files may have said something else since.",
	Commands: []check.Command{
		check.Shell("sysctl --system"),
	},
	Sources: []string{"systemd-sysctl"},
	Judge: func(c *check.Case) {
		sets, ok := check.Need(c, c.Snapshot.Host.SysctlConf)
		if !ok {
			return
		}
		files := map[string][]string{}
		var order []string
		for _, s := range sets {
			if s.Read {
				continue
			}
			if files[s.File] == nil {
				order = append(order, s.File)
			}
			files[s.File] = append(files[s.File], s.Name+" = "+s.Value)
		}
		for _, f := range order {
			c.Found("{file} sets {names}, and is read by no program.", "file", f, "names", strings.Join(files[f], ", "))
		}
	},
}
