package servers

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/await"
)

// TestTempTablespaces plans temp_tablespaces for a tablespace that was made for it and applies it: who may create there
// spills there, who may not goes on in the data directory without an error, and it is undone.
func TestTempTablespaces(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		dir := i.DataDir + "-spill"
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chown(dir, i.Account.UID, i.Account.GID); err != nil {
				t.Fatal(err)
			}
		}
		for _, sql := range []string{`CREATE TABLESPACE spill LOCATION '` + dir + `'`, `CREATE ROLE plain LOGIN`,
			`CREATE ROLE report LOGIN`, `GRANT CREATE ON TABLESPACE spill TO report`} {
			if err := i.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		s := read(t, evidenceOf(t, i, true))
		onDisks(s)
		s.Host.Blocks = known.Is([]host.Block{{Device: "259:0", Name: "nvme0n1", Kind: "disk"},
			{Device: "8:0", Name: "nvme1n1", Kind: "disk"}})
		s.Host.Mounts = known.Is([]host.Mount{{Point: "/", Source: "/dev/nvme0n1", FSType: "ext4", Device: "259:0"},
			{Point: dir, Source: "/dev/nvme1n1", FSType: "xfs", Device: "8:0"}})
		s.Host.Spaces = known.Is([]host.Space{{Path: i.DataDir, Total: 100 * unit.GB, Free: 50 * unit.GB},
			{Path: dir, Total: 40 * unit.GB, Free: 40 * unit.GB}})
		whole, err := plan.Make(s, rules.All(), rule.Options{Profile: rule.Mixed})
		if err != nil {
			t.Fatal(err)
		}
		var changes []plan.Change
		for _, c := range whole.Changes {
			if c.Address == knob.PG("temp_tablespaces") {
				changes = append(changes, c)
			}
		}
		if len(changes) != 1 || changes[0].To != "spill" || !strings.Contains(changes[0].Reason.String(),
			"GRANT CREATE ON TABLESPACE spill") {
			t.Fatalf("planned: %+v", changes)
		}
		in := &s.Instances[0]
		p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		defer p.Close()
		noTrouble(t, p, in, changes)
		made := carryOut(t, p, in, changes)
		activate(t, p, in, knob.Reload)
		for _, u := range verified(t, p, in, changes) {
			t.Errorf("after the reload: %s", u)
		}
		super, err := pgconn.Connect(t.Context(), i.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		defer super.Close(t.Context())
		files := func(space string) string {
			return strings.TrimSpace(lines(t, super,
				`SELECT count(*) FROM pg_ls_tmpdir((SELECT oid FROM pg_tablespace WHERE spcname = '`+space+`'))`))
		}
		for role, spills := range map[string]string{"report": "spill", "plain": "pg_default"} {
			conn, err := pgconn.Connect(t.Context(), strings.Replace(i.ConnString(), "user=postgres", "user="+role, 1))
			if err != nil {
				t.Fatal(err)
			}
			lines(t, conn, `SET work_mem = '64kB'; BEGIN;
				DECLARE c CURSOR FOR SELECT g FROM generate_series(1, 300000) g ORDER BY g DESC; FETCH 1 FROM c`)
			for _, space := range []string{"spill", "pg_default"} {
				if n := files(space); (n != "0") != (space == spills) {
					t.Errorf("%s has %s files in %s, and spills to %s", role, n, space, spills)
				}
			}
			_ = conn.Close(t.Context())
			await.That(t, "its files are gone", func() (bool, any) { n := files(spills); return n == "0", n })
		}
		takeBack(t, p, made)
		activate(t, p, in, knob.Reload)
		if v := settingsOf(t, read(t, evidenceOf(t, i, false)))["temp_tablespaces"].Value; v != "" {
			t.Errorf("taken back, it is %q", v)
		}
	})
}
