package linux

import "strings"

// unitForm is a drop-in of a service, systemd.unit(5): KEY=VALUE in [Service].
var unitForm = keyed{
	header:  fileHeader("Properties of this service") + "\n[Service]\n",
	section: "[Service]",
	joins:   true,
	read: func(line string) (string, string, bool) {
		if line == "" || line[0] == '#' || line[0] == ';' {
			return "", "", false
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		return key, strings.TrimSpace(value), ok && property.MatchString(key)
	},
	write: func(key, value string) string { return key + "=" + value },
}
