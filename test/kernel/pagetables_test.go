package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	facts "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	hostmemory "github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// lab is the size of the laboratory of page tables: that of the founding article
// with PGFETTLE_LAB=full, which takes 12 GB of memory and some minutes, else one that
// any machine has room for.
type lab struct {
	buffers  unit.Bytes
	backends int // that have touched all of it
	census   int // of which the reading is measured
}

func labSize() lab {
	if os.Getenv("PGFETTLE_LAB") == "full" {
		return lab{buffers: 4 * unit.GB, backends: 100, census: 300}
	}
	return lab{buffers: unit.GB, backends: 8, census: 12}
}

// onHuge is the most that a backend's page tables take with huge pages: 25 MB
// for the hundred of the article.
const onHuge = 256 * unit.KB

// TestPageTableLab reproduces the articles: backends that have touched all of shared_buffers in regular pages, page
// tables are as large as predicted, the values read match the kernel's, and with huge pages almost nothing is left. It
// also reports the cost of reading them compared with the articles' own methods.
func TestPageTableLab(t *testing.T) {
	l := labSize()
	unchanged(t)
	i := cell.Server(t, tier.Kernel, 15, scratch.Options{Settings: map[string]string{"shared_buffers": l.buffers.GUC(),
		"huge_pages": "off", "fsync": "off", "max_wal_size": "16GB",
		"checkpoint_timeout": "1h", "autovacuum": "off", "jit": "off", "max_parallel_workers_per_gather": "0",
		"synchronize_seqscans": "off", "max_connections": "320"}})
	fill(t, i, l.buffers)

	conns := readers(t, i, l.backends)
	r := look(t, i)
	measured := l.equalToStatus(t, r, conns)
	predicted := unit.Bytes(l.backends) * hostmemory.PageTablesOfBackend(l.buffers, 4*unit.KB)
	off := float64(predicted-measured) / float64(measured)
	t.Logf("ordinary pages: %d backends have touched %s: %d kB of page tables, predicted %d kB (%+.2f %%)", l.backends,
		l.buffers, measured/unit.KB, predicted/unit.KB, 100*off)
	if math.Abs(off) > 0.02 {
		t.Errorf("predicted %s, measured %s", predicted, measured)
	}
	t.Logf("the verdict: %s", r.Verdict)
	l.victim(t, r)
	conns = append(conns, readers(t, i, l.census-l.backends)...)
	l.cost(t, i, conns)

	// The same on huge pages.
	for _, c := range conns {
		_ = c.Close(context.Background())
	}
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
	before := is(t, "/proc/sys/vm/nr_hugepages")
	n, err := strconv.Atoi(before)
	if err != nil {
		t.Fatal(err)
	}
	need := l.buffers.Pages(2*unit.MB)*105/100 + 32 // the whole segment is some 3 % more than the buffers
	t.Cleanup(func() { write(t, "/proc/sys/vm/nr_hugepages", before) })
	for range 3 { // a signal to the thread that writes ends the kernel's search without an error
		write(t, "/proc/sys/vm/nr_hugepages", strconv.FormatInt(int64(n)+need, 10))
	}
	if got, _ := strconv.ParseInt(is(t, "/proc/sys/vm/nr_hugepages"), 10, 64); got < int64(n)+need {
		tier.Missing(t, tier.Kernel,
			"the kernel made only %d of %d huge pages: the memory is too full or too fragmented", got-int64(n), need)
	}
	if err := i.Start(t.Context(), "-c", "huge_pages=on"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = i.Stop() })
	conns = readers(t, i, l.backends)
	r = look(t, i)
	on := l.equalToStatus(t, r, conns)
	t.Logf("huge pages: %d kB of page tables in the same %d backends", on/unit.KB, l.backends)
	if most := unit.Bytes(l.backends) * onHuge; on > most {
		t.Errorf("huge pages: %s of page tables, more than %s", on, most)
	}
	if r.Instances[0].HugePages != "on" {
		t.Errorf("huge pages: %s", r.Instances[0].HugePages)
	}
	if err := i.Stop(); err != nil { // before the pages go
		t.Error(err)
	}
}

func write(t *testing.T, name, value string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(value), 0); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func open(t *testing.T, i *scratch.Instance) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), i.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// fill makes a table that fills shared_buffers: four rows a page, few to count.
func fill(t *testing.T, i *scratch.Instance, buffers unit.Bytes) {
	t.Helper()
	pages := int64(buffers/(8*unit.KB)) - 500 // what the catalogs take that these sessions read
	if err := i.Exec(t.Context(), "create extension pg_prewarm",
		"create unlogged table big (n int, filler text) with (autovacuum_enabled = off)",
		"alter table big alter filler set storage plain",
		"insert into big select g, repeat('x', 1950) from generate_series(1, "+strconv.FormatInt(pages*4, 10)+") g",
		"vacuum (freeze, analyze) big", "select pg_prewarm('big', 'buffer')"); err != nil {
		t.Fatal(err)
	}
}

// readers opens sessions, each of which counts the whole table, two at a time.
func readers(t *testing.T, i *scratch.Instance, n int) []*pgconn.PgConn {
	t.Helper()
	conns := make([]*pgconn.PgConn, n)
	for k := range conns {
		conns[k] = open(t, i)
	}
	failed := make(chan error, 2)
	for half := range 2 {
		go func() {
			var err error
			for k := half; k < n && err == nil; k += 2 {
				_, err = conns[k].Exec(t.Context(), "select count(*) from big").ReadAll()
			}
			failed <- err
		}()
	}
	if err := errors.Join(<-failed, <-failed); err != nil {
		t.Fatal(err)
	}
	return conns
}

func look(t *testing.T, i *scratch.Instance) *memory.Report {
	t.Helper()
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: i.DataDir,
		Memory: true, Killable: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	return memory.Diagnose(s, nil) // no advice is asked for
}

var vmPTE = regexp.MustCompile(`(?m)^VmPTE:\s+(\d+) kB$`)

// equalToStatus verifies that each reader's page tables are what its status says, to the kB, and that its session is
// known; it returns their sum.
func (l lab) equalToStatus(t *testing.T, r *memory.Report, conns []*pgconn.PgConn) unit.Bytes {
	t.Helper()
	ours := map[int]bool{}
	for _, c := range conns {
		ours[int(c.PID())] = true
	}
	var sum unit.Bytes
	n := 0
	for _, p := range r.Instances[0].Processes {
		if !ours[p.PID] {
			continue
		}
		n++
		sum += p.PageTables
		m := vmPTE.FindStringSubmatch(is(t, "/proc/"+strconv.Itoa(p.PID)+"/status"))
		if m == nil || m[1] != strconv.FormatInt(int64(p.PageTables/unit.KB), 10) {
			t.Errorf("process %d: read %d kB, its status says %v", p.PID, p.PageTables/unit.KB, m)
		}
		if p.Database != "postgres" || p.Role != "postgres" || p.State != "idle" {
			t.Errorf("process %d: its session is %q, %q, %q", p.PID, p.Database, p.Role, p.State)
		}
	}
	if n != len(conns) {
		t.Errorf("%d of %d sessions were found", n, len(conns))
	}
	return sum
}

// victim verifies that the OOM killer's choice is in the order of the kernel's own scores, read after the look.
func (l lab) victim(t *testing.T, r *memory.Report) {
	t.Helper()
	if len(r.OOM) == 0 || len(r.OOM[0].Next) == 0 {
		t.Fatalf("nobody would be chosen: %+v", r.OOM)
	}
	last := math.MaxInt32
	for _, v := range r.OOM[len(r.OOM)-1].Next {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(v.PID) + "/oom_score")
		if err != nil {
			continue // a process of another program that has ended
		}
		score, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("process %d %s: %s of points, oom_score %d", v.PID, v.Kind, v.Points, score)
		if score > last+1 { // whole numbers
			t.Errorf("process %d has a higher score than the one before it", v.PID)
		}
		last = score
	}
}

// cost measures, side by side, what it takes to read the page tables of all
// processes, and the shares.
func (l lab) cost(t *testing.T, i *scratch.Instance, conns []*pgconn.PgConn) {
	t.Helper()
	pids := []int{i.PID()}
	for _, c := range conns {
		pids = append(pids, int(c.PID()))
	}
	words := strings.Trim(fmt.Sprint(pids), "[]")
	var census unit.Bytes
	times := map[string]time.Duration{}
	best := func(what string, rounds int, do func()) {
		for range rounds {
			began := time.Now()
			do()
			if d := time.Since(began); times[what] == 0 || d < times[what] {
				times[what] = d
			}
		}
	}
	best("pgfettle: VmPTE of each", 5, func() {
		census = 0
		for _, pid := range pids {
			b, err := (&target.Local{}).ReadFile("/proc/"+strconv.Itoa(pid)+"/status", 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			p, err := facts.ParseStatus(b)
			if err != nil {
				t.Fatal(err)
			}
			census += p.PageTables
		}
	})
	best("pgfettle: the whole census (status, title, oom_score, oom_score_adj)", 5, func() {
		a := collect.Processes(&target.Local{}, pids)
		for _, pid := range pids {
			if !facts.ReadProcess(a, pid).Known() {
				t.Fatalf("process %d was not read", pid)
			}
		}
	})
	var loop, doubled, pss string
	best("the first article's loop", 2, func() {
		loop = shell(t, `for p in `+words+
			`; do grep "VmPTE:" /proc/$p/status; done | awk '{pte += $2} END {printf "%d", pte}'`)
	})
	best("the second article's PSS one-liner", 1, func() {
		doubled = shell(t, `for PID in `+words+
			`; do awk '/Pss/ {PSS+=$2} END {printf "%.0f\n", PSS}' /proc/$PID/smaps; done | awk '{s += $1} END `+
			`{printf "%d", s}'`)
	})
	best("the same from smaps_rollup, ^Pss: alone", 1, func() {
		pss = shell(t, `for PID in `+words+
			`; do awk '/^Pss:/ {print $2}' /proc/$PID/smaps_rollup; done | awk '{s += $1} END {printf "%d", s}'`)
	})
	ours := times["pgfettle: VmPTE of each"]
	for _, what := range []string{"pgfettle: VmPTE of each",
		"pgfettle: the whole census (status, title, oom_score, oom_score_adj)", "the first article's loop",
		"the second article's PSS one-liner", "the same from smaps_rollup, ^Pss: alone"} {
		t.Logf("%-68s %10.2f ms  %7.1f times", what, float64(times[what])/1e6, float64(times[what])/float64(ours))
	}
	t.Logf(
		"of %d processes: %s kB of page tables by the loop, %d kB by pgfettle; PSS %s kB, by the one-liner %s kB: "+
			"it adds Pss_Dirty and SwapPss too", len(pids), loop, census/unit.KB, pss, doubled)
	if loop != strconv.FormatInt(int64(census/unit.KB), 10) {
		t.Errorf("the loop reads %s kB of page tables, pgfettle %d kB", loop, census/unit.KB)
	}
}

func shell(t *testing.T, line string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return strings.TrimSpace(out.String())
}
