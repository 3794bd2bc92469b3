package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/live"
)

func options(p rule.Profile) rule.Options {
	return rule.Options{Profile: p, Storage: rule.SSD, Pins: map[knob.Address]string{
		// The pool of huge pages is the kernel's part of the plan, which this tier
		// does not carry out: without it "on" would not start.
		"pg:huge_pages": "try",
	}}
}

// conf returns the instance's part of a plan as settings.
func conf(p *plan.Plan) map[string]string {
	m := map[string]string{}
	for _, c := range p.Changes {
		if c.Layer == knob.Instance {
			m[c.Address.Name()] = c.To
		}
	}
	return m
}

// TestPlannedConfigurationStarts: the configuration of every profile starts the
// server, every value is what the plan says, the shared memory is what the
// installed binary answered, and planning again changes nothing.
func TestPlannedConfigurationStarts(t *testing.T) {
	// one after the other: each commits what is planned for the whole host
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		fresh, err := os.ReadFile(i.DataDir + "/postgresql.conf")
		if err != nil {
			t.Fatal(err)
		}
		for n, profile := range rule.Profiles {
			// Each profile on each version; with many connections on every other version.
			connections := []int{0, 700}[(n+b.Version.Major())%2]
			t.Run(fmt.Sprintf("%s-%d", profile, connections), func(t *testing.T) {
				for attempt := 1; ; attempt++ {
					if err := os.WriteFile(i.DataDir+"/postgresql.conf", fresh, 0o600); err != nil {
						t.Fatal(err)
					}
					restart(t, i, nil)
					o := options(profile)
					o.Connections = connections
					first, again := plannedTwice(t, b, i, o)
					var moved []string
					for _, c := range again.Changes {
						if c.Layer == knob.Instance {
							moved = append(moved, fmt.Sprintf("%s would go from %s to %s: %s", c.Address, c.From, c.To,
								c.Reason))
						}
					}
					if len(moved) == 0 {
						return
					}
					// A plan is for what other programs hold, and other tests' servers come and go beside.
					if beside(first) == beside(again) || attempt == 5 {
						t.Fatalf("planned again, %s", strings.Join(moved, "\n"))
					}
				}
			})
		}
	})
}

// plannedTwice plans, starts the server with what is planned, compares what it then has with the plan, and plans again.
func plannedTwice(t *testing.T, b scratch.Binaries, i *scratch.Instance, o rule.Options) (p, again *plan.Plan) {
	t.Helper()
	p, _, err := planner.Make(t.Context(), &target.Local{}, evidenceOf(t, i, false), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Changes) < 10 || len(p.Questions) > 0 || len(p.Shared) != 1 ||
		!p.Shared[0].Exact && o.Profile != rule.Desktop {
		// A desktop reserves no huge pages, so that the binary need not be asked for a number of them.
		t.Fatalf("%d changes, questions %+v, shared memory %+v", len(p.Changes), p.Questions, p.Shared)
	}
	restart(t, i, conf(p))
	s := read(t, evidenceOf(t, i, false))
	live := settingsOf(t, s)
	for _, c := range p.Changes {
		if c.Layer != knob.Instance {
			continue
		}
		if got := live[c.Address.Name()]; got.Value != c.ToBase || got.Show() != c.To {
			t.Errorf("%s: planned %s (%s), the server has %s (%s)", c.Address, c.To, c.ToBase,
				got.Show(), got.Value)
		}
	}
	sharedEquals(t, b, live, s.Instances[0].Server, p.Shared[0])
	again, _, err = planner.Make(t.Context(), &target.Local{}, evidenceOf(t, i, false), o)
	if err != nil {
		t.Fatal(err)
	}
	return p, again
}

// beside is what a plan keeps for other programs and instances of the host, in steps of 64 MB.
func beside(p *plan.Plan) string {
	const step = 64 * unit.MB
	var held unit.Bytes
	for _, n := range p.Budget.Neighbours {
		held += n.Take
	}
	return fmt.Sprint(p.Budget.OthersHeld/step, len(p.Budget.Neighbours), held/step)
}

func restart(t testing.TB, i *scratch.Instance, settings map[string]string) {
	t.Helper()
	if err := i.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := i.Start(t.Context()); err != nil {
		t.Fatalf("the planned configuration does not start: %v\n%v", err, settings)
	}
}

// sharedEquals compares the plan's answer with what the running server says.
func sharedEquals(t *testing.T, b scratch.Binaries, live pg.Settings, srv pg.Server, planned plan.Shared) {
	t.Helper()
	differs := func(pages int64) bool {
		if !planned.Exact { // an estimate, which is never below the truth
			return pages > planned.Bytes.Pages(2*unit.MB)
		}
		return pages != planned.Bytes.Pages(2*unit.MB)
	}
	if b.Version.Major() >= 15 {
		if pages, ok := live.Int("shared_memory_size_in_huge_pages"); !ok || differs(pages) {
			t.Errorf("the server needs %d huge pages, the plan says %d (%s)", pages, planned.Bytes.Pages(2*unit.MB),
				planned.Bytes)
		}
		return
	}
	parts, ok := srv.Shmem.Get()
	var sum unit.Bytes
	for _, p := range parts {
		sum += p.Size
	}
	if !ok || differs(sum.Pages(2*unit.MB)) {
		t.Errorf("the server allocated %s (%d huge pages), the plan says %s (%d)", sum, sum.Pages(2*unit.MB),
			planned.Bytes, planned.Bytes.Pages(2*unit.MB))
	}
}

// TestEvidenceFileJudgesAsLive: check and plan of an evidence file give byte for
// byte what they give of the live evidence.
func TestEvidenceFileJudgesAsLive(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		a := evidenceOf(t, start(t, b, map[string]string{
			"primary_conninfo": "host=primary.example password=hunter2",
			"archive_command":  "scp -o password=hunter2 %p x:", "archive_mode": "on"}), false)
		o := options(rule.Mixed)
		livePlan, s, err := planner.Make(t.Context(), &target.Local{}, a, o)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := a.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		back, err := evidence.Parse(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		filePlan, s2, err := planner.Make(context.Background(), nil, back, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON(t, livePlan), asJSON(t, filePlan)); diff != "" {
			t.Errorf("plans differ (-live +file):\n%s", diff)
		}
		if diff := cmp.Diff(asJSON(t, check.Run(s, checks.All(), check.Options{})),
			asJSON(t, check.Run(s2, checks.All(), check.Options{}))); diff != "" {
			t.Errorf("findings differ (-live +file):\n%s", diff)
		}
		for _, secret := range []string{"hunter2", "primary.example"} {
			if strings.Contains(text.String(), secret) {
				t.Errorf("the evidence holds %q", secret)
			}
		}
	})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
