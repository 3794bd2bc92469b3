package apply

import (
	"regexp"
	"strings"
)

// tmpfilesForm is tmpfiles.d(5): «w PATH - - - - VALUE» writes a value into a
// file at every boot. The key is the path.
var tmpfilesForm = keyed{
	header: note("Files of /sys that are written at boot"),
	read: func(line string) (string, string, bool) {
		f := strings.Fields(line)
		if len(f) < 7 || f[0][0] != 'w' || !strings.HasPrefix(f[1], "/") {
			return "", "", false
		}
		return f[1], strings.Join(f[6:], " "), true
	},
	write: func(path, value string) string { return "w " + path + " - - - - " + value },
}

// udevRule is a rule as we write it, with whatever blanks.
var udevRule = regexp.MustCompile(`^ACTION=="add\|change"\s*,\s*SUBSYSTEM=="block"\s*,\s*KERNEL=="([^"]+)"\s*,\s*ATTR\{queue/([a-z_]+)\}="([^"]*)"$`)

// udevForm is udev(7): a rule that sets an attribute of a block device's queue
// whenever the device appears or changes. The key is DEVICE/ATTRIBUTE.
var udevForm = keyed{
	header: note("Queues of block devices"),
	joins:  true,
	read: func(line string) (string, string, bool) {
		m := udevRule.FindStringSubmatch(line)
		if m == nil {
			return "", "", false
		}
		return m[1] + "/" + m[2], m[3], true
	},
	write: func(key, value string) string {
		dev, attr, _ := strings.Cut(key, "/")
		return `ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="` + dev + `", ATTR{queue/` + attr + `}="` + value + `"`
	},
}
