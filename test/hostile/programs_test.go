package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

// looks are the commands that look at a whole host, as timers and people run them.
var looks = [][]string{{"plan"}, {"metrics"}, {"check"}}

// TestProgramOfAnAccount: a user's own cluster from a private copy of the programs, with a script in place of postgres.
// It runs only as that user, whether their instances are included or not.
func TestProgramOfAnAccount(t *testing.T) {
	w := newWorld(t)
	data, bin := w.cluster(mallory, "")
	w.plant(mallory, bin+"/postgres")
	t.Run("a stranger", func(t *testing.T) {
		w.t = t
		for _, args := range append(looks, []string{"report", "-o", w.out + "/report.html"}) {
			w.root(args...)
		}
		if ran := w.took(); ran != "" {
			t.Errorf("a stranger's program ran: %s", ran)
		}
		if r := w.root("check", "--format", "json"); !strings.Contains(r.Stdout, "mallory") {
			t.Errorf("the stranger is not listed: %v", r)
		}
	})
	t.Run("named by --trust", func(t *testing.T) {
		w.t = t
		w.root("plan", "--trust", data)
		if ran := w.took(); !strings.Contains(ran, fmt.Sprint(mallory)) {
			t.Errorf("it was not asked as its own account: %q", ran)
		}
	})
	t.Run("named by the policy", func(t *testing.T) {
		w.t = t
		w.Sh(`mkdir -p /etc/pgfettle; printf '[trust]\nowners = ["mallory"]\n' > /etc/pgfettle/policy.toml`)
		defer w.Sh(`rm /etc/pgfettle/policy.toml`)
		for _, args := range looks {
			w.root(args...)
		}
	})
	t.Run("named as a target", func(t *testing.T) {
		w.t = t
		w.root("plan", data)
	})
	t.Run("pg_ctl", func(t *testing.T) {
		w.t = t
		w.plant(mallory, bin+"/pg_ctl")
		w.root("apply", data, "--yes", "--max-effect", "restart", serverOnly)
	})
}

// TestProgramOfAStandby: a script in the place of pg_controldata, of a server in recovery. It runs only as its owner,
// and for who looks from another account not at all.
func TestProgramOfAStandby(t *testing.T) {
	w := newWorld(t)
	data, bin := w.cluster(mallory, "")
	w.sh(mallory, `touch "$0/standby.signal"; "$1/pg_ctl" -D "$0" -w -m fast -l "$0/../log" restart >/dev/null`, data,
		bin)
	w.plant(mallory, bin+"/pg_controldata")
	w.root("check")
	if ran := w.took(); ran != "" {
		t.Errorf("a stranger's program ran: %s", ran)
	}
	for _, args := range [][]string{{"check", "--trust", data}, {"check", data}} {
		w.root(args...)
		if ran := strings.TrimSpace(w.took()); ran != strconv.Itoa(mallory) {
			t.Errorf("%v: it was not run once as its own account: %q", args, ran)
		}
	}
	w.sh(mallory, `printf '#!/bin/sh\nid -u >> %s\nyes max_connections setting: 1\n' "$1" > "$0"`,
		bin+"/pg_controldata", w.ran)
	if r := w.root("check", data); r.Code == 1 {
		t.Errorf("an answer without end: %v", r)
	}
	w.took()
	w.Exec(account(eve), nil, cell.Binary(t), "check", data)
	if ran := w.took(); ran != "" {
		t.Errorf("a program of another account ran as who looked at the host: %s", ran)
	}
}

// took returns what was noted of planted programs, and forgets it.
func (w *world) took() string {
	b, err := os.ReadFile(w.ran)
	if err == nil {
		err = os.Truncate(w.ran, 0)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// TestStickyFolder: a data directory in a directory of root's where everybody may make something, and the environment
// of the old postmaster. Root runs nothing there.
func TestStickyFolder(t *testing.T) {
	w := newWorld(t)
	w.Sh(`printf '18\n' > "$0/PG_VERSION"; chown 42301 "$0/PG_VERSION"; mkdir "$0/global"; chown 42301 "$0/global"`,
		w.sticky)
	w.fake(mallory, w.sticky, "LD_PRELOAD="+w.home+"/evil.so", "ROLE_SOCK="+w.sticky)
	for _, args := range [][]string{
		{"apply", w.sticky, "--yes", "--max-effect", "restart", serverOnly},
		{"plan", w.sticky},
		{"check", w.sticky},
		{"move-wal", w.roots + "/wal", w.sticky, "--yes"},
		{"tablespace", "create", "x", w.roots + "/space", w.sticky, "--yes"},
		{"check"},
	} {
		r := w.root(args...)
		if len(args) > 1 && r.Code == 0 {
			t.Errorf("%v: not refused", r)
		}
	}
	if r := w.root("check", "--format", "json"); !strings.Contains(r.Stdout, "belongs to root") {
		t.Errorf("what contradicts itself is not told: %v", r)
	}
}

// TestEnvironmentOfAServer: what leads the linker is not handed on, and the server
// whose it is is not stopped.
func TestEnvironmentOfAServer(t *testing.T) {
	for _, v := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH"} {
		t.Run(v, func(t *testing.T) {
			w := newWorld(t)
			data, _ := w.cluster(mallory, "", v+"="+w.home+"/evil")
			pid := first(t, data+"/postmaster.pid")
			r := w.root("apply", data, "--yes", "--max-effect", "restart", "--only",
				"pg:shared_buffers,pg:max_connections,pg:huge_pages")
			if r.Code == 0 || !strings.Contains(r.Stdout+r.Stderr, v) {
				t.Errorf("the restart is not refused: %v", r)
			}
			if now := first(t, data+"/postmaster.pid"); now != pid {
				t.Errorf("the server was restarted: %s, %s before", now, pid)
			}
		})
	}
}

func first(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// TestRestartAsTheAccount: an honest server named by its data directory is restarted as its owner, with no more than a
// clean environment.
func TestRestartAsTheAccount(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "", "PG_OOM_ADJUST_VALUE=0", "TZ=UTC", "EVIL=1")
	r := w.root("apply", data, "--yes", "--max-effect", "restart", "--only",
		"pg:shared_buffers,pg:max_connections,pg:huge_pages")
	if r.Code != 0 {
		t.Fatalf("%v", r)
	}
	pid := first(t, data+"/postmaster.pid")
	b, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil || !strings.Contains(string(b), "TZ=UTC") || strings.Contains(string(b), "EVIL") ||
		strings.Contains(string(b), secret) {
		t.Errorf("its environment is %q (%v)", b, err)
	}
	b, err = os.ReadFile("/proc/" + pid + "/status")
	if err != nil || !strings.Contains(string(b), fmt.Sprintf("\nUid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\n", mallory)) ||
		!strings.Contains(string(b), "\nCapPrm:\t0000000000000000\n") {
		t.Errorf("it runs as %s (%v)", b, err)
	}
	if r := w.root("undo", "--max-effect", "restart"); r.Code != 0 {
		t.Errorf("%v", r)
	}
}

// TestSwappedProgram: the program is a different one at each look.
func TestSwappedProgram(t *testing.T) {
	w := newWorld(t)
	data, bin := w.cluster(mallory, "")
	w.sh(mallory,
		`cp "$0/postgres" "$0/honest"; printf '#!/bin/sh\nid -u >> %s\nexec "%s/honest" "$@"\n' "$1" "$0" > `+
			`"$0/planted"; chmod 755 "$0/planted"`, bin, w.ran)
	w.swap(mallory, bin+"/postgres", bin+"/planted", bin+"/honest")
	for range 3 {
		w.root("plan", data)
		w.root("plan", "--trust", data)
	}
	w.root("apply", data, "--yes", "--max-effect", "restart", "--only",
		"pg:shared_buffers,pg:max_connections,pg:huge_pages")
}

// TestScriptInThePlaceOfPostgres: what a script starts bears another name, and is known as the
// server all the same: a restart does not wait for one that is up.
func TestScriptInThePlaceOfPostgres(t *testing.T) {
	w := newWorld(t)
	data, bin := w.cluster(mallory, "")
	w.sh(mallory, `mv "$0/postgres" "$0/honest"; printf '#!/bin/sh\nexec "%s/honest" "$@"\n' "$0" > "$0/postgres"; `+
		`chmod 755 "$0/postgres"`, bin)
	for _, args := range [][]string{
		{"apply", data, "--yes", "--max-effect", "restart", "--only", "pg:shared_buffers", "--pin",
			"pg:huge_pages=off"},
		{"undo", "--max-effect", "restart"},
	} {
		if r := w.root(args...); r.Code != 0 {
			t.Errorf("%v", r)
		}
	}
}

// TestLookedAtByAnother: a user other than root inspects the host, and runs no program of an account that has started a
// server there.
func TestLookedAtByAnother(t *testing.T) {
	w := newWorld(t)
	data, bin := w.cluster(mallory, "")
	w.plant(mallory, bin+"/postgres")
	for _, args := range append(looks, []string{"plan", data}, []string{"plan", "--trust", data},
		[]string{"watch", "--once", "--history", w.eves + "/history.db"}) {
		r := w.Exec(account(eve), nil, append([]string{cell.Binary(t)}, args...)...)
		if r.Code < 0 || r.Code == 1 {
			t.Errorf("%v", r)
		}
	}
	w.sh(mallory, `"$1/pg_ctl" -D "$0" -w -m fast stop >/dev/null`, data, bin)
	for _, args := range [][]string{{"check", data}, {"plan", data}} { // nor of one that is stopped
		w.Exec(account(eve), nil, append([]string{cell.Binary(t)}, args...)...)
	}
	if strings.Contains(w.took(), strconv.Itoa(eve)) {
		t.Error("a program of another account ran as who looked at the host")
	}
}

// TestProgramOfAThird: the server of one account runs from a program of another's,
// who may put any other in its place.
func TestProgramOfAThird(t *testing.T) {
	w := newWorld(t)
	w.fake(eve, w.eves+"/data") // makes her program
	w.sh(mallory,
		`mkdir -m 700 "$0/data" "$0/data/global"; echo 18 > "$0/data/PG_VERSION"; : > "$0/data/postgresql.conf"`,
		w.home)
	said := w.start(mallory, []string{"ROLE=1", "ROLE_DATA=" + w.home + "/data", "ROLE_CAUGHT=" + w.caught,
		"ROLE_PORT=54322"}, w.eves+"/bin/postgres")
	if !strings.HasPrefix(said, "ready") {
		t.Fatal(said)
	}
	for _, args := range append(looks, []string{"plan", w.home + "/data"},
		[]string{"plan", "--trust", w.home + "/data"}) {
		w.root(args...)
	}
	if r := w.root("check", "--format", "json"); !strings.Contains(r.Stdout, "from a program of eve") {
		t.Errorf("it is not told: %v", r)
	}
}

// TestPath: programs of an attacker's in a directory of root's PATH.
func TestPath(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"systemctl", "journalctl", "dmesg", "tail", "rm", "pg_ctl", "postgres", "perf",
		"lsblk", "lvs", "tune2fs", "fio", "sysctl", "xfs_info", "pg_test_fsync", "initdb",
		"sh", "systemd-detect-virt"} {
		w.sh(mallory,
			`mkdir -p "$0/path"; printf '#!/bin/sh\nid -u >> %s\n' "$2" > "$0/path/$1"; chmod 755 "$0/path/$1"`, w.home,
			name, w.ran)
	}
	for _, args := range append(looks, []string{"diagnose", "oom"}, []string{"snapshot", "-o", "/dev/null"}) {
		w.rootWith([]string{"PATH=" + w.home + "/path:" + os.Getenv("PATH")}, args...)
		w.rootWith([]string{"PATH=.:" + w.home + "/path:" + os.Getenv("PATH")}, args...)
	}
	if ran := w.took(); ran != "" {
		t.Errorf("a program of the PATH ran: %s", ran)
	}
}

// TestLibraryOfAnAccount: a library that its own settings name is loaded only as that account.
func TestLibraryOfAnAccount(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	w.sh(mallory, `cp "$1" "$0/evil.so"; printf "shared_preload_libraries='%s/evil.so'\n" "$0" >> "$2/postgresql.conf"`,
		w.home, library(t, w), data)
	w.root("plan", data)
	w.root("apply", data, "--yes", "--max-effect", "reload", serverOnly)
}

// library is any library of a server's.
func library(t *testing.T, w *world) string {
	t.Helper()
	list, err := filepath.Glob(w.home + "/pg/lib/postgresql/*.so")
	if err != nil || len(list) == 0 {
		if list, err = filepath.Glob(w.home + "/pg/lib/*.so"); err != nil || len(list) == 0 {
			t.Fatal("no library", err)
		}
	}
	return list[0]
}

// TestUnitOfAnAccount: units that an account writes for itself bear the names of the
// system's, and are not taken for them.
func TestUnitOfAnAccount(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	w.sh(mallory,
		`mkdir -p "$0/.config/systemd/user"; printf '[Service]\nExecStart=%s\n' "$1" > `+
			`"$0/.config/systemd/user/postgresql.service"`, w.home, data)
	w.root("apply", data, "--yes", "--max-effect", "restart", "--only", "pg:wal_buffers,unit:OOMScoreAdjust")
}
