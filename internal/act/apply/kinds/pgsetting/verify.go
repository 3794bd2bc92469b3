package pgsetting

import (
	"context"
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Unmet is a setting that does not have the value that it was given.
type Unmet struct {
	Address knob.Address
	Want    string // in the base unit, as pg_settings has it
	Found   string
	Where   string // file that the found value is from; "": none, or not shown
	Pending bool   // the right value waits for a restart
	Unit    string // base unit of the two values
}

// String returns a clause for a person.
func (u Unmet) String() string {
	s := fmt.Sprintf("%s is %q and should be %q", u.Address.Name(), unit.ShowGUC(u.Found, u.Unit),
		unit.ShowGUC(u.Want, u.Unit))
	if u.Where != "" {
		s += " (its value is from " + u.Where + ")"
	}
	if u.Pending {
		s += "; a new value waits for a restart"
	}
	return s
}

// Verify asks the server whether the changes of its instance are in force, and
// returns those that are not. A server that does not run has none in force, and
// nothing is wrong with that: they hold from its next start.
func (p Kind) Verify(ctx context.Context, in *snapshot.Instance, changes []plan.Change) ([]Unmet, error) {
	s, err := p.Session(ctx, in)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, nil
	}
	defer s.Release()
	var names []string
	for _, c := range changes {
		names = append(names, c.Address.Name())
	}
	rows, err := s.Settings(ctx, names...)
	if err != nil {
		return nil, err
	}
	set, _ := in.Server.Settings.Get()
	var out []Unmet
	for _, c := range changes {
		row, ok := rows[c.Address.Name()]
		if !ok {
			return out, say.Named(c.Address.Name(), say.Err("this server has no such setting, or does not show "+
				"it to {role}", "role", s.Role))
		}
		value := row.Value
		if !row.OfInstance() {
			// what ALTER ROLE gave us hides it; the files show what others have
			inFile, err := s.Rows(ctx,
				`select setting from pg_file_settings where lower(name) = $1 and applied order by seqno desc limit 1`,
				row.Name)
			if err != nil || len(inFile) == 0 || inFile[0][0] == c.To {
				continue
			}
			value = inFile[0][0]
		}
		if !sameValue(row, value, c.ToBase) && !(memory.Automatic(row.Name, c.ToBase) && !row.Pending) {
			out = append(out, Unmet{Address: c.Address, Want: c.ToBase, Found: value, Where: row.File,
				Pending: row.Pending, Unit: set[row.Name].Unit})
		}
	}
	return out, nil
}

// sameValue compares two values in the base unit: numbers as numbers, lists by
// their names.
func sameValue(row pgctl.SettingRow, a, b string) bool {
	switch row.VarType {
	case "integer", "real":
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		// pg_settings prints six digits of a real
		return err1 == nil && err2 == nil && (x == y || row.VarType == "real" &&
			strconv.FormatFloat(y, 'g', 6, 64) == strconv.FormatFloat(x, 'g', 6, 64))
	}
	return conf.Spelled(row.Name, a) == conf.Spelled(row.Name, b)
}
