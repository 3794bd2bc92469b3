package tablespace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/tablespaces"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/sqlname"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	judged "github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// The place of a tablespace is one knob: its live value is the directory, or knob.Unset where there is no such
// tablespace. To set it creates or drops the tablespace. Its File is that directory, which has a text while the
// tablespace is in it: Missing of what was before says that the directory was made for it, and goes when the tablespace
// is dropped, if nothing else is in it.
//
// The order is: intention in the journal, directory, CREATE TABLESPACE. A crash between two of them leaves an empty
// directory of the server's account, which undo removes and resume takes up.

// What DROP TABLESPACE says of one that holds something: object_not_in_prerequisite_state, and from 14 on of
// partitioned tables, which have no file, dependent_objects_still_exist.
const notEmpty, depended = "55000", "2BP01"

// dirMode is the mode of the directory of a tablespace.
const dirMode fs.FileMode = 0o700

// place is where a tablespace is now.
func (t *Kind) place(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	name, _, _ := k.Address.Tablespace()
	s, err := tablespaces.Session(ctx, t.Server, k.Instance, "")
	if err != nil {
		return st, err
	}
	defer s.Release()
	live, err := locationOf(ctx, s, name)
	if err != nil {
		return st, err
	}
	dir := k.Place
	if dir == "" && path.IsAbs(k.To) {
		dir = k.To
	}
	pid, err := tablespaces.AtWork(ctx, s, k.Address)
	if err != nil {
		return st, err
	}
	if dir == "" && live != knob.Unset {
		dir = live
	}
	if pid != 0 {
		live += atWork
	}
	st.Live = &live
	if dir == "" {
		return st, nil
	}
	files, err := t.Server.FilesOf(k.Instance)
	if err != nil {
		return st, err
	}
	st.File = &journal.File{Path: dir, Mode: uint32(dirMode)}
	if strings.TrimSuffix(live, atWork) == dir {
		st.File.Text = new(string)
	}
	if _, err := files.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		st.File.Missing = dir
	}
	return st, nil
}

// locationOf is the directory of a tablespace as the server has it.
func locationOf(ctx context.Context, s *pgctl.Session, name string) (string, error) {
	rows, err := s.Rows(ctx, `select pg_tablespace_location(oid) from pg_tablespace where spcname::text = $1::text`,
		name)
	switch {
	case err != nil:
		return "", say.Named("pg_tablespace", err)
	case len(rows) == 0:
		return knob.Unset, nil
	}
	return rows[0][0], nil
}

// placeOf is the state of a tablespace in a directory.
func placeOf(now journal.State, value string) (journal.State, error) {
	switch {
	case value == knob.Unset && now.File == nil:
		return journal.State{Live: &value}, nil
	case value == knob.Unset:
		file := *now.File
		file.Text = nil
		return journal.State{Live: &value, File: &file}, nil
	case !path.IsAbs(value) || path.Clean(value) != value:
		return now, say.Err("{value} is no directory for a tablespace", "value", say.Quoted(value))
	}
	return journal.State{Live: &value, File: &journal.File{Path: value, Text: new(string), Mode: uint32(dirMode)}}, nil
}

// setPlace creates or drops a tablespace. A part of the state that is nil stays as it is.
func (t *Kind) setPlace(ctx context.Context, k apply.Knob, want journal.State) error {
	name, _, _ := k.Address.Tablespace()
	s, err := tablespaces.Session(ctx, t.Server, k.Instance, "")
	if err != nil {
		return err
	}
	defer s.Release()
	release, err := tablespaces.Hold(ctx, s, k.Address, t.Tell)
	if err != nil {
		return err
	}
	defer release()
	// else both statements are refused where it is on
	if err := s.Exec(ctx, "SET default_transaction_read_only = off"); err != nil {
		return err
	}
	now, err := locationOf(ctx, s, name)
	if err != nil {
		return err
	}
	if want.Live != nil && *want.Live != knob.Unset {
		return t.create(ctx, s, k, name, now, *want.Live)
	}
	if want.Live != nil && now != knob.Unset {
		if want.File != nil && now != want.File.Path {
			return say.Err("tablespace {name} is in {dir} now", "name", say.Quoted(name), "dir", now)
		}
		if err := drop(ctx, s, name); err != nil {
			return err
		}
	}
	return t.leave(k, want.File)
}

// create makes the directory where it is missing, and the tablespace in it.
func (t *Kind) create(ctx context.Context, s *pgctl.Session, k apply.Knob, name, now, dir string) error {
	switch {
	case now == dir:
		return nil
	case now != knob.Unset:
		return say.Err("tablespace {name} is in {dir} now", "name", say.Quoted(name), "dir", now)
	}
	f, err := t.folders(k)
	if err != nil {
		return err
	}
	if err := f.Make(dir, dirMode); err != nil {
		return say.Named(dir, err)
	}
	if err := s.Long(ctx, judged.CreateSQL(name, dir)); err != nil {
		return say.Named("CREATE TABLESPACE", err)
	}
	return nil
}

// drop drops a tablespace that is empty.
func drop(ctx context.Context, s *pgctl.Session, name string) error {
	err := s.Long(ctx, "DROP TABLESPACE "+sqlname.Quote(name))
	if code := pgctl.Code(err); code == notEmpty || code == depended {
		return say.Err("tablespace {name} is not empty: 'pgfettle tablespace plan' shows what is in it", "name",
			say.Quoted(name))
	}
	if err != nil {
		return say.Named("DROP TABLESPACE", err)
	}
	return nil
}

// leave removes the directory that was made for a tablespace. One that holds anything stays: it is not ours.
func (t *Kind) leave(k apply.Knob, was *journal.File) error {
	if was == nil || was.Missing == "" || was.Missing != was.Path {
		return nil
	}
	f, err := t.folders(k)
	if err != nil {
		return err
	}
	if err := f.Unmake(was.Path); err != nil {
		t.Tell(say.Err("the directory {dir} was not removed: {error}", "dir", was.Path, "error", err).Error())
	}
	return nil
}

// folders are those of the account of the instance.
func (t *Kind) folders(k apply.Knob) (target.Folders, error) {
	dir, _ := k.Instance.DataDirectory.Get()
	a, err := pgctl.Account(t.Server.Target, dir)
	if err != nil || a == nil {
		return t.Folders(nil), err
	}
	u := a.User()
	return t.Folders(&u), nil
}
