package plans

import (
	"os"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestEveryDifferenceHasAWord: the page cannot be made where a value is more than a
// factor of two away and nothing says why.
func TestEveryDifferenceHasAWord(t *testing.T) {
	page, err := Page()
	if err != nil {
		t.Fatal(err)
	}
	want := len(rule.Profiles) * len(Knobs) * len(Hosts)
	rows := 0
	for line := range strings.Lines(page) {
		f := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "|"), "|")
		if len(f) != 9 || strings.Contains(line, "setting |") || strings.HasPrefix(line, "|---") {
			continue
		}
		rows++
		bold, said := strings.Count(strings.Join(f[4:8], "|"), "**")/2, 0
		if words := strings.TrimSpace(f[8]); words != "" {
			said = len(strings.Split(words, "; "))
		}
		if bold != said {
			t.Errorf("%d values differ and %d words are said: %s", bold, said, line)
		}
	}
	if rows != want {
		t.Errorf("%d rows, not %d", rows, want)
	}
}

// TestAnswersAreThoseOfTheFormulas: what is computed here and not asked of a program is what is in answers.tsv.
func TestAnswersAreThoseOfTheFormulas(t *testing.T) {
	have, err := Answers()
	if err != nil {
		t.Fatal(err)
	}
	text, err := Ask(func(h Host, p rule.Profile) (Values, error) {
		return have[question{"pg-configurator", h.Name, p}], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if text != answers {
		t.Error("answers.tsv is not what the calculators' formulas give: run make plans")
	}
}

// TestCalculatorsAsMeasured: the calculators give what was seen of them for hosts of this
// page: what the peers of make bench-plans and their own pages say.
func TestCalculatorsAsMeasured(t *testing.T) {
	host := func(gb, cpus, connections int, disk rule.Storage) Host {
		return Host{RAM: unit.Bytes(gb) * unit.GB, CPUs: cpus, Sockets: 1, Storage: disk, Connections: connections}
	}
	for _, c := range []struct {
		what string
		v    Values
		want map[string]string
	}{
		{"pgtune, 24 GB, 2, oltp", pgtune(host(24, 2, 300, rule.SSD), rule.OLTP),
			map[string]string{"work_mem": "20426kB", "shared_buffers": "6GB", "maintenance_work_mem": "1536MB",
				"max_wal_size": "8GB"}},
		{"pgtune, 16 GB, 4, web", pgtune(host(16, 4, 200, rule.SSD), rule.Web),
			map[string]string{"work_mem": "20560kB", "max_parallel_workers_per_gather": "2"}},
		{"pgtune, 64 GB, 16, dw", pgtune(host(64, 16, 40, rule.SSD), rule.DW),
			map[string]string{"work_mem": "149796kB", "maintenance_work_mem": "8GB", "random_page_cost": "4"}},
		{"timescaledb-tune, 24 GB, 2", timescale(host(24, 2, 100, rule.SSD), ""),
			map[string]string{"work_mem": "96MB", "max_parallel_workers_per_gather": "1"}},
		{"timescaledb-tune, 256 GB, 128", timescale(host(256, 128, 500, rule.SSD), ""),
			map[string]string{"work_mem": "3276kB", "max_parallel_workers_per_gather": "64"}},
		{"pgconfig, 24 GB, 2, oltp", pgconfig(host(24, 2, 100, rule.SSD), rule.OLTP),
			map[string]string{"work_mem": "86MB", "effective_cache_size": "18GB"}},
		{"pgconfig, 16 GB, 4, desktop", pgconfig(host(16, 4, 100, rule.SSD), rule.Desktop),
			map[string]string{"work_mem": "3MB", "shared_buffers": "1GB"}},
	} {
		for name, want := range c.want {
			if c.v[name] != want {
				t.Errorf("%s: %s = %s, not %s", c.what, name, c.v[name], want)
			}
		}
	}
}

// TestVersionOfTheProgram: the page names the version that is installed.
func TestVersionOfTheProgram(t *testing.T) {
	text, err := os.ReadFile("../../../tools/plans.sh")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nversion="+ConfiguratorVersion+" ") {
		t.Errorf("tools/plans.sh installs another version than %s", ConfiguratorVersion)
	}
}
