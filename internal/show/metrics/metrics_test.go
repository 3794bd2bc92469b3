package metrics_test

import (
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

var update = flag.Bool("update", false, "rewrite the goldens")

const described = "ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17"

// describe makes the evidence of a host that is only described, with more files.
func describe(t *testing.T, spec string, files map[string]string) *evidence.Archive {
	t.Helper()
	a, err := snapshot.Describe(spec)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func reading(t *testing.T, a *evidence.Archive, accept ...check.Acceptance) *metrics.Reading {
	t.Helper()
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(s, rules.All(), rule.Options{Profile: rule.Mixed})
	if err != nil {
		t.Fatal(err)
	}
	r, err := metrics.Read(s, check.Run(s, checks.All(), check.Options{Accept: accept}), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clock is a clock that is set manually.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func sourceOf(r *metrics.Reading) *metrics.Source {
	return &metrics.Source{Now: new(clock).now, Version: "1.2.3",
		Collect: func(context.Context) (*metrics.Reading, error) { return r, nil }}
}

func text(t *testing.T, s *metrics.Source, form metrics.Form) string {
	t.Helper()
	if err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := metrics.Write(&b, s, form, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parsed reads an exposition with the library's own parser.
func parsed(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.LegacyValidation)
	f, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return f
}

// value returns the value of the series that has these labels, among others.
func value(t *testing.T, f map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range f[name].GetMetric() {
		have := map[string]string{}
		for _, l := range m.GetLabel() {
			have[l.GetName()] = l.GetValue()
		}
		fits := true
		for i := 0; i+1 < len(labels); i += 2 {
			fits = fits && have[labels[i]] == labels[i+1]
		}
		if fits {
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	t.Errorf("no series %s with %v", name, labels)
	return -1
}

// shown are the settings and changes that the goldens have, of each unit and form: with another knob
// none of them moves.
var shown = []string{
	"pg:autovacuum", "pg:checkpoint_timeout", "pg:huge_pages", "pg:random_page_cost", "pg:shared_buffers",
	"pg:work_mem",
	"sysctl:vm.nr_hugepages", "sysctl:vm.overcommit_kbytes", "sysctl:vm.swappiness", "thp:enabled",
}

var (
	addressOf = regexp.MustCompile(`\baddress="([^"]*)"`)
	countOf   = regexp.MustCompile(`(?m)^((?:pgfettle_plan_changes|pgfettle_findings)\{.*\}) [0-9.]+$`)
	versionOf = regexp.MustCompile(`goversion="[^"]*"`) // changes with the compiler
)

// inGolden is a text without the series of other settings, and without counts of all.
func inGolden(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := addressOf.FindStringSubmatch(line); m == nil || slices.Contains(shown, m[1]) {
			b.WriteString(line)
		}
	}
	return countOf.ReplaceAllString(versionOf.ReplaceAllString(b.String(), `goversion="go"`), "$1 …")
}

// TestExposition holds the text of one host in both forms.
func TestExposition(t *testing.T) {
	for form, file := range map[metrics.Form]string{metrics.Text: "server_64gb.prom",
		metrics.OpenMetrics: "server_64gb.openmetrics"} {
		got := inGolden(text(t, sourceOf(reading(t, describe(t, described, nil))), form))
		golden := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// full is a host with every fact that metrics report.
func full(t *testing.T) *metrics.Reading {
	status := "Name:\tpostgres\nState:\tS (sleeping)\nPid:\t%PID\nPPid:\t1\nUid:\t26\t26\t26\t26\nVmSize:\t400000 " +
		"kB\nVmRSS:\t90000 kB\nRssAnon:\t5000 kB\nRssFile:\t5000 kB\nRssShmem:\t80000 kB\nVmPTE:\t700 " +
		"kB\nVmSwap:\t12 kB\nHugetlbPages:\t0 kB\n"
	files := map[string]string{
		"instances.json": `[{"key":"1","data_directory":"/srv/pg","port":5432,"running":true,"processes":[400,401],` +
			`"pid":400}]`,
		"proc/400/status":  strings.ReplaceAll(status, "%PID", "400"),
		"proc/400/cmdline": "/usr/bin/postgres\x00-D\x00/srv/pg\x00",
		"proc/401/status":  strings.ReplaceAll(status, "%PID", "401"),
		"proc/401/cmdline": "postgres: checkpointer \x00",
	}
	for name, n := range map[string]string{"nr_hugepages": "100", "free_hugepages": "80", "resv_hugepages": "7",
		"surplus_hugepages": "3", "nr_overcommit_hugepages": "0"} {
		files["sys/kernel/mm/hugepages/hugepages-2048kB/"+name] = n + "\n"
	}
	r := reading(t, describe(t, described, files), check.Acceptance{ID: "swappiness_high", Reason: "tested",
		Expires: check.Never})
	r.Drifts = []journal.Drift{{Address: "sysctl:vm.swappiness", Hold: journal.Changed},
		{Address: "pg:work_mem", Instance: "/srv/pg", Hold: journal.Holds}}
	return r
}

// TestFamiliesAreComplete: with everything known, every family that the table has is
// in the exposition, with exactly its labels, and no other is.
func TestFamiliesAreComplete(t *testing.T) {
	s := sourceOf(full(t))
	if err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := metrics.Write(&b, s, metrics.Text, true); err != nil {
		t.Fatal(err)
	}
	have := parsed(t, b.String())
	for _, f := range metrics.Families() {
		got := have[f.Name]
		if got == nil {
			t.Errorf("%s is not in the exposition", f.Name)
			continue
		}
		delete(have, f.Name)
		for _, m := range got.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName())
			}
			if want := slices.Sorted(slices.Values(f.Labels)); !slices.Equal(labels, want) {
				t.Errorf("%s has the labels %v, want %v", f.Name, labels, want)
			}
		}
		if got.GetHelp() != f.Help || (got.GetType() == dto.MetricType_COUNTER) != f.Counter {
			t.Errorf("%s: %s %q", f.Name, got.GetType(), got.GetHelp())
		}
	}
	for name := range have {
		t.Errorf("%s is in no table", name)
	}
}

// TestValues: the numbers are those of the files.
func TestValues(t *testing.T) {
	f := parsed(t, text(t, sourceOf(full(t)), metrics.Text))
	const page = 2 << 20
	for _, c := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{64 << 30, "pgfettle_host_memory_bytes", nil},
		{100 * page, "pgfettle_huge_pool_bytes", []string{"page_size", "2097152"}},
		{80 * page, "pgfettle_huge_pool_free_bytes", []string{"page_size", "2097152"}},
		{7 * page, "pgfettle_huge_pool_reserved_bytes", []string{"page_size", "2097152"}},
		{3 * page, "pgfettle_huge_pool_surplus_bytes", []string{"page_size", "2097152"}},
		{2, "pgfettle_instance_processes", []string{"pg_instance", "/srv/pg"}},
		{2 * 700 << 10, "pgfettle_instance_page_tables_bytes", []string{"pg_instance", "/srv/pg"}},
		{2 * 5000 << 10, "pgfettle_instance_private_bytes", nil},
		{2 * 12 << 10, "pgfettle_instance_swapped_bytes", nil},
		{0, "pgfettle_instance_on_huge_pages", nil},
		{0, "pgfettle_instance_huge_pages_used_bytes", nil},
		{128 << 20, "pgfettle_setting", []string{"address", "pg:shared_buffers", "unit", "bytes"}},
		{16 << 30, "pgfettle_setting_planned", []string{"address", "pg:shared_buffers", "unit", "bytes"}},
		{300, "pgfettle_setting", []string{"address", "pg:checkpoint_timeout", "unit", "seconds"}},
		{1, "pgfettle_finding_accepted", []string{"id", "swappiness_high"}},
		{1, "pgfettle_plan_change", []string{"address", "pg:huge_pages", "effect", "restart"}},
		{1, "pgfettle_applied_values", []string{"hold", "changed"}},
		{0, "pgfettle_applied_values", []string{"hold", "lost"}},
		{1, "pgfettle_applied_value_moved", []string{"address", "sysctl:vm.swappiness", "pg_instance", ""}},
	} {
		if got := value(t, f, c.name, c.labels...); got != c.want {
			t.Errorf("%s %v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}
	// The parts of each state add up to the limit.
	limit := value(t, f, "pgfettle_budget_limit_bytes", "limit", "host")
	for _, state := range []string{"present", "planned"} {
		sum := 0.0
		for _, m := range f["pgfettle_budget_bytes"].GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "state" && l.GetValue() == state {
					sum += m.GetGauge().GetValue()
				}
			}
		}
		if short := value(t, f, "pgfettle_budget_shortfall_bytes", "state", state); sum != limit+short {
			t.Errorf("the parts of the %s budget are %v, the limit %v and the shortfall %v", state, sum, limit, short)
		}
	}
	sum := 0.0
	for _, m := range f["pgfettle_host_memory_part_bytes"].GetMetric() {
		sum += m.GetGauge().GetValue()
	}
	if sum != 64<<30 {
		t.Errorf("the parts of the host's memory add up to %v", sum)
	}
	changes := 0.0
	for _, m := range f["pgfettle_plan_changes"].GetMetric() {
		changes += m.GetGauge().GetValue()
	}
	if n := len(f["pgfettle_plan_change"].GetMetric()); n < 20 || float64(n) != changes {
		t.Errorf("%d changes are named, and %v counted", n, changes)
	}
}

// TestUnknownIsAbsent: a server that was reached over SQL alone has no metrics of a host, one that did not answer none
// that depend on its settings; nothing is 0 instead.
func TestUnknownIsAbsent(t *testing.T) {
	empty := evidence.New()
	for name, text := range map[string]string{
		"evidence.json":  `{"tool":"t","taken_at":1800000000,"host_seen":false,"root":false}`,
		"instances.json": `[{"key":"1","port":5432}]`,
	} {
		if err := empty.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	empty.AddMissing(evidence.Missing{Name: "pg/1/settings.json", State: known.Forbidden,
		Reason: "the server is starting up"})
	f := parsed(t, text(t, sourceOf(reading(t, empty)), metrics.Text))
	names := slices.Sorted(maps.Keys(f))
	want := []string{
		"pgfettle_build_info", "pgfettle_collection_duration_seconds", "pgfettle_collection_success",
		"pgfettle_collection_timestamp_seconds",
		"pgfettle_findings", "pgfettle_findings_accepted", "pgfettle_instance_answered", "pgfettle_instance_info",
		"pgfettle_plan_changes",
		"pgfettle_series_dropped", "pgfettle_unreadable_fact", "pgfettle_unreadable_facts",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v := value(t, f, "pgfettle_instance_answered", "pg_instance", "port 5432"); v != 0 {
		t.Errorf("answered: %v", v)
	}
	if n := value(t, f, "pgfettle_unreadable_facts"); n < 1 {
		t.Errorf("%v unreadable facts", n)
	}
	value(t, f, "pgfettle_unreadable_fact", "fact", "pg/settings.json", "pg_instance", "port 5432")
}

// TestPartsNeedTheProcesses: if the processes of a running instance cannot be seen, what they hold is not attributed to
// others.
func TestPartsNeedTheProcesses(t *testing.T) {
	a := describe(t, described,
		map[string]string{"instances.json": `[{"key":"1","data_directory":"/srv/pg","port":5432,"running":true}]`})
	f := parsed(t, text(t, sourceOf(reading(t, a)), metrics.Text))
	if f["pgfettle_host_memory_part_bytes"] != nil || f["pgfettle_instance_page_tables_bytes"] != nil ||
		f["pgfettle_instance_processes"] != nil {
		t.Error("parts of the memory are told without the processes that hold them")
	}
	if f["pgfettle_host_memory_bytes"] == nil || f["pgfettle_instance_page_tables_worst_case_bytes"] == nil {
		t.Error("what is known is not told")
	}
}

// TestHostileNames: whatever an instance is called, the exposition stays one that
// parsers read, and two names that would be cut alike stay two.
func TestHostileNames(t *testing.T) {
	long := strings.Repeat("ä", 400)
	for _, dirs := range [][2]string{
		{"/a\nb\\\"c\x1b[31m", "/a\u0085b"}, {"/\u202e", "/"}, {"/" + long + "1", "/" + long + "2"}, {"/same", "/same"},
		{"/\xff\xfe", "/\xff\xff"},
	} {
		b, err := jsonOf(dirs)
		if err != nil {
			t.Fatal(err)
		}
		out := text(t, sourceOf(reading(t, describe(t, described, map[string]string{"instances.json": b}))),
			metrics.Text)
		if strings.ContainsAny(out, "\x1b\u0085") {
			t.Errorf("%q: a control character got through", dirs)
		}
		f := parsed(t, out)
		if n := len(f["pgfettle_instance_info"].GetMetric()); n != 2 {
			t.Errorf("%q: %d instances", dirs, n)
		}
		for _, m := range f["pgfettle_instance_info"].GetMetric() {
			for _, l := range m.GetLabel() {
				if len(l.GetValue()) > 256 {
					t.Errorf("a label of %d bytes", len(l.GetValue()))
				}
			}
		}
	}
}

// TestUnreadableFacts: what is missing for each process alike is one fact, what a server did not report belongs to that
// instance, and what was not requested is no gap.
func TestUnreadableFacts(t *testing.T) {
	r := full(t)
	r.Plan.Unknown = nil
	r.Report.Unknown = []known.Gap{{Fact: "proc/12/smaps_rollup"}, {Fact: "proc/13/smaps_rollup"},
		{Fact: "pg/1/hba.json"}, {Fact: "pg/1/deep_tables.json"}, {Fact: "pg/9/hba.json"}}
	f := parsed(t, text(t, sourceOf(r), metrics.Text))
	if n := value(t, f, "pgfettle_unreadable_facts"); n != 3 || len(f["pgfettle_unreadable_fact"].GetMetric()) != 3 {
		t.Errorf("%v facts", n)
	}
	value(t, f, "pgfettle_unreadable_fact", "fact", "proc/*/smaps_rollup", "pg_instance", "")
	value(t, f, "pgfettle_unreadable_fact", "fact", "pg/hba.json", "pg_instance", "/srv/pg")
	value(t, f, "pgfettle_unreadable_fact", "fact", "pg/9/hba.json", "pg_instance", "") // of no instance that was found
	for i := range 100 {
		r.Report.Unknown = append(r.Report.Unknown, known.Gap{Fact: "etc/" + strings.Repeat("x", i)})
	}
	f = parsed(t, text(t, sourceOf(r), metrics.Text))
	if n := value(t, f, "pgfettle_unreadable_facts"); n != 103 || len(f["pgfettle_unreadable_fact"].GetMetric()) != 64 {
		t.Errorf("%v facts, %d named", n, len(f["pgfettle_unreadable_fact"].GetMetric()))
	}
}

// TestTooManySeries: what is beyond the bound of a family is counted, not shown.
func TestTooManySeries(t *testing.T) {
	r := full(t)
	for i := range 5000 {
		r.Report.Findings = append(r.Report.Findings, check.Finding{ID: "x",
			Instance: "/" + strings.Repeat("i", i%200) + string(rune('a'+i/200)), Severity: check.Info})
	}
	f := parsed(t, text(t, sourceOf(r), metrics.Text))
	if n := len(f["pgfettle_finding"].GetMetric()); n != 4096 {
		t.Errorf("%d findings are shown", n)
	}
	if d := value(t, f, "pgfettle_series_dropped"); d < 5000-4096 {
		t.Errorf("%v series are told to be left out", d)
	}
}
