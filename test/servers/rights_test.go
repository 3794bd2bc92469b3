package servers

import (
	"os"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
)

// TestLesserRoles: a role with pg_monitor, and one without, get a report; what
// they could not see is unknown, with the right that would reveal it.
func TestLesserRoles(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		c := connect(t, i.ConnString())
		sql(t, c, "create role watcher login; grant pg_monitor to watcher; create role nothing login")
		for _, role := range []string{"watcher", "nothing"} {
			a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.Conninfo,
				Value: strings.Replace(i.ConnString(), "user=postgres", "user="+role, 1)})
			if err != nil {
				t.Fatalf("%s: %v", role, err)
			}
			s := read(t, a)
			if f := s.Instances[0].Server.FileSettings; f.State() != known.Forbidden ||
				!strings.Contains(f.Gap().Reveal, "superuser") {
				t.Errorf("%s: pg_file_settings is for superusers: %s, %+v", role, f.State(), f.Gap())
			}
			if !s.Instances[0].Server.Settings.Known() || !s.Instances[0].Server.Databases.Known() {
				t.Errorf("%s: settings and databases are for every role", role)
			}
			r := check.Run(s, checks.All(), check.Options{})
			found := false
			for _, g := range r.Unknown {
				found = found || g.Fact == "pg/1/file_settings.json" || strings.Contains(g.Fact, "file_settings")
			}
			if !found {
				t.Errorf("%s: the report does not say that configuration file errors could not be judged: %+v",
					role, r.Unknown)
			}
		}
	})
}

// TestNoPasswordNoAnswer: a server that wants a password is no crash and no
// guess: one problem with a hint and exit code 7.
func TestNoPasswordNoAnswer(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) { // the answer to a refusal is the client's
		i := start(t, b, nil)
		c := connect(t, i.ConnString())
		sql(t, c, "create role secretive login password 'correct horse'")
		hba := i.DataDir + "/pg_hba.conf"
		// The file is the account's and stays so: it is truncated, not replaced.
		if err := os.WriteFile(hba, []byte("local all postgres trust\nlocal all all scram-sha-256\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		sql(t, c, "select pg_reload_conf()")
		_, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.Conninfo,
			Value: strings.Replace(i.ConnString(), "user=postgres", "user=secretive password=wrong-battery", 1)})
		wantProblem(t, err, 7, "password")
		if strings.Contains(err.Error(), "battery") {
			t.Errorf("the password is in the message: %v", err)
		}
	})
}
