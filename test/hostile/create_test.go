package hostile

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// newDisk is a world on a disk, as no instance is made on a tmpfs.
func newDisk(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		tier.Missing(t, Tier, "%v", err)
	}
	w := newWorld(t)
	w.acting = mallory
	w.Sh(`mkdir "$0/disk"; truncate -s 8G "$0/layers/image"
mkfs.ext4 -q -m 0 -O ^has_journal -E lazy_itable_init=1 "$0/layers/image"; mount -o loop "$0/layers/image" "$0/disk"
for dir in mallory eve root etc tmp; do cp -a "$0/$dir" "$0/disk"; mount --bind "$0/disk/$dir" "$0/$dir"; done`, w.Dir)
	return w
}

// creating are the arguments of a create for mallory, below a directory of hers, with flags that are others or more.
func (w *world) creating(flags ...string) []string {
	w.t.Helper()
	bin := filepath.Dir(cell.Binaries(w.t, tier.Servers, 18).Tool("postgres"))
	args := []string{"create", "18/one", "--via", "initdb", "--bin", bin, "--owner", "mallory", "--memory", "300MB",
		"--yes"}
	for _, usual := range [][2]string{{"--datadir", w.home + "/pg/one"}, {"--socket-dir", w.home + "/run"}} {
		if !slices.Contains(flags, usual[0]) {
			args = append(args, usual[:]...)
		}
	}
	return append(args, flags...)
}

// created makes an instance of mallory's that does not run, with a directory of eve's beside it that looks like one,
// and returns what brings both back to that, and a picture of eve's.
func (w *world) created() (again func(), theirs string) {
	w.t.Helper()
	w.sh(eve, `mkdir -p "$0/cluster/base/1"; echo 18 > "$0/cluster/PG_VERSION"`, w.eves)
	args := append([]string{cell.Binary(w.t)}, w.creating("--start", "disabled")...)
	if r := w.Exec(nil, nil, args...); r.Code != 0 {
		w.t.Fatal(r)
	}
	w.Sh(`mkdir "$0/saved"; cp -a "$1" /var/lib/pgfettle "$0/saved"`, w.Dir, w.home+"/pg")
	return func() {
		w.t.Helper()
		w.Sh(`rm -rf "$1"/pg "$1"/run "$1"/own /var/lib/pgfettle
cp -a "$0/saved/pg" "$1"; mkdir "$1/run"; chown --reference="$1" "$1/run"; cp -a "$0/saved/pgfettle" /var/lib`, w.Dir,
			w.home)
	}, w.below(w.eves)
}

// below are those of the attackers' files that nobody has to touch.
func (w *world) below(dirs ...string) string {
	w.t.Helper()
	return w.Sh(`find "$0" "$@" -printf '%p %U:%G %m %l\n' | sort`, dirs...)
}

// TestCreateInAPlaceOfAnother: a directory whose way another account can change is refused, before anything is made.
func TestCreateInAPlaceOfAnother(t *testing.T) {
	w := newDisk(t)
	w.sh(eve, `mkdir "$0/empty" "$0/cluster" "$0/open"; echo 18 > "$0/cluster/PG_VERSION"; chmod 777 "$0/open"
ln -s "$1" "$0/link"`, w.eves, w.home)
	w.sh(mallory, `mkdir "$0/shared"; chmod 777 "$0/shared"; ln -s "$1" "$0/toroot"; ln -s "$2" "$0/toeve"`, w.home,
		w.roots, w.eves)
	w.Sh(`mkdir "$0/group"; chgrp 42302 "$0/group"; chmod 775 "$0/group"`, w.home)
	before := w.below(w.home, w.eves)
	for flag, places := range map[string][]string{
		"--datadir": {w.eves + "/new", w.eves + "/cluster", w.home + "/shared/new", w.home + "/group/new", w.home +
			"/toroot/new", w.home + "/toeve/new", w.sticky + "/new"},
		"--waldir":     {w.eves + "/open/new", w.home + "/toroot/new"},
		"--socket-dir": {w.eves + "/link/new", w.home + "/shared/new", w.home + "/toroot/new"},
	} {
		for _, at := range places {
			r := w.root(w.creating(flag, at)...)
			if !slices.Contains([]int{5, 7}, r.Code) || strings.Contains(r.Stderr, "tmpfs") {
				t.Errorf("%s %s: %v", flag, at, r)
				w.root("undo", "--yes")
			}
		}
	}
	for _, at := range []string{w.eves + "/swap", w.home + "/swap", w.home + "/toroot/swap", w.home + "/shared/swap",
		w.sticky + "/swap"} {
		r := w.root(w.creating("--layers", "swap", "--swap-file", at, "--plan-only")...)
		if r.Code != 5 && !strings.Contains(r.Stdout, "No swap file is made") { // where this machine has swap
			t.Errorf("--swap-file %s: %v", at, r)
		}
	}
	if now := w.below(w.home, w.eves); now != before {
		t.Errorf("something was made or changed:\n%s\nbefore:\n%s", now, before)
	}
}

// TestCreateWhileWaysChange: the owner puts links to root's directory in the place of her own between look and use.
func TestCreateWhileWaysChange(t *testing.T) {
	for _, name := range []string{"/pg", "/pg/one", "/pg/one/conf.d", "/pg/one/" + newcluster.Marker} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			w := newDisk(t)
			w.sh(mallory, `mkdir "$0/pg"; ln -s "$1" "$0/lead"`, w.home, w.open)
			w.start(mallory, []string{"ROLE=exchange", "ROLE_NAME=" + w.home + name, "ROLE_OTHER=" + w.home + "/lead"},
				w.self(mallory, "exchange"))
			w.root(w.creating("--start", "disabled")...)
			w.root("undo", "--yes")
		})
	}
}

// TestCreatedAndThenLed: what mallory makes of an instance of hers leads undo and drop to nothing of root's or eve's.
func TestCreatedAndThenLed(t *testing.T) {
	w := newDisk(t)
	again, theirs := w.created()
	data, marker := w.home+"/pg/one", newcluster.Marker
	for name, lines := range map[string]string{
		"conf.d leads to root's directory": `rm -rf "$0/conf.d"; ln -s "$2" "$0/conf.d"`,
		"its file leads to root's":         `ln -sf "$2/profile" "$0/conf.d/50-pgfettle.conf"`,
		"the directory leads to eve's":     `mv "$0" "$0.aside"; ln -s "$3/cluster" "$0"`,
		"the directory leads to root's":    `mv "$0" "$0.aside"; ln -s "$1" "$0"`,
		"base leads to root's":             `mv "$0/base" "$0/../base"; ln -s "$1" "$0/base"`,
		"pg_wal leads to eve's":            `mv "$0/pg_wal" "$0/../wal"; ln -s "$3/cluster" "$0/pg_wal"`,
		"the marker is a link":             `ln -sf "$1/secret" "$0/$4"`,
		"the marker is a FIFO":             `rm "$0/$4"; mkfifo "$0/$4"`,
		"the marker names a cluster of Debian's": `sed -i 's/"hand": "initdb"/"hand": "debian"/; s/"name": "one"/` +
			`"name": "main"/' "$0/$4"`,
		"the marker names programs of hers": `sed -i "s,\"bin\": \"[^\"]*\",\"bin\": \"$5\"," "$0/$4"`,
		"the marker names root's WAL":       `sed -i "s,\"data\":,\"wal\": \"$1\"\, \"data\":," "$0/$4"`,
		"postmaster.pid names process 1":    `printf '1\n' > "$0/postmaster.pid"`,
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			again()
			w.sh(mallory, `mkdir -p "$0/own"`, w.home)
			for _, program := range []string{"pg_ctl", "pg_controldata", "postgres"} {
				w.plant(mallory, w.home+"/own/"+program)
			}
			w.sh(mallory, lines, data, w.roots, w.open, w.eves, marker, w.home+"/own")
			if strings.Contains(name, "marker") {
				w.root("create", "--drop", "18/one", "--yes")
			} else {
				w.root("undo", "--yes")
			}
			if now := w.below(w.eves); now != theirs {
				t.Errorf("eve has\n%s\nand had\n%s", now, theirs)
			}
		})
	}
}

// TestJournalThatNamesAnother: a journal of a create that was edited names the system's directory, root's or eve's.
// What it names is kept as it is.
func TestJournalThatNamesAnother(t *testing.T) {
	w := newDisk(t)
	again, theirs := w.created()
	data := w.home + "/pg/one"
	for _, other := range []string{"/etc", w.open, w.eves + "/cluster", w.home + "/../eve/cluster"} {
		again()
		journals, err := filepath.Glob(w.Path("/var/lib/pgfettle/journal") + "/*.jsonl")
		if err != nil || len(journals) != 1 {
			t.Fatalf("%v, %v", journals, err)
		}
		text, err := os.ReadFile(journals[0])
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.ReplaceAll(string(text), data, other)
		if err := os.WriteFile(journals[0], []byte(resealed(t, edited)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"create", "--drop", "18/one", "--yes"}, {"undo", "--yes"}} {
			if r := w.root(args...); r.Code == 0 && !strings.Contains(r.Stdout, "kept  cluster:"+other) {
				t.Errorf("%s: %v", other, r)
			}
		}
		if now := w.below(w.eves); now != theirs {
			t.Errorf("%s: eve has\n%s\nand had\n%s", other, now, theirs)
		}
	}
}

// resealed gives each line of a journal the checksum that the program would have given it.
func resealed(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	sum := ""
	for line := range strings.Lines(text) {
		body, _, ok := strings.Cut(line, `,"sum":"`)
		if !ok {
			t.Fatalf("a line without a checksum: %s", line)
		}
		h := sha256.Sum256([]byte(sum + body))
		sum = hex.EncodeToString(h[:])[:16]
		out.WriteString(body + `,"sum":"` + sum + "\"}\n")
	}
	return out.String()
}
