package creation

import (
	"os"
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
)

// TestDirectoryHalfway: only an empty directory of this process's, where none was and another account's is to be, is
// what a kill left.
func TestDirectoryHalfway(t *testing.T) {
	d := directory{Host: Host{Target: &target.Local{}}}
	mine, theirs := "0700 "+ids(os.Geteuid()), "0700 "+ids(os.Geteuid()+1)
	for _, c := range []struct {
		found, was, will string
		want             bool
	}{
		{mine, "absent", theirs, true},
		{mine + notEmpty, "absent", theirs, false},
		{mine, "absent", mine, false},
		{theirs, "absent", theirs, false},
		{mine, theirs, theirs, false},
		{"not a directory", "absent", theirs, false},
		{"absent", "absent", theirs, false},
	} {
		if got := d.Halfway(live(c.found), live(c.was), live(c.will), apply.Knob{}); got != c.want {
			t.Errorf("%s, was %s, to be %s: %v", c.found, c.was, c.will, got)
		}
	}
}

func ids(n int) string { return strconv.Itoa(n) + ":" + strconv.Itoa(n) }
