package servers

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// TestDropIns: with ALTER SYSTEM off the setting goes to the file that wins, and
// where none would, the place that wins is named.
func TestDropIns(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		main := i.DataDir + "/postgresql.conf"
		fresh := text(t, main)
		as := func(name, text string) {
			t.Helper()
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(name, i.Account.UID, i.Account.GID); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range []string{"early.d", "late.d"} {
			if err := os.Mkdir(filepath.Join(i.DataDir, d), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(filepath.Join(i.DataDir, d), i.Account.UID, i.Account.GID); err != nil {
				t.Fatal(err)
			}
		}
		as(i.DataDir+"/early.d/50.conf", "work_mem = 5MB\n")
		as(i.DataDir+"/late.d/50.conf", "jit = on\n")
		blocked := ""
		if b.Version.Major() >= 17 {
			blocked = "allow_alter_system = off\n"
		}
		for _, c := range []struct{ title, lines, place string }{
			{"the last folder wins", "include_dir 'early.d'\ninclude_dir 'late.d'\n", "late.d/zz-pgfettle.conf"},
			{"a line behind the folder wins", "include_dir 'late.d'\nwork_mem = 6MB\n", "postgresql.conf"},
			{"there is not a directory", "", "postgresql.conf"},
		} {
			t.Run(c.title, func(t *testing.T) {
				as(main, fresh+blocked+c.lines)
				p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
				in := &read(t, evidenceOf(t, i, false)).Instances[0]
				activate(t, p, in, knob.Restart)
				if blocked == "" { // older servers have no such switch: a stopped server cannot be configured either
					if err := i.Stop(); err != nil {
						t.Fatal(err)
					}
				}
				before := map[string]string{}
				for _, f := range []string{main, i.DataDir + "/" + pgconf.AutoFile} {
					before[f] = text(t, f)
				}
				made := carryOut(t, p, in, changesOf(in, [][3]string{{"work_mem", "16MB", "16384"},
					{"random_page_cost", "1.1", "1.1"}}))
				if at := made[0].after.File.Path; at != filepath.Join(i.DataDir, c.place) {
					t.Errorf("written to %s", at)
				}
				activate(t, p, in, knob.Restart)
				changes := changesOf(in, [][3]string{{"work_mem", "16MB", "16384"}, {"random_page_cost", "1.1", "1.1"}})
				for _, u := range verified(t, p, in, changes) {
					t.Error(u)
				}
				takeBack(t, p, made)
				for f, was := range before {
					if got := text(t, f); got != was {
						t.Errorf("%s taken back:\n%s\nbefore:\n%s", f, got, was)
					}
				}
				if left, _ := filepath.Glob(i.DataDir + "/*.d/*pgfettle*"); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				activate(t, p, in, knob.Restart)
			})
		}
		if blocked == "" {
			return
		}
		if err := i.Exec(context.Background(), "ALTER SYSTEM SET work_mem = '7MB'"); err == nil {
			t.Fatal("ALTER SYSTEM is not off")
		}
		as(i.DataDir+"/"+pgconf.AutoFile, "work_mem = '7MB'\n")
		p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		_, err := p.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in})
		wantProblem(t, err, 5, "postgresql.auto.conf line 1")
	})
}

// TestLinksAreNotFollowed: the owner of the data directory could lead root to another file by a link in place of the
// server's.
func TestLinksAreNotFollowed(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("work_mem = '1MB'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		auto := i.DataDir + "/" + pgconf.AutoFile
		p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		defer p.Close()
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		k := apply.Knob{Address: knob.PG("work_mem"), Instance: in}
		was := look(t, p, k)
		after, err := p.Want(was, k, "16MB")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(auto); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, auto); err != nil {
			t.Fatal(err)
		}
		_, err = p.Look(t.Context(), k)
		wantProblem(t, err, 5, "symbolic link")
		wantProblem(t, p.Set(t.Context(), k, after), 5, "symbolic link")
		if got := text(t, victim); got != "work_mem = '1MB'\n" {
			t.Errorf("the file behind the link is %q", got)
		}
		if err := (&target.Local{}).Put(auto, []byte("x"), 0o600, i.Account.UID, i.Account.GID); i.Account.Switch &&
			err == nil {
			t.Error("root gave the file behind the link away")
		}
		if got := text(t, victim); got != "work_mem = '1MB'\n" {
			t.Errorf("the file behind the link is %q", got)
		}
	})
}
