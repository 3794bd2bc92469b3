package creation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// directory is an empty directory with a mode and an owner: "0700 26:26", "0755 0:0".
type directory struct {
	Host
	whole
}

// notEmpty ends the live value of a directory in which something is: it is nobody's to remove.
const notEmpty = ", not empty"

// Look implements apply.Kind.
func (d directory) Look(_ context.Context, k apply.Knob) (journal.State, error) {
	at := k.Address.Name()
	in, err := d.Target.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return live(newcluster.Absent), nil
	}
	if err != nil {
		return journal.State{}, err
	}
	if !in.Mode.IsDir() {
		return live("not a directory"), nil
	}
	v := fmt.Sprintf("%04o %d:%d", in.Mode.Perm(), in.UID, in.GID)
	// with the rights of its owner, who may put a link in its place
	names, err := d.Target.As(target.User{UID: in.UID, GID: in.GID}).ReadDir(at)
	if err != nil {
		return journal.State{}, err
	}
	if len(names) > 0 {
		v += notEmpty
	}
	return live(v), nil
}

// Halfway implements apply.Partial: a directory is made first and then given to its owner.
func (d directory) Halfway(found, was, will journal.State, _ apply.Knob) bool {
	if found.Live == nil || will.Live == nil || !absent(was) || strings.HasSuffix(*found.Live, notEmpty) {
		return false
	}
	_, owner, err := d.parse(*found.Live)
	_, wanted, e := d.parse(*will.Live)
	return err == nil && e == nil && owner.UID == d.Target.UID() && wanted.UID != owner.UID
}

// Want implements apply.Kind.
func (d directory) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	if value == newcluster.Absent {
		return live(value), nil
	}
	mode, owner, err := d.parse(value)
	if err != nil {
		return journal.State{}, say.Named(k.Address, err)
	}
	return live(fmt.Sprintf("%04o %d:%d", mode, owner.UID, owner.GID)), nil
}

// parse reads a value; without an owner it is who we are.
func (d directory) parse(value string) (fs.FileMode, target.User, error) {
	text, owner, told := strings.Cut(value, " ")
	u := target.User{UID: d.Target.UID(), GID: os.Getegid()}
	mode, err := strconv.ParseUint(text, 8, 32)
	if err == nil && told {
		_, err = fmt.Sscanf(owner, "%d:%d", &u.UID, &u.GID)
	}
	if err != nil || mode > 0o777 {
		return 0, u, say.Err("{value} is not the mode and the owner of a directory", "value", say.Quoted(value))
	}
	return fs.FileMode(mode), u, nil
}

// Set implements apply.Kind.
func (d directory) Set(_ context.Context, k apply.Knob, s journal.State) error {
	at := k.Address.Name()
	value := k.To
	if s.Live != nil && !absent(s) {
		value = *s.Live
	}
	mode, owner, err := d.parse(value)
	if err != nil {
		return say.Named(k.Address, err)
	}
	folders := d.Folders(&owner)
	if owner.UID == d.Target.UID() {
		folders = d.Folders(nil)
		if owner.UID == 0 { // root makes and removes nothing where others lead it
			if err := target.RootsOwn(d.Target, path.Dir(at)); err != nil {
				return err
			}
		}
	}
	if absent(s) {
		return folders.Unmake(at)
	}
	return folders.Make(at, mode)
}
