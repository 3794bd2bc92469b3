package rules_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/golden"
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

// decide runs one case and tells what came of it.
func decide(t *testing.T, c *golden.Case, r rule.Rule) string {
	t.Helper()
	o := rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}}
	all := []rule.Rule{r}
	over := map[string]string{}
	hidden := map[string]evidence.Missing{}
	spec := ""
	var copies [][2]string
	set, enum := map[string]string{}, map[string][]string{}
	for _, line := range c.Verbs() {
		verb, raw := line[0], line[1]
		val := strings.TrimSpace(raw)
		switch verb {
		case "host":
			spec = val
		case "options":
			options(t, &o, val)
		case "pin":
			a, v, _ := strings.Cut(val, "=")
			o.Pins[knob.Address(a)] = v
		case "accept":
			p := strings.SplitN(val, " ", 4)
			if len(p) < 4 || p[2] != "*" {
				t.Fatalf("accept: %q is not ID UNTIL * REASON", val)
			}
			o.Accepted = append(o.Accepted, rule.Accepted{ID: p[0], Reason: p[3], Expires: p[1]})
		case "with":
			for _, a := range strings.Fields(val) {
				for _, other := range rules.All() {
					if string(other.Address) == a {
						all = append(all, other)
					}
				}
			}
		case "file":
			path, text, _ := strings.Cut(val, " ")
			over[path] = strings.ReplaceAll(text, `\n`, "\n") + "\n"
		case "missing":
			m, err := golden.ParseMissing(val)
			if err != nil {
				t.Fatal(err)
			}
			hidden[m.Name] = m
		case "copy":
			from, to, _ := strings.Cut(val, " ")
			copies = append(copies, [2]string{from, to})
		case "setting":
			n, v, _ := strings.Cut(raw, " ")
			set[n] = v
		case "enum":
			n, v, _ := strings.Cut(val, " ")
			enum[n] = strings.Fields(v)
		default:
			t.Fatalf("%q is no verb of a case", verb)
		}
	}
	for path, text := range c.Files {
		over[path] = string(text)
	}
	s, err := snapshot.Read(archive(t, spec, over, hidden, copies))
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Instances {
		m, _ := s.Instances[i].Server.Settings.Get()
		for n, v := range set {
			e := m[n]
			e.Value, e.Source, e.File = v, "configuration file", "postgresql.conf"
			m[n] = e
		}
		for n, v := range enum {
			e := m[n]
			e.Enum = v
			m[n] = e
		}
	}
	out, err := rule.Decide(s, all, o)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return tell(out, r.Address)
}

// archive is the described host with files changed, hidden and copied.
func archive(t *testing.T, spec string, over map[string]string, hidden map[string]evidence.Missing,
	copies [][2]string) *evidence.Archive {
	t.Helper()
	described, err := snapshot.Describe(spec)
	if err != nil {
		t.Fatalf("host: %v", err)
	}
	a := evidence.New()
	gone := map[string]bool{}
	for path, m := range hidden {
		a.AddMissing(m)
		gone[path] = true
	}
	add := func(path string, text []byte) {
		if gone[path] {
			return
		}
		if err := a.Add(path, text); err != nil {
			t.Fatal(err)
		}
		gone[path] = true
	}
	for path, text := range over {
		add(path, []byte(text))
	}
	for _, path := range described.Names() {
		text, err := described.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range copies {
			if rest, ok := strings.CutPrefix(path, c[0]); ok {
				add(c[1]+rest, text)
			}
		}
		add(path, text)
	}
	for _, m := range described.MissingFiles() {
		if !gone[m.Name] {
			a.AddMissing(m)
		}
	}
	return a
}

func options(t *testing.T, o *rule.Options, text string) {
	t.Helper()
	for _, f := range strings.Fields(text) {
		k, v, _ := strings.Cut(f, "=")
		var err error
		switch k {
		case "profile":
			o.Profile, err = rule.ParseProfile(v)
		case "storage":
			o.Storage, err = rule.ParseStorage(v)
		case "connections":
			o.Connections, err = strconv.Atoi(v)
		case "active":
			o.Active, err = strconv.Atoi(v)
		case "dedicated":
			o.Shared = v == "false"
		default:
			err = fmt.Errorf("no such option: %s", k)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
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
		if strings.HasPrefix(w.ID, "rule/pg:work_mem/") && a != knob.PG("work_mem") {
			continue // said of every plan; its own cases show it
		}
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, g := range out.Unknown {
		fmt.Fprintf(&b, "unknown: %s: %s\n", g.Fact, g.Reason)
	}
	return b.String()
}
