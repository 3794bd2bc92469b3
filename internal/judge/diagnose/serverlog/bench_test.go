package serverlog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// logSize is how much log a run of the benchmark reads: 200 MB, in which every
// table is at its bound, so that a log of gigabytes takes no more memory.
const logSize = 200 << 20

// busyLog makes a log as a busy server writes it: durations of statements mostly,
// connections, checkpoints, temporary files, waits, some errors, of statements that
// differ. It repeats one megabyte-sized stretch with other times and numbers.
type busyLog struct {
	format pglog.Format
	left   int
	n      int
	buf    bytes.Buffer
}

func (g *busyLog) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, io.EOF
	}
	for g.buf.Len() < len(p) {
		g.event()
	}
	n, _ := g.buf.Read(p[:min(len(p), g.left)])
	g.left -= n
	return n, nil
}

func (g *busyLog) event() {
	g.n++
	pid := 1000 + g.n%97
	sec := g.n / 50
	time := fmt.Sprintf("2026-11-%02d %02d:%02d:%02d.%03d UTC", 1+sec/86400%28, sec/3600%24, sec/60%60,
		sec%60, g.n%50*20)
	sql := fmt.Sprintf(
		"SELECT c%d, sum(amount) FROM orders_%d o JOIN customers c USING (customer_id) WHERE o.created > "+
			"'2026-01-0%d' AND region IN (%d, 2, 3) GROUP BY 1 ORDER BY 2 DESC", g.n%7, g.n%5000, g.n%9+1, g.n)
	switch {
	case g.n%1000 == 0:
		g.put(time, pid, "LOG", "00000", "checkpoint starting: wal", "", "")
		g.put(time, pid, "LOG", "00000",
			fmt.Sprintf(
				"checkpoint complete: wrote %d buffers (8.3%%); 0 WAL file(s) added, 0 removed, 33 recycled; "+
					"write=20.1 s, sync=0.3 s, total=20.6 s; sync files=90, longest=0.1 s, average=0.01 s; "+
					"distance=%d kB, estimate=540671 kB", g.n, 400000+g.n%200000), "", "")
	case g.n%50 == 0:
		g.put(time, pid, "LOG", "00000", fmt.Sprintf(`temporary file: path "base/pgsql_tmp/pgsql_tmp%d.%d", size %d`,
			pid, g.n, g.n%3000*100000), "", sql)
	case g.n%60 == 0:
		g.put(time, pid, "ERROR", "23505", `duplicate key value violates unique constraint "orders_pkey"`,
			fmt.Sprintf("Key (id)=(%d) already exists.", g.n), sql)
	case g.n%70 == 0:
		g.put(time, pid, "LOG", "00000",
			fmt.Sprintf("process %d still waiting for ShareLock on transaction %d after 1000.%03d ms", pid,
				g.n, g.n%1000), fmt.Sprintf("Process holding the lock: %d. Wait queue: %d.", pid+1, pid), sql)
	case g.n%10 == 1:
		g.put(time, pid, "LOG", "00000", "connection received: host=10.0.0.7 port=40404", "", "")
	case g.n%10 == 2:
		g.put(time, pid, "LOG", "00000",
			"connection authorized: user=shop database=shop application_name=web SSL enabled (protocol=TLSv1.3, "+
				"cipher=TLS_AES_256_GCM_SHA384, bits=256)", "", "")
	case g.n%10 == 3:
		g.put(time, pid, "LOG", "00000", fmt.Sprintf("duration: %d.%03d ms  statement: %s\nLIMIT %d", g.n%4000,
			g.n%1000, sql, g.n%100), "", "")
	default:
		g.put(time, pid, "LOG", "00000", fmt.Sprintf("duration: %d.%03d ms  execute <unnamed>: %s", g.n%4000, g.n%1000,
			sql), "", "")
	}
}

func (g *busyLog) put(time string, pid int, sev, state, message, detail, statement string) {
	switch g.format {
	case pglog.CSV:
		q := func(s string) string {
			if s == "" {
				return ""
			}
			return `"` + string(bytes.ReplaceAll([]byte(s), []byte(`"`), []byte(`""`))) + `"`
		}
		fmt.Fprintf(&g.buf,
			`%s,"shop","shop",%d,"10.0.0.7:40404",6f1c2d3e.%x,%d,"SELECT",2026-11-21 06:00:00 `+
				`UTC,3/17,0,%s,%s,%s,%s,,,,,%s,,,"web","client backend",,0`+"\n",
			time, pid, pid, g.n, sev, state, q(message), q(detail), q(statement))
	case pglog.JSON:
		q := func(s string) string {
			return string(bytes.ReplaceAll(bytes.ReplaceAll([]byte(s), []byte(`"`), []byte(`\"`)), []byte("\n"),
				[]byte(`\n`)))
		}
		fmt.Fprintf(&g.buf,
			`{"timestamp":"%s","user":"shop","dbname":"shop","pid":%d,"remote_host":"10.0.0.7","remote_port":40404,`+
				`"session_id":"6f1c2d3e.%x","line_num":%d,"ps":"SELECT","session_start":"2026-11-21 06:00:00 `+
				`UTC","vxid":"3/17","txid":0,"error_severity":"%s","state_code":"%s","message":"%s"`,
			time, pid, pid, g.n, sev, state, q(message))
		if detail != "" {
			fmt.Fprintf(&g.buf, `,"detail":"%s"`, q(detail))
		}
		if statement != "" {
			fmt.Fprintf(&g.buf, `,"statement":"%s"`, q(statement))
		}
		g.buf.WriteString(`,"application_name":"web","backend_type":"client backend","query_id":0}` + "\n")
	default:
		line := func(sev, text string) {
			fmt.Fprintf(&g.buf, "%s [%d] shop@shop %s:  %s\n", time, pid,
				sev, bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\n\t")))
		}
		line(sev, message)
		if detail != "" {
			line("DETAIL", detail)
		}
		if statement != "" {
			line("STATEMENT", statement)
		}
	}
}

// repeated hands out one block again and again: making a log costs more than
// reading it.
type repeated struct {
	block []byte
	at    int
	left  int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.block[r.at:])
	r.at = (r.at + n) % len(r.block)
	r.left -= n
	return n, nil
}

func wholeLog(b testing.TB, f pglog.Format, size int) []byte {
	b.Helper()
	block, err := io.ReadAll(&busyLog{format: f, left: size})
	if err != nil {
		b.Fatal(err)
	}
	return block[:bytes.LastIndexByte(block, '\n')+1]
}

// processorTime is what this process has used of CPUs, in seconds.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkLog reads a busy server's log in each format.
func BenchmarkLog(b *testing.B) {
	for _, f := range []pglog.Format{pglog.Stderr, pglog.CSV, pglog.JSON} {
		b.Run(string(f), func(b *testing.B) {
			block := wholeLog(b, f, 16<<20)
			b.SetBytes(logSize)
			b.ReportAllocs()
			var entries, read int64
			began := processorTime(b)
			for b.Loop() {
				read += logSize
				c := NewCollector(Options{})
				src, err := pglog.Read(&repeated{block: block, left: logSize}, pglog.Options{}, c)
				if err != nil {
					b.Fatal(err)
				}
				c.File("log", src, false)
				r := c.Report()
				if entries = r.Entries; entries < logSize/1000 {
					b.Fatalf("%d entries", entries)
				}
			}
			// Of a machine that others use too the time of the clock says little.
			b.ReportMetric(float64(read)/1e6/(processorTime(b)-began), "MB/cpu-s")
			b.ReportMetric(float64(entries), "entries")
		})
	}
}

// childLog names the file that TestLogChild reads; it is set for the process that
// BenchmarkLogMemory starts.
const childLog = "PGFETTLE_BENCH_LOG"

// TestLogChild stands in for the program in a separate process; run alone by BenchmarkLogMemory.
func TestLogChild(t *testing.T) {
	name := os.Getenv(childLog)
	if name == "" {
		return
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := NewCollector(Options{})
	src, err := pglog.Read(f, pglog.Options{}, c)
	if err != nil {
		t.Fatal(err)
	}
	c.File(name, src, false)
	if r := c.Report(); r.Temp.Files == 0 || r.Entries == 0 {
		t.Fatalf("%+v", r)
	}
	// Not ru_maxrss: a child begins with that of its parent.
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		t.Fatalf("no VmHWM in %s", status)
	}
	fmt.Println("VmHWM", strings.Fields(rest)[0])
}

// BenchmarkLogMemory reads a file in a separate process and reports its peak memory: the bound is 64 MB, whatever the
// size of the log.
func BenchmarkLogMemory(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []pglog.Format{pglog.Stderr, pglog.CSV, pglog.JSON} {
		b.Run(string(f), func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "log")
			out, err := os.Create(name)
			if err != nil {
				b.Fatal(err)
			}
			block := wholeLog(b, f, 16<<20)
			size := int64(0)
			for size < logSize {
				n, err := out.Write(block)
				if err != nil {
					b.Fatal(err)
				}
				size += int64(n)
			}
			if err := out.Close(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			var most int64
			for b.Loop() {
				cmd := exec.Command(exe, "-test.run=^TestLogChild$")
				cmd.Env = append(os.Environ(), childLog+"="+name)
				out, err := cmd.CombinedOutput()
				var peak int64
				if _, serr := fmt.Sscanf(string(out), "VmHWM %d", &peak); err != nil || serr != nil {
					b.Fatalf("%v, %v: %s", err, serr, out)
				}
				most = max(most, peak) // kB
			}
			b.ReportMetric(float64(most)/1024, "peak-MB")
			if most > 64<<10 {
				b.Errorf("%d kB are more than 64 MB", most)
			}
		})
	}
}

// mostMemory is what the collector may hold, however long and however varied the
// log: a sixteenth of what the whole program is allowed (64 MB), as the reader, the
// garbage that is not collected yet and the program itself need the rest.
const mostMemory = 4 << 20

// TestLogMemoryIsBounded: a log in which every statement, user and message is a new
// one is held in no more than that, and the sums are still whole.
func TestLogMemoryIsBounded(t *testing.T) {
	c := NewCollector(Options{})
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	const n = 20000
	var size int64
	for i := range n {
		e := pglog.Entry{Time: int64(i) * 1e6, Timed: true, PID: i, Severity: pglog.Log,
			Message:   fmt.Appendf(nil, `temporary file: path "base/pgsql_tmp/pgsql_tmp%d.0", size %d`, i, i),
			Statement: fmt.Appendf(nil, "select %s from t%d", bytes.Repeat([]byte("x"), 2000), i),
			User:      fmt.Appendf(nil, "user%d", i)}
		size += int64(i)
		c.Entry(&e)
		e = pglog.Entry{Severity: pglog.Fatal, State: []byte("28P01"),
			Message: fmt.Appendf(nil, `password authentication failed for user "user%d"`, i), User: e.User,
			Host: fmt.Appendf(nil, "10.0.%d.%d", i/250, i%250)}
		c.Entry(&e)
		e = pglog.Entry{Severity: pglog.Log, Message: fmt.Appendf(nil,
			"server process (PID %d) was terminated by signal 9: Killed", i+1),
			Detail: fmt.Appendf(nil, "Failed process was running: select %d", i)}
		c.Entry(&e)
		c.Dump(&pglog.Dump{Contexts: []pglog.Context{{Name: fmt.Sprint("c", i), Total: 10}}, Total: int64(i)})
	}
	if held := int64(live()) - int64(before); held > mostMemory {
		t.Errorf("%d bytes are held", held)
	}
	r := c.Report()
	runtime.KeepAlive(c)
	if r.Temp.Files != n || int64(r.Temp.Bytes) != size || r.Temp.Spills != n || !r.Temp.Lossy {
		t.Errorf("temporary files: %+v", r.Temp)
	}
	sum := r.Temp.Others.Count
	for _, s := range r.Temp.Statements {
		sum += s.Count
	}
	if sum != n {
		t.Errorf("statements and others are %d, not %d", sum, n)
	}
	if r.Memory.DumpsSeen != n || len(r.Memory.Dumps) > maxDumps || len(r.Crashes) != maxCrashes {
		t.Errorf("%d dumps seen, %d kept, %d crashes", r.Memory.DumpsSeen, len(r.Memory.Dumps), len(r.Crashes))
	}
}
