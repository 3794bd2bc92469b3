package linux

import (
	"regexp"
	"strings"
)

// tmpfilesForm is tmpfiles.d(5): «w PATH - - - - VALUE» writes a value into a
// file at every boot. The key is the path.
var tmpfilesForm = keyed{
	header: fileHeader("Files of /sys that are written at boot"),
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
var udevRule = regexp.MustCompile(
	`^ACTION=="add\|change"\s*,\s*SUBSYSTEM=="block"\s*,\s*(KERNEL|ENV\{DM_NAME\})=="([^"]+)"\s*,` +
		`\s*ATTR\{queue/([a-z_]+)\}="([^"]*)"$`)

// mapper is what begins the name of a device that is a volume of device mapper: its
// number, and with it the kernel's name, may be another volume's after the next boot.
const mapper = "mapper/"

// udevForm is udev(7): a rule that sets an attribute of a block device's queue
// whenever the device appears or changes. The key is DEVICE/ATTRIBUTE, or
// mapper/NAME/ATTRIBUTE.
var udevForm = keyed{
	header: fileHeader("Queues of block devices"),
	joins:  true,
	read: func(line string) (string, string, bool) {
		m := udevRule.FindStringSubmatch(line)
		if m == nil {
			return "", "", false
		}
		if m[1] != "KERNEL" {
			m[2] = mapper + m[2]
		}
		return m[2] + "/" + m[3], m[4], true
	},
	write: func(key, value string) string {
		i := strings.LastIndexByte(key, '/')
		dev, attr := `KERNEL=="`+key[:i], key[i+1:]
		if name, ok := strings.CutPrefix(key[:i], mapper); ok {
			dev = `ENV{DM_NAME}=="` + name
		}
		return `ACTION=="add|change", SUBSYSTEM=="block", ` + dev + `", ATTR{queue/` + attr + `}="` + value + `"`
	},
}
