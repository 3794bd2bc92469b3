package web

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/test/hosts"
)

// whole is a report with every chapter, of documents that are given.
func whole(t *testing.T) Report {
	t.Helper()
	crowds, err := hosts.Crowds()
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	for _, c := range crowds {
		if c.Name == "many_connections" {
			r.Snapshot = c.Snapshot
		}
	}
	given(t, "check/worst_first", &r.Check)
	given(t, "plan/server", &r.Plan)
	r.Memory = memory.Diagnose(r.Snapshot, hosts.Buffers(r.Snapshot))
	kernel := oom.NewReader()
	for _, f := range []string{"../../fact/kernlog/testdata/k618_memcg_v1_backend.log",
		"../../judge/diagnose/oom/testdata/pg15_log_backend_sigkill.log"} {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := kernel.Add(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	r.OOM = oom.Diagnose(kernel.Log(), oom.Facts{})
	r.Experiments = []*experiment.Result{measured(8, 9, 7, 8, 9, 10), measured(-3, 2, 1, 0, -1, 4)}
	r.Missing = []known.Gap{{Fact: "a <log>", Reason: "permission denied", Reveal: "run it as root"}}
	return r
}

// TestReport holds a report with everything, and one with as little as can be.
func TestReport(t *testing.T) {
	p, err := ReportPage(whole(t), View{})
	text := pageGolden(t, "report/whole", p, err)
	for _, id := range []string{"findings", "plan", "memory", "oom", "experiment-1", "experiment-2", "settings",
		"hidden", "sources"} {
		if !strings.Contains(text, `<h2 id="`+id+`">`) || !strings.Contains(text, `<a href="#`+id+`">`) {
			t.Errorf("the chapter %s is missing, or no link leads to it", id)
		}
	}
	p, err = ReportPage(Report{Snapshot: &snapshot.Snapshot{Schema: snapshot.Schema}}, View{})
	pageGolden(t, "report/nothing", p, err)
}

// TestReportLanguages verifies that a report in each language obeys the rules of a page.
func TestReportLanguages(t *testing.T) {
	for _, lang := range say.Languages() {
		words, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ReportPage(whole(t), View{Words: words})
		if err != nil || p.Lang != lang {
			t.Fatalf("%s: %v", p.Lang, err)
		}
		sound(t, p)
	}
}

// TestFirstScreenIsBounded verifies that many findings and many gaps do not push the plan out of sight, and that
// omissions are reported.
func TestFirstScreenIsBounded(t *testing.T) {
	r := whole(t)
	for i := range 40 {
		name := strings.Repeat("x", i+1)
		r.Check.Findings = append(r.Check.Findings, check.Finding{ID: name, Severity: check.Info,
			Title: "Finding " + name, Seen: say.Text("s"), Why: "w", Do: say.Text("d")})
		r.Missing = append(r.Missing, known.Gap{Fact: name, Reason: "because of " + name})
	}
	p, err := ReportPage(r, View{})
	if err != nil {
		t.Fatal(err)
	}
	text := sound(t, p)
	screen, _, _ := strings.Cut(text, `<section class="chapter">`)
	if n := strings.Count(screen, `href="#finding-`); n != mostLines {
		t.Errorf("%d findings on the first screen, want %d", n, mostLines)
	}
	if n := strings.Count(screen, "because of"); n >= mostCauses+1 {
		t.Errorf("%d causes on the first screen", n)
	}
	for _, want := range []string{"31 more below", "more below"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if !strings.Contains(text, "because of "+strings.Repeat("x", 40)) {
		t.Error("the chapter does not have the last gap")
	}
}

// TestSettingsOf verifies which settings count as set explicitly.
func TestSettingsOf(t *testing.T) {
	in := snapshot.Instance{}
	if _, ok := settingsOf(&in); ok {
		t.Error("settings that nobody asked for are known")
	}
	set := func(name, value, boot, source, file string, line int64) pg.Setting {
		return pg.Setting{Name: name, Value: value, Boot: boot, Source: source, File: file, Line: line}
	}
	m := pg.Settings{}
	for _, s := range []pg.Setting{
		set("work_mem", "65536", "4096", "configuration file", "/etc/pg/postgresql.conf", 12),
		set("jit", "off", "on", "database", "", 0),
		set("same", "on", "on", "configuration file", "/etc/pg/postgresql.conf", 13),
		set("application_name", "pgfettle", "", "client", "", 0),
		set("data_checksums", "on", "off", "override", "", 0),
		set("max_connections", "100", "100", "default", "", 0),
	} {
		m[s.Name] = s
	}
	in.Server.Settings = known.Is(m)
	list, ok := settingsOf(&in)
	var got []string
	for _, s := range list {
		got = append(got, s.Name+" "+place(s))
	}
	if want := []string{"jit database", "work_mem /etc/pg/postgresql.conf:12"}; !ok || !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s := short(strings.Repeat("é", 1000)); len([]rune(s)) != longestValue+1 {
		t.Errorf("a value of a thousand characters became %d", len([]rune(s)))
	}
}
