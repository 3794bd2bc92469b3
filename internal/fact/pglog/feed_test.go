package pglog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said gathers what a feed hands on.
type said []string

func (s *said) Entry(e *Entry) {
	*s = append(*s, fmt.Sprintf("%d %d %s %q %q %q", e.Line, e.PID, e.Severity, e.Message, e.Detail, e.Statement))
}
func (s *said) Dump(d *Dump) { *s = append(*s, fmt.Sprintf("dump %d", d.Total)) }

func feedAll(text string) (got said, left []string) {
	f := NewFeed(&got)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if taken, _ := f.Line([]byte(line), 0); !taken {
			left = append(left, line)
		}
	}
	f.End()
	return got, left
}

// TestFeed: lines of three formats and of two servers among those of the kernel.
func TestFeed(t *testing.T) {
	got, left := feedAll(`usb 1-1: new device
2026-11-21 07:00:00.100 UTC [10] LOG:  server process (PID 11) was terminated by signal 9: Killed
Out of memory: Killed process 11 (postgres) total-vm:1kB
2026-11-21 07:00:00.100 UTC [10] DETAIL:  Failed process was running: select 1
	from t
2026-11-21 07:00:00.200 UTC,,,20,,1,2,,,,0,LOG,00000,"several
lines",,,,,,,,,"","postmaster",,0
{"timestamp":"2026-11-21 07:00:00.300 UTC","pid":30,"error_severity":"LOG","message":"of jsonlog"}
{"MESSAGE":"of the journal"}
app@shop [40] ERROR: 53200: out of memory
TopMemoryContext: 100 total in 1 blocks; 0 free (0 chunks); 100 used
Grand total: 100 bytes in 1 blocks; 0 free (0 chunks); 100 used
ERROR:  pasted
STATEMENT:  select 2
from u
`)
	want := said{
		`2 10 LOG "server process (PID 11) was terminated by signal 9: Killed" "Failed process was running: select ` +
			`1\nfrom t" ""`,
		`6 20 LOG "several\nlines" "" ""`,
		`8 30 LOG "of jsonlog" "" ""`,
		`10 40 ERROR "out of memory" "" ""`,
		`dump 100`,
		`13 0 ERROR "pasted" "" "select 2\nfrom u"`,
	}
	// An entry is handed on when the next of its format begins.
	want[0], want[1], want[2] = want[1], want[2], want[0]
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"usb 1-1: new device", "Out of memory: Killed process 11 (postgres) total-vm:1kB",
		`{"MESSAGE":"of the journal"}`}, left); d != "" {
		t.Error(d)
	}
}

// TestFeedLostQuote: a quote that does not come takes no more than a record may have.
func TestFeedLostQuote(t *testing.T) {
	_, left := feedAll("2026-11-21 07:00:00.200 UTC,,,20,,1,2,,,,0,LOG,00000,\"open\n" +
		strings.Repeat("kernel line\n", maxRecordLines+5))
	if len(left) < 5 || len(left) > 7 {
		t.Errorf("%d lines are left", len(left))
	}
}

// TestForeignSignals: the death of a process by a signal, in the words of the
// server's catalogues.
func TestForeignSignals(t *testing.T) {
	for m, want := range map[string]Death{
		"processus serveur (PID 21071) a été arrêté par le signal 9 : Killed":   {PID: 21071, Signal: 9},
		"Serverprozess (PID 7) wurde von Signal 11 beendet: Segmentation fault": {PID: 7, Signal: 11},
		"процесс сервера (PID 8) был завершён по сигналу 9: Killed":             {PID: 8, Signal: 9},
		"server process (PID 9) was terminated by signal 6: Aborted": {What: "server process",
			PID: 9, Signal: 6, Name: "Aborted"},
		"background worker \"logical replication launcher\" (PID 5) exited with exit code 1": {
			What: "background worker \"logical replication launcher\"", PID: 5, Exit: 1},
	} {
		e := &Entry{Severity: Log, Message: []byte(m)}
		if d, ok := e.Death(); !ok || d != want || e.Kind() != ChildDied {
			t.Errorf("%s: %+v %v %d", m, d, ok, e.Kind())
		}
	}
	for _, m := range []string{"process 12 still waiting for ShareLock on transaction 1",
		"connection of 5 (PID 12) at 13:00: refused", "x (PID 12) 99: y", "x (PID 12"} {
		if n := foreignSignal([]byte(m)); n != 0 {
			t.Errorf("%s: signal %d", m, n)
		}
	}
}

// FuzzFeed holds that no text makes it panic, and that no entry has more than is kept.
func FuzzFeed(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(string(b[:min(len(b), 4096)]))
		}
	}
	f.Add("2026-11-21 07:00:00.200 UTC,,,20,,1,2,,,,0,LOG,00000,\"open\nx\",\n\ty\nLOG: z")
	f.Fuzz(func(t *testing.T, text string) {
		got, left := feedAll(text)
		if n := strings.Count(text, "\n") + 1; len(got) > n || len(left) > n {
			t.Errorf("%d entries and %d lines of %d", len(got), len(left), n)
		}
	})
}
