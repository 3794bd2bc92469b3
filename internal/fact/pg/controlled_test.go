package pg

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// printed is what pg_controldata of PostgreSQL 13 to 19 prints, the lines around the settings.
const printed = `pg_control version number:            1300
Database system identifier:           7312345678901234567
Database cluster state:               in archive recovery
wal_level setting:                    replica
wal_log_hints setting:                off
max_connections setting:              400
max_worker_processes setting:         8
max_wal_senders setting:              10
max_prepared_xacts setting:           0
max_locks_per_xact setting:           64
track_commit_timestamp setting:       off
Mock authentication nonce:            8d1e5a5d6dbe3a2f0f9b6f1f7a4b0d4f8d1e5a5d6dbe3a2f0f9b6f1f7a4b0d4f
`

// TestReadControlled: each setting has the name of its parameter; nothing else of what the program prints is kept.
func TestReadControlled(t *testing.T) {
	kept := KeepControlLines(printed)
	if strings.Contains(kept, "8d1e5a5d") || strings.Contains(kept, "7312345678901234567") {
		t.Errorf("the nonce of the cluster, or its identifier, is kept: %s", kept)
	}
	for name, text := range map[string]string{"as printed": printed, "as kept": kept} {
		a := evidence.New()
		if err := a.Add(ControlDataFile("1"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, ok := ReadControlled(a, "1").Get()
		if want := "[{max_connections 400} {max_worker_processes 8} {max_wal_senders 10} " +
			"{max_prepared_transactions 0} {max_locks_per_transaction 64}]"; !ok || fmt.Sprint(got) != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestReadControlledKnowsWhatItCannotTell: of a line that is missing, is no number or contradicts another, nothing is
// guessed.
func TestReadControlledKnowsWhatItCannotTell(t *testing.T) {
	for why, text := range map[string]string{
		"no line with max_worker_processes setting": strings.Replace(printed, "max_worker_processes", "max_workers", 1),
		"no line with max_connections setting":      strings.Replace(printed, "  400", "  many", 1),
		"no line with max_wal_senders setting":      strings.Replace(printed, "  10", "  -1", 1),
		"no line with max_locks_per_xact setting":   strings.Replace(printed, "  64", "  99999999999", 1),
		"two values of max_connections setting":     printed + "max_connections setting: 100\n",
	} {
		a := evidence.New()
		if err := a.Add(ControlDataFile("1"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if f := ReadControlled(a, "1"); f.Gap().Reason != "malformed: "+why {
			t.Errorf("%s: %+v", why, f)
		}
	}
}

// TestNoQueryReadsBytes: what a file of the server has at an offset depends on its version; a query asks the server's
// own functions.
func TestNoQueryReadsBytes(t *testing.T) {
	err := fs.WalkDir(sqlFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(sqlFiles, name)
		if strings.Contains(string(b), "get_byte") {
			t.Errorf("%s reads bytes", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzKeepControlLines: what is kept of any text is what is read of it, and is kept of itself.
func FuzzKeepControlLines(f *testing.F) {
	f.Add(printed)
	f.Add("max_connections setting:\t1\x00\nmax_connections setting: 1\r")
	f.Fuzz(func(t *testing.T, text string) {
		kept := KeepControlLines(text)
		if again := KeepControlLines(kept); again != kept {
			t.Errorf("%q became %q", kept, again)
		}
		for line := range strings.Lines(kept) {
			if _, _, ok := controlLine(line); !ok || len(line) > 64 {
				t.Errorf("%q was kept", line)
			}
		}
	})
}
