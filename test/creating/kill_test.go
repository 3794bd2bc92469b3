package creating

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/test/live"
)

// number reads how much a test draws: few each day, many where a person lets it go on (make soak).
func number(t *testing.T, variable string, usual int) int {
	t.Helper()
	text, told := os.LookupEnv(variable)
	if !told {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s", variable, text)
	}
	return n
}

// seed is drawn, or repeated with PGFETTLE_TEST_SEED.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := rand.Uint64N(1 << 32)
	if text, told := os.LookupEnv("PGFETTLE_TEST_SEED"); told {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("repeat it with PGFETTLE_TEST_SEED=%d", n)
	return n
}

// TestCreateKilledAtAnyPoint kills create, undo and apply --resume with SIGKILL at points that are drawn over the
// whole run and behind each line of the journal. Whatever was hit, an undo leaves every file as before, and a resume an
// instance that can be connected to.
func TestCreateKilledAtAnyPoint(t *testing.T) {
	most := number(t, "PGFETTLE_CREATE_KILLS", 60)
	start, sum := seed(t), &tally{phases: map[string]int{}}
	t.Cleanup(func() { t.Log(sum) })
	live.OnAtOnce(t, []int{13, 17, 18}, func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		s := newSite(t, b)
		k := &killing{site: s, sum: sum}
		k.undisturbed()
		for n := 1; k.kills < (most+2)/3; n++ {
			if n > 4*most {
				t.Fatalf("%d kills in %d trials: the program ends before it is killed", k.kills, n)
			}
			k.rng = rand.New(rand.NewPCG(start, uint64(b.Version.Major()*100000+n)))
			k.trial(n)
			if t.Failed() || late(t) {
				return
			}
		}
	})
}

// late reports whether the time of the tests is nearly over: what was found until then counts.
func late(t *testing.T) bool {
	end, ok := t.Deadline()
	return ok && time.Until(end) < time.Minute
}

// killing is a site on which the program is killed.
type killing struct {
	*site
	rng   *rand.Rand
	sum   *tally
	kills int
	draw  func() point  // of a create; nil: over the whole of it
	lines int           // of the journal of a create
	whole time.Duration // of a create
	work  time.Duration // after the first line of its journal
	story []string
}

func (k *killing) tell(format string, args ...any) {
	k.story = append(k.story, fmt.Sprintf(format, args...))
}

func (k *killing) fail(n int, format string, args ...any) {
	k.t.Helper()
	k.t.Errorf("trial %d: %s\n%s\njournal:\n%s\nlog:\n%s", n, fmt.Sprintf(format, args...), strings.Join(k.story, "\n"),
		k.journal(), k.log(k.data))
}

func (k *killing) journal() string {
	var out strings.Builder
	for line := range bytes.Lines(k.lined()) {
		if len(line) > 300 {
			line = append(line[:300:300], "…\n"...)
		}
		out.Write(line)
	}
	return out.String()
}

// lined are the bytes of the only journal.
func (k *killing) lined() []byte {
	files, err := filepath.Glob(k.Path("/var/lib/pgfettle/journal") + "/*.jsonl")
	if err != nil || len(files) != 1 {
		return nil
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		return nil
	}
	return b
}

// undisturbed creates and takes back once, and measures it.
func (k *killing) undisturbed() {
	k.t.Helper()
	k.rng = rand.New(rand.NewPCG(1, 1))
	r := k.killed(point{}, k.args()...)
	if r.code != 0 {
		k.t.Fatalf("exit code %d: %s", r.code, r.said)
	}
	k.whole, k.work, k.lines = r.took, r.took-r.first, bytes.Count(k.lined(), []byte("\n"))
	k.pgfettle(0, "undo", "--yes")
	k.gone()
}

// point is when a process is killed: so long after its start, or after so many new lines of the journal; never if both
// are 0.
type point struct {
	lines int
	after time.Duration
}

func (k *killing) point() point {
	if k.draw != nil {
		return k.draw()
	}
	share := k.rng.Float64()
	switch n := k.rng.IntN(10); {
	case n < 2:
		return point{after: 1 + time.Duration(share*float64(k.whole))}
	case n < 6:
		return point{lines: 1, after: time.Duration(share * float64(k.work))}
	case n < 8:
		return point{lines: 1 + k.rng.IntN(k.lines)} // at once, before what the line announces
	}
	return point{lines: 1 + k.rng.IntN(k.lines), after: time.Duration(share * float64(k.work) / 4)}
}

type killedRun struct {
	code        int
	hit         bool
	took, first time.Duration // until its end, and until the first new line of the journal
	said        string
}

// killed runs the program, and kills it at a point.
func (k *killing) killed(at point, args ...string) (r killedRun) {
	k.t.Helper()
	out := file(k.t)
	defer out.Close()
	cmd := k.cmd(nil, nil, append([]string{binary(k.t)}, args...)...)
	cmd.Stdout, cmd.Stderr = out, out
	before := bytes.Count(k.lined(), []byte("\n"))
	began := time.Now()
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	due := at.after
	if at.lines > 0 {
		due = 0
	}
	for dead := false; ; {
		select {
		case <-done:
			r.took, r.code, r.said = time.Since(began), cmd.ProcessState.ExitCode(), said(k.t, out)
			st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
			r.hit = ok && st.Signaled()
			return r
		case <-time.After(watching):
		}
		now := time.Since(began)
		if n := bytes.Count(k.lined(), []byte("\n")) - before; n > 0 {
			if r.first == 0 {
				r.first = now
			}
			if due == 0 && at.lines > 0 && n >= at.lines {
				due = now + at.after
			}
		}
		if due > 0 && now >= due && !dead {
			_ = cmd.Process.Kill() // it may just have ended
			dead = true
		}
	}
}

// watching is how often the journal is examined: a step without initdb takes milliseconds.
const watching = 500 * time.Microsecond

// once runs the program with a chance to be killed, and counts it.
func (k *killing) once(what string, at point, args ...string) killedRun {
	k.t.Helper()
	r := k.killed(at, args...)
	k.tell("%s: exit code %d, killed %v after %s", what, r.code, r.hit, r.took.Round(time.Millisecond))
	if !r.hit && r.code != 0 {
		k.tell("%s", r.said)
	}
	if r.hit {
		k.kills++
		last := "no journal"
		if j, _, err := journal.Parse(k.lined()); err == nil && len(k.lined()) > 0 {
			last = "all is done"
			for i := range j.Changes {
				if c := &j.Changes[i]; c.State != journal.IsDone {
					last = string(c.State) + " " + c.Address.Prefix()
					break
				}
			}
		}
		k.tell("  it hit: %s", last)
		k.sum.add(what + ", " + last)
	}
	return r
}

// trial is one create, what happens to it, and the way back.
func (k *killing) trial(n int) {
	k.t.Helper()
	k.story = nil
	k.Sh(`rm -rf /var/lib/pgfettle`)
	create := k.once("create", k.point(), k.args()...)
	if !create.hit && create.code != 0 {
		k.fail(n, "create failed")
		return
	}
	for tries := 0; ; tries++ {
		if tries > 6 {
			k.fail(n, "it does not come to an end")
			return
		}
		var at point
		if tries < 2 && k.rng.IntN(3) == 0 {
			at = k.point()
		}
		if len(k.lined()) == 0 {
			break // nothing was begun, and nothing may be there
		}
		j, _, err := journal.Parse(k.lined())
		if err == nil && j.Undone() {
			break // an undo was killed at its very end
		}
		if err == nil && j.State == journal.Interrupted && !j.Undoing && k.rng.IntN(2) == 0 {
			r := k.once("resume", at, "apply", "--resume", "--max-effect", "restart", "--yes")
			switch {
			case r.hit:
				continue
			case r.code != 0:
				k.fail(n, "the resume failed")
				return
			}
			if r := k.psql(account(ownerID), nil, "-h", k.sock, "-p", k.port(), "-U", owner, "-c",
				"SHOW max_connections"); r.Code != 0 {
				k.fail(n, "resumed, and it cannot be connected to: %s", r)
				return
			}
		}
		if r := k.once("undo", at, "undo", "--yes"); !r.hit {
			if r.code != 0 {
				k.fail(n, "the undo failed")
				return
			}
			break
		}
	}
	if d := differs(k.seen, k.Files(k.watched()...)); d != "" {
		k.fail(n, "it was taken back, and the tree of files is not as before:\n%s", d)
	}
	if left := k.processes(); left != "" {
		k.fail(n, "processes of the owner are left: %s", left)
	}
}

// port is the one that the instance is configured for.
func (k *killing) port() string {
	k.t.Helper()
	b, err := os.ReadFile(k.Path(k.data + "/" + creation.Conf))
	if err != nil {
		k.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\nport = ")
	port, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(port, "'")
}

// processes are those of the owner.
func (k *killing) processes() string {
	out, err := exec.Command("ps", "-o", "pid,args", "-u", strconv.Itoa(ownerID), "--no-headers").Output()
	if err != nil && len(out) > 0 {
		return err.Error()
	}
	var mine []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, k.Dir) {
			mine = append(mine, strings.TrimSpace(line))
		}
	}
	return strings.Join(mine, "\n")
}

// tally counts where the kills hit.
type tally struct {
	lock   sync.Mutex
	phases map[string]int
}

func (s *tally) add(phase string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.phases[phase]++
}

func (s *tally) String() string {
	sum := 0
	var out strings.Builder
	for _, phase := range sorted(s.phases) {
		sum += s.phases[phase]
		fmt.Fprintf(&out, "\n  %4d %s", s.phases[phase], phase)
	}
	return fmt.Sprintf("%d kills%s", sum, out.String())
}
