package hostile

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestStoppedServerThatLeads: the files of a stopped server lead to root's. Nothing is revealed about them, and its
// programs run as its owner alone.
func TestStoppedServerThatLeads(t *testing.T) {
	w := newWorld(t)
	data, bin := w.cluster(mallory, "")
	w.sh(mallory,
		`p="$(head -1 "$0/postmaster.pid")"; kill -INT "$p"; tail --pid="$p" -f /dev/null; cp -a "$0" "$0.whole"`, data)
	for _, move := range []struct{ name, lines string }{
		{"include of a closed file", `echo "include '$1/secret'" >> "$0/postgresql.conf"`},
		{"include of /etc/shadow", `echo "include_if_exists '/etc/shadow'" >> "$0/postgresql.conf"`},
		{"include of a FIFO", `mkfifo "$0/fifo"; echo "include 'fifo'" >> "$0/postgresql.conf"`},
		{"include of root's environment", `echo "include '/proc/self/environ'" >> "$0/postgresql.conf"`},
		{"include_dir is a link to root's folder",
			`ln -s "$1" "$0/conf.d"; echo "include_dir 'conf.d'" >> "$0/postgresql.conf"`},
		{"postgresql.conf is a link to root's file", `ln -sf "$1/secret" "$0/postgresql.conf"`},
		{"postgresql.auto.conf is a link", `ln -sf "$1/secret" "$0/postgresql.auto.conf"`},
		{"postmaster.opts is a link", `ln -sf "$1/secret" "$0/postmaster.opts"`},
		{"postmaster.opts is a FIFO", `rm -f "$0/postmaster.opts"; mkfifo "$0/postmaster.opts"`},
		{"postmaster.opts names root's file",
			`echo "$2/postgres \"-D\" \"$0\" \"-c\" \"config_file=$1/secret\"" > "$0/postmaster.opts"`},
		{"PG_VERSION is a link", `ln -sf "$1/secret" "$0/PG_VERSION"`},
		{"pg_control is a link", `rm "$0/global/pg_control"; ln -s "$1/secret" "$0/global/pg_control"`},
		{"postmaster.pid is a link", `ln -sf "$1/secret" "$0/postmaster.pid"`},
		{"postmaster.pid names process 1", `printf "1\n$0\n1\n5432\n/tmp\n\n 1 1\nready\n" > "$0/postmaster.pid"`},
		{"pg_wal leads to root's folder", `mv "$0/pg_wal" "$0/wal"; ln -s "$1" "$0/pg_wal"`},
		{"a tablespace leads to root's folder", `ln -s "$1" "$0/pg_tblspc/16400"`},
		{"sockets lie in root's folder", `echo "unix_socket_directories='$1'" >> "$0/postgresql.conf"`},
		{"the lock file of the socket is a link",
			`mkdir -p "$0/s"; ln -s "$1/secret" "$0/s/.s.PGSQL.54399.lock"; echo "unix_socket_directories='$0/s'" >> ` +
				`"$0/postgresql.conf"`},
		{"a library of its own", `echo "shared_preload_libraries='$1/secret'" >> "$0/postgresql.conf"`},
		{"others may write the data directory", `chmod 777 "$0"`},
		{"its owner may not enter it", `chmod 0 "$0"`},
	} {
		t.Run(move.name, func(t *testing.T) {
			w.t = t
			w.sh(mallory, move.lines, data, w.roots, bin)
			// a plan has looked at all that check does; without a target it looks at strangers
			for _, args := range [][]string{{"plan", data}, {"snapshot", data, "-o", w.out + "/evidence"}, {"check"}} {
				w.root(args...)
			}
			if b, err := os.ReadFile(w.out + "/evidence"); err == nil && strings.Contains(string(b), secret) {
				t.Error("the evidence tells a secret of root's")
			}
			os.Remove(w.out + "/evidence")
			w.sh(mallory, `chmod 700 "$0"; rm -rf "$0"; cp -a "$0.whole" "$0"`, data)
		})
	}
	t.Run("a script in the place of postgres", func(t *testing.T) {
		w.t = t
		w.plant(mallory, bin+"/postgres")
		w.root("check", data)
		if ran := w.took(); !strings.Contains(ran, fmt.Sprint(mallory)) {
			t.Errorf("it was not asked as its own account: %q", ran)
		}
		w.root("check")
		if ran := w.took(); ran != "" {
			t.Errorf("a stranger's program ran: %q", ran)
		}
	})
}
