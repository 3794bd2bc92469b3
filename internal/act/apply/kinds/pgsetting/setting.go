package pgsetting

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

var (
	_ apply.Kind    = Kind{}
	_ apply.Witness = Kind{}
	_ apply.Scribe  = Kind{}
	_ apply.Speller = Kind{}

	_ apply.Sweeper = Kind{}
	_ apply.Warner  = Kind{}
)

// Look implements Kind.
func (p Kind) Look(ctx context.Context, k apply.Knob) (journal.State, error) {
	s, err := p.Session(ctx, k.Instance)
	if err != nil && !p.mayWriteBlind(k, err) {
		return journal.State{}, err
	}
	if s != nil {
		defer s.Release()
	}
	return p.look(ctx, k, s)
}

// mayWriteBlind reports whether a server that accepts no connections can be judged by its files alone, to restore what
// keeps it from starting.
func (p Kind) mayWriteBlind(k apply.Knob, err error) bool {
	var no *say.Problem
	return k.Place != "" && errors.As(err, &no) && no.Code != say.CodeNoAccess
}

func (p Kind) look(ctx context.Context, k apply.Knob, s *pgctl.Session) (journal.State, error) {
	var state journal.State
	name := k.Address.Name()
	at := k.Place
	if s != nil {
		rows, err := s.Settings(ctx, name)
		if err != nil {
			return state, err
		}
		row, ok := rows[name]
		if !ok {
			return state, say.Named(name, say.Err("this server has no such setting, or does not show it to {role}",
				"role", s.Role))
		}
		if row.Source == "command line" {
			return state, &say.Problem{Message: say.M("{name} is set on the command line of the server, which wins "+
				"over every file", "name", name), Code: say.CodeRefused,
				Detail: say.M("its value there is {value}", "value", row.Value),
				Hint: say.M("take it out of what starts the server (the unit, pg_ctl -o, the container's " +
					"arguments), or leave it out of the plan")}
		}
		if row.OfInstance() {
			state.Live = &row.Value
		}
	}
	if at == "" {
		var err error
		if at, err = p.home(ctx, k, s); err != nil {
			return state, err
		}
	}
	file, err := p.lookWritten(ctx, at, k, s)
	if err != nil {
		return state, err
	}
	state.File = &file
	return state, nil
}

// overSQL reports whether a file is written by the server alone, as it is closed to us.
func (p Kind) overSQL(at string, s *pgctl.Session) bool {
	return formOf(at) == autoForm && s != nil && !(s.Here && p.mayWrite(s.Postmaster.Dir, at) == nil)
}

// asWritten is a file as its next ALTER SYSTEM leaves it: SQL alone cannot restore comments, nor a line that a later
// one overrides, so they are not compared. Its settings are. Warnings reports what is lost.
func (p Kind) asWritten(f journal.File, s *pgctl.Session) (journal.File, error) {
	if !p.overSQL(f.Path, s) {
		return f, nil
	}
	text := ""
	if f.Text != nil {
		text = *f.Text // a file that does not exist is made by the first statement, and no statement removes it
	}
	text, err := conf.Rewritten(text)
	if err != nil {
		return f, &say.Problem{Message: say.M("{path} could not be restored as it is", "path", f.Path),
			Detail: say.OfError(err),
			Code:   say.CodeNoAccess,
			Hint:   say.M("run pgfettle as root or as the owner of the data directory")}
	}
	f.Text = &text
	return f, nil
}

// Warnings implements apply.Warner.
func (p Kind) Warnings(ctx context.Context, k apply.Knob) ([]string, error) {
	s, err := p.Session(ctx, k.Instance)
	if err != nil || s == nil {
		return nil, err
	}
	defer s.Release()
	at, err := p.home(ctx, k, s)
	if err != nil || !p.overSQL(at, s) {
		return nil, err
	}
	found, err := p.lookFile(ctx, at, k, s)
	if err != nil {
		return nil, err
	}
	kept, err := p.asWritten(found, s)
	if err != nil || found.Text == nil || *found.Text == *kept.Text {
		return nil, err
	}
	return []string{at +
		" was edited manually, and only ALTER SYSTEM writes it here: comments and overridden lines are lost; undo " +
		"restores every value"}, nil
}

// MayWrite implements Scribe: ALTER SYSTEM is executed by the server, and needs no right to the file.
func (p Kind) MayWrite(ctx context.Context, k apply.Knob, f journal.File) error {
	dir, _ := k.Instance.DataDirectory.Get()
	if formOf(f.Path) != autoForm {
		return p.mayWrite(dir, f.Path)
	}
	s, err := p.Session(ctx, k.Instance)
	if err != nil {
		return err
	}
	if s == nil {
		return p.mayWrite(dir, f.Path)
	}
	defer s.Release()
	may, err := mayAlter(ctx, s, k.Address.Name())
	if err != nil {
		return err
	}
	if err := p.mayWrite(dir, f.Path); !may || s.Here && errors.Is(err, target.ErrImmutable) {
		return err // an attribute of the file, not our want of rights, stops the server as well
	}
	return nil
}

// lookFile is LookFile; a file that has to be made gets the owner and mode of the configuration next to it. What may
// not be read is asked of the server.
func (p Kind) lookFile(ctx context.Context, at string, k apply.Knob, s *pgctl.Session) (journal.File, error) {
	if s != nil && !s.Here && formOf(at) == autoForm {
		return autoFile(ctx, s)
	}
	files, err := p.FilesOf(k.Instance)
	if err != nil {
		return journal.File{}, err
	}
	if formOf(at) != blockForm {
		if err := notLink(files, at); err != nil {
			return journal.File{}, err
		}
	}
	file, err := apply.LookFile(files, at)
	if errors.Is(err, fs.ErrPermission) && s != nil && s.Super && formOf(at) == autoForm {
		return autoFile(ctx, s)
	}
	if errors.Is(err, fs.ErrPermission) {
		return file, noRight(k, s, say.OfError(err))
	}
	if err != nil || file.Text != nil {
		return file, err
	}
	model := path.Dir(at)
	if c := p.ConfigFile(k.Instance, s); formOf(at) == dropInForm && c != "" {
		model = c
	}
	in, err := files.Stat(model)
	if err != nil {
		return file, err
	}
	file.UID, file.GID, file.Mode = in.UID, in.GID, uint32(in.Mode.Perm()&0o644)
	return file, nil
}

// Want implements Kind.
func (p Kind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	name := k.Address.Name()
	if now.File == nil {
		return now, say.Named(name, say.Err("no file to write it to"))
	}
	file, err := formOf(now.File.Path).with(*now.File, name, &value)
	if err != nil {
		return now, err
	}
	want := journal.State{File: file}
	if now.Live != nil {
		want.Live = inBase(k, value)
	}
	return want, nil
}

// inBase spells a value as pg_settings will have it; nil if that is the server's to say: Verify compares it then.
func inBase(k apply.Knob, value string) *string {
	set, _ := k.Instance.Server.Settings.Get()
	row, ok := set[k.Address.Name()]
	if !ok || memory.Automatic(k.Address.Name(), value) {
		return nil
	}
	switch row.Type {
	case "integer":
		n, err := unit.ParseInteger(value, row.Unit)
		if err != nil {
			return nil
		}
		v := strconv.FormatFloat(n, 'f', -1, 64)
		return &v
	case "bool":
		if value == "on" || value == "off" {
			return &value
		}
	case "enum":
		for _, e := range row.Enum {
			if e == value {
				return &value
			}
		}
	}
	return nil
}

// Spell implements Speller: pg_settings has numbers in the setting's base unit,
// such as blocks of 8 kB.
func (p Kind) Spell(k apply.Knob, live string) string {
	set, _ := k.Instance.Server.Settings.Get()
	row := set[k.Address.Name()] // no unit if the server reports none
	row.Value = live
	return row.Show()
}

// Set implements Kind. postgresql.auto.conf of a server that runs is written by the server, if one ALTER SYSTEM
// produces the wanted text: then no other ALTER SYSTEM can be lost. No statement can restore an entry's position, so
// then the file is replaced; without the right to do that, as many statements as needed are sent.
func (p Kind) Set(ctx context.Context, k apply.Knob, want journal.State) error {
	if want.File == nil {
		return nil
	}
	if formOf(want.File.Path) != autoForm {
		return p.setFile(k.Instance, *want.File)
	}
	s, err := p.Session(ctx, k.Instance)
	if err != nil && !p.mayWriteBlind(apply.Knob{Place: want.File.Path}, err) {
		return err
	}
	if s == nil {
		return p.setFile(k.Instance, *want.File)
	}
	defer s.Release()
	now, err := p.lookWritten(ctx, want.File.Path, k, s)
	if err != nil || now.Same(*want.File) {
		return err
	}
	if err := apply.CheckOvertaken(now, *want.File); err != nil {
		return err // otherwise the statements would undo a concurrent ALTER SYSTEM
	}
	byFile := !p.overSQL(want.File.Path, s)
	steps, err := stepsTo(now, *want.File)
	switch {
	case err == nil && s.AlterSystem && (len(steps) == 1 || !byFile):
		if err := runSteps(ctx, s, steps); err != nil {
			return err
		}
	case byFile:
		return p.setFile(k.Instance, *want.File)
	case !s.AlterSystem:
		return &say.Problem{Message: say.M("allow_alter_system is off on this server"),
			Hint: say.M("run pgfettle as root or as the owner of the data directory"), Code: say.CodeNoAccess}
	default:
		return errors.Join(say.Named(want.File.Path, say.Err("not to be written over SQL alone")), err)
	}
	if now, err = p.lookWritten(ctx, want.File.Path, k, s); err != nil || now.Same(*want.File) {
		return err
	}
	if byFile && now.Text != nil && want.File.Text != nil && *now.Text == *want.File.Text {
		return p.setFile(k.Instance, *want.File) // the server gives the file its own mode
	}
	return say.Named(want.File.Path, say.Err("the server made something else of it than was asked for"))
}

func (p Kind) lookWritten(ctx context.Context, at string, k apply.Knob, s *pgctl.Session) (journal.File, error) {
	f, err := p.lookFile(ctx, at, k, s)
	if err != nil {
		return f, err
	}
	return p.asWritten(f, s)
}

// stepsTo returns the statements from one text to another.
func stepsTo(now, want journal.File) ([]conf.Step, error) {
	if want.Text == nil {
		return nil, conf.ErrNoWay // no statement removes the file
	}
	from := ""
	if now.Text != nil {
		from = *now.Text
	}
	return conf.Steps(from, *want.Text)
}

// runSteps runs statements one after another; between any two the file is a
// configuration that was meant.
func runSteps(ctx context.Context, s *pgctl.Session, steps []conf.Step) error {
	for _, st := range steps {
		sql, err := st.SQL()
		if err != nil {
			return err
		}
		if err := s.Exec(ctx, sql); err != nil {
			return say.Err("ALTER SYSTEM for {name}: {reason}", "name", st.Name, "reason", err)
		}
	}
	return nil
}

// Witness implements Witness: where the value that holds is from.
func (p Kind) Witness(ctx context.Context, k apply.Knob, found journal.State) string {
	s, err := p.Session(ctx, k.Instance)
	if err != nil || s == nil {
		return ""
	}
	defer s.Release()
	rows, err := s.Settings(ctx, k.Address.Name())
	row, ok := rows[k.Address.Name()]
	switch {
	case err != nil || !ok:
		return ""
	case !row.OfInstance():
		return "ALTER ROLE or ALTER DATABASE, for " + s.Role
	case row.Source == "command line":
		return "the command line of the server"
	case row.File == "":
		return ""
	case found.File != nil && row.File == found.File.Path && formOf(row.File) == autoForm:
		return "ALTER SYSTEM"
	}
	return row.File + " line " + row.Line
}

// Ours implements Kind.
func (p Kind) Ours(found, after journal.State, k apply.Knob) bool {
	if found.File == nil || after.File == nil {
		return found.File == after.File
	}
	if found.File.Path != after.File.Path {
		return false
	}
	form, name := formOf(after.File.Path), k.Address.Name()
	have, has := form.get(found.File.Text, name)
	want, wanted := form.get(after.File.Text, name)
	return has == wanted && have == want
}

// Without implements Kind.
func (p Kind) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	out := journal.State{Live: before.Live}
	if found.File == nil || before.File == nil {
		return out, nil
	}
	form, name := formOf(found.File.Path), k.Address.Name()
	var value *string
	if v, ok := form.get(before.File.Text, name); ok {
		value = &v
	}
	var err error
	out.File, err = form.with(*found.File, name, value)
	return out, err
}

// autoFile reads postgresql.auto.conf through the server, for who may not read the
// file: its owner and mode stay unknown.
func autoFile(ctx context.Context, s *pgctl.Session) (journal.File, error) {
	f := journal.File{Path: path.Join(s.DataDir, conf.AutoFile)}
	rows, err := s.Rows(ctx, `select t, (t is null)::text from pg_read_file('`+conf.AutoFile+`', 0, $1::int8, true) t`,
		strconv.Itoa(target.MaxConfigFile))
	if err != nil || len(rows) != 1 {
		return f, errors.Join(say.Err("{name} through the server", "name", conf.AutoFile), err)
	}
	if rows[0][1] == "false" {
		f.Text = &rows[0][0]
	}
	return f, nil
}

// Sweep implements Sweeper.
func (p Kind) Sweep(k apply.Knob, name string) error {
	files, err := p.FilesOf(k.Instance)
	if err != nil {
		return err
	}
	return files.Sweep(name)
}

// Kind is the kind of server settings. A setting's File is the one file that wins
// among those that may be written; its Live value is what pg_settings has, which only
// an activation changes.
type Kind struct{ *pgctl.Server }
