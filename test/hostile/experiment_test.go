package hostile

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestSettingsInAnExperiment: an experiment takes the settings of a user's instance or file. The scratch instance,
// which runs as another account, loads none of the user's libraries for them, and gets nothing that the user cannot
// read.
func TestSettingsInAnExperiment(t *testing.T) {
	w := newWorld(t)
	data, _ := w.cluster(mallory, "")
	b := cell.Binaries(t, tier.Servers, 18)
	w.sh(mallory, `cp "$1" "$0/evil.so"
printf "shared_preload_libraries='%s/evil.so'\njit_provider='../../../../../../../../../..%s/evil'\nwork_mem=7MB\n" `+
		`"$0" "$0" >> "$2/postgresql.conf"
cp "$2/postgresql.conf" "$0/x.conf"; cp "$2/postgresql.conf" "$0/y.conf"
printf "include '%s/secret'\n" "$3" >> "$0/y.conf"
"$0/pg/bin/pg_ctl" -D "$2" -w -l "$0/log" restart `+
		`>/dev/null`, w.home, filepath.Join(filepath.Dir(library(t, w)), "auto_explain.so"), data, w.roots)
	short := []string{"--workload", "select-only", "--scale", "0.001x", "--duration", "1s", "--warmup", "1s", "--runs",
		"1", "--bin", b.Dir, "--clients", "2"}
	for _, args := range [][]string{{"bench", data, "--conf", "current", "--yes"},
		{"bench", "--conf", w.home + "/x.conf"}} {
		r := w.rootWith([]string{"PGUSER=postgres"}, append(args, short...)...)
		// whether a busy host lets it measure is no matter here
		said := strings.Join(strings.Fields(r.Stdout), " ") // where a line is folded depends on the length of a path
		if !strings.Contains(said, "evil.so: a scratch instance loads") ||
			slices.Contains(args, "--yes") && !strings.Contains(said, "7MB") {
			t.Errorf("its other settings are not taken, or what was left out is not told: %v", r)
		}
	}
	if r := w.root(append([]string{"bench", "--conf", w.home + "/y.conf"}, short...)...); r.Code == 0 {
		t.Errorf("a file that includes a closed file of root's is taken: %v", r)
	}
}
