package linux

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// TestServiceHalfway: what a kill leaves between enabling and starting is half of ours, and nothing else is.
func TestServiceHalfway(t *testing.T) {
	for live, want := range map[string]bool{"enabled": true, "started": true, "enabled, started": false,
		"absent": false} {
		if got := (service{}).Halfway(journal.State{Live: &live}, journal.State{}, journal.State{},
			apply.Knob{}); got != want {
			t.Errorf("%s: %v", live, got)
		}
	}
	if (service{}).Halfway(journal.State{}, journal.State{}, journal.State{}, apply.Knob{}) {
		t.Error("a state that is not known is halfway")
	}
}

// TestServiceThatFails: systemd's own words are in the error, and what was enabled goes with the way back.
func TestServiceThatFails(t *testing.T) {
	l := newLab(t, debian)
	l.lay(madeUnit, madeText)
	l.reload()
	l.services[madeService].bad = true
	kind, k := Host{Files: l, Kernel: l}.Kinds()["service"], apply.Knob{Address: "service:" + madeService}
	before := mustLook(t, kind, k)
	after := mustWant(t, kind, before, k, "enabled, started")
	if err := kind.Set(t.Context(), k, after); err == nil || !strings.Contains(err.Error(), "control process") {
		t.Errorf("%v", err)
	}
	found := mustLook(t, kind, k)
	if liveString(found) != "enabled" || kind.Ours(found, after, k) {
		t.Errorf("it is %s", liveString(found))
	}
	mustSet(t, kind, k, before)
	if now := mustLook(t, kind, k); !now.Same(before) {
		t.Errorf("it is %s", liveString(now))
	}
}

// TestServiceRefusals: what is no name of a service, or no state of one, reaches no command.
func TestServiceRefusals(t *testing.T) {
	l := newLab(t, debian)
	kind := Host{Files: l, Kernel: l}.Kinds()["service"]
	started := "started"
	for _, name := range []string{"", "x", "--help", "a b.service", "../x.service", "a.service;b", "a.socket",
		"-.mount"} {
		k := apply.Knob{Address: knob.Address("service:" + name)}
		if _, err := kind.Look(t.Context(), k); err == nil {
			t.Errorf("%q was looked at", name)
		}
		if err := kind.Set(t.Context(), k, journal.State{Live: &started}); err == nil {
			t.Errorf("%q was set", name)
		}
	}
	k := apply.Knob{Address: "service:" + madeService}
	for _, value := range []string{"", "enabled,started", "running", "masked"} {
		if _, err := kind.Want(journal.State{}, k, value); err == nil {
			t.Errorf("%q is a state", value)
		}
	}
	if len(l.ops) > 0 {
		t.Errorf("it did %v", l.ops)
	}
}
