package linux

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// systemd-boot reads a separate entry for each kernel (type #1 of the Boot Loader Specification) from the EFI system
// partition, or from the extended boot loader partition. kernel-install writes one when a kernel is installed, with the
// words of /etc/kernel/cmdline, of /usr/lib/kernel/cmdline where that does not exist, else with those that the running
// kernel was started with.
//
// Our file is /etc/kernel/cmdline, from which later kernels have the word; what is derived from it, the entries that
// are there, is brought in line in Set, as update-grub does for GRUB. Only their options lines are touched:
// kernel-install itself would rebuild every initial RAM disk, on a partition that may be full.
const (
	kernelCmdline = "/etc/kernel/cmdline"
	vendorCmdline = "/usr/lib/kernel/cmdline"
	entryToken    = "/etc/kernel/entry-token"
	machineID     = "/etc/machine-id"
	// loaderInfo is the variable in which the boot loader that ran has its name.
	loaderInfo = "/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
)

// bootRoots are where the two partitions are mounted (bootctl(1)).
var bootRoots = []string{"/boot", "/efi", "/boot/efi"}

// byEntries reports whether systemd-boot has started this host.
func (b bootKind) byEntries() bool {
	if b.Kernel == nil {
		return false
	}
	text, err := b.Kernel.ReadFile(loaderInfo, maxLive)
	plain := strings.ReplaceAll(string(text), "\x00", "") // UTF-16 of ASCII letters, behind four bytes of attributes
	return err == nil && strings.Contains(plain, "systemd-boot")
}

// entries returns the entries of this machine: those with its id, and those without an id whose name begins with the
// token that kernel-install gives them. Other systems on the disk have theirs in the same directory.
func (b bootKind) entries() (list []journal.File, err error) {
	first := func(name string) string {
		text, _ := b.Files.ReadFile(name, maxLive)
		f := strings.Fields(string(text))
		if len(f) == 0 {
			return ""
		}
		return f[0]
	}
	id, token := first(machineID), first(entryToken)
	for _, root := range bootRoots {
		dir := path.Join(root, "loader/entries")
		names, err := b.Files.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		for _, n := range names {
			if !strings.HasSuffix(n, ".conf") {
				continue
			}
			f, err := apply.LookFile(b.Files, path.Join(dir, n))
			if err != nil || f.Text == nil {
				return nil, errors.Join(err, ofLoader(say.Err("the entry {name} cannot be read",
					"name", path.Join(dir, n))))
			}
			options, keys := optionsOf(*f.Text)
			switch whose := keys["machine-id"]; {
			case keys["linux"] == "" || len(options) == 0:
			case whose != "" && whose == id,
				whose == "" && (id != "" && strings.HasPrefix(n, id+"-") ||
					token != "" && strings.HasPrefix(n, token+"-")):
				list = append(list, f)
			}
		}
	}
	return list, nil
}

// unified reports whether there are unified kernel images (type #2 entries): their command line is a part of the signed
// image, and their own makers write it.
func (b bootKind) unified() (bool, error) {
	for _, root := range bootRoots {
		dir := path.Join(root, "EFI/Linux")
		names, err := b.Files.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(strings.ToLower(n), ".efi") }) {
			return true, nil
		}
	}
	return false, nil
}

// wantCmdline is /etc/kernel/cmdline with a value. If there is none it is made of what kernel-install goes by without
// it.
func (b bootKind) wantCmdline(now *journal.File, name, value string) (*journal.File, error) {
	if now.Text != nil {
		text := asWord(*now.Text, name, value)
		return withText(now, &text), nil
	}
	base, err := b.baseCmdline()
	if err != nil {
		return nil, err
	}
	text := asWord(base, name, value)
	if text == base {
		return now, nil
	}
	return withText(now, &text), nil
}

// baseCmdline is what kernel-install goes by if there is no /etc/kernel/cmdline.
func (b bootKind) baseCmdline() (string, error) {
	text, err := b.Files.ReadFile(vendorCmdline, target.MaxConfigFile)
	if err == nil {
		return string(text), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if text, err = b.Kernel.ReadFile(cmdline, maxLive); err != nil {
		return "", say.Err("command line of the kernel: {reason}", "reason", err)
	}
	words := slices.DeleteFunc(strings.Fields(string(text)), func(w string) bool {
		return strings.HasPrefix(w, "BOOT_IMAGE=") || strings.HasPrefix(w, "initrd=") // the loader's own
	})
	return strings.Join(words, " ") + "\n", nil
}

// vendor is the command line that the distribution brings, "" for none.
func (b bootKind) vendor() string {
	text, _ := b.Files.ReadFile(vendorCmdline, target.MaxConfigFile)
	return string(text)
}

// setEntries gives the entries of this machine the value that /etc/kernel/cmdline has, or what is in its place.
func (b bootKind) setEntries(f *journal.File, name string) error {
	value := inText(f, name)
	if f.Text == nil { // taken back: what the running kernel has may be ours, and agree allowed no other
		value = wordOf(strings.Fields(b.vendor()), name)
	}
	list, err := b.entries()
	if err != nil {
		return err
	}
	for i := range list {
		now := list[i]
		text := asEntry(*now.Text, name, value)
		if text == *now.Text {
			continue
		}
		want := *withText(&now, &text)
		want.Over = &now
		if err := b.setFile(&want); err != nil {
			return err
		}
	}
	return nil
}

// mayWriteEntries says why the entries could not be written: they are root's.
func (b bootKind) mayWriteEntries() error {
	if b.Kernel.UID() == 0 {
		return nil
	}
	return &fs.PathError{Op: "write", Path: "/boot/loader/entries", Err: syscall.EPERM}
}

// agree says why an undo could not give the entries back what they have: one has
// another value than /etc/kernel/cmdline, or a value twice.
func (b bootKind) agree(name string) error {
	f, err := b.lookFile(kernelCmdline)
	if err != nil {
		return err
	}
	want := inText(f, name)
	if f.Text == nil {
		base, err := b.baseCmdline()
		if err != nil {
			return err
		}
		want = wordOf(strings.Fields(base), name)
		if want != wordOf(strings.Fields(b.vendor()), name) {
			return ofBoot(name, say.Err("the running kernel was started with {value}, and no {path} says so: "+
				"write it there first", "value", bootWord(name, want), "path", kernelCmdline))
		}
	}
	list, err := b.entries()
	if err != nil {
		return err
	}
	for _, e := range list {
		words := entryWords(*e.Text)
		twice := 0
		for _, w := range words {
			if n, _, _ := strings.Cut(w, "="); n == name {
				twice++
			}
			if name == "hugepages" && strings.HasPrefix(w, "hugepagesz=") {
				return ofBoot("hugepages", say.Err("{path} has {value}, and the order decides which page size is "+
					"counted: change it manually", "path", e.Path, "value", w))
			}
		}
		if got := wordOf(words, name); got != want || twice > 1 {
			return ofBoot(name, say.Err("{path} has {value}, and kernels to come would have {other}: make them "+
				"agree, and say it once", "path", e.Path, "value", say.Quoted(got), "other", say.Quoted(want)))
		}
	}
	return nil
}
