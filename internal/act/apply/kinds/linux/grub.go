package linux

import "regexp"

// grubLine is a word of the kernel's command line as we add it.
var grubLine = regexp.MustCompile(
	`^GRUB_CMDLINE_LINUX="\$GRUB_CMDLINE_LINUX ([A-Za-z0-9_.-]+)(?:=([A-Za-z0-9_.,:/+@%-]*))?"$`)

// grubForm is a file of /etc/default/grub.d, which the shell of grub-mkconfig
// reads: a line for each word that is added to the kernel's command line. The
// key is the word's name. A word without a value has its own name for one.
var grubForm = keyed{
	header: fileHeader("Words of the kernel's command line (run update-grub after a change)"),
	joins:  true,
	read: func(line string) (string, string, bool) {
		m := grubLine.FindStringSubmatch(line)
		if m == nil {
			return "", "", false
		}
		if m[2] == "" {
			return m[1], m[1], true
		}
		return m[1], m[2], true
	},
	write: func(name, value string) string {
		return `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ` + bootWord(name, value) + `"`
	},
}

// bootWord spells a parameter of the kernel's command line.
func bootWord(name, value string) string {
	if value == name {
		return name
	}
	return name + "=" + value
}
