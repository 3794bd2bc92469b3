package snapshot_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TestWhatWasCutOutIsUnknown: evidence from which an entry was deleted says nothing about it, which does not mean that
// the host has none.
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
	}{"meminfo": s.Host.Memory, "swappiness": s.Host.Sysctls.Int("vm.swappiness"),
		"settings": s.Instances[0].Server.Settings} {
		if f.State() != known.Unread || !strings.Contains(f.Gap().Reason, "evidence") {
			t.Errorf("%s was cut out and is %s: %+v", name, f.State(), f.Gap())
		}
	}
	if s.Host.CPU.State() != known.Present {
		t.Error("processors are there and not known")
	}
}

// TestHashRestsOnWhatDoesNotMove: memory that was touched and transactions that
// went by leave the hash alone, a changed setting or limit does not.
func TestHashRestsOnWhatDoesNotMove(t *testing.T) {
	hash := func(spec string, edit func(*evidence.Archive)) string {
		a, err := snapshot.Describe(spec)
		if err != nil {
			t.Fatal(err)
		}
		edit(a)
		s, err := snapshot.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		return snapshot.Hash(s)
	}
	const spec = "ram=8GB,cpus=4,storage=ssd,pg=16"
	replace := func(name, old, new string) func(*evidence.Archive) {
		return func(a *evidence.Archive) {
			b, err := a.ReadFile(name)
			if err != nil || !strings.Contains(string(b), old) {
				t.Fatalf("%s: %q is not there (%v)", name, old, err)
			}
			if err := a.Add(name, []byte(strings.Replace(string(b), old, new, 1))); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := hash(spec, func(*evidence.Archive) {})
	if got := hash(spec, replace("proc/meminfo", "MemFree: ", "MemFree: 1")); got != before {
		t.Error("free memory is in the hash")
	}
	if got := hash(spec, replace("evidence.json", `"taken_at":0`, `"taken_at":99`)); got != before {
		t.Error("the time is in the hash")
	}
	for name, edit := range map[string]func(*evidence.Archive){
		"memory":     replace("proc/meminfo", "MemTotal: 8388608", "MemTotal: 8388612"),
		"swappiness": replace("proc/sys/vm/swappiness", "60", "61"),
		"setting":    replace("pg/1/settings.json", `"16384"`, `"16385"`),
	} {
		if hash(spec, edit) == before {
			t.Errorf("%s is not in the hash", name)
		}
	}
}
