package evidence

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// commandLines redacts the lines of commands about storage and packages, by entry. What each
// keeps is what the readers want: numbers, states, and names as pseudonyms.
var commandLines = map[string]func(*redactor, string) string{
	"cmd/dmsetup-status":         (*redactor).mappedLine,
	"cmd/dmsetup-table-snapshot": (*redactor).mappedLine,
	"cmd/zfs-get":                (*redactor).datasetLine,
	"cmd/lsattr":                 (*redactor).attributeLine,
	"cmd/tune2fs":                (*redactor).superblockLine,
	"cmd/smartctl-scterc":        (*redactor).ercLine,
	"cmd/apt-cache-policy":       (*redactor).aptLine,
	"cmd/dnf-list":               (*redactor).dnfLine,
}

// mappedLine keeps the name as a pseudonym and what follows as it is: targets,
// numbers and device numbers. Parameters of targets that are not known to be harmless are taken out.
func (r *redactor) mappedLine(line string) string {
	name, rest, ok := strings.Cut(line, ": ")
	f := strings.Fields(rest)
	if !ok || len(f) < 3 {
		return ""
	}
	switch f[2] {
	case "thin-pool", "snapshot", "snapshot-merge", "cache", "raid", "writecache", "striped", "mirror", "linear",
		"crypt", "thin", "snapshot-origin":
		return r.path(name) + ": " + strings.Join(plainWords(f), " ")
	}
	return r.path(name) + ": " + strings.Join(f[:3], " ")
}

// plainWords keeps words of letters, digits and a few signs and takes out the
// rest: a path, a key.
func plainWords(f []string) []string {
	out := make([]string, 0, len(f))
	for _, w := range f {
		if len(w) > 32 || strings.Trim(w,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:/-.") != "" || strings.HasPrefix(w, "/") {
			w = "-"
		}
		out = append(out, w)
	}
	return out
}

// datasetLine redacts the name of «NAME TAB PROPERTY TAB VALUE» in the way of
// the mount table, whose source it is.
func (r *redactor) datasetLine(line string) string {
	f := strings.Split(line, "\t")
	if len(f) != 3 || f[1] != "recordsize" && f[1] != "sync" || len(plainWords(f[2:])[0]) != len(f[2]) {
		return ""
	}
	return r.path(f[0]) + "\t" + f[1] + "\t" + f[2]
}

func (r *redactor) attributeLine(line string) string {
	flags, path, ok := strings.Cut(line, " ")
	if !ok || strings.Trim(flags, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" {
		return ""
	}
	return flags + " " + r.path(path)
}

// superblockLine keeps the device number and the features: other lines of a superblock hold names and directories.
func (r *redactor) superblockLine(line string) string {
	if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "Filesystem features:") {
		return line
	}
	return ""
}

// ercLine keeps what is said of error recovery, and the kernel's names of disks.
func (r *redactor) ercLine(line string) string {
	for _, keep := range []string{"# ", "Read:", "SCT Error Recovery Control command not supported",
		"SCT Commands not supported"} {
		if strings.HasPrefix(strings.TrimSpace(line), keep) {
			return line
		}
	}
	return ""
}

// serverPackage is the name of a package of a PostgreSQL server; listsLine is ours; packageVersion begins with the
// release, and what follows is the packagers' own, which may be a company's.
var (
	serverPackage  = regex.New(`^postgresql(-[0-9]{1,2}|[0-9]{0,2}-server)$`)
	listsLine      = regex.New(`^# lists of [0-9TZ:.+-]{10,40}$`)
	packageVersion = regex.New(`^[0-9]{1,3}(:[0-9]{1,3})?(\.[0-9]{1,3})*([-+~](alpha|beta|rc|devel))?`)
)

// aptLine keeps the names of the packages, and the releases of what is installed and what would be: the table of
// versions below them has the addresses of the repositories.
func (r *redactor) aptLine(line string) string {
	if name, ok := strings.CutSuffix(line, ":"); ok && serverPackage.MatchString(name) || listsLine.MatchString(line) {
		return line
	}
	for _, field := range []string{"  Installed: ", "  Candidate: "} {
		if v, ok := strings.CutPrefix(line, field); ok {
			if v == "(none)" {
				return line
			}
			return field + packageVersion.FindString(v)
		}
	}
	return ""
}

// dnfLine keeps the headings, and of a package its name and its release: the last word is the repository.
func (r *redactor) dnfLine(line string) string {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "installed packages", "available packages", "available upgrades", "upgraded packages":
		return line
	}
	if listsLine.MatchString(line) {
		return line
	}
	f := strings.Fields(line)
	named := len(f) == 1 || len(f) == 3 // else what is too wide for its column goes on
	if len(f) == 0 || len(f) > 3 {
		return ""
	}
	if named {
		name, arch, ok := strings.Cut(f[0], ".")
		if !ok || !serverPackage.MatchString(name) || len(plainWords([]string{arch})[0]) != len(arch) {
			return ""
		}
	}
	switch len(f) {
	case 1:
		return f[0]
	case 2:
		f = append([]string{""}, f...)
	}
	version := packageVersion.FindString(f[1])
	if version == "" {
		return ""
	}
	return strings.TrimSpace(f[0] + " " + version + " -")
}
