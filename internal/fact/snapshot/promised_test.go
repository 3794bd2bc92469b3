package snapshot_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TestWhatWasCutOutIsUnknown: evidence from which somebody deleted an entry says
// nothing of it, which is not the same as that the host has none.
func TestWhatWasCutOutIsUnknown(t *testing.T) {
	whole, err := snapshot.Describe("ram=8GB,cpus=4,storage=ssd,pg=16")
	if err != nil {
		t.Fatal(err)
	}
	cut := evidence.New()
	for _, n := range whole.Names() {
		if n == "proc/meminfo" || n == "proc/sys/vm/swappiness" || n == "pg/1/settings.json" {
			continue
		}
		b, err := whole.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := cut.Add(n, b); err != nil {
			t.Fatal(err)
		}
	}
	s, err := snapshot.Read(cut)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]interface {
		State() known.State
		Gap() known.Gap
	}{"meminfo": s.Host.Memory, "swappiness": s.Host.Sysctls.Int("vm.swappiness"), "settings": s.Instances[0].Server.Settings} {
		if f.State() != known.Unread || !strings.Contains(f.Gap().Reason, "evidence") {
			t.Errorf("%s was cut out and is %s: %+v", name, f.State(), f.Gap())
		}
	}
	if s.Host.CPU.State() != known.Present {
		t.Error("processors are there and not known")
	}
}
