package linux

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// bootKind is a parameter of the kernel's command line. The value of one that does not exist is ""; of one without a
// value, its own name.
//
// Debian and its kin: a line in /etc/default/grub.d, and update-grub. The live
// value is that of /proc/cmdline, which only a boot changes: Set goes by the
// file, and reads in grub.cfg what update-grub made of it, where a word that
// comes later would win.
//
// Red Hat's: grubby, which keeps the command line in its own places, so there is no file here. The live value is then
// what grubby says the next boot has.
//
// systemd-boot: /etc/kernel/cmdline, and the entries that were made of it
// (kind_boot_entries.go). The live value is that of /proc/cmdline.
//
// Every other boot loader is refused with the word to add.
type bootKind struct{ Host }

const (
	grubDefaults = "/etc/default/grub"
	grubConfig   = "/boot/grub/grub.cfg"
	cmdline      = "/proc/cmdline"
	// updateTimeout bounds update-grub and grubby: os-prober looks into every
	// partition of every disk.
	updateTimeout = 5 * time.Minute
	// maxBootConfig bounds grub.cfg: 10 kB and some 2 kB a kernel.
	maxBootConfig = 4 << 20
)

var (
	bootName  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)
	bootValue = regexp.MustCompile(`^[A-Za-z0-9_.,:/+@%-]+$`) // nothing that a shell or a boot loader takes apart
)

type loader int

const (
	grubDebian loader = iota
	grubby
	systemdBoot
)

// loader finds out which program writes the command line.
func (b bootKind) loader(k apply.Knob) (loader, error) {
	there := func(name string) bool { _, err := b.Files.Stat(name); return err == nil }
	switch {
	case !bootName.MatchString(k.Address.Name()):
		return 0, fmt.Errorf("%s does not name a parameter of the kernel's command line", k.Address)
	case there("/usr/sbin/grubby") && b.Kernel != nil:
		return grubby, nil
	case b.byEntries(), b.Kernel != nil && !there(grubDefaults):
		list, err := b.entries()
		if err == nil && len(list) > 0 {
			return systemdBoot, nil
		}
		images := false
		if err == nil {
			images, err = b.unified()
		}
		switch {
		case err != nil:
			return 0, ofLoader(err)
		case images:
			return 0,
				ofLoader(say.Err("the kernels of this host are unified images (EFI/Linux), whose command line is "+
					"within the image: add {name}=VALUE where they are built (/etc/kernel/cmdline with ukify, or "+
					"/etc/cmdline.d) and rebuild them", "name", k.Address.Name()))
		}
	case there(grubDefaults) && there("/etc/debian_version"):
		return grubDebian, nil
	}
	return 0,
		ofLoader(say.Err("this host has neither Debian's GRUB, nor grubby, nor a systemd-boot entry: add "+
			"{name}=VALUE to the kernel command line manually", "name", k.Address.Name()))
}

// Look implements Kind.
func (b bootKind) Look(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	l, err := b.loader(k)
	if err != nil {
		return st, err
	}
	name := k.Address.Name()
	if at := map[loader]string{grubDebian: grubFile, systemdBoot: kernelCmdline}[l]; at != "" {
		if st.File, err = b.lookFile(at); err != nil || b.Kernel == nil {
			return st, err
		}
	}
	live := ""
	if l != systemdBoot {
		live, err = b.next(ctx, l, name)
	}
	if err == nil && l != grubby {
		live, err = b.running(name)
	}
	if err != nil {
		return st, err
	}
	st.Live = &live
	return st, nil
}

// running returns the value that the running kernel was started with.
func (b bootKind) running(name string) (string, error) {
	text, err := b.Kernel.ReadFile(cmdline, maxLive)
	if err != nil {
		return "", say.Err("command line of the kernel: {reason}", "reason", err)
	}
	return wordOf(strings.Fields(string(text)), name), nil
}

// next returns the value that the next boot will have.
func (b bootKind) next(ctx context.Context, l loader, name string) (string, error) {
	var words []string
	switch l {
	case grubDebian:
		text, err := b.Kernel.ReadFile(grubConfig, maxBootConfig)
		if err != nil {
			return "", ofLoader(err)
		}
		if words = grubWords(string(text)); words == nil {
			return "", say.Named(grubConfig, say.Err("no line that starts a kernel"))
		}
	case grubby:
		text, err := run(ctx, b.Kernel, "grubby", "--info=DEFAULT")
		if err != nil {
			return "", err
		}
		if words = grubbyWords(text); words == nil {
			return "", say.Named("grubby --info=DEFAULT", say.Err("no arguments of the kernel"))
		}
	}
	for _, w := range words {
		if name == "hugepages" && strings.HasPrefix(w, "hugepagesz=") {
			return "",
				ofBoot("hugepages", say.Err("the command line has {value}, and the order decides which page size "+
					"is counted: change it manually", "value", w))
		}
	}
	return wordOf(words, name), nil
}

// grubWords returns the command line of the first entry of grub.cfg, that of the newest kernel: the others are made of
// the same words, except for the recovery mode. nil if there is none.
func grubWords(text string) []string {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) > 1 && (f[0] == "linux" || f[0] == "linuxefi") {
			return f[2:]
		}
	}
	return nil
}

// grubbyWords returns the arguments of the first entry that grubby shows.
func grubbyWords(text string) []string {
	for line := range strings.Lines(text) {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "args="); ok {
			return append([]string{}, strings.Fields(strings.Trim(args, `"`))...)
		}
	}
	return nil
}

// wordOf returns the value of a parameter among words: the last one counts for
// the kernel.
func wordOf(words []string, name string) (value string) {
	for _, w := range words {
		switch n, v, has := strings.Cut(w, "="); {
		case n == name && has:
			value = v
		case n == name:
			value = name
		}
	}
	return value
}

// Want implements Kind.
func (b bootKind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	name := k.Address.Name()
	if value != "" && !bootValue.MatchString(value) {
		return now, ofBoot(name, say.Err("{value} is not a value for the kernel's command line",
			"value", say.Quoted(value)))
	}
	want := now
	if now.File != nil && now.File.Path == kernelCmdline {
		f, err := b.wantCmdline(now.File, name, value)
		if err != nil {
			return now, err
		}
		want.File = f
	} else if now.File != nil {
		if value == "" {
			want.File = withText(now.File, grubForm.without(now.File.Text, nil, name))
		} else {
			text := grubForm.set(now.File.Text, name, value)
			want.File = withText(now.File, &text)
		}
	}
	if now.Live != nil {
		want.Live = &value
	}
	return want, nil
}

// Set implements Kind.
func (b bootKind) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	l, err := b.loader(k)
	if err != nil {
		return err
	}
	if err := b.setFile(st.File); err != nil || b.Kernel == nil {
		return err
	}
	name := k.Address.Name()
	if l == systemdBoot {
		if st.File == nil {
			return nil
		}
		return b.setEntries(st.File, name)
	}
	now, err := b.next(ctx, l, name)
	if err != nil {
		return err
	}
	want, sure := "", true
	switch {
	case l == grubby && st.Live != nil:
		want = *st.Live
	case l == grubDebian && st.File != nil:
		// without a word of ours the next boot has what others say, once
		// what is left of ours in grub.cfg is gone
		want, sure = grubForm.get(st.File.Text, name)
	default:
		return nil
	}
	if now == want {
		return nil
	}
	argv := []string{"update-grub"}
	if l == grubby {
		argv = []string{"grubby", "--update-kernel=ALL", "--remove-args=" + name}
		if want != "" {
			argv = append(argv, "--args="+bootWord(name, want))
		}
	}
	out, err := b.Kernel.Run(ctx, target.Command{Argv: argv, Timeout: updateTimeout})
	if err != nil {
		return err
	}
	if out.Code != 0 {
		return ended(argv, out)
	}
	got, err := b.next(ctx, l, name)
	if err != nil {
		return err
	}
	if sure && got != want {
		return ofBoot(name, say.Err("asked for {value}, the next boot would have {other}: another word of the "+
			"command line comes later (GRUB_CMDLINE_LINUX_DEFAULT in {path}, or a file of {path}.d)",
			"value", say.Quoted(want), "other", say.Quoted(got), "path", grubDefaults))
	}
	return nil
}

// Allowed implements Guard.
func (b bootKind) Allowed(_ context.Context, k apply.Knob) error {
	l, err := b.loader(k)
	if err == nil && l == systemdBoot {
		return errors.Join(b.agree(k.Address.Name()), b.mayWriteEntries())
	}
	return errors.Join(err, b.mayRun("update-grub or grubby"))
}

// Ours implements Kind.
func (b bootKind) Ours(found, after journal.State, k apply.Knob) bool {
	if found.File != nil && after.File != nil && found.File.Path == kernelCmdline {
		name := k.Address.Name()
		return inText(found.File, name) == inText(after.File, name) && sameLiveOrNone(found.Live, after.Live)
	}
	return grubForm.sameLine(found.File, after.File, k.Address.Name()) && sameLiveOrNone(found.Live, after.Live)
}

// Without implements Kind.
func (b bootKind) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	if found.File != nil && before.File != nil && found.File.Path == kernelCmdline {
		if found.File.Text == nil {
			return before, nil
		}
		text := asWord(*found.File.Text, k.Address.Name(), inText(before.File, k.Address.Name()))
		return journal.State{Live: before.Live, File: withText(found.File, &text)}, nil
	}
	return journal.State{Live: before.Live, File: grubForm.takeOut(found.File, before.File, k.Address.Name())}, nil
}

// Warnings implements apply.Warner: the same is to be known before.
func (b bootKind) Warnings(_ context.Context, k apply.Knob) ([]string, error) { return b.Notes(k) }

// Notes implements Noter.
func (b bootKind) Notes(k apply.Knob) ([]string, error) {
	if b.Kernel == nil {
		return nil, nil
	}
	name := k.Address.Name()
	v, err := b.running(name)
	if err != nil {
		return nil, err
	}
	started := "without " + name
	if v != "" {
		started = "with " + bootWord(name, v)
	}
	return []string{"the running kernel was started " + started + "; what is set now holds from the next boot"}, nil
}
