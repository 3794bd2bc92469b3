package oom

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/test/golden"
)

var oomKinds = map[pglog.Kind]string{pglog.ChildDied: "died", pglog.EndingAll: "sessions", pglog.Reinit: "reinitialize",
	pglog.Interrupted: "interrupted", pglog.NotShutDown: "interrupted",
	pglog.RedoStart: "redo_start", pglog.RedoDone: "redo_done",
	pglog.Ready: "ready", pglog.Starting: "started", pglog.ShutdownAsked: "stop_asked", pglog.ShutDown: "down",
	pglog.OutOfMemory: "out_of_memory"}

// oomSaid writes what was read of servers, one event a line.
func oomSaid(l *Log) string {
	var b strings.Builder
	fmt.Fprintf(&b, "lines %d, reports %d, cut %v\n", l.Lines, len(l.Reports), l.Cut)
	for _, e := range l.Server {
		fmt.Fprintf(&b, "server %s %d by %d at %q role %q: %q\n", oomKinds[e.Kind], e.PID, e.By, e.At.Text, e.Role,
			e.Statement)
	}
	return b.String()
}

// oomLogs are logs of servers; what was read from NAME is in NAME.txt.
func oomLogs(t testing.TB) (names []string) {
	all, err := filepath.Glob("testdata/pg*")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range all {
		if !strings.HasSuffix(n, ".txt") {
			names = append(names, n)
		}
	}
	if len(names) < 7 {
		t.Fatalf("only %d logs", len(names))
	}
	return names
}

// TestOOMServerLogs reads logs of servers in all their formats, one after the
// other and, the same, each line between two of the kernel's.
func TestOOMServerLogs(t *testing.T) {
	for _, name := range oomLogs(t) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := oomRead(string(b))
		if err != nil {
			t.Fatal(err)
		}
		got := oomSaid(l)
		if golden.Updating() {
			if err := os.WriteFile(name+".txt", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: -want +got:\n%s", name, d)
		}
		if strings.HasSuffix(name, ".csv") { // a record goes over several lines: no other entry interrupts it
			continue
		}
		mixed := "[1.000000] usb 1-1: new device\n" + strings.ReplaceAll(string(bytes.TrimRight(b, "\n")),
			"\n", "\n[2.000000] kernel memory of no interest\n") + "\n"
		if l, err = oomRead(mixed); err != nil {
			t.Fatal(err)
		}
		_, all, _ := strings.Cut(got, "\n")
		// which has only the order
		if _, part, _ := strings.Cut(oomSaid(l), "\n"); part != all && !strings.Contains(name, "pasted") {
			t.Errorf("%s: -alone +mixed:\n%s", name, cmp.Diff(all, part))
		}
	}
}

// FuzzOOMRead verifies that no text makes it panic, or keep more than its bounds.
func FuzzOOMRead(f *testing.F) {
	for _, name := range oomLogs(f) {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[len(b)/3:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := oomRead(string(b))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Server) > oomMaxEvents {
			t.Errorf("%d events", len(l.Server))
		}
		for _, e := range l.Server {
			if len(e.Statement) > oomMaxText || len(e.Text) > 2*oomMaxText+3 || oomKinds[e.Kind] == "" {
				t.Errorf("kind %d, a text of %d and %d bytes", e.Kind, len(e.Statement), len(e.Text))
			}
		}
	})
}
