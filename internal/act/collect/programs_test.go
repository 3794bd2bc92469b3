package collect

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

func programsOf(t *testing.T, text string) (*evidence.Archive, []host.Program) {
	t.Helper()
	c := newCollector(fakeOf(t, text), Request{})
	c.query = silentServer
	a, err := c.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, _ := host.ReadPrograms(a).Get()
	return a, list
}

// What runs beside the servers is summed by name, the shared part of the large
// taken off; servers and threads of the kernel are not among it.
func TestCensusOfPrograms(t *testing.T) {
	_, list := programsOf(t, strings.Replace(oneServer, "-- proc/meminfo --", `50 | 2 | kworker/0:1 | 10 | | x
60 | 1 | java | 700 | pages=2000000,shared=10000,ticks=500 | java
61 | 1 | java | 600 | pages=1000000,shared=10000,ticks=100 | java
70 | 1 | a) (b | 800 | pages=100 | x
80 | 1 | clamonacc | 900 | pages=10 | clamonacc
-- proc/80/fdinfo/3 --
pos:	0
fanotify flags:4 event-flags:0
fanotify mnt_id:1d mflags:0 mask:10001 ignored_mask:0
-- proc/meminfo --`, 1))
	var got []string
	for _, p := range list {
		private, _ := p.Private.Get()
		intercept, _ := p.Intercept.Get()
		got = append(got, fmt.Sprintf("%s %d %d %d %g %g %v", p.Name, p.Processes, p.RSS, private, p.CPUTime, p.Since,
			intercept))
	}
	want := []string{
		"java 2 12288000000 12206080000 6 6 false",
		"a) (b 1 409600 0 0 8 false",
		"clamonacc 1 40960 0 0 9 true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A name that says something is kept however many programs are larger.
func TestSmallScannerIsKept(t *testing.T) {
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "%d | 1 | program%d | 10 | pages=%d | x\n", 1000+i, i, 1000+i)
	}
	_, list := programsOf(t, strings.Replace(oneServer, "-- proc/meminfo --",
		many.String()+"80 | 1 | kesl | 900 | pages=1 | kesl\n-- proc/meminfo --", 1))
	if len(list) != mostPrograms+1 || list[0].Name != "program39" || list[mostPrograms].Name != "kesl" {
		t.Errorf("%d programs: %+v", len(list), list)
	}
}

// Where an ordinary user does not see the processes of others nothing is said of them.
func TestHiddenProcessesAreNoCensus(t *testing.T) {
	text := strings.Replace(oneServer, "20 1 8:1 / / rw - ext4 /dev/sda1 rw",
		"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 0:5 / /proc rw - proc proc rw,hidepid=invisible", 1)
	a, list := programsOf(t, text+"-- =uid --\n1000\n")
	if got := string(missingOf(a, "programs.json")); list != nil ||
		!strings.HasPrefix(got, "programs.json: forbidden: /proc is mounted with hidepid") {
		t.Errorf("%v, %q", list, got)
	}
	if a, _ := programsOf(t, text); len(missingOf(a, "programs.json")) > 0 {
		t.Error("hidden from root")
	}
}
