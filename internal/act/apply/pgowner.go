package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// managers tells where the change belongs instead.
var managers = map[string]string{
	"patroni":          "give it to Patroni with \"patronictl edit-config\"; 'pgfettle plan --format patroni' prints it in that form",
	"cloudnative-pg":   "put it into the Cluster resource; 'pgfettle plan --format cnpg' prints it in that form",
	"pg_auto_failover": "set it with \"pg_autoctl config set\" and in the files that it includes",
	"ansible":          "put it into the role that writes the file; 'pgfettle plan --format ansible' prints it in that form",
}

// Refuse says whether an instance is not ours to configure: another program
// owns its configuration and would write over ours, or it runs in a container,
// whose files and programs are others than the ones seen here. nil: it is ours.
func (p *PG) Refuse(in *snapshot.Instance) error {
	if m, ok := in.Manager.Get(); ok && m != "" {
		hint, known := managers[m]
		if !known {
			hint = "change it where " + m + " takes it from; 'pgfettle plan --format conf' prints it as lines of postgresql.conf"
		}
		return &say.Problem{Message: m + " owns the configuration of " + in.Label(), Code: say.CodeRefused,
			Detail: "it would write over what is changed behind its back", Hint: hint}
	}
	pm, ok := in.Postmaster().Get()
	if !ok {
		return nil
	}
	theirs, err1 := p.Target.Stat("/proc/" + strconv.Itoa(pm.PID) + "/root")
	ours, err2 := p.Target.Stat("/")
	if err1 == nil && err2 == nil && (theirs.Dev != ours.Dev || theirs.Inode != ours.Inode) {
		return &say.Problem{Message: in.Label() + " runs in a container", Code: say.CodeRefused,
			Detail: "its files and programs are not those of this host",
			Hint:   "run pgfettle in the container, or change the image or the arguments that it starts with"}
	}
	return nil
}

// configFile returns the path of postgresql.conf: as the server says, as the
// snapshot has it, or where Debian or initdb put it; "" where there is none.
func (p *PG) configFile(k Knob, s *pgSession) string {
	dir, _ := k.Instance.DataDirectory.Get()
	files, err := p.filesOf(k.Instance)
	if err != nil {
		return ""
	}
	candidates := []string{}
	if s != nil {
		candidates = append(candidates, s.configFile)
	}
	if set, ok := k.Instance.Server.Settings.Get(); ok {
		v, _ := set.Text("config_file")
		candidates = append(candidates, v)
	}
	if dir != "" {
		candidates = append(candidates, path.Join(dir, "postgresql.conf"))
		if v, c := path.Base(path.Dir(dir)), path.Base(dir); path.Dir(path.Dir(dir)) == "/var/lib/postgresql" {
			candidates = append(candidates, path.Join("/etc/postgresql", v, c, "postgresql.conf"))
		}
	}
	for _, c := range candidates {
		if c == "" {
			continue
		}
		if _, err := files.Stat(c); err == nil {
			return c
		}
	}
	return ""
}

// home finds the file that a setting is to be written to: the one whose value
// wins once it is there. s is nil where no server runs.
func (p *PG) home(ctx context.Context, k Knob, s *pgSession) (string, error) {
	if err := p.Refuse(k.Instance); err != nil {
		return "", err
	}
	dir, _ := k.Instance.DataDirectory.Get()
	if dir == "" && s != nil {
		dir = s.dataDir
	}
	if dir == "" {
		return "", &say.Problem{Message: "the data directory of " + k.Instance.Label() + " is not known", Code: say.CodeNoAccess,
			Hint: "run pgfettle as root or as the owner of the data directory, or connect as a superuser"}
	}
	auto := path.Join(dir, conf.AutoFile)
	may, err := s.mayAlter(ctx, k.Address.Name())
	if err != nil {
		return "", err
	}
	if s != nil && !s.here {
		if may {
			return auto, nil
		}
		return "", notHere(k)
	}
	main := p.configFile(k, s)
	if main == "" && may {
		return auto, nil // Debian's /etc/postgresql may be closed to us; ALTER SYSTEM wins over all of it
	}
	if main == "" {
		return "", noRight(k, s, "postgresql.conf is not to be found or closed to us")
	}
	// read as the server would; what is faulty there is for Try to tell
	files, err := p.files(dir)
	if err != nil {
		return "", err
	}
	now := conf.Resolve(pgFiles{t: files}, main, dir)
	win, set := now.Winner(k.Address.Name())
	if set && ours(files, win, k) {
		return win.File, nil
	}
	if may {
		return auto, nil
	}
	if set && win.File == auto {
		if s == nil { // nobody else writes it now
			return auto, p.mayWrite(dir, auto)
		}
		return "", &say.Problem{Message: fmt.Sprintf("%s line %d sets %s, and wins over every file that could be written", win.File, win.Line, win.Name),
			Detail: s.whyNot(), Hint: "take it out with ALTER SYSTEM RESET as a superuser, while allow_alter_system is on", Code: say.CodeRefused}
	}
	return p.fileHome(files, k, main, dir, now, s)
}

// ours says whether a line stands where we write.
func ours(files target.Target, win conf.Setting, k Knob) bool {
	switch formOf(win.File) {
	case dropInForm:
		return true
	case blockForm:
		f, err := LookFile(files, win.File)
		_, in := blockForm.get(f.Text, k.Address.Name())
		return err == nil && in
	}
	return false
}

// fileHome chooses among the files of an administrator: a drop-in of ours in the
// last folder whose line would win, else lines at the end of postgresql.conf.
func (p *PG) fileHome(files target.Target, k Knob, main, dir string, now conf.Resolved, s *pgSession) (string, error) {
	name := k.Address.Name()
	var candidates []string
	for _, d := range slices.Backward(now.Dirs) {
		if at := path.Join(d, pgDropIn); !slices.Contains(candidates, at) {
			candidates = append(candidates, at)
		}
	}
	candidates = append(candidates, main)
	var rights error
	var winner conf.Setting
	for _, at := range candidates {
		file, err := LookFile(files, at)
		if err != nil {
			rights = errors.Join(rights, err)
			continue
		}
		value := "" // which one makes no difference to who wins
		text, err := formOf(at).set(file.Text, name, &value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", at, err)
		}
		r := conf.Resolve(pgFiles{t: files, path: at, text: *text}, main, dir)
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
		return "", noRight(k, s, rights.Error())
	}
	return "", &say.Problem{Message: fmt.Sprintf("%s line %d sets %s, and wins over every file that could be written", winner.File, winner.Line, name),
		Hint: "change it there, or take the line out", Code: say.CodeRefused}
}

// mayAlter says whether ALTER SYSTEM would be let through for a setting.
func (s *pgSession) mayAlter(ctx context.Context, name string) (bool, error) {
	if s == nil || !s.alter {
		return false, nil
	}
	if s.super || s.version < 150000 {
		return s.super, nil
	}
	rows, err := s.rows(ctx, `select has_parameter_privilege($1::text, 'ALTER SYSTEM')::text`, name)
	if err != nil || len(rows) != 1 {
		return false, errors.Join(fmt.Errorf("right to ALTER SYSTEM"), err)
	}
	return rows[0][0] == "true", nil
}

// whyNot tells why ALTER SYSTEM is not used.
func (s *pgSession) whyNot() string {
	switch {
	case s == nil:
		return "no server runs that could be told"
	case !s.alter:
		return "allow_alter_system is off"
	}
	return s.role + " is no superuser"
}

func noRight(k Knob, s *pgSession, detail string) error {
	return &say.Problem{Message: k.Address.Name() + " is not to be written: " + s.whyNot(), Detail: detail, Code: say.CodeNoAccess,
		Hint: "connect as a superuser, or run pgfettle as root or as the owner of the configuration files"}
}

func notHere(k Knob) error {
	return &say.Problem{Message: k.Address.Name() + " is not to be written: the server runs on another host, and the role is no superuser", Code: say.CodeNoAccess,
		Hint: "connect as a superuser, or run pgfettle on the server's host"}
}

// mayWrite says which right is missing to replace a file of the instance of a data
// directory: its folder has to be writable, and a mount that is read-only says so
// here and not half-way. As root it is the right of the account: see files.
func (p *PG) mayWrite(dir, name string) error {
	files := p.Target
	if dir != "" || p.Target.UID() == 0 {
		var err error
		if files, err = p.files(dir); err != nil {
			return err
		}
	}
	if err := files.Writable(name); err != nil {
		return err
	}
	in, err := files.Stat(name)
	if err == nil && files.UID() != 0 && in.UID != files.UID() {
		// a new file of ours would take the place of somebody else's, and its
		// owner could not be put back
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrPermission}
	}
	return nil
}

// setFile is SetFile of a file of an instance, as its account: nobody is led by
// what lies in its folders to a file that is not its own.
func (p *PG) setFile(in *snapshot.Instance, f journal.File) error {
	files, err := p.filesOf(in)
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
	return SetFile(files, f)
}

// notLink refuses a symbolic link where a server's own file is expected.
func notLink(files target.Target, name string) error {
	if to, err := files.Readlink(name); err == nil {
		return &say.Problem{Message: name + " is a symbolic link to " + to + ", where the server has a file of its own", Code: say.CodeRefused,
			Hint: "put the file itself there"}
	}
	return nil
}
