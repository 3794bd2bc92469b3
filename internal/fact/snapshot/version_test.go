package snapshot

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// For a server that is not running, the directory holds only the major version; a release 18.0 that runs is 18.0.
func TestVersion(t *testing.T) {
	for _, c := range []struct {
		running known.Fact[bool]
		version known.Fact[unit.Version]
		want    string
	}{
		{known.Is(false), known.Is(unit.Version(180000)), "18"},
		{known.Is(false), known.Is(unit.Version(180006)), "18.6"}, // its program said so
		{known.Is(true), known.Is(unit.Version(180000)), "18.0"},
		{known.Is(true), known.Fact[unit.Version]{}, ""},
		{known.Fact[bool]{}, known.Is(unit.Version(170011)), "17.11"},
	} {
		in := Instance{Running: c.running}
		in.Server.Version = c.version
		if got := in.Version(); got != c.want {
			t.Errorf("%+v %+v is %q, not %q", c.running, c.version, got, c.want)
		}
	}
}

// TestVersionOfAPrerelease: a number that stands for all betas and candidates and the release is not shown.
func TestVersionOfAPrerelease(t *testing.T) {
	for text, want := range map[string]string{"19rc1 (Debian 19~rc1-1)": "19rc1", "19.0": "19.0", "": "19.0"} {
		in := Instance{Running: known.Is(true)}
		in.Server.Version = known.Is(unit.Version(190000))
		in.Server.Settings = known.Is(pg.Settings{"server_version": {Name: "server_version", Value: text}})
		if got := in.Version(); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}
