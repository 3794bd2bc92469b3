package pg

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// FuzzRead gives one text as the answer to every query. Whatever it is, no
// reader panics, and what was read can be written as JSON.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range txtar.Parse(b).Files {
			if filepath.Dir(e.Name) == "pg/1" {
				f.Add(e.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := evidence.New()
		for _, q := range allQueries() {
			if err := a.Add(Path("1", q.Name), b); err != nil {
				return // more than an archive takes
			}
		}
		if err := a.Add(Path("1", VisitsQuery), b); err != nil {
			return
		}
		for _, name := range []string{"sessions", "locks", "position"} {
			if err := a.Add(Path("live", name), b); err != nil {
				return
			}
		}
		if err := a.Add(ControlDataFile("1"), b); err != nil {
			return
		}
		if l, ok := ReadLiveSessions(a, "live").Get(); ok {
			for _, e := range l {
				if e.PID <= 0 || e.QueryAge != nil && *e.QueryAge < 0 {
					t.Errorf("session %+v", e)
				}
			}
		}
		ReadLiveLocks(a, "live")
		ReadLivePosition(a, "live")
		s := Read(a, "1")
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
		if v, ok := s.Version.Get(); ok && v.Major() < 9 {
			t.Errorf("version %v", v)
		}
	})
}
