package linux

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// swapFile is a swap file that 'pgfettle create' makes, with the size and the UUID of its value. It gets its blocks and
// its header under another name, and its own name once it is whole: a file of that name with that UUID is ours, and
// every other one is not. Whether it is used is of swapArea.
type swapFile struct{ Host }

// The live values of what is neither there nor whole.
const (
	halfMade  = "not finished"
	otherFile = "another file"
)

// path is where the file of an address is.
func (s swapFile) path(k apply.Knob) (string, error) {
	at := k.Address.Name()
	if !newcluster.SwapPath(at) {
		return "", say.Named(k.Address, say.Err("{value} is not the path of a swap file", "value", say.Quoted(at)))
	}
	return at, nil
}

// Look implements Kind.
func (s swapFile) Look(_ context.Context, k apply.Knob) (journal.State, error) {
	at, err := s.path(k)
	if err != nil {
		return journal.State{}, err
	}
	v, err := s.found(at)
	return journal.State{Live: &v}, err
}

func (s swapFile) found(at string) (string, error) {
	in, err := s.Files.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := s.Files.Lstat(target.TempOf(at))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return newcluster.Absent, nil
		case err != nil:
			return "", err
		}
		return halfMade, nil
	case err != nil:
		return "", err
	case !in.Mode.IsRegular():
		return otherFile, nil
	}
	f, err := s.Files.Open(at)
	if err != nil {
		return "", err
	}
	page := make([]byte, s.Files.PageSize())
	_, err = io.ReadFull(f, page)
	short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err = errors.Join(err, f.Close()); err != nil && !short {
		return "", err
	}
	if id, ok := host.SwapUUID(page); ok {
		return newcluster.Swap{Size: unit.Bytes(in.Size), UUID: id}.Text(), nil
	}
	return otherFile, nil
}

// Want implements Kind.
func (s swapFile) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	if value != newcluster.Absent {
		if _, err := newcluster.ParseSwap(value); err != nil {
			return journal.State{}, say.Named(k.Address, err)
		}
	}
	return journal.State{Live: &value}, nil
}

// Set implements Kind.
func (s swapFile) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	at, err := s.path(k)
	if err != nil || st.Live == nil {
		return err
	}
	now, err := s.found(at)
	if err != nil || now == *st.Live {
		return err
	}
	if err := s.mayMake(at); err != nil {
		return err
	}
	gone := *st.Live == newcluster.Absent
	if now != newcluster.Absent && now != halfMade && (!gone || now != k.To) {
		return say.Named(at, say.Err("a file that was not made here"))
	}
	if err := s.Files.Remove(target.TempOf(at)); err != nil {
		return err
	}
	if !gone {
		return s.make(ctx, at, *st.Live)
	}
	on, err := s.swapsTo(at)
	if err == nil && on {
		err = say.Named(at, say.Err("it is in use as swap"))
	}
	if err != nil {
		return err
	}
	return s.Files.Remove(at)
}

// mayMake says why root makes and removes no file of this name: others can change what it leads to.
func (s swapFile) mayMake(at string) error {
	if s.Files.UID() != 0 {
		return nil
	}
	return target.RootsOwn(s.Files, path.Dir(at))
}

func (s swapFile) make(ctx context.Context, at, value string) error {
	want, err := newcluster.ParseSwap(value)
	if err != nil {
		return err
	}
	room, ok := s.Files.(target.Allocator)
	if !ok || s.Kernel == nil {
		return say.Named(at, say.Err("a swap file is made on this machine alone"))
	}
	temp := target.TempOf(at)
	if err := room.Allocate(temp, int64(want.Size)); err != nil {
		return err
	}
	if _, err := run(ctx, s.Kernel, "mkswap", "-U", want.UUID, temp); err != nil {
		return errors.Join(err, s.Files.Remove(temp))
	}
	if err := room.Install(temp, at); err != nil {
		return errors.Join(err, s.Files.Remove(temp))
	}
	return nil
}

// Halfway implements Partial.
func (s swapFile) Halfway(found, _, _ journal.State, _ apply.Knob) bool {
	return found.Live != nil && *found.Live == halfMade
}

// Allowed implements Guard.
func (s swapFile) Allowed(_ context.Context, k apply.Knob) error {
	if err := s.mayRun("mkswap"); err != nil {
		return err
	}
	return s.mayMake(k.Address.Name())
}

// Ours implements Kind: the whole of it is ours or nothing.
func (s swapFile) Ours(found, after journal.State, _ apply.Knob) bool { return found.SameLive(after) }

// Without implements Kind.
func (s swapFile) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}

// Short implements Shortener.
func (s swapFile) Short(value string) string { return newcluster.Short(value) }

// Spell implements Speller.
func (s swapFile) Spell(_ apply.Knob, live string) string { return newcluster.Short(live) }
