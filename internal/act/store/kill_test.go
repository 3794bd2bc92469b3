package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// The environment that makes a process of this test the one that writes.
const writeInto, writeFrom = "PGFETTLE_HISTORY_WRITE", "PGFETTLE_HISTORY_FROM"

func TestMain(m *testing.M) {
	if path := os.Getenv(writeInto); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

// writeForever appends samples as fast as it can, a minute of the clock apart so
// that hours end often, and says each that is stored.
func writeForever(path string) {
	from, err := strconv.ParseInt(os.Getenv(writeFrom), 10, 64)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	s, err := Open(path, Options{Interval: time.Minute})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("open")
	for t := from; ; t += minute {
		points := []history.Point{pt("memory_available_bytes", float64(t)), pt("cpu_busy_ratio", 0.5),
			pt("psi_io_some", 0.25)}
		if err := s.Append(context.Background(), fromMS(t), points); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if _, err := s.AppendSettings(context.Background(), fromMS(t), "/data",
			map[string]history.Setting{"work_mem": {Value: fromMS(t).String()}}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(t)
	}
}

// A process that writes is killed with SIGKILL, fifty times: the file opens
// each time, is sound, and holds every sample that had been stored.
func TestKilledFiftyTimes(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), File)
	draw := rand.New(rand.NewPCG(7, 7))
	next := toMS(noon)
	began, said, most := next, 0, 0
	for kill := range 50 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), writeInto+"="+path, writeFrom+"="+strconv.FormatInt(next, 10))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Every fifth in the first moments, when the file is made or mended; the
		// others somewhere in a sample, after some that were stored.
		lines := bufio.NewScanner(out)
		die := func(most int) {
			time.Sleep(time.Duration(draw.IntN(most)) * time.Microsecond)
			cmd.Process.Kill()
		}
		after := draw.IntN(40)
		if kill%5 == 0 {
			after = -1
			go die(30_000)
		}
		for n := 0; lines.Scan(); {
			if lines.Text() == "open" {
				continue
			}
			at, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				t.Errorf("kill %d: the writer failed: %s", kill, lines.Text())
				cmd.Process.Kill()
				break
			}
			next = at + minute
			said++
			if n == after {
				go die(3000)
			}
			n++
		}
		cmd.Wait()
		if t.Failed() {
			return
		}
		most = said + kill + 1 // one sample a kill may be stored and not said
		stored, last := checkWhole(t, path, began)
		if stored < said || stored > most || last != 0 && last < next-minute {
			t.Fatalf("kill %d: %d samples were said to be stored, the last at %d; %d are there, the last at %d", kill,
				said, next-minute, stored, last)
		}
		if last != 0 {
			next = last + minute
		}
	}
	if said < 200 {
		t.Errorf("only %d samples were stored in all: nothing was written when it was killed", said)
	}
	t.Logf("%d samples were said to be stored, %d at most could be there", said, most)
}

// checkWhole opens a history as its writer does and counts its samples.
func checkWhole(t *testing.T, path string, from int64) (samples int, last int64) {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var verdict string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity_check: %s, %v", verdict, err)
	}
	for _, name := range []string{"memory_available_bytes", "psi_io_some"} {
		samples = 0
		for _, b := range ranged(t, s, name, fromMS(from), fromMS(latest), rangeMost) {
			samples += b.N
			last = int64(b.Last)
		}
		if name == "memory_available_bytes" && samples > 0 {
			defer func(v int64) { last = v }(last)
		}
	}
	return samples, last
}

// Two do not write at once; a reader reads beside the one who writes.
func TestOneWriterAndReadersBeside(t *testing.T) {
	s := openNew(t, Options{})
	appendAt(t, s, noon, pt("dirty_bytes", 1))
	if _, err := Open(s.path, Options{}); err == nil || !strings.Contains(err.Error(), ErrLocked.Error()) {
		t.Errorf("a second writer: %v", err)
	}
	r, err := OpenRead(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range 400 {
		at := noon.Add(time.Duration(i+1) * 10 * time.Second)
		appendAt(t, s, at, pt("dirty_bytes", float64(i)))
		if list := ranged(t, r, "dirty_bytes", noon, at.Add(time.Second), 1); len(list) != 1 || list[0].N != i+2 ||
			list[0].Last != float64(i) {
			t.Fatalf("after %d samples the reader has %+v", i+2, list)
		}
	}
	if err := r.Append(context.Background(), noon, nil); err == nil {
		t.Error("a history that was opened to be read was written")
	}
}

// Samples, events and reads of one store may come from several goroutines.
func TestAtOnce(t *testing.T) {
	s := openNew(t, Options{})
	ctx := context.Background()
	failed := make(chan error, 4)
	for g := range 4 {
		go func() {
			failed <- func() error {
				for i := range 50 {
					at := noon.Add(time.Duration(i*4+g) * time.Minute)
					if err := s.Append(ctx, at, []history.Point{pt("dirty_bytes", float64(i)),
						{Series: history.Series{Instance: "/data", Name: "connections", Label: strconv.Itoa(g)},
							Value: 1}}); err != nil {
						return err
					}
					if _, err := s.AppendEvent(ctx, history.Event{At: at, Kind: history.Restarted}); err != nil {
						return err
					}
					if _, err := s.Range(ctx, history.Series{Name: "dirty_bytes"}, noon, at.Add(time.Hour),
						0); err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	for range 4 {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, b := range ranged(t, s, "dirty_bytes", noon, noon.AddDate(0, 0, 1), 0) {
		n += b.N
	}
	if e := eventsOf(t, s, history.Restarted); n != 200 || len(e) != 200 {
		t.Errorf("%d samples and %d events of 200", n, len(e))
	}
	if list, err := s.List(ctx); err != nil || len(list) != 5 {
		t.Errorf("%d series of 5, %v", len(list), err)
	}
}
