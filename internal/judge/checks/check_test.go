package checks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
	"github.com/pgfettle/pgfettle/test/golden"
)

func TestWellKeptHostIsLeftInPeace(t *testing.T) {
	r := check.Run(wellKept(), All(), check.Options{})
	for _, f := range r.Findings {
		t.Errorf("%s %s: %s", f.Severity, f.ID, f.Seen)
	}
	for _, g := range r.Unknown {
		t.Errorf("unknown %s: %s", g.Fact, g.Reason)
	}
}

// TestNothingKnownIsNothingFound: with every fact unread no check may speak.
func TestNothingKnownIsNothingFound(t *testing.T) {
	s := &snapshot.Snapshot{TakenAt: takenAt, Instances: []snapshot.Instance{{Key: "1"}}}
	r := check.Run(s, All(), check.Options{})
	for _, f := range r.Findings {
		t.Errorf("%s: %s", f.ID, f.Seen)
	}
	if len(r.Unknown) == 0 {
		t.Error("and nothing is told to be unknown")
	}
}

// statement finds what a remedy names as a whole statement.
var statement = regexp.MustCompile(
	`ALTER SYSTEM RESET [a-z]+_[a-z_]+;|ALTER SYSTEM SET [a-z_]+ = (?:[a-z]+|'[^'…]*');|SELECT pg_reload_conf\(\);`)

// unfit are the checks whose statements are patterns: taken literally, they would set what the site has to choose, or
// drop what is set.
var unfit = map[string]bool{
	"pg_stat_statements_missing": true, // the other libraries would go
	"synchronous_names_any":      true, // names standbys a and b
	"full_page_images_high":      true, // lz4 is not in each build
	"wal_sync_method_slower":     true, // METHOD is what was measured
}

// foldedString is where a text continues in the next line of the source.
var foldedString = regexp.MustCompile(`" *\+\s*"`)

// inSource reports whether a text stands twice in the file of a check: among its commands and in a remedy of a finding
// of its own.
func inSource(t *testing.T, id, text string) bool {
	t.Helper()
	files, err := filepath.Glob("*/" + id + ".go")
	if err != nil || len(files) != 1 {
		t.Fatal(id, files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(foldedString.ReplaceAllString(string(b), ""), text) > 1
}

func TestChecksAreComplete(t *testing.T) {
	ids := map[string]bool{}
	for _, ck := range All() {
		ids[ck.ID] = true
	}
	if len(ids) != len(All()) {
		t.Errorf("%d ids for %d checks", len(ids), len(All()))
	}
	for _, ck := range All() {
		if files, err := filepath.Glob("*/" + ck.ID + ".go"); err != nil || len(files) != 1 {
			t.Errorf("%s is not in one file of its name: %v, %v", ck.ID, files, err)
		}
		if ck.Area == "" || ck.Judge == nil || len(ck.Sources) == 0 {
			t.Errorf("%s: area, judge and sources are required", ck.ID)
		}
		for field, text := range map[string]string{"Title": ck.Title, "Why": ck.Why, "Do": ck.Do} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", ck.ID, field)
			}
			if names := say.Placeholders(text); len(names) > 0 {
				t.Errorf("%s: %s has placeholders %v that nobody fills", ck.ID, field, names)
			}
			if strings.Contains(text, "  ") {
				t.Errorf("%s: %s has two spaces in a row", ck.ID, field)
			}
		}
		if strings.HasSuffix(ck.Title, ".") {
			t.Errorf("%s: a title is a clause, without a full stop", ck.ID)
		}
		if n := strings.Count(strings.TrimSuffix(ck.Why, "."), ". ") + 1; n < 2 || n > 4 {
			t.Errorf("%s: Why has %d sentences, not 2 to 4", ck.ID, n)
		}
		for _, id := range ck.Sources {
			if _, ok := say.SourceByID(id); !ok {
				t.Errorf("%s: no source %s", ck.ID, id)
			}
		}
		for _, c := range ck.Commands {
			if c.Text == "" || strings.ContainsAny(c.Text, "\n…") ||
				!slices.Contains([]check.CommandKind{check.KindSQL, check.KindShell, check.KindConf}, c.Kind) {
				t.Errorf("%s: the command %+v cannot be copied", ck.ID, c)
			}
			if len(say.Placeholders(c.Text)) == 0 && !strings.Contains(ck.Do, c.Text) && !inSource(t, ck.ID, c.Text) {
				t.Errorf("%s: no remedy names the command %q", ck.ID, c.Text)
			}
		}
		for _, text := range statement.FindAllString(ck.Do, -1) {
			if !slices.ContainsFunc(ck.Commands, func(c check.Command) bool {
				return c.Kind == check.KindSQL && strings.HasPrefix(c.Text, strings.TrimSuffix(text, ";"))
			}) && !unfit[ck.ID] {
				t.Errorf("%s: Do names %q, and Commands does not", ck.ID, text)
			}
		}
		if !slices.Contains(check.Areas, ck.Area) {
			t.Errorf("%s is of the area %q, which has no place among the areas", ck.ID, ck.Area)
		}
		for _, id := range ck.DependsOn {
			if !ids[id] || id == ck.ID {
				t.Errorf("%s depends on %q", ck.ID, id)
			}
		}
	}
}

// TestCausesFormNoCircle: two checks that silence one another would both be lost.
func TestCausesFormNoCircle(t *testing.T) {
	causes := map[string][]string{}
	for _, ck := range All() {
		causes[ck.ID] = ck.DependsOn
	}
	var reach func(from, to string, depth int) bool
	reach = func(from, to string, depth int) bool {
		for _, c := range causes[from] {
			if c == to || depth < len(causes) && reach(c, to, depth+1) {
				return true
			}
		}
		return false
	}
	for id := range causes {
		if reach(id, id, 0) {
			t.Errorf("%s is its own cause", id)
		}
	}
}

// TestNoTextIsLeftUnfilled looks for placeholders in everything that the cases say.
func TestNoTextIsLeftUnfilled(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, f := range files {
		for _, c := range golden.ReadCases(t, f).List {
			for _, bad := range []string{"%!", " .", "..", "(unnamed)", ".;"} {
				if strings.Contains(c.Want, bad) {
					t.Errorf("%s: %s: %q in\n%s", f, c.Name, bad, c.Want)
				}
			}
			for _, name := range say.Placeholders(c.Want) {
				t.Errorf("%s: %s: {%s} was not filled", f, c.Name, name)
			}
		}
	}
}

func TestRunSilencesConsequences(t *testing.T) {
	found := func(c *check.Case) { c.Found("seen") }
	cause := check.Check{ID: "cause", Judge: found}
	onHost := check.Check{ID: "consequence", Scope: check.PerHost, DependsOn: []string{"cause"}, Judge: found}
	here := check.Check{ID: "consequence", DependsOn: []string{"cause"}, Judge: found}
	other := check.Check{ID: "cause", Judge: func(c *check.Case) {
		if c.Instance.Key == "2" {
			c.Found("seen")
		}
	}}
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1"}, {Key: "2"}}}
	for name, c := range map[string]struct {
		checks []check.Check
		want   string
	}{
		"for the same instance": {[]check.Check{cause, here},
			"cause/instance 1 cause/instance 2"},
		"on the host while some instance has the cause": {[]check.Check{other, onHost}, "cause/instance 2"},
		"not for another instance": {[]check.Check{other, here},
			"cause/instance 2 consequence/instance 1"},
	} {
		var got []string
		for _, f := range check.Run(s, c.checks, check.Options{}).Findings {
			got = append(got, f.ID+"/"+f.Instance)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestRunObeysVersionsOnlyAndSkip(t *testing.T) {
	found := func(c *check.Case) { c.Found("seen") }
	checks := []check.Check{{ID: "a", From: 15, Judge: found}, {ID: "b", To: 14, Judge: found}, {ID: "c", Judge: found}}
	s := wellKept()
	ids := func(o check.Options) string {
		var out []string
		for _, f := range check.Run(s, checks, o).Findings {
			out = append(out, f.ID)
		}
		return strings.Join(out, " ")
	}
	if got := ids(check.Options{}); got != "a c" {
		t.Errorf("on 17: %s", got)
	}
	if got := ids(check.Options{Skip: []string{"c"}}); got != "a" {
		t.Errorf("without c: %s", got)
	}
	s.Instances[0].Server.Version = known.Missed[unit.Version](known.Gap{Fact: "version"})
	if got := ids(check.Options{Only: []string{"a", "c"}}); got != "c" {
		t.Errorf("with no version known: %s", got)
	}
}

// TestHugePagesOfTwoInstances: the pool holds the first instance but not both.
func TestHugePagesOfTwoInstances(t *testing.T) {
	s := wellKept()
	second := wellKept().Instances[0]
	second.Key, second.DataDirectory = "2", known.Is("/srv/second")
	s.Instances = append(s.Instances, second)
	r := check.Run(s, All(), check.Options{Only: []string{"huge_pages_short"}})
	if len(r.Findings) != 2 || !strings.Contains(r.Findings[0].Seen.String(), "16800 pages") {
		t.Errorf("%+v", r.Findings)
	}
	s.Host.HugePages = known.Is([]host.Pool{{Size: 2 * unit.MB, Total: 10000, Overcommit: 6800}})
	if r := check.Run(s, All(), check.Options{Only: []string{"huge_pages_short"}}); len(r.Findings) != 0 {
		t.Errorf("with room to grow: %+v", r.Findings)
	}
}

func TestDisksFollowsTheChain(t *testing.T) {
	blocks := []host.Block{
		{Device: "253:0", Name: "dm-0", Kind: "dm", Below: []string{"md0"}},
		{Device: "9:0", Name: "md0", Kind: "md", Below: []string{"sda1", "sdb1"}},
		{Name: "sda1", Kind: "partition", Below: []string{"sda"}}, {Name: "sda", Kind: "disk"},
		{Name: "sdb1", Kind: "partition", Below: []string{"sdb"}}, {Name: "sdb", Kind: "disk"},
		{Device: "253:1", Name: "dm-1", Kind: "dm", Below: []string{"dm-1"}},
		{Device: "253:2", Name: "dm-2", Kind: "dm", Below: []string{"gone"}},
	}
	list, ok := volumes.Disks(blocks, "253:0")
	if !ok || len(list) != 2 || list[0].Name != "sda" || list[1].Name != "sdb" {
		t.Errorf("%v %+v", ok, list)
	}
	for _, dev := range []string{"253:1", "253:2", "1:1"} {
		if _, ok := volumes.Disks(blocks, dev); ok {
			t.Errorf("%s: a circle, a gap and a stranger are no chain", dev)
		}
	}
}
