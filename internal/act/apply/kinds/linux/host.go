package linux

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// Host is where the kinds of the host's knobs work. Files and Kernel are the same target, except for a tree that
// represents a host: it has files and no kernel, even if /proc is mounted in it.
type Host struct {
	Files  target.Target // /etc
	Kernel target.Target // /proc, /sys and commands; nil: no live values
	// Service is the unit that runs the instance, for unit:… changes that name no instance; "" if there is none, or
	// more than one.
	Service string
}

// Kinds returns the kinds of the host's knobs by the prefix of their address.
func (h Host) Kinds() map[string]apply.Kind {
	return map[string]apply.Kind{
		"sysctl": sysctl{h}, "thp": sysfs{h}, "block": sysfs{h},
		"unit": unitKind{h}, "boot": bootKind{h}, "mount": mountKind{h},
		knob.FilePrefix: plainFile{h}, knob.ServicePrefix: service{unitKind{h}},
		knob.SwapFilePrefix: swapFile{h}, knob.SwapPrefix: swapArea{swapFile{h}},
	}
}

// mounts reads what is mounted, in the order of the kernel; none if there is no kernel to ask.
func (h Host) mounts() ([]host.Mount, error) {
	if h.Kernel == nil {
		return nil, nil
	}
	const limit = 8 << 20 // a hundred bytes a mount, and hosts of containers have some thousands
	b, err := h.Kernel.ReadFile("/proc/self/mountinfo", limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := host.ParseMounts(b)
	if err != nil {
		return nil, say.Named("/proc/self/mountinfo", err)
	}
	return all, nil
}

// mayPoke says why a file of /proc or /sys could not be written: only root may,
// and a container has them read-only.
func (h Host) mayPoke(name string) error {
	if h.Kernel == nil {
		return nil
	}
	if h.Kernel.UID() != 0 {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.EACCES}
	}
	all, err := h.mounts()
	if err != nil {
		return err
	}
	var over *host.Mount // the one that the file is on: the longest, and of those the last
	for i := range all {
		m := &all[i]
		if (name == m.Point || m.Point == "/" || strings.HasPrefix(name, m.Point+"/")) &&
			(over == nil || len(m.Point) >= len(over.Point)) {
			over = m
		}
	}
	if over != nil && over.Has("ro") {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.EROFS}
	}
	return nil
}

// mayRun says why a program that changes the system could not: only root may.
func (h Host) mayRun(program string) error {
	if h.Kernel == nil || h.Kernel.UID() == 0 {
		return nil
	}
	return &fs.PathError{Op: "run as root", Path: program, Err: syscall.EPERM}
}

// lookFile is LookFile for a file that may have to be created: it returns the owner and the mode that it will get, and
// which directories are missing.
func (h Host) lookFile(at string) (*journal.File, error) {
	f, err := apply.LookFile(h.Files, at)
	if err != nil || f.Text != nil {
		return &f, err
	}
	f.Mode, f.UID = 0o644, h.Files.UID() // world-readable, as configuration of the system is
	for dir := path.Dir(at); ; dir = path.Dir(dir) {
		in, err := h.Files.Stat(dir)
		if err == nil {
			// root's files are of root's group; another user, who builds an image in a private tree, uses the group of
			// those directories
			if f.UID != 0 {
				f.GID = in.GID
			}
			return &f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == "/" {
			return nil, err
		}
		f.Missing = dir
	}
}

// roots refuses a file of the system that users other than root could replace, through its directories or the file
// itself. Without root there are no rights to lose.
func (h Host) roots(name string) error { return apply.RootsFile(h.Files, name) }

// setFile is SetFile that makes the directories that are missing, and removes those that were when the file goes.
func (h Host) setFile(f *journal.File) error {
	if f == nil {
		return nil
	}
	if err := h.roots(f.Path); err != nil {
		return err
	}
	if f.Text != nil {
		if err := h.Files.Mkdir(path.Dir(f.Path), 0o755); err != nil {
			return say.Err("directory of {path}: {reason}", "path", f.Path, "reason", err)
		}
		return apply.SetFile(h.Files, *f)
	}
	if err := apply.SetFile(h.Files, *f); err != nil || f.Missing == "" {
		return err
	}
	for dir := path.Dir(f.Path); dir == f.Missing || strings.HasPrefix(dir, f.Missing+"/"); dir = path.Dir(dir) {
		if err := h.Files.Rmdir(dir); err != nil {
			return err
		}
	}
	return nil
}

// withText returns a file with another text; nil: no such file.
func withText(f *journal.File, text *string) *journal.File {
	g := *f
	g.Text = text
	if text != nil {
		g.Missing = ""
	}
	return &g
}

// sameLine reports whether a file that was found still has the line of a key that after has.
func (f keyed) sameLine(found, after *journal.File, key string) bool {
	if found == nil || after == nil {
		return found == after
	}
	want, wanted := f.get(after.Text, key)
	have, has := f.get(found.Text, key)
	return wanted == has && want == have
}

// takeOut returns a file that was found with a key as it was before.
func (f keyed) takeOut(found, before *journal.File, key string) *journal.File {
	if found == nil || before == nil {
		return before
	}
	g := withText(found, f.without(found.Text, before.Text, key))
	if g.Text == nil {
		g.Missing = before.Missing
	}
	return g
}

// sameLiveOrNone compares live values if both were read.
func sameLiveOrNone(a, b *string) bool { return a == nil || b == nil || *a == *b }

// ended is the error of a command that failed.
func ended(argv []string, out target.Output) error {
	return say.Named(strings.Join(argv, " "), say.Err("exit status {code}: {output}",
		"code", strconv.Itoa(out.Code), "output", strings.TrimSpace(string(out.Stderr))))
}

// oneLine reports whether a value can be in a line of a configuration file.
func oneLine(value string) error {
	if value == "" || strings.TrimSpace(value) != value || strings.ContainsFunc(value,
		func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return say.Err("{value} cannot stand in a configuration file", "value", say.Quoted(value))
	}
	return nil
}
