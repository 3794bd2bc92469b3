package host_test

import (
	"fmt"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

func TestAssignments(t *testing.T) {
	for in, want := range map[[2]string]string{
		{"NUMAPolicy", "interleave 0-1"}: "[[NUMAMask 0-1] [NUMAPolicy interleave]]",
		{"NUMAPolicy", "default"}:        "[[NUMAPolicy default]]",
		{"LimitNOFILE", "65536"}:         "[[LimitNOFILE 65536]]",
		{"Environment", "A=1 B=2"}:       "[[Environment A=1 B=2]]",
	} {
		if got := fmt.Sprint(host.Assignments(in[0], in[1])); got != want {
			t.Errorf("%v: %s, want %s", in, got, want)
		}
	}
}

// TestProperty: the nodes that systemd shows, in the spelling of any version, are part
// of the policy.
func TestProperty(t *testing.T) {
	for mask, want := range map[string]string{"": "interleave", "0-1": "interleave 0-1", "0 1": "interleave 0-1",
		"0,1,4": "interleave 0-1,4", "x": "interleave"} {
		got, ok := host.Property(map[string]string{"NUMAPolicy": "interleave", "NUMAMask": mask}, "NUMAPolicy")
		if !ok || got != want {
			t.Errorf("%q: %q, want %q", mask, got, want)
		}
	}
	if _, ok := host.Property(map[string]string{"NUMAMask": "0"}, "NUMAPolicy"); ok {
		t.Error("a systemd that does not tell the policy told one")
	}
}

// TestLegalNUMAPolicy: what systemd would not start a service with is refused.
func TestLegalNUMAPolicy(t *testing.T) {
	for value, ok := range map[string]bool{
		"interleave 0-1": true, "bind 0": true, "default": true, "local": true, "preferred 1": true,
		"interleave": false, "interleave all": false, "bind": false, "default 0-1": false, "spread 0-1": false,
		"interleave 1-0": false, "interleave 0-99999": false, "": false,
	} {
		if err := host.LegalNUMAPolicy(value); (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
	}
}
