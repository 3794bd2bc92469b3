package hostile

import (
	"os"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
)

// TestConfigurationThatLeads: files and directories of a configuration that lead to root's. Nothing is created, changed
// or revealed there.
func TestConfigurationThatLeads(t *testing.T) {
	w := newWorld(t)
	// ALTER SYSTEM would be used: it is off, so that the files are written
	// A checkpoint that is due while pg_control is a link ends the server in a panic: none is due for a day.
	data, _ := w.cluster(mallory, "allow_alter_system = off\ncheckpoint_timeout = '1d'")
	settings := "pg:work_mem,pg:max_wal_size,pg:checkpoint_timeout,pg:random_page_cost"
	everything := func(t *testing.T, hangs bool) {
		w.t = t
		if hangs { // so does the server itself: each question to it takes its time
			w.root("check", data)
			w.root("check", "--conf", data+"/postgresql.conf")
			return
		}
		var said []cell.Ran
		// a report has looked at all that check does
		for _, args := range [][]string{
			{"apply", data, "--yes", "--max-effect", "reload", "--only", settings},
			{"check", "--conf", data + "/postgresql.conf"},
			{"report", data, "-o", w.out + "/report.html"}, {"snapshot", data, "-o", w.out + "/evidence"}, {"undo"},
		} {
			said = append(said, w.root(args...))
		}
		for _, name := range []string{"/report.html", "/evidence"} {
			b, err := os.ReadFile(w.out + name)
			if err != nil {
				t.Errorf("%v: %v", err, said)
			}
			if strings.Contains(string(b), secret) {
				t.Errorf("%s tells a secret of root's", name)
			}
			os.Remove(w.out + name)
		}
	}
	w.sh(mallory, `cp "$0/postgresql.conf" "$0/honest"`, data)
	for name, lines := range map[string]string{
		"include_dir is a link to root's folder": `ln -s "$1" "$0/conf.d"; echo "include_dir 'conf.d'" >> ` +
			`"$0/postgresql.conf"`,
		"include_dir is an open folder of root's": `ln -s "$2" "$0/conf.d"; echo "include_dir 'conf.d'" >> ` +
			`"$0/postgresql.conf"`,
		"include of a closed file":                 `echo "include '$1/secret'" >> "$0/postgresql.conf"`,
		"include of /etc/shadow":                   `echo "include_if_exists '/etc/shadow'" >> "$0/postgresql.conf"`,
		"include of a FIFO":                        `mkfifo "$0/fifo"; echo "include 'fifo'" >> "$0/postgresql.conf"`,
		"include of a device":                      `echo "include '/dev/zero'" >> "$0/postgresql.conf"`,
		"include of what root has open":            `echo "include '/proc/self/fd/0'" >> "$0/postgresql.conf"`,
		"include of root's environment":            `echo "include '/proc/self/environ'" >> "$0/postgresql.conf"`,
		"postgresql.conf is a link to root's file": `ln -sf "$2/profile" "$0/postgresql.conf"`,
		"postgresql.conf is a FIFO":                `rm "$0/postgresql.conf"; mkfifo "$0/postgresql.conf"`,
		"postgresql.auto.conf is a link":           `ln -sf "$2/profile" "$0/postgresql.auto.conf"`,
		"postmaster.opts is a link":                `ln -sf "$1/secret" "$0/postmaster.opts"`,
		"PG_VERSION is a link":                     `ln -sf "$1/secret" "$0/PG_VERSION"`,
		"pg_control is a link": `mv "$0/global/pg_control" "$0/control"; ln -s "$1/secret" ` +
			`"$0/global/pg_control"`,
		"current_logfiles leads to root's": `echo "stderr $1/secret" > "$0/current_logfiles"`,
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.sh(mallory, lines, data, w.roots, w.open)
			everything(t, strings.Contains(name, "FIFO"))
			w.sh(mallory,
				`rm -rf "$0/conf.d" "$0/fifo" "$0/current_logfiles"; rm -f "$0/postgresql.conf" `+
					`"$0/postmaster.opts"; cp "$0/honest" "$0/postgresql.conf"; [ ! -h "$0/postgresql.auto.conf" ] `+
					`|| rm "$0/postgresql.auto.conf"; echo 18 > "$0/v"; mv "$0/v" "$0/PG_VERSION"; [ ! -e `+
					`"$0/control" ] || mv "$0/control" "$0/global/pg_control"`, data)
		})
	}
}

// TestConfigFileOfRoot: the server says that its configuration is a file of root's.
func TestConfigFileOfRoot(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "allow_alter_system = off")
	w.sh(mallory, `"$1/pg/bin/pg_ctl" -D "$0" -w -m fast stop >/dev/null; cp "$0/postgresql.conf" "$1/x.conf"`,
		data, w.home)
	// a file of root's that reads as a configuration, which that account has not written
	w.Sh(`cp "$1/x.conf" "$0/postgresql.conf"; chmod 644 "$0/postgresql.conf"`, w.open, w.home)
	w.sh(mallory, `"$1/pg/bin/pg_ctl" -D "$0" -w -l "$1/log" -o "-c config_file=$2/postgresql.conf" start >/dev/null`,
		data, w.home, w.open)
	r := w.root("apply", data, "--yes", "--max-effect", "reload", "--only", "pg:work_mem,pg:max_wal_size")
	if r.Code == 0 && strings.Contains(r.Stdout, w.open) {
		t.Errorf("a file of root's was written for another: %v", r)
	}
}

// TestHardLinks: the name of a server's file is a hard link to another user's.
func TestHardLinks(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "allow_alter_system = off")
	// protected_hardlinks forbids mallory to make them; a host may have it off
	w.Sh(`mkdir "$0/etc/linked"; printf '# of root\n' > "$0/etc/linked/a.conf"; chmod 666 "$0/etc/linked/a.conf"
rm "$1/postgresql.auto.conf"; ln "$0/etc/linked/a.conf" "$1/postgresql.auto.conf"; mkdir "$1/conf.d"; chown 42301 `+
		`"$1/conf.d"; ln "$0/etc/linked/a.conf" "$1/conf.d/zz-pgfettle.conf"
printf "include_dir 'conf.d'\n" >> "$1/postgresql.conf"`, w.Dir, data)
	w.root("apply", data, "--yes", "--max-effect", "reload", "--only", "pg:work_mem,pg:max_wal_size")
}

// TestLogsThatLead: what a server says that its logs are is read as its account.
func TestLogsThatLead(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	for _, lines := range []string{
		`echo "stderr $1/secret" > "$0/current_logfiles"`,
		`mkdir "$0/log"; ln -s "$1/secret" "$0/log/postgresql.log"; echo "stderr log/postgresql.log" > ` +
			`"$0/current_logfiles"`,
		`rm -rf "$0/log"; ln -s "$1" "$0/log"`,
		`rm -rf "$0/log" "$0/current_logfiles"; printf "log_directory='%s'\nlogging_collector=on\n" "$1" >> ` +
			`"$0/postgresql.conf"`,
		`rm -f "$2/log"; ln -s "$1/secret" "$2/log"`,
	} {
		w.sh(mallory, lines, data, w.roots, w.home)
		w.root("diagnose", "log", data)
		w.root("diagnose", "oom", data)
		w.root("watch", data, "--once", "--history", w.out+"/history.db")
	}
}

// TestPlacesThatLead: pg_wal, a tablespace and pg_stat that lead to directories of root's. Nothing is made there,
// measured there or moved there.
func TestPlacesThatLead(t *testing.T) {
	w := newWorld(t)
	data := w.home + "/data"
	w.fake(mallory, data, "ROLE_SOCK="+w.sticky)
	w.sh(mallory, `rmdir "$0/pg_wal"; ln -s "$1" "$0/pg_wal"; ln -s "$1" "$0/pg_tblspc/16384"; ln -s "$1" "$0/pg_stat"`,
		data, w.roots)
	for _, args := range [][]string{
		{"check", data}, {"probe", data, "--seconds", "1", "--yes"}, {"move-wal", w.home + "/wal", data, "--yes"},
		{"move-wal", w.roots + "/wal", data, "--yes"},
		{"move-wal", "/proc/self/cwd/wal", data, "--yes"},
		{"tablespace", "plan", data}, {"tablespace", "create", "x", w.home + "/space", data, "--yes"},
		{"tablespace", "create", "x", w.roots + "/space", data, "--yes"},
		{"tablespace", "create", "x", "/proc/self/cwd/space", data, "--yes", "--same-filesystem"},
	} {
		w.root(args...)
	}
}

// TestWALToAPlaceThatLeads: the new place of the WAL is below a link of the account's to a directory of root's, where
// root alone may make something.
func TestWALToAPlaceThatLeads(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	w.sh(mallory, `ln -s "$0" "$1/away"`, w.open, w.home)
	w.root("move-wal", w.home+"/away/wal", data, "--yes", "--same-filesystem")
}

// TestTablespaceInAPlaceThatLeads: the same of a new tablespace; and a directory of the account's that it swaps for a
// link to root's while the tablespace is created and dropped.
func TestTablespaceInAPlaceThatLeads(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	w.sh(mallory, `ln -s "$0" "$1/away"`, w.open, w.home)
	if r := w.root("tablespace", "create", "x", w.home+"/away/space", data, "--yes", "--same-filesystem"); r.Code != 5 {
		t.Errorf("not refused: %v", r)
	}
	w.sh(mallory, `mkdir "$0/real"; ln -s "$1" "$0/evil"; ln -s real "$0/good"; ln -s real "$0/spaces"`, w.home, w.open)
	w.swap(mallory, w.home+"/spaces", w.home+"/evil", w.home+"/good")
	for range 3 {
		w.root("tablespace", "create", "x", w.home+"/spaces/x", data, "--yes", "--same-filesystem")
		w.root("undo")
	}
}

// TestSwappedLinks: a directory that is examined is a link to root's when it is written, and the other way round, again
// and again.
func TestSwappedLinks(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "allow_alter_system = off")
	w.sh(mallory,
		`mkdir "$0/real"; ln -s "$1" "$0/evil"; ln -s real "$0/good"; ln -s real "$0/conf.d"; echo "include_dir `+
			`'conf.d'" >> "$0/postgresql.conf"`, data, w.open)
	w.swap(mallory, data+"/conf.d", data+"/evil", data+"/good")
	for range 3 {
		w.root("apply", data, "--yes", "--max-effect", "reload", "--only", "pg:work_mem,pg:max_wal_size")
		w.root("undo")
	}
}

// TestMountOfAnother: the data directory is another user's mount.
func TestMountOfAnother(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(eve, "")
	w.sh(mallory, `mkdir "$0/data"`, w.home)
	w.Sh(`mount --bind "$0" "$1"`, data, w.home+"/data")
	for _, args := range [][]string{
		{"apply", w.home + "/data", "--yes", "--max-effect", "reload", serverOnly},
		{"check", w.home + "/data"},
	} {
		w.root(args...)
	}
}

// TestStateOfAnother: the directory where root keeps its journals belongs to another user, who could write journals for
// root to undo.
func TestStateOfAnother(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	for _, lines := range []string{
		`rm -rf /var/lib/pgfettle; mkdir /var/lib/pgfettle; chown 42301 /var/lib/pgfettle`,
		`rm -rf /var/lib/pgfettle; mkdir -m 777 /var/lib/pgfettle`,
		`rm -rf /var/lib/pgfettle; ln -s "$0" /var/lib/pgfettle`,
		`rm -rf /var/lib/pgfettle; mkdir -p /var/lib/pgfettle/journal; chown 42301 /var/lib/pgfettle/journal`,
	} {
		w.Sh(lines, w.home)
		for _, args := range [][]string{
			{"apply", data, "--yes", "--max-effect", "reload", serverOnly},
			{"undo"},
			{"apply", "--resume"},
		} {
			if r := w.root(args...); r.Code == 0 && args[0] == "apply" && len(args) > 3 {
				t.Errorf("%s: %v", lines, r)
			}
		}
	}
}

// TestFilesOfTheSystem: files and directories of the system that others can change are not written by root, and the
// kernel is left as it is.
func TestFilesOfTheSystem(t *testing.T) {
	const name = "/proc/sys/vm/swappiness"
	w := newWorld(t)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if now, err := os.ReadFile(name); err != nil || string(now) != string(before) {
			t.Errorf("the kernel was changed to %s (%v)", now, err)
			if err := os.WriteFile(name, before, 0); err != nil {
				t.Error(err)
			}
		}
	})
	other := "7"
	if strings.TrimSpace(string(before)) == other {
		other = "8"
	}
	for _, lines := range []string{
		`chown 42301 /etc/sysctl.d`,
		`chown 0 /etc/sysctl.d; chmod 777 /etc/sysctl.d`,
		`chmod 755 /etc/sysctl.d; rm -rf "$0/sysctl.d"; cp -r /etc/sysctl.d "$0/sysctl.d"; rm -r /etc/sysctl.d; ` +
			`chown 42301 "$0/sysctl.d"; ln -s "$0/sysctl.d" /etc/sysctl.d`,
	} {
		w.Sh(`[ -e /etc/sysctl.d ] || mkdir /etc/sysctl.d; `+lines, w.home)
		if r := w.root("apply", "--yes", "--max-effect", "now", "--pin", "sysctl:vm.swappiness="+other, "--only",
			"sysctl:vm.swappiness"); r.Code != 5 {
			t.Errorf("%s: %v", lines, r)
		}
	}
}
