package apply

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// lockPoll is how often a lock that another has is tried again: an apply takes
// seconds, and a fifth of one is not felt.
const lockPoll = 200 * time.Millisecond

// parts are what changes are made in: instances by their labels, and "" for the
// host. What two applies have no part of in common does not hang on the other: no
// file and no value is of two parts.
type parts map[string]bool

// theHost is the part that the kernel, the boot loader, mounts and units are.
const theHost = ""

func (p parts) add(a knob.Address, instance string) {
	if instance == "" || a.Layer() != knob.Instance {
		p[theHost] = true
	}
	if instance != "" {
		p[instance] = true
	}
}

// shares returns a part that is in both.
func (p parts) shares(q parts) (string, bool) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if q[name] {
			return name, true
		}
	}
	return "", false
}

func partsOf(list []plan.Change) parts {
	p := parts{}
	for i := range list {
		p.add(list[i].Address, list[i].Instance)
	}
	return p
}

// partsOfJournal are those of all that a journal is about, as far as that is known.
func partsOfJournal(j *journal.Journal) parts {
	p := parts{}
	for i := range j.Changes {
		p.add(j.Changes[i].Address, j.Changes[i].Instance)
	}
	if j.Damage != nil {
		for _, u := range j.Damage.Unknown {
			p.add(u.Address, u.Instance)
		}
	}
	if len(p) == 0 {
		p[theHost] = true
	}
	return p
}

// lockStem is the name of the host's lock, and what those of instances begin with.
const lockStem = "lock"

// lockName is the name of a part's lock. An instance is known by its data
// directory, by whatever links that is reached.
func (w *System) lockName(part string) string {
	if part == theHost {
		return lockStem
	}
	if path.IsAbs(part) {
		if at, err := w.Target.Resolve(part); err == nil {
			part = at
		} else {
			part = path.Clean(part) // it is gone, or closed to us
		}
	}
	sum := sha256.Sum256([]byte(part))
	return lockStem + "-" + hex.EncodeToString(sum[:8])
}

// lock takes the locks of some parts, which are beside the directory of the journals: one apply, undo or resume at a
// time on each. Two that need several take them in the same order, so that neither has what the other waits for.
func (w *System) lock(ctx context.Context, p parts, wait bool) (func(), error) {
	names := map[string]bool{}
	for part := range p {
		names[w.lockName(part)] = true
	}
	return w.lockAll(ctx, slices.Sorted(maps.Keys(names)), wait)
}

func (w *System) lockAll(ctx context.Context, names []string, wait bool) (func(), error) {
	dir := path.Dir(w.dir())
	if err := w.Target.Mkdir(dir, 0o700); err != nil {
		return nil, noJournal("the directory "+dir, err)
	}
	var held []func() error
	free := func() {
		for _, unlock := range slices.Backward(held) {
			_ = unlock() // the kernel takes it back with the process
		}
	}
	for _, n := range names {
		unlock, err := w.lockOne(ctx, path.Join(dir, n), wait)
		if err != nil {
			free()
			return nil, err
		}
		held = append(held, unlock)
	}
	return free, nil
}

func (w *System) lockOne(ctx context.Context, name string, wait bool) (func() error, error) {
	for said := false; ; {
		unlock, err := w.Target.Lock(name, w.Holder)
		var held *target.Held
		if !errors.As(err, &held) {
			if err != nil {
				return nil, noJournal("the lock "+name, err)
			}
			return unlock, nil
		}
		if !wait {
			return nil, &say.Problem{Message: say.M("another apply or undo is at work"), Detail: say.OfError(held),
				Hint: say.M("wait until it has ended, or give --wait"), Code: say.CodeRefused}
		}
		if !said {
			w.tell("waiting: " + held.Error())
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// hold finds the journal that is meant and takes the locks of its parts. id "" is the last one of this host that is;
// while one is waited for, another may have become that. The id is "" if there is none, and then nothing is locked.
func (w *System) hold(ctx context.Context, id string, wait bool, is func(*journal.Journal) bool) (string,
	func(), error) {
	for {
		name := id
		var err error
		if name == "" {
			if name, err = w.last(is); err != nil {
				return "", nil, err
			}
		}
		if name == "" {
			// one that has just begun may have no journal yet
			if err := w.idle(ctx, wait); err != nil {
				return "", nil, err
			}
			if name, err = w.last(is); err != nil || name == "" {
				return "", func() {}, err
			}
		}
		j, err := journalfile.Read(w.Target, w.dir(), name)
		if err != nil {
			return "", nil, target.NoAccess("the journal", err)
		}
		unlock, err := w.lock(ctx, partsOfJournal(j), wait)
		if err != nil {
			return "", nil, err
		}
		if id != "" {
			return name, unlock, nil
		}
		if now, err := w.last(is); err != nil || now == name {
			return name, unlock, err
		}
		unlock()
	}
}

// idle returns when nothing is at work any more, or that something is.
func (w *System) idle(ctx context.Context, wait bool) error {
	names, err := w.Target.ReadDir(path.Dir(w.dir()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return target.NoAccess("the directory "+path.Dir(w.dir()), err)
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return n != lockStem && !strings.HasPrefix(n, lockStem+"-")
	})
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	unlock, err := w.lockAll(ctx, names, wait)
	if err != nil {
		return err
	}
	unlock()
	return nil
}
