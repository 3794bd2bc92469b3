package plan

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TestOverrides: what is read after our file is named, with what it sets; what
// is read before it is not.
func TestOverrides(t *testing.T) {
	set := func(name, file string, read bool) host.SysctlSet {
		return host.SysctlSet{Name: name, Value: "7", File: file, Line: 3, Read: read}
	}
	s := &snapshot.Snapshot{}
	s.Host.Tuned = known.Is("virtual-guest")
	s.Host.SysctlConf = known.Is([]host.SysctlSet{
		set("vm.dirty_bytes", "/usr/lib/sysctl.d/10-early.conf", true),
		set("vm.dirty_bytes", SysctlFile, true),
		set("vm.swappiness", "/etc/sysctl.d/90-else.conf", true),
		set("vm.dirty_ratio", "/run/sysctl.d/61-pair.conf", true),
		set("vm.dirty_bytes", "/usr/lib/sysctl.d/99-late.conf", true),
		set("vm.dirty_bytes", "/etc/sysctl.conf", true),
		set("vm.dirty_bytes", "/etc/sysctl.conf.d/x.conf", false),
	})
	got := say.Strings(SysctlOverrides(s, "vm.dirty_bytes"))
	for i, has := range []string{"/run/sysctl.d/61-pair.conf line 3 (vm.dirty_ratio = 7)",
		"/usr/lib/sysctl.d/99-late.conf line 3", "/etc/sysctl.conf line 3", "never read", "virtual-guest"} {
		if i >= len(got) || !strings.Contains(got[i], has) {
			t.Fatalf("no sentence %d with %q:\n%s", i, has, strings.Join(got, "\n"))
		}
	}
	if len(got) != 5 {
		t.Errorf("more than that:\n%s", strings.Join(got, "\n"))
	}
	if got := SysctlOverrides(&snapshot.Snapshot{}, "vm.dirty_bytes"); got != nil {
		t.Errorf("nothing is known, and yet %q", got)
	}
}
