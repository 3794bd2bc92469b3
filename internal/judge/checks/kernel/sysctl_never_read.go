package kernel

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SysctlNeverRead is a warning: its author believes that the file works.
var SysctlNeverRead = check.Check{
	ID:       "sysctl_never_read",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "sysctl settings in a directory that is never read",
	Why: "No program reads /etc/sysctl.conf.d, although some guides name it. The directory is /etc/sysctl.d, " +
		"and only names that end in .conf count there. The settings in this file have never taken effect and " +
		"will not after the next boot.",
	Do: "1. Read the file first: other files may have set other values since.\n" +
		"2. Move it to /etc/sysctl.d with a name that ends in .conf.\n" +
		"3. Run: sysctl --system",
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
			c.Found("{file} sets {names}; no program reads it.", "file", f, "names", strings.Join(files[f], ", "))
		}
	},
}
