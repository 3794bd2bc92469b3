package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// sysfs is a file of /sys: the switches of transparent huge pages, which
// systemd-tmpfiles writes at boot, and the queue of a block device, which udev
// sets up whenever the device appears.
type sysfs struct{ Host }

const blockDir = "/sys/block/"

const thpDir = "/sys/kernel/mm/transparent_hugepage/"

var (
	thpName   = regexp.MustCompile(`^[a-z_]+$|^khugepaged/[a-z_]+$|^hugepages-[0-9]+kB/(enabled|shmem_enabled)$`)
	blockName = regexp.MustCompile(`^([A-Za-z0-9_.:-]+|mapper/[A-Za-z0-9_.+-]+)/(scheduler|read_ahead_kb)$`)
	sysfsWord = regexp.MustCompile(`^[A-Za-z0-9_+-]+$`)
)

// attribute is one file of /sys and its persistent home.
type attribute struct {
	path string // live; of a volume of device mapper without its device, which is found when it is read
	form keyed
	file string
	key  string // in the file
}

func attributeOf(a knob.Address) (attribute, error) {
	name := a.Name()
	switch {
	case a.Prefix() == "thp" && thpName.MatchString(name):
		return attribute{thpDir + name, tmpfilesForm, tmpfilesFile, thpDir + name}, nil
	case a.Prefix() == "block" && blockName.MatchString(name) && name[0] != '.':
		return attribute{blockDir + a.Subject() + "/queue/" + path.Base(name), udevForm, udevFile, name}, nil
	}
	return attribute{}, fmt.Errorf("%s is not the address of a file of /sys that is set here", a)
}

// Look implements Kind.
func (s sysfs) Look(_ context.Context, k apply.Knob) (st journal.State, err error) {
	at, err := attributeOf(k.Address)
	if err != nil {
		return st, err
	}
	if st.File, err = s.lookFile(at.file); err != nil || s.Kernel == nil {
		return st, err
	}
	if at, err = s.device(at); err != nil {
		return st, err
	}
	live, err := s.live(at)
	if err != nil {
		return st, err
	}
	st.Live = &live
	return st, nil
}

// device finds where the live value is: a volume of device mapper has the number
// that it was given at this boot.
func (s sysfs) device(at attribute) (attribute, error) {
	rest, ok := strings.CutPrefix(at.path, blockDir+mapper)
	if !ok {
		return at, nil
	}
	name, _, _ := strings.Cut(rest, "/")
	all, err := s.Kernel.ReadDir(blockDir)
	if err != nil {
		return at, err
	}
	for _, dev := range all {
		if !strings.HasPrefix(dev, "dm-") {
			continue
		}
		b, err := s.Kernel.ReadFile(blockDir+dev+"/dm/name", maxLive)
		if err == nil && strings.TrimSpace(string(b)) == name {
			at.path = blockDir + dev + strings.TrimPrefix(rest, name)
			return at, nil
		}
	}
	return at, say.Err("this kernel has no volume of device mapper named {name}: {reason}", "name", name,
		"reason", fs.ErrNotExist)
}

// live reads a value: the word in brackets where the kernel lists the choices.
func (s sysfs) live(at attribute) (string, error) {
	b, err := s.Kernel.ReadFile(at.path, maxLive)
	if errors.Is(err, fs.ErrNotExist) {
		return "", say.Err("this kernel has no {path}: {reason}", "path", at.path, "reason", err)
	}
	if err != nil {
		return "", err
	}
	v, err := host.ParseScheduler(b)
	if err != nil {
		return "", say.Named(at.path, err)
	}
	return v, nil
}

// Want implements Kind.
func (s sysfs) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	at, err := attributeOf(k.Address)
	if err != nil {
		return now, err
	}
	if !sysfsWord.MatchString(value) {
		return now, say.Named(k.Address, say.Err("{value} is not a value of a file of /sys",
			"value", say.Quoted(value)))
	}
	want := now
	if now.File != nil {
		text := at.form.set(now.File.Text, at.key, value)
		want.File = withText(now.File, &text)
	}
	if now.Live != nil {
		want.Live = &value
	}
	return want, nil
}

// Set implements Kind.
func (s sysfs) Set(_ context.Context, k apply.Knob, st journal.State) error {
	at, err := attributeOf(k.Address)
	if err != nil {
		return err
	}
	if err := s.setFile(st.File); err != nil || st.Live == nil || s.Kernel == nil {
		return err
	}
	if at, err = s.device(at); err != nil {
		return err
	}
	now, err := s.live(at)
	if err != nil || now == *st.Live {
		return err
	}
	if err := s.Kernel.Poke(at.path, *st.Live); err != nil {
		return err
	}
	got, err := s.live(at)
	if err != nil {
		return err
	}
	if got != *st.Live {
		return say.Named(at.path, say.Err("asked for {value}, the kernel gives {other}", "value", *st.Live,
			"other", got))
	}
	return nil
}

// Allowed implements Guard.
func (s sysfs) Allowed(_ context.Context, k apply.Knob) error {
	at, err := attributeOf(k.Address)
	if err != nil {
		return err
	}
	if s.Kernel != nil {
		if at, err = s.device(at); err != nil {
			return err
		}
	}
	return s.mayPoke(at.path)
}

// Ours implements Kind.
func (s sysfs) Ours(found, after journal.State, k apply.Knob) bool {
	at, err := attributeOf(k.Address)
	return err == nil && at.form.sameLine(found.File, after.File, at.key) && sameLiveOrNone(found.Live, after.Live)
}

// Without implements Kind.
func (s sysfs) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	at, err := attributeOf(k.Address)
	if err != nil {
		return found, err
	}
	return journal.State{Live: before.Live, File: at.form.takeOut(found.File, before.File, at.key)}, nil
}
