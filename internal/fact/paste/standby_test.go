package paste

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// TestControlFileOfAStandby: it keeps the settings of the primary, which are none of the standby's own and contradict
// none of them.
func TestControlFileOfAStandby(t *testing.T) {
	const settings = "postgres=# show max_connections;\n max_connections \n-----------------\n 100\n(1 row)\n\n"
	const kept = "wal_level setting:                    replica\nmax_connections setting:              400\n" +
		"max_worker_processes setting:         8\nmax_wal_senders setting:              10\n" +
		"max_prepared_xacts setting:           0\nmax_locks_per_xact setting:           64\n"
	for _, c := range []struct {
		state, own string
		conflicts  int
	}{
		{"in archive recovery", "", 0},
		{"shut down in recovery", "", 0},
		{"in production", "8", 1},
	} {
		text := settings + "pg_control version number:            1300\n" +
			"Catalog version number:               202209061\n" +
			"Database cluster state:               " + c.state + "\n" + kept
		r := read(text)
		a, err := r.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		primary, _ := pg.ReadControlled(a, "1").Get()
		if len(primary) != 5 || primary[0] != (pg.Controlled{Name: "max_connections", Value: 400}) {
			t.Errorf("%s: %+v, %+v", c.state, primary, pg.ReadControlled(a, "1").Gap())
		}
		set, _ := pg.ReadSettings(a, "1").Get()
		if n, _ := set.Int("max_connections"); n != 100 || len(r.Conflicts) != c.conflicts {
			t.Errorf("%s: max_connections %d, contradictions %+v", c.state, n, r.Conflicts)
		}
		if own, _ := set.Text("max_worker_processes"); own != c.own {
			t.Errorf("%s: max_worker_processes %s", c.state, own)
		}
	}
}
