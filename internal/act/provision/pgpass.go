package provision

import (
	"errors"
	"io/fs"
	"os/user"
	"path"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pgpass"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Pgpass looks at the password file of who runs this: the account that an instance runs as needs none, as the socket
// lets it in. The error is a *say.Problem.
func Pgpass(t target.Target, e pgpass.Entry) (*creation.Pgpass, error) {
	u, err := user.LookupId(strconv.Itoa(t.UID()))
	if err != nil || !path.IsAbs(u.HomeDir) {
		return nil, &say.Problem{Message: say.M("your home directory is unknown"), Hint: say.M("omit --pgpass"),
			Code: say.CodeRefused}
	}
	at := path.Join(u.HomeDir, ".pgpass")
	text, err := PasswordFile(t, at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := t.Writable(at); err != nil {
			return nil, target.NoAccess(at, err)
		}
		return &creation.Pgpass{File: at, Entry: e, New: true}, nil
	case err != nil:
		return nil, err
	}
	if e.In(text) {
		return nil, &say.Problem{Message: say.M("{file} has a line for {entry}", "file", at, "entry", e.String()),
			Hint: say.M("remove the line, or omit --pgpass"), Code: say.CodeRefused}
	}
	who := e
	who.Database = "postgres"
	_, other := pgpass.Find(text, who)
	return &creation.Pgpass{File: at, Entry: e, Covered: other}, nil
}

// PasswordFile reads a password file of who runs this, which libpq would use: no link, ours, and closed to others. The
// error is a *say.Problem, or one of io/fs.
func PasswordFile(t target.Target, at string) (string, error) {
	in, err := t.Lstat(at)
	if err != nil {
		return "", err
	}
	why, hint := say.Message{}, say.M("remove it, or omit --pgpass")
	switch {
	case in.Mode&fs.ModeSymlink != 0:
		why = say.M("it is a symbolic link")
	case !in.Mode.IsRegular():
		why = say.M("it is not a file")
	case in.UID != t.UID():
		why, hint = say.M("it belongs to user {uid}", "uid", strconv.Itoa(in.UID)), say.M("chown it, or omit --pgpass")
	case in.Mode.Perm()&0o077 != 0:
		why, hint = say.M("its mode is {mode}", "mode", "0"+strconv.FormatUint(uint64(in.Mode.Perm()), 8)),
			say.M("run: chmod 600 {file}", "file", at)
	default:
		b, err := t.ReadFile(at, pgpass.MaxFile)
		return string(b), err
	}
	return "", &say.Problem{Message: say.M("the password file {file} is not written", "file", at), Detail: why,
		Hint: hint,
		Code: say.CodeRefused}
}
