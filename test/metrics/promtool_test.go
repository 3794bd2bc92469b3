// Package metrics holds the tests of what stands around the metrics: the alert
// rules and the dashboard name nothing that the code does not have, and
// Prometheus' own tool finds nothing wrong in the exposition and in the rules.
package metrics

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
	"github.com/pgfettle/pgfettle/test/tier"
)

const (
	root      = "../.."
	dashboard = root + "/packaging/grafana/pgfettle.json"
	rules     = root + "/packaging/prometheus/pgfettle.rules.yml"
	ruleTests = root + "/packaging/prometheus/pgfettle.rules.test.yml"
)

func promtool(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		tier.Missing(t, tier.Promtool, "promtool is not installed: Debian has it in the package prometheus")
	}
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// exposition is what the command prints of a host that is described.
func exposition(t *testing.T) []byte {
	t.Helper()
	a, err := snapshot.Describe("ram=64GB,swap=2GB,cpus=16,storage=nvme,pg=17")
	if err != nil {
		t.Fatal(err)
	}
	var in, out, talk bytes.Buffer
	if _, err := a.WriteTo(&in); err != nil {
		t.Fatal(err)
	}
	if code := cli.Main(t.Context(), []string{"metrics", "-"}, &in, &out, &talk, nil); code != 0 {
		t.Fatalf("exit code %d: %s", code, talk.String())
	}
	return out.Bytes()
}

// TestPromtoolLikesTheMetrics: names, units and texts keep to the conventions, and
// the form is read.
func TestPromtoolLikesTheMetrics(t *testing.T) {
	if out := promtool(t, exposition(t), "check", "metrics"); out != "" {
		t.Errorf("promtool check metrics:\n%s", out)
	}
}

// TestPromtoolLikesTheRules: each alert fires where it should, and is silent where it
// should be.
func TestPromtoolLikesTheRules(t *testing.T) {
	if out := promtool(t, nil, "check", "rules", rules); !strings.Contains(out, "SUCCESS") {
		t.Errorf("%s", out)
	}
	if out := promtool(t, nil, "test", "rules", ruleTests); !strings.Contains(out, "SUCCESS") {
		t.Errorf("%s", out)
	}
	alert := regexp.MustCompile(`(?m)^\s*-? ?alert(?:name)?: (\S+)$`)
	fires := map[string]bool{}
	for _, m := range alert.FindAllStringSubmatch(read(t, ruleTests), -1) {
		fires[m[1]] = true
	}
	list := alert.FindAllStringSubmatch(read(t, rules), -1)
	if len(list) < 10 {
		t.Fatalf("%d alerts: the test looks in the wrong place", len(list))
	}
	for _, m := range list {
		if !fires[m[1]] {
			t.Errorf("no test lets %s fire", m[1])
		}
	}
}

// TestRunbooks: each alert leads to a page of docs, and to a heading that it has.
func TestRunbooks(t *testing.T) {
	text := read(t, rules)
	books := regexp.MustCompile(`(?m)^\s*runbook_url: "https://github\.com/pgfettle/pgfettle/blob/main/`+
		`(docs/[a-z]+\.md)(?:#(.+))?"$`).
		FindAllStringSubmatch(text, -1)
	if n := strings.Count(text, "- alert: "); len(books) != n {
		t.Errorf("%d alerts, and %d with a runbook_url", n, len(books))
	}
	for _, b := range books {
		page := read(t, root+"/"+b[1])
		anchors := map[string]bool{"": true, "{{ $labels.id }}": b[1] == "docs/checks.md"}
		for line := range strings.Lines(page) {
			if title, ok := strings.CutPrefix(line, "## "); ok {
				anchors[strings.ToLower(strings.ReplaceAll(strings.TrimSpace(title), " ", "-"))] = true
			}
		}
		if !anchors[b[2]] {
			t.Errorf("%s has no heading %q", b[1], b[2])
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// selector is a metric with the matchers of its labels.
var selector = regexp.MustCompile(`\b(pgfettle_[a-z_]+)(\{[^}]*\})?`)

// TestNamesExist: every metric that the rules and the dashboard name is one of the
// code's, with labels that it has.
func TestNamesExist(t *testing.T) {
	families := map[string]*metrics.Family{}
	for _, f := range metrics.Families() {
		families[f.Name] = f
	}
	matcher := regexp.MustCompile(`([a-z_]+) *[=!]~?`)
	texts := map[string][]string{rules: nil, dashboard: expressions(t)}
	for line := range strings.Lines(read(t, rules)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			texts[rules] = append(texts[rules], line)
		}
	}
	for file, list := range texts {
		seen := map[string]bool{}
		for _, text := range list {
			for _, m := range selector.FindAllStringSubmatch(text, -1) {
				f := families[m[1]]
				if f == nil {
					t.Errorf("%s names %s, which does not exist: %s", file, m[1], text)
					continue
				}
				seen[m[1]] = true
				for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
					if l[1] != "instance" && !slices.Contains(f.Labels, l[1]) {
						t.Errorf("%s: %s has no label %s: %s", file, m[1], l[1], text)
					}
				}
			}
		}
		if len(seen) < 12 {
			t.Errorf("%s names %d metrics only: the test looks in the wrong place", file, len(seen))
		}
	}
}

// panel is what of a dashboard's panel matters here.
type panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Datasource  *struct {
		UID string `json:"uid"`
	} `json:"datasource"`
	GridPos struct{ H, W, X, Y int } `json:"gridPos"`
	Targets []struct {
		Expr string `json:"expr"`
	} `json:"targets"`
}

type board struct {
	Title      string  `json:"title"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct {
			Name  string `json:"name"`
			Type  string `json:"type"`
			Query any    `json:"query"`
		} `json:"list"`
	} `json:"templating"`
}

func theBoard(t *testing.T) board {
	t.Helper()
	var b board
	if err := json.Unmarshal([]byte(read(t, dashboard)), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// expressions are the queries of the dashboard, those of its variables among them.
func expressions(t *testing.T) []string {
	t.Helper()
	b := theBoard(t)
	var out []string
	for _, p := range b.Panels {
		for _, x := range p.Targets {
			out = append(out, x.Expr)
		}
	}
	for _, v := range b.Templating.List {
		if q, ok := v.Query.(map[string]any); ok {
			text, _ := q["query"].(string)
			out = append(out, text)
		}
	}
	return out
}

// TestDashboardHangsTogether: each panel has a number of its own, a place that no
// other has, a data source that can be chosen, and says what it shows; its queries
// are for the host that is chosen.
func TestDashboardHangsTogether(t *testing.T) {
	b := theBoard(t)
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	for _, p := range b.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %d %q: no number of its own, or no title", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.GridPos.X < 0 || p.GridPos.W <= 0 || p.GridPos.H <= 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%q: %+v is outside of the grid", p.Title, p.GridPos)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if by := taken[[2]int{x, y}]; by != "" {
					t.Fatalf("%q lies on %q", p.Title, by)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Datasource == nil || p.Datasource.UID != "${datasource}" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("%q: no data source, no description or no query", p.Title)
		}
		for _, x := range p.Targets {
			for _, m := range selector.FindAllStringSubmatch(x.Expr, -1) {
				if !strings.Contains(m[2], `instance=~"$instance"`) {
					t.Errorf("%q asks for every host: %s", p.Title, x.Expr)
				}
			}
		}
	}
	var names []string
	for _, v := range b.Templating.List {
		names = append(names, v.Name+" "+v.Type)
	}
	if want := []string{"datasource datasource", "instance query", "pg_instance query"}; !slices.Equal(names, want) ||
		len(ids) < 25 {
		t.Errorf("the variables are %v, want %v; %d panels", names, want, len(ids))
	}
}

// TestQueriesAreRead: Prometheus' own parser takes every query of the dashboard, as
// rules with the variables filled in.
func TestQueriesAreRead(t *testing.T) {
	var b strings.Builder
	b.WriteString("groups: [{name: dashboard, rules: [\n")
	fill := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*", "$pg_instance", ".*")
	n := 0
	for _, e := range expressions(t) {
		if strings.HasPrefix(e, "label_values(") {
			continue
		}
		text, err := json.Marshal(fill.Replace(e))
		if err != nil {
			t.Fatal(err)
		}
		n++
		b.WriteString(`{record: "q:` + strings.Repeat("i", n) + `", expr: ` + string(text) + "},\n")
	}
	b.WriteString("]}]\n")
	file := filepath.Join(t.TempDir(), "queries.yml")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := promtool(t, nil, "check", "rules", file); n < 20 || !strings.Contains(out, "SUCCESS") {
		t.Errorf("%d queries: %s", n, out)
	}
}
