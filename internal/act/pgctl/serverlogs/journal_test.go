package serverlogs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// journalHost is a tree of files on which journalctl and systemctl answer.
type journalHost struct {
	*target.Local
	records string            // of the unit
	limit   bool              // they are more than are taken
	says    map[string]string // what systemctl answers, by its arguments
	asked   []string          // of journalctl
}

func (h *journalHost) Run(_ context.Context, c target.Command) (target.Output, error) {
	if c.Argv[0] == "systemctl" {
		return target.Output{Stdout: []byte(h.says[strings.Join(c.Argv[1:], " ")])}, nil
	}
	h.asked = c.Argv
	if h.limit {
		return target.Output{Stdout: []byte(h.records)}, target.ErrTooLarge
	}
	return target.Output{Stdout: []byte(h.records)}, nil
}

const crashRecords = `{"MESSAGE":"Started it.","_TRANSPORT":"journal","SYSLOG_IDENTIFIER":"systemd"}` + "\n" +
	`{"MESSAGE":"2026-11-24 06:39:30.000 UTC [100] LOG:  server process (PID 101) was terminated by signal 9: ` +
	`Killed","_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"postgres"}` + "\n"

// running makes the instance one whose standard error leads somewhere.
func running(t *testing.T, h *target.Local, in *snapshot.Instance, unit, stderr string) {
	t.Helper()
	fd := filepath.Join(h.Root, "proc/99/fd")
	if err := errors.Join(os.MkdirAll(fd, 0o755), os.Symlink(stderr, fd+"/2")); err != nil {
		t.Fatal(err)
	}
	in.Unit = known.Is(host.Unit{Name: unit})
	in.Processes = known.Is([]host.Process{{PID: 99}})
}

// TestLogInTheJournal: the crash is in the journal of the server's unit alone.
func TestLogInTheJournal(t *testing.T) {
	const unit = "postgresql-17.service"
	for name, c := range map[string]struct {
		settings pg.Settings
		prepare  func(*journalHost, *snapshot.Instance)
		records  string
	}{
		"standard error of a service": {prepare: func(h *journalHost, in *snapshot.Instance) {
			running(t, h.Local, in, unit, "socket:[4711]")
		}},
		"syslog, and no file of it": {settings: pg.Settings{"log_destination": {Value: "syslog"},
			"syslog_ident": {Value: "orders"}},
			prepare: func(h *journalHost, in *snapshot.Instance) { running(t, h.Local, in, unit, "/dev/null") },
			records: strings.NewReplacer(`"stdout"`, `"syslog"`, `"postgres"`, `"orders"`, `"2026`,
				`"[7-1] 2026`).Replace(crashRecords)},
		"a server that does not run": {prepare: func(h *journalHost, _ *snapshot.Instance) {
			h.says = map[string]string{
				"list-units --type=service --all --no-legend --plain postgres*": unit + " loaded failed failed x\n",
				"show --property=Environment,ExecStart,LoadState -- " + unit:    "Environment=PGDATA=/pg/17\n",
			}
			if err := os.MkdirAll(h.Root+"/run/systemd/system", 0o755); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l, in := hostWithLogs(t)
			h := &journalHost{Local: l, records: crashRecords}
			if c.records != "" {
				h.records = c.records
			}
			c.prepare(h, in)
			found, err := Find(t.Context(), h, in, Options{Settings: c.settings})
			if err != nil {
				t.Fatal(err)
			}
			if got := all(t, found); got != crash || len(found.Missing) != 0 {
				t.Errorf("%q\n%+v", got, found)
			}
			if !slices.Contains(h.asked, "_SYSTEMD_UNIT="+unit) {
				t.Errorf("%q", h.asked)
			}
		})
	}
}

// TestJournalIsBounded: what was omitted is said; a file that is found is enough.
func TestJournalIsBounded(t *testing.T) {
	l, in := hostWithLogs(t)
	h := &journalHost{Local: l, records: crashRecords, limit: true}
	running(t, l, in, "postgresql-17.service", "socket:[4711]")
	found, err := Find(t.Context(), h, in, Options{})
	if err != nil || all(t, found) != crash || len(found.Missing) != 1 ||
		!strings.Contains(found.Missing[0].Reason, "its end was left out") {
		t.Errorf("%v\n%+v", err, found)
	}
	h.limit, h.records = false, strings.Repeat(crashRecords, journalLines/2)
	found, err = Find(t.Context(), h, in, Options{})
	if err != nil || len(found.Missing) != 1 || !strings.Contains(found.Missing[0].Reason, "before the newest") {
		t.Errorf("%v\n%+v", err, found)
	}
	h.records = crashRecords
	found, err = Find(t.Context(), h, in, Options{Bytes: 200})
	if err != nil || !strings.Contains(crash, all(t, found)) || len(found.Missing) != 1 {
		t.Errorf("%v\n%+v", err, found)
	}
	h.records, h.asked = "", nil
	if found, err = Find(t.Context(), h, in, Options{}); err != nil || len(found.Sources) != 0 ||
		len(found.Missing) != 1 || !strings.Contains(found.Missing[0].Reason, "shows no message") {
		t.Errorf("%v\n%+v", err, found)
	}

	l, in = hostWithLogs(t, "pg/17/logfile="+crash)
	h = &journalHost{Local: l, records: crashRecords}
	if found, err = Find(t.Context(), h, in, Options{}); err != nil || all(t, found) != crash || h.asked != nil {
		t.Errorf("%v, %q\n%+v", err, h.asked, found)
	}
}

// TestLogOfSyslogIdent: a server that gives itself another name is found in the files of
// syslog.
func TestLogOfSyslogIdent(t *testing.T) {
	h, in := hostWithLogs(t, "var/log/syslog=Nov 24 06:39:30 db1 orders[100]: [9-1] "+crash+
		"Nov 24 06:39:30 db1 cron[1]: no\n")
	settings := pg.Settings{"log_destination": {Value: "syslog"}, "syslog_ident": {Value: "orders"}}
	found, err := Find(t.Context(), h, in, Options{Settings: settings})
	if err != nil || all(t, found) != crash {
		t.Errorf("%v\n%+v", err, found)
	}
}

// TestLogOfAStoppedDebianCluster: /etc/postgresql says which cluster a data directory is
// of, and where its log is; the name of the directory does not.
func TestLogOfAStoppedDebianCluster(t *testing.T) {
	conf := "etc/postgresql/17/orders/postgresql.conf=data_directory = '/pg/17'\nlog_directory = " +
		"'/var/log/orders'\nlog_filename = 'pg-%a.log'\n"
	other := "etc/postgresql/16/main/postgresql.conf=data_directory = '/pg/16'\n"
	for name, files := range map[string][]string{
		"where pg_createcluster puts it": {conf, other, "var/log/postgresql/postgresql-16-main.log=no\n",
			"var/log/postgresql/postgresql-17-orders.log=" + crash},
		"of the collector": {conf, other, "var/log/orders/pg-Tue.log=" + crash},
	} {
		h, in := hostWithLogs(t, files...)
		found, err := Find(t.Context(), h, in, Options{})
		if err != nil || all(t, found) != crash {
			t.Errorf("%s: %v\n%+v", name, err, found)
		}
	}
	h, in := hostWithLogs(t, conf, "srv/orders.log="+crash)
	if err := os.Symlink("/srv/orders.log", h.Root+"/etc/postgresql/17/orders/log"); err != nil {
		t.Fatal(err)
	}
	if found, err := Find(t.Context(), h, in, Options{}); err != nil || all(t, found) != crash {
		t.Errorf("by the link: %v\n%+v", err, found)
	}
}
