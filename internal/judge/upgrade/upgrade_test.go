package upgrade

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// TestCases runs testdata/*.txtar: a case is named "to 19: …", its lines make the host as those of a rule's case do.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			cases := golden.ReadCases(t, file)
			for i := range cases.List {
				c := &cases.List[i]
				var to int
				if _, err := fmt.Sscanf(c.Name, "to %d:", &to); err != nil {
					t.Fatalf("%s: it does not begin with the version", c.Name)
				}
				s := hostcase.Of(t, c).Snapshot
				got := text(Judge(s, &s.Instances[0], to))
				if !golden.Updating() && got != c.Want {
					t.Errorf("%s\n--- got\n%s--- want\n%s", c.Name, got, c.Want)
				}
				c.Want = got
			}
			cases.Update(t)
		})
	}
}

// text is a report as a case wants it.
func text(r Report) string {
	var b strings.Builder
	list := func(name string, items []Item) {
		for _, it := range items {
			fmt.Fprintf(&b, "%s %s: %s\n", name, it.ID, strings.TrimSpace(it.Seen.String()+" → "+it.Do.String()))
			for _, c := range it.Commands {
				fmt.Fprintf(&b, "    %s\n", c.Text)
			}
		}
	}
	list("stop", r.Stops)
	list("change", r.Changes)
	for _, l := range r.Removable {
		fmt.Fprintf(&b, "removable %s = %s\n", l.Name, l.Value)
	}
	for _, d := range r.Defaults {
		fmt.Fprintf(&b, "default %s: %s → %s\n", d.Name, d.Old, d.New)
	}
	list("collation", r.Collations)
	list("step", r.Steps)
	for _, g := range r.Unknown {
		fmt.Fprintf(&b, "unknown %s: %s\n", g.Fact, g.Reason)
	}
	for _, m := range r.NotExamined {
		fmt.Fprintf(&b, "not examined: %s\n", m)
	}
	return b.String()
}

// TestNothingOfAFreshCluster: what initdb leaves stops no upgrade from any version to any later one.
func TestNothingOfAFreshCluster(t *testing.T) {
	for _, from := range params.Covered() {
		for _, to := range Targets(from) {
			set := pg.Settings{}
			for _, p := range params.All(from) {
				set[p.Name] = pg.Setting{Name: p.Name, Value: p.Fresh(), Unit: p.Unit, Type: p.Type, Source: "default"}
			}
			if r := File(set, from, to); r.Blocked() || len(r.Changes) > 0 || len(r.Removable) > 0 {
				t.Errorf("%d to %d: %+v", from, to, r)
			}
		}
	}
}

// TestRemovedParametersStop: each parameter that a later version lacks stops the upgrade to it, if it is set.
func TestRemovedParametersStop(t *testing.T) {
	for _, from := range params.Covered() {
		for _, to := range Targets(from) {
			set, gone := pg.Settings{}, []string{}
			for _, p := range params.All(from) {
				if p.Context == "internal" {
					continue
				}
				set[p.Name] = pg.Setting{Name: p.Name, Value: p.Boot, Unit: p.Unit, Type: p.Type,
					Source: "configuration file"}
				if _, ok := params.Find(to, p.Name); !ok {
					gone = append(gone, p.Name)
				}
			}
			var told []string
			for _, it := range File(set, from, to).Stops {
				if it.ID == "setting_removed" {
					told = append(told, it.Seen.Args["name"].(string))
				}
			}
			slices.Sort(gone)
			if !slices.Equal(told, gone) {
				t.Errorf("%d to %d: %v are gone, and %v were told", from, to, gone, told)
			}
		}
	}
}

// TestTargets: a version is no target of itself or of a later one.
func TestTargets(t *testing.T) {
	for _, from := range params.Covered() {
		for _, to := range Targets(from) {
			if to <= from {
				t.Errorf("%d is a target of %d", to, from)
			}
		}
	}
	if last := params.Covered()[len(params.Covered())-1]; len(Targets(last)) > 0 {
		t.Error("there is a target beyond " + strconv.Itoa(last))
	}
}
