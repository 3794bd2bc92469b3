package collect

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// TestKillable: of thirty processes the twenty that the kernel scores highest are kept, of equal ones the largest;
// threads of the kernel, what ended meanwhile, and what is no process are skipped, and no command line is kept.
func TestKillable(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	process := func(pid, score, pages int) {
		dir := "proc/" + strconv.Itoa(pid) + "/"
		put(dir+"statm", fmt.Sprintf("9000 %d 100 1 0 1 0\n", pages))
		put(dir+"oom_score", strconv.Itoa(score)+"\n")
		put(dir+"oom_score_adj", "0\n")
		put(dir+"cmdline", "java\x00-Dpassword=secret\x00")
		put(dir+"status",
			fmt.Sprintf(
				"Name:\tjava\nState:\tS\nPid:\t%d\nPPid:\t1\nUid:\t0\t0\t0\t0\nVmSize:\t1 kB\nVmRSS:\t1 "+
					"kB\nRssAnon:\t1 kB\nVmPTE:\t1 kB\nVmSwap:\t0 kB\n", pid))
	}
	for i := range 30 {
		process(100+i, 666, 1000+i)
	}
	process(500, 900, 3)                                   // protected from nothing and scored highest
	process(600, 900, 0)                                   // a thread of the kernel
	put("proc/700/statm", "9000 50 1 1 0 1 0\n")           // ended before its score was read
	put("proc/0800/statm", "9000 5000000 100 1 0 1 0\n")   // no process
	put("proc/900/statm", "9000 5000000 100 1 0 1 0\n")    // nonsense
	put("proc/900/oom_score", "18446744073709551615\n")    //
	put("proc/self2/statm", "9000 5000000 100 1 0 1 0\n")  // neither
	put("proc/1000/statm", "9000 -5000000 100 1 0 1 0\n")  //
	put("proc/1001/statm", "99999999999999999999999 1 \n") // its second field counts

	c := newCollector(&target.Local{Root: root}, Request{Killable: true})
	c.killable()
	k, ok := host.ReadKillable(c.a).Get()
	if !ok {
		t.Fatalf("%+v", host.ReadKillable(c.a).Gap())
	}
	if k.Seen != 31 || len(k.Processes) != host.MaxKillable || k.Processes[0].PID != 500 || k.Processes[1].PID != 129 ||
		k.Processes[19].PID != 111 {
		t.Errorf("%d seen, %d kept: %+v", k.Seen, len(k.Processes), k.Processes)
	}
	for _, n := range c.a.Names() {
		if filepath.Base(n) == "cmdline" {
			t.Errorf("%s is kept", n)
		}
	}
	quiet := newCollector(&target.Local{Root: root}, Request{})
	if quiet.killable(); len(quiet.a.Names()) > 0 {
		t.Errorf("not asked for, and read: %v", quiet.a.Names())
	}
}
