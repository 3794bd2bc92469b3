package plan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

var update = flag.Bool("update", false, "rewrite what the hosts' plans are expected to be")

// TestWholePlans plans for the hosts of testdata/hosts, each a file whose first
// line says what the host is. Its entry "host" has lines
//
//	host: DESCRIPTION            as in plan --for
//	options: profile=… connections=… active=… storage=… dedicated=false
//	file: PATH TEXT              a file of the evidence; \n is a line break
//	hide: PATH REASON            a file that may not be read; PATH/ hides all below
//
// and "plan" is the plan, a line a change. A rule's own cases stand in judge/rules; these show that
// the rules fit together. The plans are of the knobs that testdata/knobs.txt names, so that another
// knob moves none of them: who adds one that others rest on puts it there.
func TestWholePlans(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 8 {
		t.Fatalf("%d hosts, want at least 8", len(files))
	}
	about := knobsOfHosts(t)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(ar.Comment)) == "" || len(ar.Files) == 0 || ar.Files[0].Name != "host" {
				t.Fatal("the file has to begin with a line that says what the host is, and the entry host")
			}
			a, o := buildHost(t, string(ar.Files[0].Data))
			s := read(t, a)
			p := mustPlan(t, s, o)
			got := summary(p, about)
			want := ""
			if len(ar.Files) > 1 {
				want = string(ar.Files[1].Data)
			}
			if *update {
				ar.Files = append(ar.Files[:1], txtar.File{Name: "plan", Data: []byte(got)})
				if err := os.WriteFile(f, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the plan is another (-want +got):\n%s", diff)
			}
			for _, c := range mustPlan(t, plan.Simulate(s, p), o).Changes {
				t.Errorf("carried out, %s would change again: %s → %s", c.Address, c.From, c.To)
			}
		})
	}
}

func buildHost(t *testing.T, text string) (*evidence.Archive, rule.Options) {
	t.Helper()
	var a *evidence.Archive
	o := rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}}
	for line := range strings.Lines(text) {
		key, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("host: %q", line)
		}
		var err error
		switch key {
		case "host":
			a, err = snapshot.Describe(rest)
		case "options":
			for _, f := range strings.Fields(rest) {
				name, val, _ := strings.Cut(f, "=")
				n, _ := strconv.Atoi(val)
				switch name {
				case "profile":
					o.Profile, err = rule.ParseProfile(val)
				case "storage":
					o.Storage, err = rule.ParseStorage(val)
				case "connections":
					o.Connections = n
				case "active":
					o.Active = n
				case "dedicated":
					o.Shared = val == "false"
				default:
					err = fmt.Errorf("no option %q", name)
				}
			}
		case "file":
			path, content, _ := strings.Cut(rest, " ")
			err = a.Add(path, []byte(strings.ReplaceAll(content, `\n`, "\n")+"\n"))
		case "hide":
			path, reason, _ := strings.Cut(rest, " ")
			a = hide(t, a, path, reason)
		default:
			err = fmt.Errorf("no key %q", key)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return a, o
}

// hide returns an archive without the file, or without all files below PATH/.
func hide(t *testing.T, a *evidence.Archive, path, reason string) *evidence.Archive {
	t.Helper()
	b := evidence.New()
	for _, n := range a.Names() {
		if n == path || strings.HasSuffix(path, "/") && strings.HasPrefix(n, path) {
			b.AddMissing(evidence.Missing{Name: n, State: known.Forbidden, Reason: reason})
			continue
		}
		data, err := a.ReadFile(n)
		if err == nil {
			err = b.Add(n, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range a.MissingFiles() {
		b.AddMissing(m)
	}
	return b
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

// isAbout says whether an address is one of those, or of a rule for many.
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
