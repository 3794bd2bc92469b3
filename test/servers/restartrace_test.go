package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
)

// TestRestartBesideAnother: what an apply that was killed had begun still stops
// or starts the server while we restart it. A pg_ctl that does everything twice
// fails as ours does when another one was faster.
func TestRestartBesideAnother(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		for _, word := range []string{"stop", "start"} {
			t.Run(word, func(t *testing.T) {
				i := start(t, b, map[string]string{"work_mem": "5MB"})
				in := &read(t, evidenceOf(t, i, false)).Instances[0]
				bin := i.Folder + "/bin"
				if err := os.Mkdir(bin, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(b.Tool("postgres"), bin+"/postgres"); err != nil {
					t.Fatal(err)
				}
				// once: a server that is started repeatedly is another matter
				script := fmt.Sprintf(
					"#!/bin/sh\nif [ \"$1\" = %s ] && [ ! -e %s/once ]; then : > %s/once; %s \"$@\"; fi\nexec %s "+
						"\"$@\"\n",
					word, i.Socket, i.Socket, b.Tool("pg_ctl"), b.Tool("pg_ctl"))
				if err := os.WriteFile(bin+"/pg_ctl", []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
				in.BinDir = known.Is(bin)
				p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
				defer p.Close()
				old := i.PID()
				if err := i.Configure(map[string]string{"work_mem": "6MB"}); err != nil {
					t.Fatal(err)
				}
				activate(t, p, in, knob.Restart)
				if _, err := os.Stat(filepath.Join(i.Socket, "once")); err != nil {
					t.Fatalf("nobody was faster: %v", err)
				}
				if pid := i.PID(); pid == old || pid == 0 {
					t.Errorf("process %d runs, and %d did before", pid, old)
				}
				if v := settingsOf(t, read(t, evidenceOf(t, i, false)))["work_mem"]; v.Value != "6144" {
					t.Errorf("work_mem is %s", v.Value)
				}
			})
		}
	})
}
