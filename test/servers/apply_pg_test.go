package servers

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// TestApplySettingsAndBack: 25 settings are set, tried, reloaded, restarted,
// verified and taken back; postgresql.auto.conf is then byte for byte what it
// was, with the entries and the comments that were there, and so are the values.
func TestApplySettingsAndBack(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`,
			`ALTER SYSTEM SET log_line_prefix = E'it''s \\ %m '`,
			`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`,
			`ALTER SYSTEM SET application_name = 'a "b" c'`); err != nil {
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
				p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
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

// TestForeignAlterSystemIsKept: a foreign ALTER SYSTEM between apply and undo stays, ours goes, and a foreign value
// that replaced ours stays too.
func TestForeignAlterSystemIsKept(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET work_mem = '7MB'`); err != nil {
			t.Fatal(err)
		}
		p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		made := carryOut(t, p, in, changesOf(in, [][3]string{{"work_mem", "16MB", "16384"},
			{"random_page_cost", "1.1", "1.1"}, {"jit", "off", "off"}}))
		if err := i.Exec(t.Context(), `ALTER SYSTEM SET statement_timeout = '5min'`,
			`ALTER SYSTEM SET jit = 'on'`); err != nil {
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

// TestRefusedBeforeItIsWritten: what would keep the server from starting is reported in its own words, all of it at
// once if possible, and nothing is written.
func TestRefusedBeforeItIsWritten(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		auto := text(t, i.DataDir+"/"+pgconf.AutoFile)
		for _, c := range []struct {
			set   [][3]string
			names []string
		}{
			{[][3]string{{"wal_level", "minimal", "minimal"}}, []string{"wal_level"}},
			{[][3]string{{"work_mem", "1kB", "1"}, {"no_such_setting", "1", "1"}, {"wal_compression", "zip", "zip"},
				{"jit", "off", "off"}},
				[]string{"no_such_setting", "wal_compression", "work_mem"}},
			{[][3]string{{"shared_preload_libraries", "no_such_library", "no_such_library"}}, []string{""}},
			{[][3]string{{"superuser_reserved_connections", "200", "200"}}, []string{"superuser_reserved_connections"}},
			{[][3]string{{"shared_buffers", "400GB", "52428800"}, {"huge_pages", "on", "on"}}, []string{"huge_pages"}},
			{[][3]string{{"shared_buffers", "8TB", "1073741823"}, {"huge_pages", "off", "off"}},
				[]string{"shared_buffers"}},
			{[][3]string{{"shared_buffers", "1GB", "131072"}, {"max_connections", "500", "500"},
				{"max_locks_per_transaction", "100000000", "100000000"}}, []string{"max_locks_per_transaction"}},
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
			if err := pgctl.Refusal(in, found); err == nil {
				t.Error("no refusal")
			}
		}
		if got := text(t, i.DataDir+"/"+pgconf.AutoFile); got != auto {
			t.Errorf("written: %s", got)
		}
	})
}

// TestServerThatDoesNotComeBack: what Try would have refused is forced; the restart fails with the server's reason, is
// restored, and the server runs again.
func TestServerThatDoesNotComeBack(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		for _, collector := range []string{"off", "on"} {
			t.Run("logging_collector="+collector, func(t *testing.T) {
				i := start(t, b, map[string]string{"logging_collector": collector})
				p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
				in := &read(t, evidenceOf(t, i, false)).Instances[0]
				before := text(t, i.DataDir+"/"+pgconf.AutoFile)
				made := carryOut(t, p, in, changesOf(in, [][3]string{{"work_mem", "16MB", "16384"},
					{"wal_level", "minimal", "minimal"}}))
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
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := i.Start(t.Context(), "-c", "work_mem=9MB", "-c", "log_line_prefix=a 'b' \"c\" $x "); err != nil {
			t.Fatal(err)
		}
		p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		if _, err := p.Look(t.Context(), apply.Knob{Address: knob.PG("work_mem"), Instance: in}); err == nil {
			t.Error("a setting of the command line is taken")
		} else {
			wantProblem(t, err, 5, "command line")
		}
		activate(t, p, in, knob.Restart)
		activate(t, p, in, knob.Restart)
		if args := text(t, fmt.Sprintf("/proc/%d/cmdline", i.PID())); strings.Count(args, i.DataDir) != 1 ||
			strings.Count(args, "work_mem") != 1 {
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
