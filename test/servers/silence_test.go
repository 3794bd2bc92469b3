package servers

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestLockedCatalogsAreFound: another session holds a catalog, idle in its
// transaction. What it holds decides how far we get: into the connection, into
// another database, or nowhere.
func TestLockedCatalogsAreFound(t *testing.T) {
	t.Setenv("PGCONNECT_TIMEOUT", "2") // of attempts that are known to hang
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := live.Start(t, b, nil)
		for catalog, words := range map[string][]string{
			// of the cluster; not needed on the way in
			"pg_tablespace": {"Queries canceled while waiting for a lock", "pg_tablespace", "postgres postgres [local]",
				"idle in transaction for"},
			// needed by any query, but not in another database
			"pg_proc": {"Lock holders", "): pg_proc", "database postgres"},
			// no session can connect to this database
			"pg_class": {"Lock holders", "): pg_class", "database postgres"},
			// nor into any
			"pg_authid":          {"before their first query", "idle in transaction"},
			"pg_database":        {"before their first query", "idle in transaction"},
			"pg_db_role_setting": {"before their first query", "idle in transaction"},
		} {
			t.Run(catalog, func(t *testing.T) {
				pid := held(t, i, "begin", "lock table pg_catalog."+catalog+" in access exclusive mode")
				s := asked(t, i)
				fires(t, s, "catalog_locked", append(words, strconv.Itoa(pid))...)
				silent(t, s, "server_unreachable")
			})
		}
		silent(t, asked(t, i), "catalog_locked")
	})
}

// TestNoSlotIsFound: every slot is taken, those of superusers too.
func TestNoSlotIsFound(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := live.Start(t, b, map[string]string{"max_connections": "5", "superuser_reserved_connections": "1",
			"max_wal_senders": "0"})
		for range 5 {
			held(t, i)
		}
		s := asked(t, i)
		fires(t, s, "no_connection_slot", "SQLSTATE 53300", "Client sessions on the host: 5; idle: 5")
		silent(t, s, "server_unreachable")
	})
}

// TestRefusedRoleIsFound: pg_hba.conf rejects all connections.
func TestRefusedRoleIsFound(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := live.Start(t, b, nil)
		for auth, why := range map[string]string{"reject": "SQLSTATE 28000",
			"scram-sha-256": "it requests a password"} {
			hba(t, i, auth)
			s := asked(t, i)
			fires(t, s, "server_unreachable", "refused the connection", why)
			hba(t, i, "trust")
		}
	})
}

// hba lets everybody in by one method only, and waits until that is so.
func hba(t *testing.T, i *scratch.Instance, method string) {
	t.Helper()
	if err := os.WriteFile(i.DataDir+"/pg_hba.conf", []byte("local all all "+method+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(i.PID(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	await.That(t, "pg_hba.conf with "+method+" in force", func() (bool, any) {
		c, err := pgconn.Connect(t.Context(), i.ConnString())
		if err == nil {
			c.Close(context.Background())
		}
		return (err == nil) == (method == "trust"), err
	})
}

// held opens a session that stays, with statements run in it, and returns its
// process as the server has it.
func held(t *testing.T, i *scratch.Instance, statements ...string) int {
	t.Helper()
	var c *pgconn.PgConn
	await.That(t, "a slot of the server", func() (bool, any) { // who has just gone may have one still
		var err error
		c, err = pgconn.Connect(t.Context(), i.ConnString())
		return err == nil, err
	})
	t.Cleanup(func() { c.Close(context.Background()) })
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s).ReadAll(); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return int(c.PID())
}

// asked is what a collection from the host finds, as an administrator runs it.
func asked(t *testing.T, i *scratch.Instance) *snapshot.Snapshot {
	t.Helper()
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: i.DataDir})
	if err != nil {
		t.Fatal(err)
	}
	return live.Read(t, a)
}
