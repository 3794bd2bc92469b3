package host

import "strings"

// MountFlags are the options that the kernel keeps for every kind of
// filesystem, mount(8) «filesystem-independent mount options».
type MountFlags struct {
	Atime string // relatime, noatime, strictatime
	on    map[string]bool
}

// flagWords lists the flags except for atime's, in the order of display: the word that sets one, and the word that
// clears it.
var flagWords = [][2]string{
	{"ro", "rw"}, {"nosuid", "suid"}, {"nodev", "dev"}, {"noexec", "exec"}, {"nodiratime", "diratime"},
	{"sync", "async"}, {"dirsync", ""}, {"lazytime", "nolazytime"}, {"nosymfollow", "symfollow"},
}

// implied are words of fstab that imply several flags.
var implied = map[string][]string{
	"defaults": {"rw", "suid", "dev", "exec", "async"},
	"user":     {"noexec", "nosuid", "nodev"}, "users": {"noexec", "nosuid", "nodev"},
	"owner": {"nosuid", "nodev"}, "group": {"nosuid", "nodev"},
}

// userspace are words that mount(8) and systemd read and the kernel never sees.
var userspace = map[string]bool{
	"auto": true, "noauto": true, "nofail": true, "_netdev": true, "nouser": true, "noowner": true, "nogroup": true,
	"nousers": true,
	"atime":   true, "relatime": true, "noatime": true, "strictatime": true, "norelatime": true, "nostrictatime": true,
}

// WantedFlags reads the flags that a field of fstab asks for: a later word
// overrides an earlier one, and relatime is the kernel's own choice.
func WantedFlags(words []string) MountFlags {
	f := MountFlags{Atime: "relatime", on: map[string]bool{}}
	f.read(words)
	return f
}

// ShownFlags reads the flags from mountinfo, where the mount's own come before its filesystem's: read-only in either is
// read-only, and if no word of access times is shown, all are written.
func ShownFlags(words []string) MountFlags {
	f := MountFlags{Atime: "strictatime", on: map[string]bool{}}
	f.read(words)
	for _, w := range words {
		if w == "ro" {
			f.on["ro"] = true
		}
	}
	return f
}

func (f *MountFlags) read(words []string) {
	for _, w := range words {
		switch w {
		case "noatime", "relatime", "strictatime":
			f.Atime = w
		case "atime", "norelatime", "nostrictatime":
			f.Atime = "relatime"
		}
		if many, ok := implied[w]; ok {
			f.read(many)
		}
		for _, p := range flagWords {
			switch w {
			case p[0]:
				f.on[p[0]] = true
			case p[1]:
				f.on[p[0]] = false
			}
		}
	}
}

// String lists the flags that are set, in one order, so that two lists of the same flags are the same text. Read-write
// and the access times are always included, as in mountinfo.
func (f MountFlags) String() string {
	return strings.Join(f.words(func(string) bool { return false }), ",")
}

// Remount lists the words that make the flags these ones, regardless of fstab: mount(8) merges its line, and the flags
// that are, with the words of a remount. Flags that few mounts have are named only if they change, as old versions do
// not know them all.
func (f MountFlags) Remount(now MountFlags) string {
	out := f.words(func(flag string) bool {
		return flag == "nosuid" || flag == "nodev" || flag == "noexec" || now.on[flag]
	})
	// the kernel takes strictatime before noatime before relatime
	switch {
	case now.Atime == f.Atime:
	case now.Atime == "noatime":
		out = append(out, "atime", f.Atime)
	case now.Atime == "strictatime":
		out = append(out, "nostrictatime", f.Atime)
	}
	return strings.Join(out, ",")
}

// words lists the flags; also the cleared ones if cleared is set.
func (f MountFlags) words(cleared func(flag string) bool) []string {
	out := []string{"rw"}
	if f.on["ro"] {
		out[0] = "ro"
	}
	for _, p := range flagWords[1:] {
		switch {
		case f.on[p[0]]:
			out = append(out, p[0])
		case p[1] != "" && cleared(p[0]):
			out = append(out, p[1])
		}
	}
	return append(out, f.Atime)
}

// WithAtime returns a field of fstab that asks for another of relatime, noatime and strictatime: in place of the first
// word about access times, else at the end.
func WithAtime(options, atime string) string {
	var out []string
	at := -1
	for _, w := range strings.Split(options, ",") {
		if atimeWords[w] {
			if at < 0 {
				at = len(out)
				out = append(out, atime)
			}
			continue
		}
		out = append(out, w)
	}
	if at < 0 {
		out = append(out, atime)
	}
	return strings.Join(out, ",")
}

// atimeWords are the words of which the last one says how access times are kept.
var atimeWords = map[string]bool{"atime": true, "noatime": true, "relatime": true, "norelatime": true,
	"strictatime": true, "nostrictatime": true}

// GenericOption reports whether a word of fstab is about flags, or for mount(8) and systemd alone: the rest are the
// filesystem's own options.
func GenericOption(word string) bool {
	if _, ok := implied[word]; ok || userspace[word] || strings.HasPrefix(word, "x-") ||
		strings.HasPrefix(word, "comment=") {
		return true
	}
	for _, p := range flagWords {
		if word == p[0] || word == p[1] {
			return true
		}
	}
	return false
}
