package conffile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestForeign: testdata/foreign/NAME.txtar holds a file that the server does not
// read, and what is found in it.
func TestForeign(t *testing.T) {
	cases, err := filepath.Glob("testdata/foreign/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range cases {
		ar, err := txtar.ParseFile(path)
		if err != nil || len(ar.Files) != 2 {
			t.Fatal(path, err)
		}
		form := conffile.FormOf(ar.Files[0].Data)
		r := conffile.JudgeForeign(form, "/d/"+ar.Files[0].Name, ar.Files[0].Data, filepath.Base, nil, checks.All())
		var b strings.Builder
		fmt.Fprintln(&b, r.Form)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "%s:%d %s %s: %s\n", f.File, f.Line, f.Severity, f.ID, f.Seen)
		}
		if *update {
			ar.Files[1].Data = []byte(b.String())
			if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if d := cmp.Diff(string(ar.Files[1].Data), b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

// TestForms: what decides is in the lines, not in the name.
func TestForms(t *testing.T) {
	for text, want := range map[string]conffile.Form{
		"":                     conffile.PostgreSQL,
		"work_mem = 4MB\n":     conffile.PostgreSQL,
		"auto_explain.x = 1\n": conffile.PostgreSQL,
		"# x\nvm.swappiness=10\n-net.core.somaxconn = 4096\n": conffile.Sysctl,
		"[Service]\nLimitNOFILE=1\n":                          conffile.Unit,
		"UUID=a / ext4 defaults 0 1\n":                        conffile.Fstab,
		"local all all peer\nhost all all ::1/128 md5\n":      conffile.HBA,
		"work_mem = 4MB\nvm.swappiness = 10\nport = 5432\n":   conffile.PostgreSQL,
	} {
		if got := conffile.FormOf([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzForeign: whatever stands in such a file, the judge ends, and every finding
// has a place in it.
func FuzzForeign(f *testing.F) {
	f.Add("vm.swappiness = 60\nvm.panic_on_oom=1\n")
	f.Add("[Service]\nOOMPolicy=kill\nTimeoutStopSec=\n")
	f.Add("a /b xfs discard,nobarrier 0 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []conffile.Form{conffile.Sysctl, conffile.Unit, conffile.Fstab} {
			if len(text) > 4096 {
				return // each line costs a run of all checks
			}
			for _, found := range conffile.JudgeForeign(form, "/x", []byte(text), filepath.Base, nil,
				checks.All()).Findings {
				if found.Seen.String() == "" || found.Line < 0 || found.Line > strings.Count(text, "\n")+1 {
					t.Errorf("%+v", found)
				}
			}
		}
	})
}
