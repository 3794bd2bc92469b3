package pgsetting

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// home finds the file that a setting is to be written to: the one whose value wins once it is there. s is nil if no
// server runs.
func (p Kind) home(ctx context.Context, k apply.Knob, s *pgctl.Session) (string, error) {
	if err := p.Refuse(k.Instance); err != nil {
		return "", err
	}
	dir, _ := k.Instance.DataDirectory.Get()
	if dir == "" && s != nil {
		dir = s.DataDir
	}
	if dir == "" {
		return "", &say.Problem{Message: say.M("the data directory of {label} is not known", "label",
			k.Instance.Label()),
			Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root or as the owner of the data directory, or connect as a superuser")}
	}
	auto := path.Join(dir, conf.AutoFile)
	may, err := mayAlter(ctx, s, k.Address.Name())
	if err != nil {
		return "", err
	}
	if s != nil && !s.Here {
		if may {
			return auto, nil
		}
		return "", notHere(k)
	}
	main := p.ConfigFile(k.Instance, s)
	if main == "" && may {
		return auto, nil // Debian's /etc/postgresql may be closed to us; ALTER SYSTEM wins over all of it
	}
	if main == "" {
		return "", noRight(k, s, say.M("postgresql.conf is not to be found or closed to us"))
	}
	// read as the server would; Try reports what is invalid there
	files, err := p.Files(dir)
	if err != nil {
		return "", err
	}
	now := conf.Resolve(target.ConfigFiles{Target: files}, main, dir)
	win, set := now.Winner(k.Address.Name())
	if set && oursWins(files, win, k) {
		return win.File, nil
	}
	if may {
		return auto, nil
	}
	if set && win.File == auto {
		if s == nil { // no one else writes it now
			return auto, p.mayWrite(dir, auto)
		}
		return "", &say.Problem{Message: say.M("{file} line {line} sets {name}, and wins over every file that could "+
			"be written", "file", win.File, "line", fmt.Sprint(win.Line), "name", win.Name),
			Detail: whyNot(s),
			Hint:   say.M("take it out with ALTER SYSTEM RESET as a superuser, while allow_alter_system is on"),
			Code:   say.CodeRefused}
	}
	return p.fileHome(files, k, main, dir, now, s)
}

// oursWins reports whether a line stands where we write.
func oursWins(files target.Target, win conf.Setting, k apply.Knob) bool {
	switch formOf(win.File) {
	case dropInForm:
		return true
	case blockForm:
		f, err := apply.LookFile(files, win.File)
		_, in := blockForm.get(f.Text, k.Address.Name())
		return err == nil && in
	}
	return false
}

// fileHome chooses among the files of an administrator: a drop-in of ours in the last directory whose line would win,
// else lines at the end of postgresql.conf.
func (p Kind) fileHome(files target.Target, k apply.Knob, main, dir string, now conf.Resolved,
	s *pgctl.Session) (string, error) {
	name := k.Address.Name()
	var candidates []string
	for _, d := range slices.Backward(now.Dirs) {
		if at := path.Join(d, dropInName); !slices.Contains(candidates, at) {
			candidates = append(candidates, at)
		}
	}
	candidates = append(candidates, main)
	var rights error
	var winner conf.Setting
	for _, at := range candidates {
		file, err := apply.LookFile(files, at)
		if err != nil {
			rights = errors.Join(rights, err)
			continue
		}
		value := "" // which one makes no difference to who wins
		text, err := formOf(at).set(file.Text, name, &value)
		if err != nil {
			return "", say.Named(at, err)
		}
		r := conf.Resolve(target.ConfigFiles{Target: files, Replaced: at, Text: *text}, main, dir)
		if winner, _ = r.Winner(name); winner.File != at {
			continue
		}
		if err := p.mayWrite(dir, at); err != nil {
			rights = errors.Join(rights, err)
			continue
		}
		return at, nil
	}
	if rights != nil {
		return "", noRight(k, s, say.OfError(rights))
	}
	return "", &say.Problem{Message: say.M("{file} line {line} sets {name}, and wins over every file that could be "+
		"written", "file", winner.File, "line", fmt.Sprint(winner.Line), "name", name),
		Hint: say.M("change it there, or take the line out"), Code: say.CodeRefused}
}

// mayAlter reports whether ALTER SYSTEM would be let through for a setting.
func mayAlter(ctx context.Context, s *pgctl.Session, name string) (bool, error) {
	if s == nil || !s.AlterSystem {
		return false, nil
	}
	if s.Super || s.Version < 150000 {
		return s.Super, nil
	}
	rows, err := s.Rows(ctx, `select has_parameter_privilege($1::text, 'ALTER SYSTEM')::text`, name)
	if err != nil || len(rows) != 1 {
		return false, errors.Join(say.Err("right to ALTER SYSTEM"), err)
	}
	return rows[0][0] == "true", nil
}

// whyNot returns why ALTER SYSTEM is not used.
func whyNot(s *pgctl.Session) say.Message {
	switch {
	case s == nil:
		return say.M("the server is not running")
	case !s.AlterSystem:
		return say.M("allow_alter_system is off")
	}
	return say.M("{role} is not a superuser", "role", s.Role)
}

func noRight(k apply.Knob, s *pgctl.Session, detail say.Message) error {
	return &say.Problem{Message: say.M("{name} is not to be written: {why}", "name", k.Address.Name(), "why",
		whyNot(s)), Detail: detail,
		Code: say.CodeNoAccess,
		Hint: say.M("connect as a superuser, or run pgfettle as root or as the owner of the configuration files")}
}

func notHere(k apply.Knob) error {
	return &say.Problem{Message: say.M("{name} is not to be written: the server runs on another host, and the role "+
		"is no superuser", "name", k.Address.Name()), Code: say.CodeNoAccess,
		Hint: say.M("connect as a superuser, or run pgfettle on the server's host")}
}

// setFile is SetFile of a file of an instance, as its account: its directories cannot lead to a file that is not its
// own.
func (p Kind) setFile(in *snapshot.Instance, f journal.File) error {
	files, err := p.FilesOf(in)
	if err != nil {
		return err
	}
	dir, _ := in.DataDirectory.Get()
	if err := p.mayWrite(dir, f.Path); err != nil {
		return err
	}
	if formOf(f.Path) == blockForm { // an administrator's postgresql.conf may well be a link
		if real, err := files.Resolve(f.Path); err == nil {
			f.Path = real
		}
	} else if err := notLink(files, f.Path); err != nil {
		return err
	}
	return apply.SetFile(files, f)
}

// notLink refuses a symbolic link where a server's own file is expected.
func notLink(files target.Target, name string) error {
	if to, err := files.Readlink(name); err == nil {
		return &say.Problem{Message: say.M("{name} is a symbolic link to {to}; the server expects a regular file",
			"name", name, "to", to),
			Code: say.CodeRefused,
			Hint: say.M("put the file itself there")}
	}
	return nil
}
