package system

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/system/agent"
)

// hungry wants more memory than there is: 200 strings of 50 MB, kept until the
// last is there. A single one is far below the bound of 1 GB of a datum, so that
// only memory can end it.
const hungry = `select array_length(array_agg(repeat(repeat('x', 1000000), 50)), 1) from generate_series(1, 200)`

// session is what a person would see: his query, and whether he is still there.
const session = `\set VERBOSITY verbose
set jit = off;
select 'before ' || pg_backend_pid();
` + hungry + `;
select 'after ' || pg_backend_pid();
`

// killed is what becomes of a server on a machine that is as it came: a query asks for
// more memory than there is, it is killed, and all sessions of the instance with it.
func killed(t *testing.T, g *guest) {
	g.sh(t, "runuser -u postgres -- "+bin+"/pgbench -i -q -s 1 postgres")

	// Without it systemd would stop the whole unit after the kill: see the check
	// oom_policy_stop.
	const dropIn = "/run/systemd/system/postgresql@15-main.service.d"
	g.sh(t, "mkdir -p "+dropIn+" && printf '[Service]\nOOMPolicy=continue\n' > "+dropIn+
		"/test.conf && systemctl daemon-reload")
	before := crowd(t, g)
	// An idle pool takes three quarters of the memory at once; to have a query
	// fill them takes minutes under emulation.
	g.sh(t, fmt.Sprintf("sysctl -q -w vm.nr_hugepages=%d", nodes*nodeMB*3/4/2))
	r := runOut(t, g)
	g.sh(t, "sysctl -q -w vm.nr_hugepages=0")
	g.answers(t)
	said := g.sh(t, "journalctl -k -b --no-pager | grep 'Out of memory: Killed process' || true")
	log := g.sh(t, "cat /var/log/postgresql/postgresql-15-main.log")
	if !strings.Contains(said, "(postgres)") || !strings.Contains(log, "was terminated by signal 9: Killed") ||
		!strings.Contains(log, "all server processes terminated; reinitializing") {
		t.Errorf("without strict overcommit no backend was killed:\n%s\n%s\n%s%s", said, lastLines(log, 20),
			r.Stdout, r.Stderr)
	}
	if !strings.Contains(r.Stderr, "server closed the connection unexpectedly") ||
		strings.Contains(r.Stdout, "after ") {
		t.Errorf("the session lived on:\n%s%s", r.Stdout, r.Stderr)
	}
	if left := g.alive(t, before); left != 0 {
		t.Errorf("%d sessions lived on", left)
	}
	if n := g.line(t, "systemctl show --value -p ActiveState postgresql@15-main"); n != "active" {
		t.Errorf("the unit is %s, though a drop-in has it go on", n)
	}
	g.sh(t, "systemctl stop crowd witness; systemctl reset-failed crowd witness 2>/dev/null || true")
	g.sh(t, "rm -r "+dropIn+" && systemctl daemon-reload && systemctl restart postgresql@15-main")
}

// spared is the same query where strict overcommit is in force, as planned: it fails alone,
// and everybody else goes on.
func spared(t *testing.T, g *guest) {
	if mode := g.line(t, "sysctl -n vm.overcommit_memory"); mode != "2" {
		t.Fatalf("vm.overcommit_memory is %s", mode)
	}
	g.sh(t, "truncate -c -s 0 /var/log/postgresql/postgresql-15-main.log")
	pm := g.postmaster(t)
	before := crowd(t, g)
	done := g.transactions(t)
	r := runOut(t, g)
	if !strings.Contains(r.Stderr, "ERROR:  53200: out of memory") {
		t.Errorf("the query did not end with SQLSTATE 53200:\n%s%s", r.Stdout, r.Stderr)
	}
	var first, second int
	if _, err := fmt.Sscanf(r.Stdout, "before %d\nafter %d", &first, &second); err != nil || first != second {
		t.Errorf("the session did not live on (%v):\n%s%s", err, r.Stdout, r.Stderr)
	}
	if now := g.postmaster(t); now != pm {
		t.Errorf("the postmaster is %s, it was %s", now, pm)
	}
	if left := g.alive(t, before); left != len(before) {
		t.Errorf("of %d other sessions %d lived on", len(before), left)
	}
	await.That(t, "more transactions of pgbench", func() (bool, any) { // it goes on, however slow this machine is
		now := g.transactions(t)
		if now > done {
			return true, now
		}
		return false, g.sh(t, "journalctl -u crowd --no-pager | tail -5")
	})
	if s := g.line(t, "systemctl is-active crowd"); s != "active" {
		t.Errorf("pgbench is %s", s)
	}
	log := g.sh(t, "cat /var/log/postgresql/postgresql-15-main.log")
	if strings.Contains(log, "terminated by signal") || strings.Contains(log, "reinitializing") {
		t.Errorf("a server process was killed:\n%s", lastLines(log, 20))
	}
}

// crowd starts others at work, pgbench and a session that waits, and returns the
// processes of their backends.
func crowd(t *testing.T, g *guest) []string {
	t.Helper()
	g.sh(t, `systemd-run -q --unit=crowd --uid=postgres `+bin+`/pgbench -n -c 2 -R 10 -T 3600 -P 2 postgres
systemd-run -q --unit=witness --uid=postgres `+bin+`/psql -X -d postgres -c 'select pg_sleep(3600)'`)
	const others = 3
	var list []string
	await.That(t, "the sessions of pgbench and psql", func() (bool, any) {
		list = strings.Fields(g.sql(t,
			"select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"))
		if len(list) == others {
			return true, list
		}
		return false, g.sh(t, "journalctl -u crowd -u witness --no-pager | tail -20")
	})
	return list
}

// runOut runs the hungry query. It takes as long as the kernel takes to hand out
// all of its memory under emulation.
func runOut(t *testing.T, g *guest) agent.Reply {
	t.Helper()
	begun := time.Now()
	r := g.try(t, 10*time.Minute, session, psql...)
	t.Logf("memory ran out after %s: %s", time.Since(begun).Round(100*time.Millisecond), lastLines(r.Stderr, 3))
	return r
}

// alive counts the backends that still are.
func (g *guest) alive(t *testing.T, pids []string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(g.sql(t, "select count(*) from pg_stat_activity where pid in ("+strings.Join(pids, ", ")+
		") and pid <> pg_backend_pid()"), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (g *guest) transactions(t *testing.T) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(g.sql(t, "select count(*) from pgbench_history"), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// answers waits until the server has recovered from a crash.
func (g *guest) answers(t *testing.T) {
	t.Helper()
	g.sh(t, "for i in $(seq 600); do "+bin+"/pg_isready -q && exit 0; sleep 0.2; done; exit 1")
}
