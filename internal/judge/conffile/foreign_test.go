package conffile_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/test/golden"
)

// TestForeign: testdata/foreign/NAME.txtar holds a file that the server does not
// read, and what is found in it.
func TestForeign(t *testing.T) {
	golden.Files(t, "testdata/foreign/*.txtar", func(t *testing.T, c *golden.File) map[string][]byte {
		if len(c.Given) != 1 {
			t.Fatalf("%d files", len(c.Given))
		}
		var b bytes.Buffer
		for name, text := range c.Given {
			r := conffile.JudgeForeign(conffile.FormOf(text), "/d/"+name, text, filepath.Base, nil, checks.All())
			fmt.Fprintln(&b, r.Form)
			for _, f := range r.Findings {
				fmt.Fprintf(&b, "%s:%d %s %s: %s\n", f.File, f.Line, f.Severity, f.ID, f.Seen)
			}
		}
		return map[string][]byte{"want": b.Bytes()}
	})
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

// FuzzForeign: whatever is in such a file, the judge ends, and every finding has a place in it.
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
