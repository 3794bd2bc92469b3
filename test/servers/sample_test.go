package servers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/template"
)

// watched watches a throwaway server and this host, and judges.
func watched(t *testing.T, i *scratch.Instance, long time.Duration, group string) *sampled.Sample {
	t.Helper()
	lock, err := collect.ReadLock(&target.Local{}, i.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sample.Slow(t.Context(), &target.Local{}, sample.SlowOptions{Duration: long, Postmaster: lock.PID,
		CGroup: group, Conn: session(t, i), Host: true})
	if err != nil {
		t.Fatal(err)
	}
	d := sampled.Judge(i.DataDir, e)
	figures, err := json.Marshal(d.Figures)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s\nwaits %+v\nprocesses %+v\nmissing %+v", d.Verdict, figures, d.Waits, d.Processes, d.Missing)
	return d
}

func sampleVerdict(d *sampled.Sample, id string) *slow.Verdict {
	i := slices.IndexFunc(d.Verdicts, func(v slow.Verdict) bool { return v.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Verdicts[i]
}

// TestSampleSeesALockJam verifies that a session which keeps a lock and does nothing is named, as the first verdict, on
// every version.
func TestSampleSeesALockJam(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"deadlock_timeout": "10s"})
		holder := session(t, i)
		lines(t, holder, "CREATE TABLE hot AS SELECT 1 AS id, 0 AS v")
		pid := strings.TrimSpace(lines(t, holder, "BEGIN; UPDATE hot SET v = 1; SELECT pg_backend_pid()"))
		done := make(chan struct{})
		const waiters = 6
		for range waiters {
			conn := session(t, i)
			go func() {
				conn.Exec(t.Context(), "UPDATE hot SET v = v + 1").ReadAll() // it ends with the holder's transaction
				done <- struct{}{}
			}()
		}
		waiting(t, holder, waiters)
		d := watched(t, i, 3*time.Second, "")
		lines(t, holder, "COMMIT")
		for range waiters {
			<-done
		}
		if len(d.Verdicts) == 0 || d.Verdicts[0].ID != "lock-jam" {
			t.Fatalf("the first verdict is no jam of locks: %+v", d.Verdicts)
		}
		// whether it is advised to terminate it depends on how long it was idle: TestIdleForNoTime
		if !slices.ContainsFunc(d.Verdicts[0].Evidence, func(m say.Message) bool {
			return strings.Contains(m.String(), "PID "+pid+" (idle in transaction") &&
				strings.Contains(m.String(), "blocked "+strconv.Itoa(waiters)+" sessions")
		}) {
			t.Errorf("process %s is not named: %+v", pid, d.Verdicts[0])
		}
		if n := *d.Figures.Active; n < waiters-1 || n > waiters+1 {
			t.Errorf("%.1f queries active where %d waited", n, waiters)
		}
	})
}

// TestSampleSeesAHog verifies that the programs which take most of the CPUs are named: our hogs, or what took more than
// they meanwhile.
func TestSampleSeesAHog(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		// a hog ends with the thread that started it: one that ends before us is not to be that
		runtime.LockOSThread()
		t.Cleanup(runtime.UnlockOSThread)
		var pids []int
		for range 4 * runtime.NumCPU() {
			hog := exec.Command("sh", "-c", "while :; do :; done")
			// in a session of its own the kernel gives it a share of its own (autogroup), and
			// not one of what all tests have: beside other work it still has the most
			hog.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
			if err := hog.Start(); err != nil {
				t.Fatal(err)
			}
			pids = append(pids, hog.Process.Pid)
			t.Cleanup(func() { hog.Process.Kill(); hog.Wait() })
		}
		d := watched(t, i, 4*time.Second, "")
		v := sampleVerdict(d, "cpu-others")
		if v == nil {
			t.Fatalf("nobody says that others have the processors: %q %+v", d.Verdict, d.Verdicts)
		}
		evidence := strings.Join(say.Strings(v.Evidence), "\n")
		named := regexp.MustCompile(`PID (\d+) \(`).FindAllStringSubmatch(evidence, -1)
		most := 0.0 // that a hog had which is not named
		used := map[string]float64{}
		for _, p := range d.Processes {
			used[strconv.Itoa(p.PID)] = p.CPU
			if slices.Contains(pids, p.PID) && !strings.Contains(evidence, fmt.Sprintf("PID %d (", p.PID)) {
				most = max(most, p.CPU)
			}
		}
		if len(named) == 0 {
			t.Errorf("nobody is named: %+v", v)
		}
		for _, m := range named {
			if pid, _ := strconv.Atoi(m[1]); !slices.Contains(pids, pid) && used[m[1]] < most {
				t.Errorf("process %d is named, which had %.2f s, and a hog of %v with %.2f s is not: %+v", pid,
					used[m[1]],
					pids, most, v)
			}
		}
	})
}

// TestSampleSeesASqueeze verifies that a cgroup's limit is named as what a server suffers from, with the numbers of the
// group.
func TestSampleSeesASqueeze(t *testing.T) {
	live.On(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		groupHere(t)
		t.Setenv("TMPDIR", "/var/tmp") // what is in a tmpfs counts as memory of the group
		at, err := cgroup.Places()
		if err != nil {
			t.Fatal(err)
		}
		// Room for the server and one sort, and none for the table that is read.
		g, err := cgroup.New(at, "pgfettle-test-squeeze-"+strconv.Itoa(os.Getpid()), 80*unit.MB)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := g.Remove(); err != nil {
				t.Error(err)
			}
		})
		i, err := template.New(t.Context(), b, scratch.Options{Settings: map[string]string{"shared_buffers": "16MB",
			"max_parallel_workers_per_gather": "0", "fsync": "off", "autovacuum": "off"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := i.Remove(); err != nil {
				t.Error(err)
			}
		})
		if err := i.StartConfined(t.Context(), scratch.Confinement{Enter: g.Add}); err != nil {
			t.Fatal(err)
		}
		conn := session(t, i)
		lines(t, conn, "CREATE TABLE big AS SELECT i, repeat('x', 400) AS pad FROM generate_series(1, 500000) i")
		stop := make(chan struct{})
		done := make(chan struct{})
		for _, sql := range []string{"SELECT count(*) FROM big", "SELECT count(pad) FROM big",
			"SET work_mem = '40MB'; SELECT count(*) FROM (SELECT i FROM generate_series(1, 400000) i ORDER BY i " +
				"DESC OFFSET 1) x"} {
			conn := session(t, i)
			go func() {
				defer func() { done <- struct{}{} }()
				for {
					select {
					case <-stop:
						return
					default:
						conn.Exec(t.Context(), sql).ReadAll()
					}
				}
			}()
		}
		// On a busy machine the queries may be too slow to fill the group within one sample:
		// the promise is for a sample in which the group was at its limit.
		var d *sampled.Sample
		var v *slow.Verdict
		for range 10 {
			d = watched(t, i, 6*time.Second, g.Dir)
			if v = sampleVerdict(d, "cgroup-memory"); v != nil {
				break
			}
		}
		close(stop)
		for range 3 {
			<-done
		}
		if v == nil {
			t.Fatalf("nobody says that the group is squeezed: %q %+v", d.Verdict, d.Verdicts)
		}
		if !strings.Contains(strings.Join(say.Strings(v.Evidence), " "), "of 80 MB;") {
			t.Errorf("the limit is not named: %+v", v)
		}
	})
}
