package machine

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func TestParseTimes(t *testing.T) {
	own, waited, err := parseTimes("7 (a) b (c)) S 1 7 7 0 -1 4194560 100 200 0 0 12 34 56 78 20 0 1 0 99 1000 10\n")
	if err != nil || own != 460*time.Millisecond || waited != 1340*time.Millisecond {
		t.Errorf("%v %v %v", own, waited, err)
	}
	for _, text := range []string{"", "7 (x) S 1", "7 (x) S 1 7 7 0 -1 4194560 100 200 0 0 -12 34 56 78 20 0",
		"7 (x) S 1 7 7 0 -1 4194560 100 200 0 0 12 3x 56 78 20 0"} {
		if _, _, err := parseTimes(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// crowd is a process with a hundred children, as many as a busy server.
func crowd(t testing.TB) *crowdNode {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "i=0; while [ $i -lt 100 ]; do sleep 600 & i=$((i+1)); done; echo; wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil { // all are there
		t.Fatal(err)
	}
	return &crowdNode{id: cmd.Process.Pid, asked: make(chan struct{}, 1)}
}

type crowdNode struct {
	Node
	id    int
	asked chan struct{} // called for each sample of its page tables
}

func (n *crowdNode) PID() int {
	select {
	case n.asked <- struct{}{}:
	default:
	}
	return n.id
}

// TestWatch verifies that a watch sees the host and the page tables of a server.
func TestWatch(t *testing.T) {
	n := crowd(t)
	m := &Machine{dir: t.TempDir()}
	end := m.Watch(n, func(error) {}) // this machine's disk may be full
	<-n.asked                         // it is in the middle of its first sample, which its end waits for
	s := end()
	if !s.Known || s.All <= 0 || s.Busy < 0 || s.Busy > s.All || s.Wall < firstSample {
		t.Errorf("%+v", s)
	}
	if s.PageTables < int64(100*4*unit.KB) {
		t.Errorf("page tables of a hundred processes: %d", s.PageTables)
	}
	list, err := children(n.PID())
	if err != nil || len(list) != 100 {
		t.Errorf("%d children, %v", len(list), err)
	}
	sum := s.Add(s)
	if sum.Wall != 2*s.Wall || sum.All != 2*s.All || sum.PageTables != s.PageTables {
		t.Errorf("%+v", sum)
	}
}

// TestNearlyFull holds when a filesystem is too full to go on.
func TestNearlyFull(t *testing.T) {
	m := &Machine{dir: "/scratch"}
	for _, c := range []struct {
		free, total unit.Bytes
		full        bool
	}{{9 * unit.GB, 100 * unit.GB, true}, {11 * unit.GB, 100 * unit.GB, false}, {0, 100 * unit.GB, true},
		{0, 0, false}} {
		if err := m.nearlyFull(c.free, c.total); (err != nil) != c.full {
			t.Errorf("%v of %v: %v", c.free, c.total, err)
		}
	}
}

// TestCanary verifies that it works and leaves nothing.
func TestCanary(t *testing.T) {
	m := &Machine{dir: t.TempDir()}
	c, err := m.Calibrate(t.Context())
	if err != nil || c.CPU <= 0 || c.Memory <= 0 || c.Sync <= 0 {
		t.Errorf("%+v %v", c, err)
	}
	if left, err := m.List(); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

// BenchmarkSample reports what sampling the host costs, with a server of a hundred processes, in percent of a CPU: one
// sample per second, and one of the page tables every ten.
func BenchmarkSample(b *testing.B) {
	n := crowd(b)
	m := &Machine{dir: b.TempDir()}
	begun := time.Now()
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	before := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	for i := 0; b.Loop(); i++ {
		_ = offset(begun)
		_ = m.full()
		if i%mostBetween == 0 {
			_ = pageTables(n.PID())
		}
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	each := (time.Duration(used.Utime.Nano()+used.Stime.Nano()) - before) / time.Duration(b.N)
	b.ReportMetric(100*each.Seconds()/sampleEvery.Seconds(), "%core")
}

// TestGrown: a thread that went takes nothing with it, a new one counts whole, and so
// does one that was given the number of another.
func TestGrown(t *testing.T) {
	before := map[int]time.Duration{3: 5 * time.Second, 4: time.Hour, 5: 2 * time.Hour}
	after := map[int]time.Duration{3: 7 * time.Second, 5: time.Second, 6: 4 * time.Second}
	if d := grown(before, after); d != 7*time.Second {
		t.Errorf("they took %v", d)
	}
	if d := grown(nil, nil); d != 0 {
		t.Errorf("without threads %v", d)
	}
}
