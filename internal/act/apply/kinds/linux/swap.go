package linux

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// swapArea is a swap file that is used: its line in /etc/fstab, and whether the kernel swaps to it.
type swapArea struct{ swapFile }

// Look implements Kind.
func (s swapArea) Look(_ context.Context, k apply.Knob) (st journal.State, err error) {
	at, err := s.path(k)
	if err != nil {
		return st, err
	}
	if st.File, err = s.lookFile(fstabFile); err != nil || s.Kernel == nil {
		return st, err
	}
	on, err := s.swapsTo(at)
	v := used[on]
	st.Live = &v
	return st, err
}

// used are the values of what is used as swap, or is not.
var used = map[bool]string{true: newcluster.InUse, false: newcluster.Absent}

// Want implements Kind.
func (s swapArea) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	at, err := s.path(k)
	if err != nil {
		return now, err
	}
	if value != newcluster.InUse && value != newcluster.Absent {
		return now, say.Named(k.Address, say.Err("{value} is not a state of a swap area", "value", say.Quoted(value)))
	}
	want := now
	if now.Live != nil {
		want.Live = &value
	}
	if now.File == nil {
		return want, nil
	}
	if value == newcluster.Absent {
		want.File = withoutSwap(now.File, at)
		return want, nil
	}
	text, err := addSwap(now.File.Text, at)
	want.File = withText(now.File, &text)
	return want, err
}

// Set implements Kind.
func (s swapArea) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	at, err := s.path(k)
	if err != nil {
		return err
	}
	on, err := false, error(nil)
	if st.Live != nil {
		if on, err = s.swapsTo(at); err != nil {
			return err
		}
	}
	wanted := st.Live != nil && *st.Live == newcluster.InUse
	if on && !wanted { // before the file: what does not fit stays as a whole
		if err := s.fits(at); err != nil {
			return err
		}
	}
	if err := s.setFile(st.File); err != nil || st.Live == nil || on == wanted {
		return err
	}
	if !wanted {
		return s.swap(ctx, "swapoff", at)
	}
	if err := s.roots(at); err != nil {
		return err
	}
	return s.swap(ctx, "swapon", at)
}

// swapTimeout bounds a swapoff, which reads every page back: 8 GB in random order take a slow disk a quarter of an
// hour.
const swapTimeout = time.Hour

func (s swapArea) swap(ctx context.Context, program, at string) error {
	argv := []string{program, at}
	out, err := s.Kernel.Run(ctx, target.Command{Argv: argv, Timeout: swapTimeout})
	if err == nil && out.Code != 0 {
		err = ended(argv, out)
	}
	return err
}

// swapsTo reports whether the kernel swaps to a file.
func (h Host) swapsTo(at string) (bool, error) {
	a, err := h.swapped(at)
	return a != nil, err
}

// swapped is a file as /proc/swaps has it; nil if it is not in use.
func (h Host) swapped(at string) (*host.Swap, error) {
	if h.Kernel == nil {
		return nil, nil
	}
	const limit = 64 << 10 // a line for each of at most 32 areas
	b, err := h.Kernel.ReadFile("/proc/swaps", limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a kernel without swap
	}
	if err != nil {
		return nil, err
	}
	all, err := host.ParseSwaps(b)
	if err != nil {
		return nil, say.Named("/proc/swaps", err)
	}
	for i := range all {
		if all[i].Path == at {
			return &all[i], nil
		}
	}
	return nil, nil
}

// fits refuses to stop the use of a swap file whose pages have no room in memory: programs would be killed for them.
func (s swapArea) fits(at string) error {
	area, err := s.swapped(at)
	if err != nil || area == nil {
		return err
	}
	const limit = 64 << 10
	b, err := s.Kernel.ReadFile("/proc/meminfo", limit)
	if err != nil {
		return err
	}
	m, err := host.ParseMemory(b)
	if err != nil {
		return say.Named("/proc/meminfo", err)
	}
	free, ok := m.Told("MemAvailable").Get()
	switch {
	case area.Used == 0:
		return nil
	case !ok:
		return say.Named(at, say.Err("{used} of it are in use, and it is unknown how much memory is available",
			"used", area.Used))
	case area.Used+keepFree > free:
		return say.Named(at, say.Err("{used} of it are in use, and {free} of memory are available, of which {spare} "+
			"must stay free: stop programs first", "used", area.Used, "free", free, "spare", keepFree))
	}
	return nil
}

// Allowed implements Guard.
func (s swapArea) Allowed(context.Context, apply.Knob) error { return s.mayRun("swapon") }

// Halfway implements Partial: it is used or not, and nothing between.
func (s swapArea) Halfway(_, _, _ journal.State, _ apply.Knob) bool { return false }

// Ours implements Kind.
func (s swapArea) Ours(found, after journal.State, k apply.Knob) bool {
	at, err := s.path(k)
	return err == nil && hasSwap(found.File, at) && hasSwap(after.File, at) && sameLiveOrNone(found.Live, after.Live)
}

// Without implements Kind: our line goes, and no other one changes.
func (s swapArea) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	at, err := s.path(k)
	return journal.State{Live: before.Live, File: withoutSwap(found.File, at)}, err
}

// Spell implements Speller.
func (s swapArea) Spell(_ apply.Knob, live string) string { return live }

// hasSwap reports whether a file of fstab(5) has the line of a swap file, letter for letter.
func hasSwap(f *journal.File, at string) bool {
	if f == nil || f.Text == nil {
		return false
	}
	for _, line := range splitLines(*f.Text) {
		if strings.TrimSuffix(line, "\n") == newcluster.SwapLine(at) {
			return true
		}
	}
	return false
}

// addSwap appends the line of a swap file to a text of fstab(5). Another line for it is an error.
func addSwap(text *string, at string) (string, error) {
	if text == nil {
		return newcluster.SwapLine(at) + "\n", nil
	}
	if hasSwap(&journal.File{Text: text}, at) {
		return *text, nil
	}
	for _, a := range host.FstabSwaps(*text) {
		if a.What == at {
			return "", say.Named(fstabFile, say.Err("line {line} is for {path}", "line", a.Line, "path", at))
		}
	}
	end := ""
	if *text != "" && !strings.HasSuffix(*text, "\n") {
		end = "\n"
	}
	return *text + end + newcluster.SwapLine(at) + "\n", nil
}

// withoutSwap takes the line of a swap file out of a file. Where it was all of it, the file stays: it is the system's.
func withoutSwap(f *journal.File, at string) *journal.File {
	if !hasSwap(f, at) {
		return f
	}
	var out strings.Builder
	for _, line := range splitLines(*f.Text) {
		if strings.TrimSuffix(line, "\n") != newcluster.SwapLine(at) {
			out.WriteString(line)
		}
	}
	text := out.String()
	return withText(f, &text)
}
