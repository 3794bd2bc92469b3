package apply

import (
	"errors"
	"io/fs"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// LookFile returns what a file holds, or that there is none. Owner and mode of
// one that is to be made are the caller's to fill in.
func LookFile(t target.Target, path string) (journal.File, error) {
	f := journal.File{Path: path}
	data, err := t.ReadFile(path, target.MaxConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	in, err := t.Stat(path)
	if err != nil {
		return f, err
	}
	if !utf8.Valid(data) {
		return f, say.Named(path, say.Err("not UTF-8 text, which a journal could not give back byte for byte"))
	}
	text := string(data)
	f.Text, f.Mode, f.UID, f.GID = &text, uint32(in.Mode.Perm()), in.UID, in.GID
	return f, nil
}

// SetFile makes a file what f says, or removes it; where it is so already
// nothing is written. Where f says what it takes the place of, and the file is
// another one by now, the error is an *Overtaken and the file stays.
func SetFile(t target.Target, f journal.File) error {
	now, err := LookFile(t, f.Path)
	if err != nil {
		return err
	}
	if now.Same(f) {
		return nil
	}
	if err := CheckOvertaken(now, f); err != nil {
		return err
	}
	still := func() error {
		if f.Over == nil {
			return nil
		}
		now, err := LookFile(t, f.Path)
		if err != nil {
			return err
		}
		return CheckOvertaken(now, f)
	}
	if f.Text == nil {
		return t.RemoveWhile(f.Path, still)
	}
	return t.PutWhile(f.Path, []byte(*f.Text), fs.FileMode(f.Mode), f.UID, f.GID, still)
}

// Overtaken says that a file was changed between our reading and our writing it: that edit stands, and ours was not
// made.
type Overtaken struct{ Path string }

func (o *Overtaken) Error() string {
	return o.Path + " was changed at this moment by another process, and is kept"
}

func CheckOvertaken(now, f journal.File) error {
	if f.Over == nil {
		return nil
	}
	was := *f.Over
	was.Path = now.Path // of a link, what it leads to
	if now.Same(was) {
		return nil
	}
	return &Overtaken{now.Path}
}

// insteadOf says of a state that is to be set which file it takes the place of.
func insteadOf(want, now journal.State) journal.State {
	if want.File == nil || now.File == nil || want.File.Path != now.File.Path {
		return want
	}
	f := *want.File
	f.Over = now.File
	want.File = &f
	return want
}

func RootsFile(t target.Target, name string) error {
	if t.UID() != 0 {
		return nil
	}
	err := target.RootsOwn(t, name)
	var c *target.Changeable
	if !errors.As(err, &c) {
		return err
	}
	return &say.Problem{Message: say.M("{name} is not written as root", "name", name),
		Detail: gapwords.Of(c.Error()), Code: say.CodeRefused,
		Hint: say.M("give it to root with chown root: and take the right to write from others with chmod go-w")}
}
