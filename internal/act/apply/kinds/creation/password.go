package creation

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// password is that of the superuser of a cluster that was made and does not run yet: "set" or "absent". Neither it nor
// its verifier is ever in a journal, so that a resume cannot set it.
type password struct {
	Host
	whole
}

// set is the value of a password that is there.
const set = "set"

// Look implements apply.Kind.
func (p password) Look(_ context.Context, k apply.Knob) (journal.State, error) {
	m, _, err := p.made(k.Address.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !m.Password:
		return live(newcluster.Absent), nil
	case err != nil:
		return journal.State{}, err
	}
	return live(set), nil
}

// Want implements apply.Kind.
func (p password) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	if value != set && value != newcluster.Absent {
		return journal.State{}, say.Named(k.Address, say.Err("a password is set or absent"))
	}
	return live(value), nil
}

// Set implements apply.Kind. The cluster's program is run alone, in single-user mode: no line of pg_hba.conf is asked,
// nothing listens, and the statement is in no argument and in no log.
func (p password) Set(ctx context.Context, k apply.Knob, s journal.State) error {
	dir := k.Address.Name()
	m, owner, err := p.made(dir)
	if err != nil {
		return err
	}
	if m.Password == !absent(s) {
		return nil
	}
	value := "NULL"
	if !absent(s) {
		if p.Verifier == "" {
			return say.Err("the password is not kept, and has to be given again: 'pgfettle undo', then create it again")
		}
		value = "'" + strings.ReplaceAll(p.Verifier, "'", "''") + "'"
	}
	role := `"` + strings.ReplaceAll(m.Role, `"`, `""`) + `"`
	if _, err := p.single(ctx, m, owner, "postgres", "ALTER ROLE "+role+" PASSWORD "+value); err != nil {
		return err
	}
	m.Password = !absent(s)
	return p.note(owner, m)
}

// single runs a statement in single-user mode on a cluster whose server does not run, and returns what was printed.
func (h Host) single(ctx context.Context, m newcluster.Made, owner newcluster.Account, database, statement string) (
	string, error) {
	argv := []string{path.Join(m.Bin, "postgres"), "--single", "-D", m.Data, "-c", "log_statement=none", "-c",
		"logging_collector=off"}
	for name := range maps.Keys(m.Sums) {
		if strings.HasSuffix(name, "/postgresql.conf") && path.Dir(name) != m.Data {
			argv = append(argv, "-c", "config_file="+name)
		}
	}
	out, err := h.Target.Run(ctx, target.Command{Argv: append(argv, database), As: h.as(owner), Timeout: timeout,
		Stdin: []byte(statement + "\nSELECT 'done' WHERE 1 = 1\n")})
	if err != nil {
		return "", err
	}
	said := string(out.Stdout) + string(out.Stderr)
	if out.Code != 0 || !strings.Contains(said, `"done"`) || strings.Contains(said, "ERROR:") {
		return "", say.Named("postgres --single", say.Err("it failed: {text}", "text", last(string(out.Stderr))))
	}
	return said, nil
}
