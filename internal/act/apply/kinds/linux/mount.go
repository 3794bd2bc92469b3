package linux

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// mountKind is mount:PATH/options: the field of options in /etc/fstab, and the
// flags of the mount. Its value is the whole field. Its live value is only what
// a remount can be trusted to change, the flags that the kernel keeps for every
// kind of filesystem; options of the filesystem's own hold from the next mount.
type mountKind struct{ Host }

// mountOptions is a field of fstab: words parted by commas, without blanks.
var mountOptions = regexp.MustCompile(`^[^\s,#"\\]+(,[^\s,#"\\]+)*$`)

// pointOf returns the mount point of an address.
func pointOf(a knob.Address) (string, error) {
	point, ok := strings.CutSuffix(a.Name(), "/options")
	if point == "" {
		point = "/"
	}
	if !ok || !strings.HasPrefix(point, "/") {
		return "", fmt.Errorf("%s does not name the options of a mount point", a)
	}
	return path.Clean(point), nil
}

// Look implements Kind.
func (m mountKind) Look(_ context.Context, k apply.Knob) (st journal.State, err error) {
	point, err := pointOf(k.Address)
	if err != nil {
		return st, err
	}
	if st.File, err = m.lookFile(fstabFile); err != nil {
		return st, err
	}
	if _, ok, err := fstabOptions(st.File.Text, point); err != nil || !ok {
		if err == nil {
			err = say.Named(fstabFile, say.Err("no line mounts {path}: its options are set where it is mounted",
				"path", point))
		}
		return st, err
	}
	at, err := m.mounted(point)
	if err != nil || at == nil {
		return st, err
	}
	live := host.ShownFlags(at.Options).String()
	st.Live = &live
	return st, nil
}

// mounted returns what is mounted at a place, the topmost where several are; nil if nothing is, or there is no kernel
// to ask.
func (m mountKind) mounted(point string) (*host.Mount, error) {
	all, err := m.mounts()
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Point == point {
			return &all[i], nil
		}
	}
	return nil, nil
}

// Want implements Kind.
func (m mountKind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	point, err := pointOf(k.Address)
	if err != nil {
		return now, err
	}
	words := strings.Split(value, ",")
	if !mountOptions.MatchString(value) || slices.Contains(words, "remount") || slices.Contains(words, "bind") {
		return now, say.Named(k.Address, say.Err("{value} is not a field of options", "value", say.Quoted(value)))
	}
	if now.File == nil || now.File.Text == nil {
		return now, say.Named(fstabFile, say.Err("there is no such file"))
	}
	text, err := setFstab(*now.File.Text, point, value)
	if err != nil {
		return now, err
	}
	want := now
	want.File = withText(now.File, &text)
	if now.Live != nil {
		live := host.WantedFlags(words).String()
		want.Live = &live
	}
	return want, nil
}

// Set implements Kind.
func (m mountKind) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	point, err := pointOf(k.Address)
	if err != nil {
		return err
	}
	if err := m.setFile(st.File); err != nil || st.Live == nil {
		return err
	}
	at, err := m.mounted(point)
	if err != nil || at == nil {
		return err
	}
	now := host.ShownFlags(at.Options)
	if now.String() == *st.Live {
		return nil
	}
	want := host.WantedFlags(strings.Split(*st.Live, ","))
	if _, err := run(ctx, m.Kernel, "mount", "-o", "remount,"+want.Remount(now), point); err != nil {
		return err
	}
	if at, err = m.mounted(point); err != nil {
		return err
	}
	if at == nil {
		return say.Err("{path} is not mounted any more", "path", point)
	}
	if got := host.ShownFlags(at.Options).String(); got != *st.Live {
		return say.Named(point, say.Err("asked for a mount with {value}, the kernel gives {other}",
			"value", *st.Live, "other", got))
	}
	return nil
}

// Allowed implements Guard.
func (m mountKind) Allowed(context.Context, apply.Knob) error { return m.mayRun("mount") }

// Ours implements Kind.
func (m mountKind) Ours(found, after journal.State, k apply.Knob) bool {
	point, err := pointOf(k.Address)
	if err != nil || found.File == nil || after.File == nil {
		return false
	}
	have, ok1, err1 := fstabOptions(found.File.Text, point)
	want, ok2, err2 := fstabOptions(after.File.Text, point)
	return ok1 && ok2 && err1 == nil && err2 == nil && have == want && sameLiveOrNone(found.Live, after.Live)
}

// Without implements Kind.
func (m mountKind) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	point, err := pointOf(k.Address)
	if err != nil || found.File == nil || found.File.Text == nil || before.File == nil {
		return found, err
	}
	was, ok, err := fstabOptions(before.File.Text, point)
	if err != nil || !ok {
		return found, err
	}
	text, err := setFstab(*found.File.Text, point, was)
	return journal.State{Live: before.Live, File: withText(found.File, &text)}, err
}

// Notes implements Noter.
func (m mountKind) Notes(k apply.Knob) ([]string, error) {
	point, err := pointOf(k.Address)
	if err != nil {
		return nil, err
	}
	f, err := m.lookFile(fstabFile)
	if err != nil {
		return nil, err
	}
	options, ok, err := fstabOptions(f.Text, point)
	if err != nil || !ok {
		return nil, err
	}
	at, err := m.mounted(point)
	if err != nil || at == nil {
		return nil, err
	}
	var later []string
	for _, w := range strings.Split(options, ",") {
		if !host.GenericOption(w) && !at.Has(w) {
			later = append(later, w)
		}
	}
	if later == nil {
		return nil, nil
	}
	return []string{
		fmt.Sprintf(
			"the kernel does not show %s among the options of %s: either that is the filesystem's default, or it "+
				"holds when it is mounted again", strings.Join(later, ","), point)}, nil
}
