package linux

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// The persistent homes of the host's knobs. 60 sorts behind what distributions
// ship (10- to 50-) and before what administrators call 90- and 99-: theirs win,
// and Overrides names them.
const (
	tmpfilesFile = "/etc/tmpfiles.d/60-pgfettle.conf"
	udevFile     = "/etc/udev/rules.d/60-pgfettle.rules"
	grubFile     = "/etc/default/grub.d/60-pgfettle.cfg"
	dropIn       = "60-pgfettle.conf" // under /etc/systemd/system/UNIT.d
	fstabFile    = "/etc/fstab"
)

// fileHeader is the comment that a file of ours starts with.
func fileHeader(what string) string {
	return "# " + what + ", set by pgfettle.\n" +
		"# \"pgfettle journal\" shows when and why, \"pgfettle undo\" undoes it.\n" +
		"# Lines of your own may be added; they are kept.\n"
}

// sysctlForm is sysctl.d(5): NAME = VALUE.
var sysctlForm = keyed{
	header: fileHeader("Kernel parameters"),
	read: func(line string) (string, string, bool) {
		sets, err := host.ParseSysctlConf([]byte(line))
		if err != nil || len(sets) != 1 {
			return "", "", false
		}
		return sets[0].Name, sets[0].Value, true
	},
	write: func(name, value string) string { return name + " = " + value },
}
