package collect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// controlling is a host on which pg_controldata gives the answers of a list, one after the other.
type controlling struct {
	*fake
	asked   []target.Command
	answers []target.Output
}

func (c *controlling) Run(_ context.Context, ask target.Command) (target.Output, error) {
	if !strings.HasSuffix(ask.Argv[0], "/pg_controldata") {
		return target.Output{}, errors.New("unexpected")
	}
	c.asked = append(c.asked, ask)
	return c.answers[min(len(c.asked), len(c.answers))-1], nil
}

const controlText = "max_connections setting:              400\nmax_worker_processes setting:         8\n" +
	"max_wal_senders setting:              10\nmax_prepared_xacts setting:           0\n" +
	"max_locks_per_xact setting:           64\nMock authentication nonce:            abcdef\n"

// TestControlDataOfStandbys: the program of the instance is run as its account, for a standby alone; what it warns of
// is not believed, and asked again.
func TestControlDataOfStandbys(t *testing.T) {
	torn := target.Output{Stdout: []byte("WARNING: Calculated CRC checksum does not match value stored in file.\n" +
		controlText)}
	torn17 := target.Output{Stdout: []byte(controlText), Stderr: []byte("pg_controldata: warning: calculated CRC " +
		"checksum does not match value stored in control file\n")}
	whole := target.Output{Stdout: []byte(controlText)}
	for _, c := range []struct {
		name       string
		standby    bool
		programs   string
		owners     string // of files
		answers    []target.Output
		runs, kept int
		state      known.State
		reason     string
	}{
		{name: "a standby", standby: true, answers: []target.Output{whole}, runs: 1, kept: 5},
		{name: "written meanwhile", standby: true, answers: []target.Output{torn, torn17, whole}, runs: 3, kept: 5},
		{name: "of another version", standby: true, answers: []target.Output{torn}, runs: 3, state: known.Unread,
			reason: "pg_control: its checksum does not hold"},
		{name: "closed", standby: true, answers: []target.Output{{Code: 1, Stderr: []byte("pg_controldata: error: " +
			"could not open file \"/srv/b/global/pg_control\" for reading: Permission denied\n")}}, runs: 1,
			state: known.Forbidden, reason: "the data directory is closed to us"},
		{name: "a fault", standby: true, answers: []target.Output{{Code: 1, Stderr: []byte("pg_controldata: fatal\n")}},
			runs: 1, state: known.Unread, reason: "pg_controldata: fatal"},
		{name: "nothing", standby: true, answers: []target.Output{{}}, runs: 1, state: known.Unread,
			reason: "malformed: no line with max_connections setting"},
		{name: "a primary", state: known.Absent, reason: "the server is not in recovery"},
		{name: "no such program", standby: true, programs: "/opt/none/bin", state: known.Absent,
			reason: "pg_controldata: no such file"},
		{name: "a program of another account", standby: true,
			owners: "-- =owners --\n/opt/pg/bin/pg_controldata | 4712\n",
			state:  known.Unread, reason: "pg_controldata: /opt/pg/bin/pg_controldata is not run as user 26: " +
				"/opt/pg/bin/pg_controldata belongs to user 4712"},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs := c.programs
			if programs == "" {
				programs = "/opt/pg/bin"
			}
			text := strings.Replace(oneServer, "1 | postgres | 5000 | cwd=/srv/b |",
				"1 | postgres | 5000 | cwd=/srv/b,exe="+programs+"/postgres |", 1) +
				"-- opt/pg/bin/postgres --\n-- opt/pg/bin/pg_controldata --\n" + c.owners
			h := &controlling{fake: newFake(t, txtar.Parse([]byte(text))), answers: c.answers}
			col := newCollector(h, Request{})
			col.query = func(_ context.Context, a *evidence.Archive, key string, _ pgclient.Connect, _ bool) (
				pgclient.Session, error) {
				recovery := map[bool]string{true: "t", false: "f"}[c.standby]
				return pgclient.Session{}, a.Add(pg.Path(key, "control"), []byte(`{"columns": ["system_identifier", `+
					`"checkpoint_at", "checksums", "wal_segment", "block_size", "in_recovery"], `+
					`"rows": [["1", "1", "t", "1", "8192", "`+recovery+`"]]}`))
			}
			a, err := col.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := pg.ReadControlled(a, "1")
			kept, _ := got.Get()
			if len(kept) != c.kept || len(h.asked) != c.runs || c.kept == 0 &&
				(got.State() != c.state || got.Gap().Reason != c.reason) {
				t.Errorf("%d runs, %v, %s %+v", len(h.asked), kept, got.State(), got.Gap())
			}
			if got.State() != known.Present && got.State() != known.Absent && got.Gap().Reveal == "" &&
				!strings.HasPrefix(got.Gap().Reason, "malformed") {
				t.Errorf("it is not said what would reveal it: %+v", got.Gap())
			}
			for _, ask := range h.asked {
				if strings.Join(ask.Argv, " ") != "/opt/pg/bin/pg_controldata -D /srv/b" || ask.As == nil ||
					ask.As.UID != 26 || !ask.Bare || ask.Limit == 0 || ask.Timeout == 0 {
					t.Errorf("run as %+v", ask)
				}
			}
			if b, err := a.ReadFile(pg.ControlDataFile("1")); err == nil && strings.Contains(string(b), "nonce") {
				t.Errorf("kept: %s", b)
			}
		})
	}
}
