package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// wholeHosts runs a test on each host of testdata/hosts, a case in a file; name is the file's.
func wholeHosts(t *testing.T, test func(t *testing.T, name string, c *golden.Case, h hostcase.Host)) {
	t.Helper()
	files, err := filepath.Glob("testdata/hosts/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d hosts, want at least 8: %v", len(files), err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			cases := golden.ReadCases(t, f)
			for i := range cases.List {
				c := &cases.List[i]
				test(t, filepath.Base(f), c, hostcase.Of(t, c))
			}
			cases.Update(t)
		})
	}
}

// TestWholePlans plans for the hosts of testdata/hosts. A rule's own cases are in judge/rules; these show that the
// rules fit together. The plans are of the knobs that testdata/knobs.txt names, so that another knob moves none of
// them: a new one that others depend on must be added there.
func TestWholePlans(t *testing.T) {
	about := knobsOfHosts(t)
	wholeHosts(t, func(t *testing.T, _ string, c *golden.Case, h hostcase.Host) {
		p := mustPlan(t, h.Snapshot, h.Options)
		got := summary(p, about)
		if diff := cmp.Diff(c.Want, got); diff != "" && !golden.Updating() {
			t.Errorf("the plan is another (-want +got):\n%s", diff)
		}
		c.Want = got
		for _, c := range mustPlan(t, plan.Simulate(h.Snapshot, p), h.Options).Changes {
			t.Errorf("carried out, %s would change again: %s → %s", c.Address, c.From, c.To)
		}
	})
}

// knobsOfHosts are the addresses that testdata/knobs.txt names, a line each. Those of a rule for many
// (block:*/scheduler) are as the rule has them.
func knobsOfHosts(t *testing.T) map[knob.Address]bool {
	t.Helper()
	b, err := os.ReadFile("testdata/knobs.txt")
	if err != nil {
		t.Fatal(err)
	}
	known, about := map[knob.Address]bool{}, map[knob.Address]bool{}
	for _, r := range rules.All() {
		known[r.Address] = true
	}
	for line := range strings.Lines(string(b)) {
		a := knob.Address(strings.TrimSpace(line))
		if !known[a] {
			t.Errorf("knobs.txt: no rule decides %q: take it out", a)
		}
		about[a] = true
	}
	return about
}

// isAbout reports whether an address is one of those, or of a rule for many.
func isAbout(a knob.Address, about map[knob.Address]bool) bool {
	if about[a] {
		return true
	}
	for of := range about {
		before, after, many := strings.Cut(string(of), "*")
		if many && len(a) > len(of)-1 && strings.HasPrefix(string(a), before) && strings.HasSuffix(string(a), after) {
			return true
		}
	}
	return false
}

// summary is a plan in few lines: what is decided of some knobs, not its words.
func summary(p *plan.Plan, about map[knob.Address]bool) string {
	var b strings.Builder
	if p.Budget.Known {
		x := p.Budget.After
		fmt.Fprintf(&b,
			"memory %s (%s): shared %s, page tables %s, backends %s, work %s, maintenance %s, others %s, reserve "+
				"%s, cache %s",
			x.Total, p.Budget.Limit, x.Shared, x.PageTables, x.Backends, x.Work, x.Maintenance, x.Others, x.Reserve,
			x.FileCache)
		if x.Shortfall > 0 {
			fmt.Fprintf(&b, ", SHORT OF %s", x.Shortfall)
		}
		b.WriteString("\n")
	} else {
		b.WriteString("memory not known\n")
	}
	for _, c := range p.Changes {
		if !isAbout(c.Address, about) {
			continue
		}
		fmt.Fprintf(&b, "%s %s → %s (%s, %s)\n", c.Address, c.From, c.To, c.Effect, c.Risk)
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, g := range p.Unknown {
		fmt.Fprintf(&b, "unknown: %s: %s\n", g.Fact, g.Reason)
	}
	return b.String()
}
