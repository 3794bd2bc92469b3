package servers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/live"
)

// series is an exposition as its values by family and label.
type series map[string]*dto.MetricFamily

// metricsOf runs the command on an instance and reads what it printed.
func metricsOf(t *testing.T, i *scratch.Instance, flags ...string) series {
	t.Helper()
	var out, talk bytes.Buffer
	if code := cli.Main(t.Context(), append([]string{"metrics", "--no-policy", i.DataDir}, flags...),
		strings.NewReader(""), &out, &talk, os.Environ()); code != 0 {
		t.Fatalf("exit code %d: %s", code, talk.String())
	}
	p := expfmt.NewTextParser(model.LegacyValidation)
	f, err := p.TextToMetricFamilies(&out)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (s series) each(name string, see func(labels map[string]string, v float64)) int {
	for _, m := range s[name].GetMetric() {
		labels := map[string]string{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		see(labels, m.GetGauge().GetValue())
	}
	return len(s[name].GetMetric())
}

// only returns the value of a family that has one series.
func (s series) only(t *testing.T, name string) float64 {
	t.Helper()
	v := -1.0
	if n := s.each(name, func(_ map[string]string, x float64) { v = x }); n != 1 {
		t.Errorf("%d series of %s", n, name)
	}
	return v
}

// kernelLine reads a line of a file of /proc in bytes; those without a unit as they are.
func kernelLine(t *testing.T, file, name string) (float64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false // a process that has ended
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			f := strings.Fields(rest)
			v, err := strconv.ParseFloat(f[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			if len(f) == 2 {
				v *= 1024
			}
			return v, true
		}
	}
	return 0, false
}

// children adds up VmPTE of a postmaster and its processes, and counts them, by
// files that this test reads itself.
func children(t *testing.T, i *scratch.Instance) (tables float64, n int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(i.DataDir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	master, _, _ := strings.Cut(string(b), "\n")
	list, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		parent, _ := kernelLine(t, f, "PPid")
		if filepath.Base(filepath.Dir(f)) != master && strconv.Itoa(int(parent)) != master {
			continue
		}
		if v, ok := kernelLine(t, f, "VmPTE"); ok {
			tables += v
			n++
		}
	}
	return tables, n
}

// TestMetricsAgree: under load, the numbers are those of the kernel, read by this
// test itself, and of the server, asked in its own words.
func TestMetricsAgree(t *testing.T) {
	on(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_buffers": "64MB", "huge_pages": "off", "work_mem": "6MB",
			"checkpoint_timeout": "7min", "autovacuum": "off", "max_parallel_workers_per_gather": "0"})
		c := connect(t, i.ConnString())
		sql(t, c, "create table load (n int, filler text)")
		sql(t, c, "insert into load select g, repeat('x', 500) from generate_series(1, 60000) g")
		sql(t, c, "vacuum analyze load")

		// Eight sessions that do not stop until they are stopped.
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		defer func() { stop(); wg.Wait() }()
		ready := make(chan struct{}, 8)
		for range 8 {
			w := connect(t, i.ConnString())
			sql(t, w, "select count(*) from load where filler <> ''")
			wg.Go(func() {
				ready <- struct{}{}
				for ctx.Err() == nil {
					if _, err := w.Exec(t.Context(), "select count(*), max(n) from load where filler <> "+
						"''").ReadAll(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 8 {
			<-ready
		}
		// Others on this machine take and give memory, and reserve huge pages, while this runs.
		moving := map[string]string{"pgfettle_host_committed_bytes": "Committed_AS",
			"pgfettle_host_memory_available_bytes": "MemAvailable", "pgfettle_host_commit_limit_bytes": "CommitLimit"}
		ofHost := func() map[string]float64 {
			out := map[string]float64{}
			for name, line := range moving {
				out[name], _ = kernelLine(t, "/proc/meminfo", line)
			}
			return out
		}
		tables, processes := children(t, i)
		hostBefore := ofHost()
		m := metricsOf(t, i)
		hostAfter := ofHost()
		after, processesAfter := children(t, i)
		stop()
		wg.Wait()

		// pgfettle's own session comes and goes: one process more, with tables of its own.
		own := 2 << 20
		if got := m.only(t, "pgfettle_instance_page_tables_bytes"); got < min(tables, after)*0.95 ||
			got > max(tables, after)*1.05+float64(own) {
			t.Errorf("page tables: %v, and by the kernel from %v to %v", got, tables, after)
		}
		if got := int(m.only(t, "pgfettle_instance_processes")); got < min(processes, processesAfter) ||
			got > max(processes, processesAfter)+2 {
			t.Errorf("%d processes, and by the kernel from %d to %d", got, processes, processesAfter)
		}
		if got, worst := m.only(t, "pgfettle_instance_page_tables_bytes"),
			m.only(t, "pgfettle_instance_page_tables_worst_case_bytes"); got > worst {
			t.Errorf("page tables of %v, more than the worst case of %v", got, worst)
		}
		for name, line := range map[string]string{"pgfettle_host_memory_bytes": "MemTotal",
			"pgfettle_host_swap_bytes": "SwapTotal"} {
			if want, ok := kernelLine(t, "/proc/meminfo", line); !ok || m.only(t, name) != want {
				t.Errorf("%s is %v, and %s %v", name, m.only(t, name), line, want)
			}
		}
		for name, line := range moving {
			from, to := min(hostBefore[name], hostAfter[name]), max(hostBefore[name], hostAfter[name])
			if got := m.only(t, name); got < from/2 || got > to*2 {
				t.Errorf("%s is %v, and %s from %v to %v", name, got, line, from, to)
			}
		}
		sum := 0.0
		m.each("pgfettle_host_memory_part_bytes", func(_ map[string]string, v float64) { sum += v })
		if want, _ := kernelLine(t, "/proc/meminfo", "MemTotal"); sum < want*0.98 || sum > want*1.02 {
			t.Errorf("the parts of the memory are %v of %v", sum, want)
		}
		if m.only(t, "pgfettle_instance_on_huge_pages") != 0 || m.only(t, "pgfettle_instance_answered") != 1 ||
			m.only(t, "pgfettle_instance_running") != 1 {
			t.Error("a server that runs on ordinary pages and answers is told otherwise")
		}
		m.each("pgfettle_instance_info", func(l map[string]string, _ float64) {
			if !strings.HasPrefix(sql(t, c, "show server_version"), l["version"]) ||
				l["port"] != sql(t, c, "show port") || l["pg_instance"] != i.DataDir {
				t.Errorf("%v", l)
			}
		})

		if b.Version.Major() >= 15 {
			if want := sql(t, c, "select pg_size_bytes(current_setting('shared_memory_size'))"); fmt.Sprintf("%.0f",
				m.only(t, "pgfettle_instance_shared_memory_bytes")) != want {
				t.Errorf("shared memory is %v, and by the server %s",
					m.only(t, "pgfettle_instance_shared_memory_bytes"), want)
			}
			m.each("pgfettle_instance_huge_pages_needed_bytes", func(l map[string]string, v float64) {
				if want := sql(t, c, "select current_setting('shared_memory_size_in_huge_pages')::bigint * "+
					l["page_size"]); fmt.Sprintf("%.0f", v) != want {
					t.Errorf("huge pages needed: %v, and by the server %s", v, want)
				}
			})
		}
		agreesWithServer(t, m, func(text string) string { return sql(t, c, text) })
	})
}

// agreesWithServer asks the server for each of its settings in its own arithmetic.
func agreesWithServer(t *testing.T, m series, ask func(string) string) {
	t.Helper()
	units := map[string]int{}
	m.each("pgfettle_setting", func(l map[string]string, v float64) {
		name, ours := strings.CutPrefix(l["address"], "pg:")
		if !ours {
			return
		}
		units[l["unit"]]++
		form := map[string]string{
			"bytes":   "pg_size_bytes(current_setting('%[1]s'))",
			"seconds": "extract(epoch from current_setting('%[1]s')::interval)",
			"boolean": "(current_setting('%[1]s') = 'on')::int", "none": "current_setting('%[1]s')::numeric",
		}[l["unit"]]
		if form == "" {
			t.Errorf("%s has the unit %q", name, l["unit"])
			return
		}
		text := "select " + fmt.Sprintf(form, name) + "::float8"
		if v < 0 {
			text = "select setting::float8 from pg_settings where name = '" + name + "'"
		}
		want, err := strconv.ParseFloat(ask(text), 64)
		if err != nil {
			t.Error(err)
		}
		if diff := want - v; diff > 1e-6*max(1, want) || diff < -1e-6*max(1, want) {
			t.Errorf("%s is %v %s, and by the server %v", name, v, l["unit"], want)
		}
	})
	if units["bytes"] < 8 || units["seconds"] < 4 || units["boolean"] < 4 || units["none"] < 10 {
		t.Errorf("settings by unit: %v", units)
	}
}

// reloaded waits until new sessions have a value of the configuration: the signal to
// read it takes a moment to arrive.
func reloaded(t *testing.T, i *scratch.Instance, setting, value string) {
	t.Helper()
	await.That(t, setting+" = "+value, func() (bool, any) {
		c, err := pgconn.Connect(t.Context(), i.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		now := sql(t, c, "show "+setting)
		return now == value, now
	})
}

// TestMetricsOfAppliedValues: an applied value is reported as in effect, and as changed, or lost from its file, as soon
// as another one is set.
func TestMetricsOfAppliedValues(t *testing.T) {
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"shared_buffers": "16MB", "huge_pages": "off"})
		dir := filepath.Join(t.TempDir(), "journal")
		var out, talk bytes.Buffer
		// A setting of the server alone: nothing of this machine is changed.
		if code := cli.Main(t.Context(), []string{"apply", "--no-policy", "--yes", "--max-effect", "reload", "--pin",
			"pg:work_mem=9MB", "--only", "pg:work_mem", "--journal", dir, i.DataDir},
			strings.NewReader(""), &out, &talk, os.Environ()); code != 0 {
			t.Fatalf("apply ended with %d: %s%s", code, out.String(), talk.String())
		}
		holds := func() (map[string]float64, []string) {
			m := metricsOf(t, i, "--journal", dir, "--pin", "pg:work_mem=9MB")
			by, moved := map[string]float64{}, []string(nil)
			m.each("pgfettle_applied_values", func(l map[string]string, v float64) { by[l["hold"]] = v })
			m.each("pgfettle_applied_value_moved", func(l map[string]string, _ float64) {
				moved = append(moved, l["pg_instance"]+" "+l["address"]+" "+l["hold"])
			})
			var now, planned float64
			find := func(to *float64) func(map[string]string, float64) {
				return func(l map[string]string, v float64) {
					if l["address"] == "pg:work_mem" {
						*to = v
					}
				}
			}
			m.each("pgfettle_setting", find(&now))
			m.each("pgfettle_setting_planned", find(&planned))
			by["off by"] = planned - now
			return by, moved
		}
		if by, moved := holds(); by["holds"] != 1 || by["changed"] != 0 || len(moved) > 0 || by["off by"] != 0 {
			t.Errorf("applied: %v %v", by, moved)
		}
		c := connect(t, i.ConnString())
		sql(t, c, "alter system set work_mem = '5MB'")
		sql(t, c, "select pg_reload_conf()")
		reloaded(t, i, "work_mem", "5MB")
		if by, moved := holds(); by["holds"] != 0 || by["changed"]+by["lost"] != 1 || len(moved) != 1 ||
			!strings.HasPrefix(moved[0], i.DataDir+" pg:work_mem ") || by["off by"] != 4<<20 {
			t.Errorf("changed by another: %v %v", by, moved)
		}
		if m := metricsOf(t, i, "--journal", filepath.Join(dir, "none")); m["pgfettle_applied_values"] != nil {
			t.Error("without journals values are told to be applied")
		}
	})
}
