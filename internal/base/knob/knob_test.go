package knob_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TestParse holds which addresses exist and which layer each is of.
func TestParse(t *testing.T) {
	for s, layer := range map[string]knob.Layer{
		"pg:shared_buffers": knob.Instance, "wal:location": knob.Instance, "sysctl:vm.nr_hugepages": knob.Kernel, "thp:enabled": knob.Kernel, "block:vda/scheduler": knob.Kernel,
		"mount:/srv/options": knob.Mounts, "boot:transparent_hugepage": knob.Boot, "unit:OOMPolicy": knob.Units,
	} {
		a, err := knob.Parse(s)
		if err != nil || a.Layer() != layer || a.Prefix()+":"+a.Name() != s {
			t.Errorf("%s: %v, %v, layer %s", s, a, err, a.Layer())
		}
	}
	for _, s := range []string{"", "shared_buffers", "pg:", "registry:x", ":x"} {
		if a, err := knob.Parse(s); err == nil {
			t.Errorf("%q was read as %s", s, a)
		}
	}
}

// TestEffects: their order is their meaning, and their names are read back.
func TestEffects(t *testing.T) {
	if !(knob.Now < knob.Reload && knob.Reload < knob.Restart && knob.Restart < knob.Reboot) {
		t.Error("effects are out of order")
	}
	for _, e := range []knob.Effect{knob.Now, knob.Reload, knob.Restart, knob.Reboot} {
		if back, err := knob.ParseEffect(e.String()); err != nil || back != e {
			t.Errorf("%s: %v, %v", e, back, err)
		}
	}
	if _, err := knob.ParseEffect("soon"); err == nil {
		t.Error("soon was read as an effect")
	}
	if knob.EffectOf("postmaster") != knob.Restart || knob.EffectOf("sighup") != knob.Reload || knob.EffectOf("user") != knob.Reload {
		t.Error("contexts have other effects")
	}
}
