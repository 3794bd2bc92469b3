package experiments

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// kept is a server of a person's, with databases that are kept for measurements.
type kept struct {
	*scratch.Instance
	t *testing.T
}

func keep(t *testing.T, b scratch.Binaries) kept {
	t.Helper()
	i, err := scratch.New(t.Context(), b, scratch.Options{Settings: map[string]string{"shared_buffers": "16MB",
		"huge_pages": "off"}, Near: open(t)})
	if err == nil {
		err = i.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Remove(); err != nil {
			t.Error(err)
		}
	})
	return kept{i, t}
}

func (k kept) do(sql string) {
	k.t.Helper()
	if err := k.Exec(k.t.Context(), sql); err != nil {
		k.t.Fatalf("%s: %v", sql, err)
	}
}

func (k kept) at(user, database string) string {
	return conninfo.Pairs{{Name: "host", Value: k.Socket}, {Name: "port", Value: strconv.Itoa(k.Port)},
		{Name: "user", Value: user}, {Name: "dbname", Value: database}}.String()
}

// onTheirs runs the program and returns its document, or what it refused.
func onTheirs(t *testing.T, args ...string) (r *experiment.Result, refused string) {
	t.Helper()
	dir := open(t)
	cmd := exec.CommandContext(t.Context(), cell.Binary(t), append(args, "--yes", "--format", "json", "--dir",
		dir+"/docs",
		"--scratch", dir+"/scratch")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, stderr.String()
	}
	if r, err = experiment.DecodeResult(out); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left, err := filepath.Glob(dir + "/scratch/*"); err != nil || len(left) > 0 {
		t.Errorf("%v are left (%v)", left, err)
	}
	return r, ""
}

// untilAsked lasts until another session of the database has asked who is connected.
const untilAsked = `do $$ begin loop
  perform pg_stat_clear_snapshot();
  exit when exists (select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and query like '%from pg_stat_activity where%');
end loop; end $$`

// TestExistingDatabase measures on a database that is there already: it is loaded if it is empty, its data are used
// again, its server is neither restarted nor configured, and what differs is what sessions set.
func TestExistingDatabase(t *testing.T) {
	found, err := live.Binaries()
	old, ok := found[13]
	if !ok {
		tier.Missing(t, tier.Servers, "PostgreSQL 13 is not to be had: %v", err)
	}
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		k := keep(t, b)
		pid := k.PID()
		k.do("create database empty")
		k.do("create role bench login")
		bench := []string{"bench", "--runs", "1", "--clients", "2", "--duration", "1s", "--warmup", "1s"}
		r, no := onTheirs(t, append(bench, "-w", "oltp-rw", "--scale", "2", "--database", k.at("postgres", "empty"))...)
		if no != "" {
			t.Fatal(no)
		}
		run := r.Blocks[0].Run("A")
		if run.Transactions == 0 || run.Counters[experiment.ServerCPU] <= 0 || run.Counters[experiment.WALBytes] <= 0 ||
			!run.Environment.Foreign.Known() || r.Spec.Restore != experiment.RestoreExisting ||
			!strings.Contains(r.A.Database, "dbname=empty") || r.Host.Server != b.Version.String() {
			t.Errorf("%+v %+v", run, r.A)
		}
		// its data are there now, and of that scale
		if r, no = onTheirs(t, append(bench, "-w", "oltp-rw", "--database", k.at("postgres", "empty"))...); no != "" ||
			r.Workload.Scale != 2 {
			t.Errorf("again: %s %+v", no, r)
		}
		for _, c := range []struct {
			args []string
			says string
		}{
			{[]string{"-w", "olap", "--database", k.at("postgres", "empty")}, "has other data than the load olap"},
			{[]string{"-w", "oltp-rw", "--scale", "3", "--database", k.at("postgres", "empty")}, "are of scale 2, " +
				"not 3"},
			{[]string{"-w", "oltp-rw", "--database", k.at("bench", "empty")}, "GRANT pg_monitor TO bench"},
			{[]string{"-w", "oltp-rw", "--database", "host=localhost dbname=empty"}, "is not the directory of a Unix " +
				"socket"},
			{[]string{"-w", "oltp-rw", "--database", k.at("postgres", "none")}, `database "none" does not exist`},
			{[]string{"-w", "oltp-rw", "--database", k.at("postgres", "empty"), "--conf", "pg:shared_buffers=1GB"},
				"shared_buffers cannot be set by a session"},
			{[]string{"-w", "oltp-rw", "--database", k.at("postgres", "empty"), "--conf", "pg:work_mem=lots"},
				"the server refuses it"},
			{[]string{"-w", "oltp-rw", "--database", k.at("postgres", "empty"), "--pg", "17"}, "cannot be used " +
				"together"},
		} {
			if _, no := onTheirs(t, append(bench, c.args...)...); !strings.Contains(no, c.says) {
				t.Errorf("%v: %q does not say %q", c.args, no, c.says)
			}
		}
		// a database that others use is none to be loaded at full speed
		other, err := pgconn.Connect(t.Context(), k.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		if _, no := onTheirs(t, append(bench, "-w", "tpcb", "--database", k.at("postgres",
			"postgres"))...); !strings.Contains(no,
			"1 session of another client is connected") {
			t.Error(no)
		}
		// one whose end is near is waited for: the backend of a client that has gone, on a busy host
		ended := make(chan error, 1)
		go func() {
			_, err := other.Exec(t.Context(), untilAsked).ReadAll()
			ended <- errors.Join(err, other.Close(t.Context()))
		}()
		if _, no := onTheirs(t, append(bench, "-w", "tpcb", "--scale", "1", "--database", k.at("postgres",
			"postgres"))...); no != "" {
			t.Error(no)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}

		// a comparison: what each session sets decides what its script is given
		script := filepath.Join(open(t), "s.sql")
		const text = "select pg_sleep(current_setting('default_statistics_target')::int / 5000.0);\n"
		if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		prove := []string{"prove", "-f", script, "--clients", "1", "--duration", "1s", "--warmup", "0s", "--blocks",
			"2",
			"--database", k.at("postgres", "empty")}
		r, no = onTheirs(t, append(prove, "--b", "pg:default_statistics_target=2500,search_path=pg_catalog, public")...)
		if no != "" {
			t.Fatal(no)
		}
		for _, blk := range r.Blocks {
			// 20 ms against half a second: whatever else the host does
			if a, b := blk.Run("A"), blk.Run("B"); b.TPS >= a.TPS || b.TPS > 2 {
				t.Errorf("block %d: %v and %v", blk.Number, a.TPS, b.TPS)
			}
		}
		if r.Design != experiment.DesignTurns || r.A.Hash == r.B.Hash || r.A.Hash == "" {
			t.Errorf("design %s, hashes %s %s", r.Design, r.A.Hash, r.B.Hash)
		}
		// two servers
		o := keep(t, old)
		r, no = onTheirs(t, append(prove, "--b-database", o.at("postgres", "postgres"))...)
		if no != "" {
			t.Fatal(no)
		}
		if r.A.Server != b.Version.String() || r.B.Server != old.Version.String() || len(r.Blocks) < 2 {
			b, _ := json.Marshal(r)
			t.Errorf("%s", b)
		}
		if k.PID() != pid || !k.Running() {
			t.Error("the server was restarted")
		}
	})
}
