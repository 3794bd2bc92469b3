package target

import (
	"errors"
	"fmt"
	"io/fs"
)

// Changeable says that others can change what a name leads to.
type Changeable struct {
	Path string // the entry that they can change
	Why  string // a clause: "belongs to user 1000"
}

func (c *Changeable) Error() string { return c.Path + " " + c.Why }

// RootsOwn reports whether root alone can change what a name leads to, as far as it is there: nil, a *Changeable, or
// why that could not be found out.
func RootsOwn(t Target, name string) error {
	way, err := t.Way(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Owned(way, User{})
}

// Owned reports whether root and one user alone can change what a way leads to: nil or a *Changeable. Each entry has to
// belong to one of the two, and no other may write it; of what root lets everybody write with the sticky bit, as /tmp,
// only an entry that belongs to one of the two is safe. The group of root and the user's own count as themselves: who
// is in them was put there by root.
func Owned(way []Step, u User) error {
	for i, s := range way {
		if s.UID != 0 && s.UID != u.UID {
			return &Changeable{s.Path, fmt.Sprintf("belongs to user %d", s.UID)}
		}
		if s.Mode&fs.ModeSymlink != 0 {
			continue // its permissions mean nothing
		}
		perm := s.Mode.Perm()
		group := perm&0o020 != 0 && s.GID != 0 && (u.UID == 0 || s.GID != u.GID)
		if perm&0o002 == 0 && !group {
			continue
		}
		if sticky := s.Mode&fs.ModeSticky != 0 && s.Mode.IsDir() && s.UID == 0; sticky && i+1 < len(way) {
			continue // the owner of the entry in it is checked next
		}
		who := "everybody"
		if perm&0o002 == 0 {
			who = fmt.Sprintf("group %d", s.GID)
		}
		return &Changeable{s.Path, "may be written by " + who}
	}
	return nil
}
