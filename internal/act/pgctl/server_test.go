package pgctl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// pgTree makes a tree of files that stands for a host whose server is down.
func pgTree(t *testing.T, files map[string]string) (*Server, string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		at := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	return &Server{Target: &target.Local{Root: root}}, root
}

func stopped(dir string) *snapshot.Instance {
	return &snapshot.Instance{DataDirectory: known.Is(dir)}
}

func TestSharedMemoryLimits(t *testing.T) {
	r := sharedMemoryLimits{memory: 64 * unit.GB, size: 2 * unit.MB, pool: 1000, others: 100, more: 50}
	for _, c := range []struct {
		title              string
		sharedMemoryLimits sharedMemoryLimits
		hugePages          string
		need               scratch.SharedMemory
		name               string
	}{
		{"the pool is just enough", r, "on", scratch.SharedMemory{Bytes: 1900 * unit.MB, Pages: 950}, ""},
		{"one page short", r, "on", scratch.SharedMemory{Bytes: 1900 * unit.MB, Pages: 951}, "huge_pages"},
		{"the binary told bytes only", r, "on", scratch.SharedMemory{Bytes: 1900*unit.MB + 1}, "huge_pages"},
		{"try falls back", r, "try", scratch.SharedMemory{Bytes: 60 * unit.GB, Pages: 30720}, ""},
		{"more than the machine has", r, "off", scratch.SharedMemory{Bytes: 65 * unit.GB}, "shared_buffers"},
		{"more than the control group may", sharedMemoryLimits{memory: 64 * unit.GB, limit: 2 * unit.GB},
			"off", scratch.SharedMemory{Bytes: 3 * unit.GB}, "shared_buffers"},
		{"no huge pages in this kernel", sharedMemoryLimits{memory: 64 * unit.GB},
			"ON", scratch.SharedMemory{Bytes: unit.GB}, "huge_pages"},
	} {
		if name, why := c.sharedMemoryLimits.refuses(c.hugePages, c.need); name != c.name ||
			(why == "") != (name == "") {
			t.Errorf("%s: %q, %s", c.title, name, why)
		}
	}
	maps := "7f0000000000-7f0000400000 rw-s 00000000 00:0f 1 /anon_hugepage (deleted)\n7f0000400000-7f0000401000 " +
		"rw-s 00000000 00:0f 1 /dev/zero (deleted)\n"
	if got := hugeMapped(maps); got != 4*unit.MB {
		t.Errorf("mapped %s", got)
	}
}

func TestWords(t *testing.T) {
	if got := shellWords([]string{"-D", "/a b", "-c", "x='$y'"}); got != `'-D' '/a b' '-c' 'x='\''$y'\'''` {
		t.Error(got)
	}
	if got := withoutFolder([]string{"-D", "/d/", "-c", "-D", "-D", "data", "-D/d", "-D", "/etc/pg", "-p", "5"},
		"/d"); !slices.Equal(got, []string{"-c", "-D", "-D", "/etc/pg", "-p", "5"}) {
		t.Errorf("%q", got)
	}
	p, _ := pgTree(t, map[string]string{"data/postmaster.opts": "/usr/bin/postgres \"-D\" \"/a b\" \"-c\" \"x=1\"\n"})
	if got, err := p.arguments("/data", postmaster{}, false); err != nil ||
		!slices.Equal(got, []string{"/usr/bin/postgres", "-D", "/a b", "-c", "x=1"}) {
		t.Errorf("%q, %v", got, err)
	}
	settings := map[string]string{"wal_level": "", "max_wal_senders": "", "max_wal": ""}
	said := `WAL streaming (max_wal_senders > 0) requires wal_level "replica"`
	if got := blame(said, settings, map[string]bool{"wal_level": true}); got.Name != "wal_level" || !got.Planned {
		t.Errorf("%+v", got)
	}
	if got := blame(said, settings, nil); got.Name != "max_wal_senders" || got.Planned {
		t.Errorf("%+v", got)
	}
	log := "LOG:  received fast shutdown request\nFATAL:  terminating connection due to administrator command\nLOG: " +
		" database system is shut down\nFATAL:  no room\nDETAIL:  none at all\n"
	if got := errorLines(log); got != "FATAL:  no room | DETAIL:  none at all" {
		t.Error(got)
	}
}

// pgHost is a host whose commands are recorded instead of run.
type pgHost struct {
	*target.Local
	says map[string]string // by the whole command
	ran  []string
}

func (h *pgHost) Run(_ context.Context, c target.Command) (target.Output, error) {
	line := strings.Join(c.Argv, " ")
	h.ran = append(h.ran, line)
	said, ok := h.says[line]
	if !ok {
		return target.Output{Code: 1}, nil
	}
	return target.Output{Stdout: []byte(said)}, nil
}

// TestServiceOf: a server is restarted through what runs it; a unit that it merely
// belongs to is not that.
func TestServiceOf(t *testing.T) {
	files := map[string]string{"run/systemd/system/x": "",
		"data/postmaster.opts": "/opt/pg/bin/postgres \"-D\" \"/data\"\n", "data/postgresql.conf": "",
		"proc/77/comm": "bash\n", "proc/78/comm": "supervisord\n",
		"proc/99/cmdline": "/opt/pg/bin/postgres\x00-D\x00/data\x00", "dev/log": "", "proc/99/fd/.keep": ""}
	for _, c := range []struct {
		title  string
		p      *Server
		unit   string
		parent int
		says   map[string]string
		up     bool
		want   string
	}{
		{"the user's command", &Server{RestartCommand: "svc bounce"}, "x.service", 77, nil, true, "svc bounce"},
		{"its own unit", &Server{}, "postgresql@15-main.service", 77,
			map[string]string{"systemctl show --property=MainPID --value -- postgresql@15-main.service": "99\n"}, true,
			"systemctl restart postgresql@15-main.service"},
		{"cron's unit", &Server{}, "cron.service", 77,
			map[string]string{"systemctl show --property=MainPID --value -- cron.service": "12\n"}, true,
			"pg_ctl restart -D /data"},
		{"a supervisor", &Server{}, "", 78, nil, true, "--restart-command"},
		{"down, with a unit that names the data directory", &Server{}, "", 0, map[string]string{
			"systemctl list-units --type=service --all --no-legend --plain " +
				"postgres*": "postgresql-16.service loaded failed failed x\npostgresql-17.service loaded active " +
				"running y\n",
			"systemctl show --property=Environment,ExecStart,LoadState -- " +
				"postgresql-16.service": "Environment=PGDATA=/other\n",
			"systemctl show --property=Environment,ExecStart,LoadState -- " +
				"postgresql-17.service": "Environment=PGDATA=/data/ X=1\n",
		}, false, "systemctl restart postgresql-17.service"},
		{"down", &Server{}, "", 0, nil, false, "pg_ctl restart -D /data"},
	} {
		t.Run(c.title, func(t *testing.T) {
			p, root := pgTree(t, files)
			if err := os.Symlink("/dev/log", filepath.Join(root, "proc/99/fd/2")); err != nil {
				t.Fatal(err)
			}
			c.p.Target = &pgHost{Local: p.Target.(*target.Local), says: c.says}
			in := stopped("/data")
			if c.unit != "" {
				in.Unit = known.Is(host.Unit{Name: c.unit})
			}
			pm := postmaster{parent: c.parent}
			pm.PID = 99
			m, err := c.p.serviceOf(t.Context(), in, pm, c.up)
			got := m.name
			var no *say.Problem
			if errors.As(err, &no) {
				got = no.Hint.String()
			} else if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestOnlyTheServerItself: a number in a lock file is no server unless the process is in the data directory, and bears
// its name or began when the lock file says.
func TestOnlyTheServerItself(t *testing.T) {
	const stat = "99 (postgres) S 1 99 99 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5000 0 0"
	for _, c := range []struct {
		title, comm, stat, cwd string
		up                     bool
	}{
		{"the server", "postgres\n", stat, "/data", true},
		{"another program", "vi\n", strings.Replace(stat, " 5000 ", " 500000 ", 1), "/data", false},
		{"another program elsewhere", "vi\n", stat, "/other", false},
		{"its program has another name", "pg-real\n", stat, "/data", true},
		{"of NixOS", ".postgres-wrapp\n", stat, "/data", true},
		{"a server of another folder", "postgres\n", stat, "/other", false},
		{"dead and not waited for", "postgres\n", strings.Replace(stat, " S ", " Z ", 1), "/data", false},
	} {
		p, root := pgTree(t,
			map[string]string{"data/postmaster.pid": "99\n/data\n1000000050\n5432\n/tmp\n\n  1 1\nready   \n",
				"other/x":      "",
				"proc/99/comm": c.comm, "proc/99/stat": c.stat, "proc/stat": "btime 1000000000\n"})
		if err := os.Symlink(c.cwd, filepath.Join(root, "proc/99/cwd")); err != nil {
			t.Fatal(err)
		}
		pm, up, err := p.postmaster("/data")
		if err != nil || up != c.up || up && (pm.start != 5000 || pm.parent != 1 || pm.Status != "ready") {
			t.Errorf("%s: %+v, %v, %v", c.title, pm, up, err)
		}
	}
}

// TestLoggedSince: what a server says of a start that failed is found where it logs,
// whole lines of it, and not what stood there before.
func TestLoggedSince(t *testing.T) {
	const before, after = "FATAL:  of yesterday\n", "FATAL:  no room\nDETAIL:  none at all\n"
	for name, c := range map[string]struct {
		files map[string]string
		log   string
		grows string
	}{
		"the file of pg_ctl": {map[string]string{"logs/a.log": before}, "/logs/a.log", "logs/a.log"},
		"a file that is new": {map[string]string{"data/postgresql.conf": ""}, "/data/pgfettle-start.log",
			"data/pgfettle-start.log"},
		"the collector's folder": {map[string]string{
			"data/postgresql.conf": "logging_collector = on\nlog_directory = 'l'\n", "data/l/x.log": before},
			"/dev/null", "data/l/x.log"},
		"a new one of it": {map[string]string{"data/postgresql.conf": "logging_collector = on\n",
			"data/log/x.log": before}, "", "data/log/y.log"},
	} {
		p, root := pgTree(t, c.files)
		if err := os.MkdirAll(root+"/data", 0o755); err != nil {
			t.Fatal(err)
		}
		in, m := stopped("/data"), service{log: c.log}
		at := p.markLogs(in, m)
		f, err := os.OpenFile(filepath.Join(root, c.grows), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(after); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got := p.loggedSince(t.Context(), in, m, at); got != "FATAL:  no room | DETAIL:  none at all" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
