package servers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
)

// service makes the account of the packaged services within a cell, with the directory of its history, and a server
// that lets it in as a role of pg_monitor.
func service(t *testing.T, c *cell.Cell) (as *scratch.Account, i *scratch.Instance) {
	t.Helper()
	as = &scratch.Account{UID: 4711, GID: 4711, Switch: true}
	open := c.Dir + "/socket" // the server's own directory admits no other user
	c.Sh(`mkdir -m 1777 "$0"; echo 'pgfettle:x:4711:4711::/nonexistent:/usr/sbin/nologin' >>/etc/passwd
mkdir -m 0700 /var/lib/pgfettle-watch; chown 4711:4711 /var/lib/pgfettle-watch`, open)
	i = cell.Server(t, "servers", 15, scratch.Options{})
	if err := i.Exec(t.Context(), "create role pgfettle login in role pg_monitor"); err != nil {
		t.Fatal(err)
	}
	restart(t, i, map[string]string{"unix_socket_directories": i.Socket + "," + open})
	return as, i
}

const serviceHistory = "/var/lib/pgfettle-watch/history.db"

// TestAsTheServiceAccount: the account of the packaged services, which is root
// nowhere and in pg_monitor, watches and writes metrics; what it may not see is said
// with what would reveal it; and root reads its history without opening it as root.
func TestAsTheServiceAccount(t *testing.T) {
	c := cell.New(t, "servers")
	as, i := service(t, c)
	c.Sh(`mkdir -p -m 0700 /var/lib/pgfettle/journal; chmod 0700 /var/lib/pgfettle`)
	env := []string{"HOME=/nonexistent"}
	run := func(args ...string) cell.Ran { return c.Exec(as, env, append([]string{cell.Binary(t)}, args...)...) }
	r := run("watch", "--once", "--no-policy", "--history", serviceHistory)
	if r.Code != 0 || strings.Contains(r.Stderr, i.DataDir+" does not answer") {
		t.Fatal(r)
	}
	if !strings.Contains(r.Stderr, "cannot read /var/lib/pgfettle/journal") ||
		!strings.Contains(r.Stderr, "to include them, run as root") {
		t.Errorf("the journals that it cannot read are not told: %s", r)
	}
	r = run("history", "--history", serviceHistory, "--series", "connections_total", "--instance", i.DataDir,
		"--format", "json")
	if r.Code != 0 || !strings.Contains(r.Stdout, `"connections_total"`) {
		t.Errorf("no sample of the server: %s", r)
	}
	r = run("metrics", "--no-policy", "--textfile", c.Dir+"/socket/pgfettle.prom")
	b, err := os.ReadFile(c.Dir + "/socket/pgfettle.prom")
	if r.Code != 0 || err != nil {
		t.Fatal(r, err)
	}
	for _, want := range []string{`pgfettle_collection_success 1`,
		fmt.Sprintf(`pgfettle_instance_answered{pg_instance=%q} 1`, i.DataDir),
		fmt.Sprintf(`pgfettle_instance_shared_memory_bytes{pg_instance=%q}`, i.DataDir),
		fmt.Sprintf(`pgfettle_instance_page_tables_bytes{pg_instance=%q}`, i.DataDir), `pgfettle_unreadable_fact{`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	r = run("check", "--no-policy", "--format", "json")
	var doc struct {
		Unknown []struct{ Fact, Reason, Reveal string }
	}
	if err := json.Unmarshal([]byte(r.Stdout), &doc); err != nil || len(doc.Unknown) == 0 {
		t.Fatalf("%v: %s", err, r)
	}
	for _, u := range doc.Unknown {
		if u.Reason == "" || u.Reveal == "" {
			t.Errorf("%s: it is not said why it is unknown, or what would reveal it: %+v", u.Fact, u)
		}
	}
	// Where the server does not let it in, it is said why, and not that a file is closed.
	hba := filepath.Join(i.DataDir, "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("local all pgfettle reject\nlocal all postgres peer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := i.Exec(t.Context(), "select pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	if r = run("watch", "--once", "--no-policy", "--history", serviceHistory); !strings.Contains(r.Stderr,
		"pg_hba.conf rejects connection") && !strings.Contains(r.Stderr, "Peer authentication failed") {
		t.Errorf("a server that does not let it in: %s", r)
	}
}

// TestRootReadsTheServicesHistory: root sees what the packaged service has watched,
// by default and in plans, and never opens with root's rights what that account can
// put there.
func TestRootReadsTheServicesHistory(t *testing.T) {
	c := cell.New(t, "servers")
	as, i := service(t, c)
	if r := c.Exec(as, []string{"HOME=/nonexistent"}, cell.Binary(t), "watch", "--once", "--no-policy", "--history",
		serviceHistory); r.Code != 0 {
		t.Fatal(r)
	}
	if r := c.Run("history", "--series", "connections_total"); r.Code != 0 || !strings.Contains(r.Stdout, i.DataDir) {
		t.Errorf("root sees nothing of it: %s", r)
	}
	if r := c.Run("plan", "--no-policy", i.DataDir); strings.Contains(r.Stdout+r.Stderr, "history/peaks.json") {
		t.Errorf("the peaks could not be read: %s", r)
	}
	c.Sh(`chown 0:0 ` + serviceHistory) // which only root's rights open now
	if r := c.Run("history"); r.Code != 7 || !strings.Contains(r.Stderr, "permission denied") {
		t.Errorf("root reads what the account may not: %s", r)
	}
	c.Sh(`rm -f ` + serviceHistory + `; ln -s /etc/shadow ` + serviceHistory)
	if r := c.Run("history"); r.Code == 0 || strings.Contains(r.Stdout+r.Stderr, "root:") {
		t.Errorf("through a link: %s", r)
	}
	c.Sh(`rm -f ` + serviceHistory + `; head -c 8192 /dev/urandom >` + serviceHistory + `; chown 4711 ` +
		serviceHistory)
	if r := c.Run("history"); r.Code != 1 || !strings.Contains(r.Stderr, "not a history file of pgfettle") {
		t.Errorf("any bytes: %s", r)
	}
	if r := c.Run("check", "--no-policy", i.DataDir); r.Code != 0 {
		t.Errorf("any bytes end a check: %s", r)
	}
}
