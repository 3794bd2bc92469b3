package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// The phases that a kill can hit, as the journal shows afterward. Those of a step are named by the journal's last line.
const (
	noJournal = "no journal yet"
	notBegun  = "planned, and nothing begun"
	ended     = "at its end already"
)

var phases = map[journal.Kind]string{
	journal.Planned: notBegun, journal.Intend: "a change is intended", journal.Done: "a change is done",
	journal.Skipped: "a change is skipped",
	journal.Failed:  "a change has failed", journal.Activate: "reloading or restarting",
	journal.Active: "reloaded or restarted",
	journal.Revert: "bringing back", journal.Undo: "an undo is begun",
	journal.Undoing: "the taking back of a change is intended",
	journal.Resume:  "an apply is resumed", journal.Checked: "everything was read back",
	journal.Left:   "something is left",
	journal.Undone: "a change is taken back", journal.Kept: "a change is kept", journal.End: ended,
}

// gaps are how long the parts of an undisturbed run take.
type gaps struct {
	whole time.Duration                  // from the start of the process to its end
	work  time.Duration                  // from the journal's first line to its end
	after map[journal.Kind]time.Duration // the longest from a line of this kind to the next
}

// undisturbed applies and takes back once, and measures it.
func (y *trialServer) undisturbed(rng *rand.Rand) gaps {
	y.t.Helper()
	tr := &trial{trialServer: y, rng: rng, knobs: knobs, sum: &tally{phases: map[string]map[string]int{}}}
	y.trial = tr
	tr.journal = filepath.Join(y.t.TempDir(), "journal")
	tr.commit()
	tr.begin = tr.look()
	g := gaps{after: map[journal.Kind]time.Duration{}}
	for _, args := range [][]string{tr.apply(), tr.undo(true)} {
		r := tr.runner(never, args...)
		r.run(tr)
		if r.code != 0 {
			tr.fail("%s: exit code %d: %s", args[0], r.code, r.said.String())
		}
		if g.whole == 0 {
			g.whole, g.work = r.took, r.took-r.seen[0].at
		}
		lines := tr.journalLines()
		for n, s := range r.seen {
			end := r.took
			if n+1 < len(r.seen) {
				end = r.seen[n+1].at
			}
			kind := lines[s.lines-1].Kind
			g.after[kind] = max(g.after[kind], end-s.at)
		}
		if args[0] == "apply" {
			tr.values(after)
		}
	}
	tr.undone()
	y.t.Logf("%s: an apply takes %s, %s of it after the first line of its journal", y.i.Binaries.Version,
		g.whole.Round(time.Millisecond), g.work.Round(time.Millisecond))
	y.trial = nil
	return g
}

// runner is one process of the program.
type runner struct {
	cmd  *exec.Cmd
	at   point
	gaps gaps

	said bytes.Buffer
	code int
	hit  bool // it was killed
	took time.Duration
	seen []grown
}

// grown says when the journal was seen to have so many lines.
type grown struct {
	lines int
	at    time.Duration
}

func (tr *trial) runner(at point, args ...string) *runner {
	r := &runner{at: at, gaps: tr.gaps, cmd: exec.Command(tr.bin, args...)}
	// a real file takes the place of a pipe, which what the program leaves behind
	// would hold open
	r.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C"}
	if v, ok := os.LookupEnv("LD_LIBRARY_PATH"); ok {
		r.cmd.Env = append(r.cmd.Env, "LD_LIBRARY_PATH="+v)
	}
	return r
}

// watching is how often the journal is examined: steps take a millisecond.
const watching = 200 * time.Microsecond

// run runs it to its end, or to the point where it is killed.
func (r *runner) run(tr *trial) {
	tr.t.Helper()
	out, err := os.CreateTemp(tr.t.TempDir(), "out")
	if err != nil {
		tr.fail("%v", err)
	}
	defer out.Close()
	r.cmd.Stdout, r.cmd.Stderr = out, out
	before := tr.count()
	began := time.Now()
	if err := r.cmd.Start(); err != nil {
		tr.fail("%v", err)
	}
	done := make(chan error, 1)
	go func() { done <- r.cmd.Wait() }()
	var due time.Duration // 0: not known yet
	if r.at.lines == 0 {
		due = r.at.after
	}
	for have := before; ; {
		select {
		case <-done:
			r.took, r.code = time.Since(began), r.cmd.ProcessState.ExitCode()
			st, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
			r.hit = ok && st.Signaled() && st.Signal() == syscall.SIGKILL
			b, err := os.ReadFile(out.Name())
			if err != nil {
				tr.fail("%v", err)
			}
			r.said.Write(b)
			return
		case <-time.After(watching):
		}
		now := time.Since(began)
		if n := tr.count(); n > have {
			have, r.seen = n, append(r.seen, grown{n, now})
			if due == 0 && r.at.lines > 0 && n >= r.at.lines {
				if due = now + r.at.after; r.at.after == 0 {
					// behind this very line, spread over the time that its step takes
					due = now + time.Duration(r.at.share*float64(r.gaps.after[tr.lastKind()]))
				}
			}
		}
		if due > 0 && now >= due {
			_ = r.cmd.Process.Kill() // it may just have ended
			due = 0
			r.at.lines = -1
		}
	}
}

// pgfettle runs the program once. hit says that it was killed, which is counted
// by the phase that it was in.
func (tr *trial) pgfettle(what string, at point, args ...string) (code int, hit bool) {
	tr.t.Helper()
	r := tr.runner(at, args...)
	r.run(tr)
	tr.tell("%s: exit code %d, killed %v after %s\n%s", what, r.code, r.hit, r.took.Round(time.Microsecond),
		lastPart(r.said.String()))
	if r.hit {
		tr.kills++
		phase := noJournal
		if l := tr.journalLines(); len(l) > 0 {
			last := l[len(l)-1]
			phase = phases[last.Kind]
			if last.Before != nil && last.Before.File != nil && last.After.File != nil {
				if tr.look()[last.Before.File.Path] == fileOf(last.Before.File) {
					phase += ", and not made yet"
				} else {
					phase += ", and made"
				}
			}
		}
		tr.tell("the kill hit: %s", phase)
		tr.sum.add(what, phase)
	}
	return r.code, r.hit
}

// lastPart leaves the plan out, which says nothing of what was done.
func lastPart(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return "    " + strings.Join(lines[max(0, len(lines)-25):], "\n    ")
}

// found is what holds after a kill, wherever it hit.
func (tr *trial) found() {
	tr.t.Helper()
	if tr.edits == nil {
		tr.asTheJournalSays()
	}
	if tr.rng.IntN(2) == 0 {
		return // who goes on at once finds what the killed one has begun still at work
	}
	up := tr.up()
	if tr.rng.IntN(2) == 0 {
		tr.tell("the server is stopped and started")
		tr.stop()
		tr.start()
		if tr.edits == nil {
			tr.inForce()
		}
		up = true
	}
	if !up {
		tr.tell("the server is down")
		return
	}
	live, _ := tr.live()
	b, a := tr.want(before), tr.want(after)
	for name := range b {
		if v := live[name]; v != b[name] && v != a[name] {
			tr.fail("%s is %s, which is neither %s nor %s", name, v, b[name], a[name])
		}
	}
	tr.intact()
}

// asTheJournalSays holds every file to what the last step on it was about: what
// it wrote where the step is done, else that or what it found.
func (tr *trial) asTheJournalSays() {
	tr.t.Helper()
	may := map[string][]file{}
	for name, f := range tr.begin {
		may[name] = []file{f}
	}
	steps := map[int]journal.Line{}
	for _, l := range tr.journalLines() {
		switch l.Kind {
		case journal.Intend, journal.Undoing:
			steps[l.N] = l
			if l.After.File != nil {
				may[l.After.File.Path] = []file{fileOf(l.Before.File), fileOf(l.After.File)}
			}
		case journal.Done, journal.Undone, journal.Failed, journal.Kept:
			s, ok := steps[l.N]
			if !ok || s.After.File == nil {
				continue
			}
			if is := s.After.File; l.Kind != journal.Failed {
				may[is.Path] = []file{fileOf(is)}
			} else {
				may[is.Path] = []file{fileOf(s.Before.File)}
			}
		}
	}
	now := tr.look()
	for name, f := range now {
		if !slices.Contains(may[name], f) {
			tr.fail("%s is none of what the journal names:\n%+v\nit may be\n%+v", name, f, may[name])
		}
		delete(may, name)
	}
	for name, f := range may {
		if !slices.Contains(f, file{}) {
			tr.fail("%s is gone", name)
		}
	}
}

func fileOf(f *journal.File) file {
	if f.Text == nil {
		return file{}
	}
	return file{*f.Text, fs.FileMode(f.Mode), f.UID, f.GID}
}

// inForce holds a server that has just been started to what the journal says of
// each change.
func (tr *trial) inForce() {
	tr.t.Helper()
	live, _ := tr.live()
	for _, c := range tr.read().Changes {
		n := slices.IndexFunc(tr.knobs, func(k turned) bool { return "pg:"+k.name == string(c.Address) })
		if n < 0 {
			tr.fail("%s was never planned", c.Address)
		}
		k, want := tr.knobs[n], []string{}
		if c.State == journal.IsDone || c.Begun() {
			want = append(want, tr.knobs[n].after)
		}
		if c.State != journal.IsDone {
			want = append(want, tr.knobs[n].before)
		}
		if !slices.Contains(want, live[k.name]) {
			tr.fail("%s is %s in the journal and %s in force, which should be one of %v", k.name, c.State,
				live[k.name], want)
		}
	}
}

// disturb is what others do while the apply is interrupted: another setting, or one of ours with another value.
func (tr *trial) disturb() {
	tr.t.Helper()
	if tr.rng.IntN(5) > 0 {
		return
	}
	if !tr.up() {
		return
	}
	tr.edits = map[string]string{"lock_timeout": "7000"}
	k := slices.IndexFunc(tr.knobs, func(k turned) bool { return k.name == "checkpoint_timeout" })
	switch {
	case tr.byHim:
		name := tr.i.DataDir + "/conf.d/zz-pgfettle.conf"
		tr.tell("somebody writes lock_timeout into %s", name)
		tr.lay("conf.d/zz-pgfettle.conf", text(tr.t, name)+"lock_timeout = 7s # mine\n")
		tr.exec(`SELECT pg_reload_conf()`)
	case k >= 0 && tr.rng.IntN(2) == 0:
		tr.tell("somebody sets lock_timeout and checkpoint_timeout")
		tr.edits["checkpoint_timeout"] = "480"
		tr.exec(`ALTER SYSTEM SET lock_timeout = '7s'`, `ALTER SYSTEM SET checkpoint_timeout = '8min'`,
			`SELECT pg_reload_conf()`)
	default:
		tr.tell("somebody sets lock_timeout")
		tr.exec(`ALTER SYSTEM SET lock_timeout = '7s'`, `SELECT pg_reload_conf()`)
	}
}

// read returns the journal of the trial; nil if there is none.
func (tr *trial) read() *journal.Journal {
	tr.t.Helper()
	b := tr.bytes()
	if b == nil {
		return nil
	}
	j, _, err := journal.Parse(b)
	if err != nil || j.Damage != nil {
		tr.fail("%v, %+v", err, j.Damage)
	}
	return j
}

func (tr *trial) bytes() []byte {
	m, err := filepath.Glob(tr.journal + "/*.jsonl")
	if err != nil || len(m) > 1 {
		tr.t.Fatalf("journals %v, %v", m, err)
	}
	if len(m) == 0 {
		return nil
	}
	b, err := os.ReadFile(m[0])
	if err != nil {
		tr.t.Fatal(err)
	}
	return b
}

func (tr *trial) count() int { return bytes.Count(tr.bytes(), []byte("\n")) }

// journalLines returns the whole lines of the journal.
func (tr *trial) journalLines() []journal.Line {
	tr.t.Helper()
	var out []journal.Line
	for line := range bytes.Lines(tr.bytes()) {
		var l journal.Line
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if err := json.Unmarshal(line, &l); err != nil {
			tr.t.Fatalf("line %d of the journal: %v", len(out)+1, err)
		}
		out = append(out, l)
	}
	return out
}

func (tr *trial) lastKind() journal.Kind {
	l := tr.journalLines()
	if len(l) == 0 {
		return journal.Begin
	}
	return l[len(l)-1].Kind
}

// lines returns the journal without the files in it.
func (tr *trial) lines() string {
	var out strings.Builder
	for _, l := range tr.journalLines() {
		fmt.Fprintf(&out, "%s %d %s %s %s", l.Kind, l.N, l.Address, l.Effect, l.Reason)
		if l.After != nil {
			fmt.Fprintf(&out, "%s → %s in %s", liveIn(l.Before), liveIn(l.After), l.After.Where())
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func liveIn(s *journal.State) string {
	if s.Live == nil {
		return "-"
	}
	return *s.Live
}
