package servers

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// outsider is this host as a user sees it whom neither the data directory nor its
// lock file let in.
type outsider struct {
	*target.Local
	dataDir string
}

func (o outsider) closed(name string) error {
	if name == o.dataDir || strings.HasPrefix(name, o.dataDir+"/") {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return nil
}

func (o outsider) UID() int { return 65534 }
func (o outsider) ReadFile(name string, limit int64) ([]byte, error) {
	if err := o.closed(name); err != nil {
		return nil, err
	}
	return o.Local.ReadFile(name, limit)
}
func (o outsider) Stat(name string) (target.Info, error) {
	if err := o.closed(name); err != nil {
		return target.Info{}, err
	}
	return o.Local.Stat(name)
}
func (o outsider) Writable(name string) error {
	if err := o.closed(name); err != nil {
		return err
	}
	return o.Local.Writable(name)
}

// TestApplyOverSQLAlone: a superuser without a right to the files sets and takes
// back with statements alone, byte for byte; an ordinary role is refused.
func TestApplyOverSQLAlone(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`,
			`ALTER SYSTEM SET log_line_prefix = E'it''s \\ %m '`,
			`ALTER SYSTEM SET jit = 'on'`, `CREATE ROLE plain LOGIN`); err != nil {
			t.Fatal(err)
		}
		auto := i.DataDir + "/" + pgconf.AutoFile
		before := text(t, auto)
		p := pgsetting.Kind{Server: &pgctl.Server{Target: outsider{&target.Local{}, i.DataDir},
			Conninfo: i.ConnString()}}
		defer p.Close()
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		changes := changesOf(in, wanted[9:])
		made := carryOut(t, p, in, changes)
		activate(t, p, in, knob.Reload)
		for _, u := range verified(t, p, in, changes) {
			t.Error(u)
		}
		takeBack(t, p, made)
		if got := text(t, auto); got != before {
			t.Errorf("taken back:\n%s\nbefore:\n%s", got, before)
		}
		err := p.Activate(t.Context(), in, knob.Restart)
		wantProblem(t, err, 7, "restarted by root or its owner")
		p.RestartCommand = fmt.Sprintf("setpriv --reuid=%d --regid=%d --clear-groups %s restart -s -D %s -l %s -m fast",
			i.Account.UID, i.Account.GID,
			b.Tool("pg_ctl"), i.DataDir, i.Log())
		if os.Geteuid() == 0 {
			pid := i.PID()
			activate(t, p, in, knob.Restart)
			if i.PID() == pid {
				t.Error("not restarted")
			}
		}

		plain := pgsetting.Kind{Server: &pgctl.Server{Target: p.Target,
			Conninfo: strings.Replace(i.ConnString(), "user=postgres", "user=plain", 1)}}
		defer plain.Close()
		_, err = plain.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in})
		wantProblem(t, err, 7, "superuser")
	})
}

// TestEngineOverSQLAlone: the engine lets through whom the server lets through, though the file is closed to him. Undo
// gives every value back, and the file byte for byte except for comments and lines that were overruled, which no
// statement can write.
func TestEngineOverSQLAlone(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`, `ALTER SYSTEM SET jit = 'on'`); err != nil {
			t.Fatal(err)
		}
		auto := i.DataDir + "/" + pgconf.AutoFile
		clean := text(t, auto)
		for _, c := range []struct{ title, file, back string }{
			{"as the server left it", clean, clean},
			{"edited by hand", clean + "# a note\nJIT = off\nrandom_page_cost 3\n", ""},
		} {
			t.Run(c.title, func(t *testing.T) {
				if err := os.WriteFile(auto, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := i.Exec(t.Context(), `SELECT pg_reload_conf()`); err != nil {
					t.Fatal(err)
				}
				p := pgsetting.Kind{Server: &pgctl.Server{Target: outsider{&target.Local{}, i.DataDir},
					Conninfo: i.ConnString()}}
				defer p.Close()
				s := read(t, evidenceOf(t, i, false))
				in := &s.Instances[0]
				before := settingsOf(t, s)
				w := &apply.System{Target: p.Target, Kinds: map[string]apply.Kind{"pg": p}, Dir: t.TempDir(),
					Hostname: "h", Suffix: "a", Holder: "a test", Now: time.Now,
					Activate: func(ctx context.Context, _ string, e knob.Effect) error {
						return p.Activate(ctx, in, e)
					}}
				set := [][3]string{{"work_mem", "16MB", "16384"}, {"random_page_cost", "1.1", "1.1"},
					{"maintenance_work_mem", "128MB", "131072"}}
				changes := changesOf(in, set)
				warned := apply.Warnings(t.Context(), w, s, changes)
				if c.back != "" && len(warned) > 0 || c.back == "" &&
					(len(warned) != 1 || len(warned[0].Of) != 3 || !strings.Contains(warned[0].Text, "comments")) {
					t.Errorf("told before: %+v", warned)
				}
				res, err := apply.Run(t.Context(), w, &plan.Plan{Changes: changes},
					s, selection.Options{MaxEffect: knob.Reload})
				if err != nil || res.Journal.State != journal.Whole {
					t.Fatalf("%v, %+v", err, res.Journal)
				}
				for _, u := range verified(t, p, in, changes) {
					t.Error(u)
				}
				if res, err = apply.Undo(t.Context(), w, s, res.Journal.ID,
					apply.UndoOptions{MaxEffect: knob.Reload}); err != nil || res.Journal.State != journal.TakenBack {
					t.Fatalf("undo: %v, %+v", err, res.Journal)
				}
				for _, c := range res.Journal.Changes {
					if c.State != journal.IsUndone {
						t.Errorf("%s is %s: %s", c.Address, c.State, c.Reason)
					}
				}
				if got := text(t, auto); c.back != "" && got != c.back {
					t.Errorf("taken back:\n%s\nbefore:\n%s", got, c.back)
				}
				now := settingsOf(t, read(t, evidenceOf(t, i, false)))
				for _, n := range []string{"work_mem", "random_page_cost", "maintenance_work_mem", "jit"} {
					if now[n].Value != before[n].Value {
						t.Errorf("%s is %s, was %s", n, now[n].Value, before[n].Value)
					}
				}
			})
		}
	})
}
