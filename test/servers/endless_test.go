package servers

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TestServerIsNotLedIntoAnEndlessFile: neither a reload nor a restart is requested from a server whose configuration
// leads to a device or a FIFO: it would hang there until it is killed with SIGKILL. An undo asked for both. Nor is it
// sent a query for which its backend would read that file: no statement_timeout interrupts the read of a FIFO.
func TestServerIsNotLedIntoAnEndlessFile(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		main, hba := i.DataDir+"/postgresql.conf", i.DataDir+"/pg_hba.conf"
		honest := text(t, main)
		write := func(t *testing.T, name, text string) {
			err := os.WriteFile(name, []byte(text), 0o600)
			if err := errors.Join(err, os.Chown(name, i.Account.UID, i.Account.GID)); err != nil {
				t.Fatal(err)
			}
		}
		fifo := func(t *testing.T, name string) {
			err := syscall.Mkfifo(name, 0o600)
			if err := errors.Join(err, os.Chown(name, i.Account.UID, i.Account.GID)); err != nil {
				t.Fatal(err)
			}
		}
		p := &pgctl.Server{Target: &target.Local{}}
		t.Cleanup(p.Close)
		in := &read(t, evidenceOf(t, i, false)).Instances[0]
		ofFiles := []string{"file_settings", "libraries"}
		for title, lead := range map[string]struct {
			lead, back func(t *testing.T)
			left       []string
		}{
			"a device": {func(t *testing.T) { write(t, main, honest+"include '/dev/zero'\n") },
				func(t *testing.T) { write(t, main, honest) }, ofFiles},
			"a device below an included file": {
				func(t *testing.T) {
					write(t, i.DataDir+"/more.conf", "include_if_exists '/dev/zero'\n")
					write(t, main, honest+"include 'more.conf'\n")
				},
				func(t *testing.T) { write(t, main, honest) }, ofFiles},
			"a FIFO in a folder": {
				func(t *testing.T) {
					if err := os.Mkdir(i.DataDir+"/conf.d", 0o755); err != nil {
						t.Fatal(err)
					}
					fifo(t, i.DataDir+"/conf.d/a.conf")
					write(t, main, honest+"include_dir 'conf.d'\n")
				},
				func(t *testing.T) { write(t, main, honest) }, ofFiles},
			"a FIFO in place of pg_hba.conf": {
				func(t *testing.T) {
					if err := os.Rename(hba, hba+".kept"); err != nil {
						t.Fatal(err)
					}
					fifo(t, hba)
				},
				func(t *testing.T) {
					if err := os.Rename(hba+".kept", hba); err != nil {
						t.Fatal(err)
					}
				}, []string{"hba"}},
		} {
			t.Run(title, func(t *testing.T) {
				lead.lead(t)
				for _, e := range []knob.Effect{knob.Reload, knob.Restart} {
					wantProblem(t, p.Activate(t.Context(), in, e), 5, "not a regular file")
				}
				seen := evidenceOf(t, i, false)
				var left []string
				for _, m := range seen.MissingFiles() {
					if strings.Contains(m.Reason, "would hang") {
						left = append(left, strings.TrimSuffix(path.Base(m.Name), ".json"))
					}
				}
				slices.Sort(left)
				if !slices.Equal(left, lead.left) {
					t.Errorf("not asked for are %q, want %q", left, lead.left)
				}
				if s := read(t, seen); !s.Instances[0].Server.Settings.Known() {
					t.Errorf("its settings are unknown: %+v", s.Instances[0].Server.Settings.Gap())
				}
				lead.back(t)
				// The server has not been asked: it answers, and reads what is honest again.
				for _, e := range []knob.Effect{knob.Reload, knob.Restart} {
					if err := p.Activate(t.Context(), in, e); err != nil {
						t.Errorf("%s: %v", e, err)
					}
				}
			})
		}
	})
}
