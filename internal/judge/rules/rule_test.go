package rules_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// TestRules runs AREA/testdata/<knob>.txtar: the cases of one rule, which runs alone
// on a described host, so that no other rule can move them; what it needs
// decided before is then what the server has now. docs/fixtures.md lists the verbs.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[knob.Address]int{}
	for _, f := range files {
		r, ok := ruleOf(f)
		if !ok {
			t.Errorf("%s: there is no such knob", f)
			continue
		}
		t.Run(string(r.Address), func(t *testing.T) { cases[r.Address] = runFile(t, f, r) })
	}
	if flag.Lookup("test.run").Value.String() != "" {
		return
	}
	for _, r := range rules.All() {
		// What is typical, what is at the edge, and what happens without a fact.
		if cases[r.Address] < 3 {
			t.Errorf("%s has %d cases in testdata; three are the least", r.Address, cases[r.Address])
		}
	}
}

func ruleOf(file string) (rule.Rule, bool) {
	base := strings.TrimSuffix(filepath.Base(file), ".txtar")
	plain := strings.NewReplacer(".", "_", "-", "_", ":", "_", "*/", "")
	for _, r := range rules.All() {
		name := r.Address.Name()
		if base == plain.Replace(name) || base == name[strings.LastIndexByte(name, '.')+1:] ||
			base == plain.Replace(string(r.Address)) {
			return r, true
		}
	}
	return rule.Rule{}, false
}

func runFile(t *testing.T, file string, r rule.Rule) int {
	cases := golden.ReadCases(t, file)
	for i := range cases.List {
		c := &cases.List[i]
		t.Run(c.Name, func(t *testing.T) {
			got := decide(t, c, r)
			if !golden.Updating() && got != c.Want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.Want)
			}
			c.Want = got
		})
	}
	cases.Update(t)
	return len(cases.List)
}

// decide runs one case and returns the result.
func decide(t *testing.T, c *golden.Case, r rule.Rule) string {
	t.Helper()
	h := hostcase.Of(t, c)
	all := []rule.Rule{r}
	for _, a := range h.With {
		for _, other := range rules.All() {
			if other.Address == a {
				all = append(all, other)
			}
		}
	}
	out, err := rule.Decide(h.Snapshot, all, h.Options)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return tell(out, r.Address)
}

// tell writes the decisions on one knob or family, and all warnings and unknowns.
func tell(out *rule.Outcome, a knob.Address) string {
	var b strings.Builder
	for _, d := range out.Decisions {
		if !a.Covers(d.Address) {
			continue
		}
		for _, id := range d.Rule.Sources {
			if _, ok := say.SourceByID(id); !ok {
				fmt.Fprintf(&b, "source %q does not exist\n", id)
			}
		}
		from := "?"
		if p, ok := d.Present.Get(); ok {
			from = p.Show()
		}
		where := ""
		if d.Instance != "" && d.Instance != "1" {
			where = " of instance " + d.Instance
		}
		switch {
		case d.Changes():
			fmt.Fprintf(&b, "%s%s: %s -> %s (%s)\n", d.Address, where, from, d.Effective.Show(), d.Effect)
		case d.Want != d.Effective:
			fmt.Fprintf(&b, "%s%s: %s stays; %s would be no better\n", d.Address, where, from, d.Want.Show())
		case from == "?":
			fmt.Fprintf(&b, "%s%s: unknown now; %s is right\n", d.Address, where, d.Want.Show())
		default:
			fmt.Fprintf(&b, "%s%s: %s stays\n", d.Address, where, from)
		}
		fmt.Fprintf(&b, "because %s\n", d.Reason)
	}
	if b.Len() == 0 {
		b.WriteString("no decision\n")
	}
	for _, w := range out.Warnings {
		if w.About == "pg:work_mem" && a != knob.PG("work_mem") {
			continue // said of every plan; its own cases show it
		}
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, g := range out.Unknown {
		fmt.Fprintf(&b, "unknown: %s: %s\n", g.Fact, g.Reason)
	}
	return b.String()
}
