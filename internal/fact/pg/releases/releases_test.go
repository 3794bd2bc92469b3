package releases

import (
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// TestTableIsInOrder: one line a major version, ascending, each supported for a
// year longer than the one before.
func TestTableIsInOrder(t *testing.T) {
	all := table().releases
	for i, r := range all[1:] {
		before := all[i]
		if r.Latest.Major() != before.Latest.Major()+1 {
			t.Errorf("%s follows %s", r.Latest, before.Latest)
		}
		if months := r.Last.Sub(before.Last).Hours() / 24 / 30; months < 11 || months > 13 {
			t.Errorf("the last release of %d comes %.0f months after that of %d", r.Latest.Major(), months,
				before.Latest.Major())
		}
	}
}

// TestServersAreNotNewer holds the table against the servers that the parameter
// facts were read from: a release that was installed then is out.
func TestServersAreNotNewer(t *testing.T) {
	for _, major := range params.Majors() {
		r, ok := Of(major)
		p, known := params.Lookup(major, "server_version_num")
		read, err := strconv.Atoi(p.Boot)
		if !ok || !known || err != nil {
			t.Errorf("%d: in the table: %v; server_version_num %q", major, ok, p.Boot)
		} else if read > int(r.Latest) || (params.Candidate(major) != "") != (r.Candidate != "") {
			t.Errorf("the table has %s, and the facts were read from %d", r.Latest, read)
		}
	}
	if _, ok := Of(Oldest() - 1); ok {
		t.Error("a version before the oldest")
	}
}

// TestParse refuses what is no table.
func TestParse(t *testing.T) {
	for _, bad := range []string{"", "# known on Tuesday\nmajor\n13\t13.23\t2025-11-13\n", "# known on 2026-11-22\n",
		"# known on 2026-11-22\nmajor\n13\t13.x\t2025-11-13\n", "# known on 2026-11-22\nmajor\n13\t13.1\n",
		"# known on 2026-11-22\nmajor\n13\t13.1\tsoon\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
