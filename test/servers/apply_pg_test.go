package servers

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/act/server"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// wanted are 25 settings of every type, unit and context, as a plan has them.
var wanted = [][3]string{
	{"shared_buffers", "64MB", "8192"}, {"max_connections", "150", "150"}, {"wal_buffers", "8MB", "1024"},
	{"max_worker_processes", "12", "12"}, {"max_locks_per_transaction", "128", "128"}, {"huge_pages", "off", "off"},
	{"shared_preload_libraries", "pg_stat_statements, auto_explain", "pg_stat_statements, auto_explain"},
	{"autovacuum_max_workers", "4", "4"}, {"superuser_reserved_connections", "5", "5"},
	{"work_mem", "16MB", "16384"}, {"maintenance_work_mem", "128MB", "131072"}, {"effective_cache_size", "6GB", "786432"},
	{"checkpoint_timeout", "15min", "900"}, {"checkpoint_completion_target", "0.9", "0.9"}, {"max_wal_size", "4GB", "4096"},
	{"min_wal_size", "1GB", "1024"}, {"random_page_cost", "1.1", "1.1"}, {"log_line_prefix", `%m [%p] '%q%u@%d' \ `, `%m [%p] '%q%u@%d' \ `},
	{"log_min_duration_statement", "1500ms", "1500"}, {"log_temp_files", "0", "0"}, {"autovacuum_vacuum_cost_delay", "2ms", "2"},
	{"idle_in_transaction_session_timeout", "1h", "3600000"}, {"track_io_timing", "on", "on"}, {"jit", "off", "off"},
	{"wal_compression", "on", ""}, // pglz from 15 on
}

func changesOf(in *snapshot.Instance, list [][3]string) []plan.Change {
	var out []plan.Change
	set, _ := in.Server.Settings.Get()
	for _, w := range list {
		s := set[w[0]]
		c := plan.Change{Address: knob.PG(w[0]), Instance: in.Label(), Layer: knob.Instance, From: s.Show(), FromBase: s.Value,
			To: w[1], ToBase: w[2], Effect: knob.EffectOf(s.Context), Key: in.Key}
		if c.ToBase == "" {
			c.To = "on"
			if slices.Contains(s.Enum, "pglz") {
				c.To = "pglz"
			}
			c.ToBase = c.To
		}
		out = append(out, c)
	}
	return out
}

// done is one change that was made, for taking it back.
type done struct {
	k             apply.Knob
	before, after journal.State
}

// carryOut does what the engine does with a kind: Look, Want, Set, Look.
func carryOut(t *testing.T, p *apply.PG, in *snapshot.Instance, changes []plan.Change) []done {
	t.Helper()
	var out []done
	for _, c := range changes {
		k := apply.Knob{Address: c.Address, Instance: in}
		before := look(t, p, k)
		after, err := p.Want(before, k, c.To)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Set(t.Context(), k, after); err != nil {
			t.Fatalf("%s: %v", c.Address, err)
		}
		if found := look(t, p, k); !found.SameFile(after) {
			t.Fatalf("%s: read back\n%s\nwanted\n%s", c.Address, show(found), show(after))
		}
		if err := p.Set(t.Context(), k, after); err != nil {
			t.Errorf("%s set again: %v", c.Address, err)
		}
		out = append(out, done{k, before, after})
	}
	return out
}

// takeBack does what the engine does to undo.
func takeBack(t *testing.T, p *apply.PG, list []done) {
	t.Helper()
	for _, d := range slices.Backward(list) {
		d.k.Place = d.after.File.Path
		found := look(t, p, d.k)
		want := d.before
		if !found.SameFile(d.after) {
			if !p.Ours(found, d.after, d.k) {
				continue
			}
			var err error
			if want, err = p.Without(found, d.before, d.k); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Set(t.Context(), d.k, want); err != nil {
			t.Fatalf("%s: %v", d.k.Address, err)
		}
		if found := look(t, p, d.k); !found.SameFile(want) {
			t.Fatalf("%s taken back: read back\n%s\nwanted\n%s", d.k.Address, show(found), show(want))
		}
	}
}

func look(t *testing.T, p *apply.PG, k apply.Knob) journal.State {
	t.Helper()
	s, err := p.Look(t.Context(), k)
	if err != nil {
		t.Fatalf("%s: %v", k.Address, err)
	}
	return s
}

func show(s journal.State) string {
	if s.File == nil {
		return "no file"
	}
	if s.File.Text == nil {
		return s.File.Path + " is not there"
	}
	return fmt.Sprintf("%s %o %d:%d\n%s", s.File.Path, s.File.Mode, s.File.UID, s.File.GID, *s.File.Text)
}

func activate(t *testing.T, p *apply.PG, in *snapshot.Instance, e knob.Effect) {
	t.Helper()
	if err := p.Activate(t.Context(), in, e); err != nil {
		t.Fatalf("%s: %v", e, err)
	}
}

func verified(t *testing.T, p *apply.PG, in *snapshot.Instance, changes []plan.Change) []apply.Unmet {
	t.Helper()
	u, err := p.Verify(t.Context(), in, changes)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func noTrouble(t *testing.T, p *apply.PG, in *snapshot.Instance, changes []plan.Change) {
	t.Helper()
	tried, err := p.Try(t.Context(), in, changes)
	if err != nil || len(tried) > 0 {
		t.Fatalf("tried: %+v, %v", tried, err)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestApplySettingsAndBack: 25 settings are set, tried, reloaded, restarted,
// verified and taken back; postgresql.auto.conf is then byte for byte what it
// was, with the entries and the comments that were there, and so are the values.
func TestApplySettingsAndBack(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b server.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`, `ALTER SYSTEM SET log_line_prefix = E'it''s \\ %m '`,
			`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`, `ALTER SYSTEM SET application_name = 'a "b" c'`); err != nil {
			t.Fatal(err)
		}
		restart(t, i, nil)
		auto := i.DataDir + "/" + pgconf.AutoFile
		for _, c := range []struct{ title, edit string }{
			{"as the server left it", ""},
			{"edited by hand", "# by hand\nwork_mem=5MB # small\n\nenable_seqscan on\n"},
		} {
			t.Run(c.title, func(t *testing.T) {
				f, err := os.OpenFile(auto, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteString(c.edit); err != nil {
					t.Fatal(err)
				}
				f.Close()
				p := &apply.PG{Target: &target.Local{}}
				in := &read(t, evidenceOf(t, i, false)).Instances[0]
				before := text(t, auto)
				values := settingsOf(t, read(t, evidenceOf(t, i, false)))
				changes := changesOf(in, wanted)
				noTrouble(t, p, in, changes)
				made := carryOut(t, p, in, changes)
				activate(t, p, in, knob.Reload)
				for _, u := range verified(t, p, in, changes) {
					if !u.Pending {
						t.Errorf("after the reload: %s", u)
					}
				}
				pid := i.PID()
				activate(t, p, in, knob.Restart)
				if i.PID() == pid || i.PID() == 0 {
					t.Errorf("process %d after the restart, %d before", i.PID(), pid)
				}
				for _, u := range verified(t, p, in, changes) {
					t.Errorf("after the restart: %s", u)
				}
				for _, d := range made {
					d.k.Place = d.after.File.Path
					if s := look(t, p, d.k); d.after.Live != nil && !s.SameLive(d.after) {
						t.Errorf("%s: live %q, wanted %q", d.k.Address, *s.Live, *d.after.Live)
					}
				}
				takeBack(t, p, made)
				if got := text(t, auto); got != before {
					t.Errorf("taken back:\n%s\nbefore:\n%s", got, before)
				}
				activate(t, p, in, knob.Restart)
				now := settingsOf(t, read(t, evidenceOf(t, i, false)))
				for _, w := range wanted {
					if now[w[0]].Value != values[w[0]].Value {
						if c.edit == "" || w[0] != "work_mem" { // which had not been read yet
							t.Errorf("%s is %q, was %q", w[0], now[w[0]].Value, values[w[0]].Value)
						}
					}
				}
			})
		}
	})
}

// TestForeignAlterSystemIsKept: somebody's ALTER SYSTEM between apply and undo
// stays, ours goes, and a value that somebody wrote over ours stays too.
func TestForeignAlterSystemIsKept(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b server.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`); err != nil {
			t.Fatal(err)
		}
		p := &apply.PG{Target: &target.Local{}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		made := carryOut(t, p, in, changesOf(in, [][3]string{{"work_mem", "16MB", "16384"}, {"random_page_cost", "1.1", "1.1"}, {"jit", "off", "off"}}))
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET statement_timeout = '5min'`, `ALTER SYSTEM SET jit = 'on'`); err != nil {
			t.Fatal(err)
		}
		takeBack(t, p, made)
		got := text(t, i.DataDir+"/"+pgconf.AutoFile)
		want := map[string]string{"work_mem": "7MB", "statement_timeout": "5min", "jit": "on"}
		for _, l := range pgconf.Parse(got) {
			if l.Name == "" {
				continue
			}
			if want[l.Name] != l.Value {
				t.Errorf("%s = %q is left", l.Name, l.Value)
			}
			delete(want, l.Name)
		}
		if len(want) > 0 {
			t.Errorf("%v are lost:\n%s", want, got)
		}
	})
}

// TestRefusedBeforeItIsWritten: what would keep the server from starting is told
// in its own words, all of it at once where it can be, and nothing is written.
func TestRefusedBeforeItIsWritten(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b server.Binaries) {
		i := start(t, b, nil)
		p := &apply.PG{Target: &target.Local{}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		auto := text(t, i.DataDir+"/"+pgconf.AutoFile)
		for _, c := range []struct {
			set   [][3]string
			names []string
		}{
			{[][3]string{{"wal_level", "minimal", "minimal"}}, []string{"wal_level"}},
			{[][3]string{{"work_mem", "1kB", "1"}, {"no_such_setting", "1", "1"}, {"wal_compression", "zip", "zip"}, {"jit", "off", "off"}},
				[]string{"no_such_setting", "wal_compression", "work_mem"}},
			{[][3]string{{"shared_preload_libraries", "no_such_library", "no_such_library"}}, []string{""}},
			{[][3]string{{"superuser_reserved_connections", "200", "200"}}, []string{"superuser_reserved_connections"}},
			{[][3]string{{"shared_buffers", "400GB", "52428800"}, {"huge_pages", "on", "on"}}, []string{"huge_pages"}},
			{[][3]string{{"shared_buffers", "8TB", "1073741823"}, {"huge_pages", "off", "off"}}, []string{"shared_buffers"}},
			{[][3]string{{"shared_buffers", "1GB", "131072"}, {"max_connections", "500", "500"}, {"max_locks_per_transaction", "100000000", "100000000"}}, []string{"max_locks_per_transaction"}},
		} {
			found, err := p.Try(t.Context(), in, changesOf(in, c.set))
			if err != nil {
				t.Fatalf("%v: %v", c.set, err)
			}
			var names []string
			for _, f := range found {
				names = append(names, f.Name)
				if f.Said == "" || strings.Contains(f.Said, "pgfettle-") {
					t.Errorf("%v: %+v", c.set, f)
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, c.names) {
				t.Errorf("%v: blamed %q, expected %q: %+v", c.set, names, c.names, found)
			}
			if err := apply.Refusal(in, found); err == nil {
				t.Error("no refusal")
			}
		}
		if got := text(t, i.DataDir+"/"+pgconf.AutoFile); got != auto {
			t.Errorf("written: %s", got)
		}
	})
}

// TestServerThatDoesNotComeBack: what Try would have refused is forced; the
// restart fails with the server's reason, is put back, and the server runs again.
func TestServerThatDoesNotComeBack(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b server.Binaries) {
		for _, collector := range []string{"off", "on"} {
			t.Run("logging_collector="+collector, func(t *testing.T) {
				i := start(t, b, map[string]string{"logging_collector": collector})
				p := &apply.PG{Target: &target.Local{}}
				in := &read(t, evidenceOf(t, i, false)).Instances[0]
				before := text(t, i.DataDir+"/"+pgconf.AutoFile)
				made := carryOut(t, p, in, changesOf(in, [][3]string{{"work_mem", "16MB", "16384"}, {"wal_level", "minimal", "minimal"}}))
				err := p.Activate(t.Context(), in, knob.Restart)
				if err == nil || !strings.Contains(err.Error(), "max_wal_senders") {
					t.Fatalf("it came back, or does not say why not: %v", err)
				}
				if i.Running() {
					t.Fatal("it runs")
				}
				takeBack(t, p, made)
				activate(t, p, in, knob.Restart)
				if got := text(t, i.DataDir+"/"+pgconf.AutoFile); got != before || !i.Running() {
					t.Errorf("running %v, file\n%s", i.Running(), got)
				}
			})
		}
	})
}

// TestRestartKeepsHowItWasStarted: options of the command line and the log stay,
// and a setting of the command line is refused.
func TestRestartKeepsHowItWasStarted(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b server.Binaries) {
		i := start(t, b, nil)
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := i.Start(t.Context(), "-c", "work_mem=9MB", "-c", "log_line_prefix=a 'b' \"c\" $x "); err != nil {
			t.Fatal(err)
		}
		p := &apply.PG{Target: &target.Local{}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		if _, err := p.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in}); err == nil {
			t.Error("a setting of the command line is taken")
		} else {
			wantProblem(t, err, 5, "command line")
		}
		activate(t, p, in, knob.Restart)
		activate(t, p, in, knob.Restart)
		if args := text(t, fmt.Sprintf("/proc/%d/cmdline", i.PID())); strings.Count(args, i.DataDir) != 1 || strings.Count(args, "work_mem") != 1 {
			t.Errorf("the command line has grown: %q", args)
		}
		set := settingsOf(t, read(t, evidenceOf(t, i, false)))
		if v := set["work_mem"]; v.Value != "9216" || v.Source != "command line" {
			t.Errorf("work_mem %+v", v)
		}
		if v := set["log_line_prefix"]; v.Value != "a 'b' \"c\" $x " {
			t.Errorf("log_line_prefix %q", v.Value)
		}
		if log := text(t, i.Log()); strings.Count(log, "ready to accept connections") < 2 {
			t.Errorf("the log went elsewhere:\n%s", log)
		}
	})
}

// TestDropIns: with ALTER SYSTEM off the setting goes to the file that wins, and
// where none would, the place that wins is named.
func TestDropIns(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b server.Binaries) {
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
			{"there is no folder", "", "postgresql.conf"},
		} {
			t.Run(c.title, func(t *testing.T) {
				as(main, fresh+blocked+c.lines)
				p := &apply.PG{Target: &target.Local{}}
				in := &read(t, evidenceOf(t, i, false)).Instances[0]
				activate(t, p, in, knob.Restart)
				if blocked == "" { // older servers have no such switch: a server that is down cannot be told either
					if err := i.Stop(); err != nil {
						t.Fatal(err)
					}
				}
				before := map[string]string{}
				for _, f := range []string{main, i.DataDir + "/" + pgconf.AutoFile} {
					before[f] = text(t, f)
				}
				made := carryOut(t, p, in, changesOf(in, [][3]string{{"work_mem", "16MB", "16384"}, {"random_page_cost", "1.1", "1.1"}}))
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
		p := &apply.PG{Target: &target.Local{}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		_, err := p.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in})
		wantProblem(t, err, 5, "postgresql.auto.conf line 1")
	})
}

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
// back with statements alone, byte for byte; what he could not put back so is
// refused before it is touched, and so is an ordinary role.
func TestApplyOverSQLAlone(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b server.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`, `ALTER SYSTEM SET log_line_prefix = E'it''s \\ %m '`,
			`ALTER SYSTEM SET jit = 'on'`, `CREATE ROLE plain LOGIN`); err != nil {
			t.Fatal(err)
		}
		auto := i.DataDir + "/" + pgconf.AutoFile
		before := text(t, auto)
		p := &apply.PG{Target: outsider{&target.Local{}, i.DataDir}, Conninfo: i.ConnString()}
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
		p.RestartCommand = fmt.Sprintf("setpriv --reuid=%d --regid=%d --clear-groups %s restart -s -D %s -l %s -m fast", i.Account.UID, i.Account.GID,
			b.Tool("pg_ctl"), i.DataDir, i.Log())
		if os.Geteuid() == 0 {
			pid := i.PID()
			activate(t, p, in, knob.Restart)
			if i.PID() == pid {
				t.Error("not restarted")
			}
		}

		if err := os.WriteFile(auto, []byte(before+"# a note\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = p.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in})
		wantProblem(t, err, 7, "edited by hand")
		plain := &apply.PG{Target: p.Target, Conninfo: strings.Replace(i.ConnString(), "user=postgres", "user=plain", 1)}
		defer plain.Close()
		_, err = plain.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in})
		wantProblem(t, err, 7, "superuser")
	})
}

// TestLinksAreNotFollowed: whoever owns the data directory could lead root to
// another file by a link in the place of the server's.
func TestLinksAreNotFollowed(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b server.Binaries) {
		i := start(t, b, nil)
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("work_mem = '1MB'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		auto := i.DataDir + "/" + pgconf.AutoFile
		p := &apply.PG{Target: &target.Local{}}
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
		if err := (&target.Local{}).Put(auto, []byte("x"), 0o600, i.Account.UID, i.Account.GID); i.Account.Switch && err == nil {
			t.Error("root gave the file behind the link away")
		}
		if got := text(t, victim); got != "work_mem = '1MB'\n" {
			t.Errorf("the file behind the link is %q", got)
		}
	})
}
