package web

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/test/hosts"
	"github.com/pgfettle/pgfettle/test/journals"
)

// file is one file of a case of another package.
func file(t *testing.T, path, name string) []byte {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return nil
}

// pageGolden holds a page to its golden and to the rules of the package.
func pageGolden(t *testing.T, name string, p Page, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text := sound(t, p)
	golden(t, name, text)
	return text
}

// TestMemoryPages holds who holds the memory of each host, and that the host's
// memory and the page tables are drawn where they are known.
func TestMemoryPages(t *testing.T) {
	crowds, err := hosts.Crowds()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range crowds {
		t.Run(c.Name, func(t *testing.T) {
			d := memory.Diagnose(c.Snapshot, hosts.Buffers(c.Snapshot))
			p, err := DiagnoseMemoryPage(d, View{})
			text := pageGolden(t, "memory/"+c.Name, p, err)
			drawn := 0
			if d.Host != nil {
				drawn++
			}
			for _, in := range d.Instances {
				if in.Sum.PageTables > 0 {
					drawn++
				}
			}
			if n := strings.Count(text, "<figure>"); n != drawn {
				t.Errorf("%d pictures, want %d", n, drawn)
			}
		})
	}
}

// TestOOMPages holds post-mortems of real reports.
func TestOOMPages(t *testing.T) {
	for name, files := range map[string][]string{
		"backend": {"../../fact/kernlog/testdata/k618_memcg_v1_backend.log",
			"../../judge/diagnose/oom/testdata/pg15_log_backend_sigkill.log"},
		"host": {"../../fact/kernlog/testdata/k601_global_numa2_journal.log",
			"../../judge/diagnose/oom/testdata/pg15_log_oom_then_systemd_stop.log"},
		"refused": {"../../judge/diagnose/oom/testdata/pg15_log_overcommit2_oom.log",
			"../../judge/diagnose/oom/testdata/pg17_log.csv"},
		"nothing": nil,
	} {
		t.Run(name, func(t *testing.T) {
			r := oom.NewReader()
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Add(bytes.NewReader(b)); err != nil {
					t.Fatal(err)
				}
			}
			p, err := DiagnoseOOMPage(oom.Diagnose(r.Log(), oom.Facts{}), View{})
			pageGolden(t, "oom/"+name, p, err)
		})
	}
}

// TestLogPages holds what logs show, a hostile one among them.
func TestLogPages(t *testing.T) {
	paths, err := filepath.Glob("../goldens/testdata/log/*.txtar")
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d logs, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := serverlog.NewCollector(serverlog.Options{})
			for _, f := range ar.Files {
				if log, is := strings.CutPrefix(f.Name, "log/"); is {
					src, err := pglog.Read(bytes.NewReader(f.Data), pglog.Options{}, c)
					if err != nil {
						t.Fatal(err)
					}
					c.File(log, src, false)
				}
			}
			p, err := DiagnoseLogPage(c.Report(), View{})
			pageGolden(t, "log/"+name, p, err)
		})
	}
}

// TestSlowPages holds the comparison of two plans, and a watch whose names would
// act on the reader's screen.
func TestSlowPages(t *testing.T) {
	for _, name := range []string{"slow_other_plan", "slow_slow_disk"} {
		path := filepath.Join("..", "..", "judge", "diagnose", "slow", "testdata",
			strings.TrimPrefix(name, "slow_")+".txtar")
		var plans []*queryplan.Plan
		for _, which := range []string{"slow", "fast"} {
			list, err := queryplan.Parse(file(t, path, which))
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, list[0])
		}
		p, err := DiagnoseSlowPage(slow.Compare("slow.txt", plans[0], "fast.txt", plans[1]), View{})
		pageGolden(t, "slow/"+name, p, err)
	}
	e := &live.Episode{Seconds: 10, CPUs: 2, HostSeen: true, Memory: 16 * unit.GB, Asked: 40,
		Processes: []live.Busy{{PID: 99, Name: "<b>stress\x1b[2J", CPU: 11}},
		Waits: []live.Wait{{Backend: "client backend", State: "active", Type: "Lock",
			Event: "transactionid\"><script>", Seen: 300}},
		Blockers: []live.Blocker{{PID: 4711, Waiters: 7, State: "idle in transaction", Since: 120,
			Query: "UPDATE t SET x = '</code><script>alert(1)</script>'"}}}
	p, err := DiagnoseSlowSamplePage(sampled.Judge("/srv/<i>pg", e), View{})
	pageGolden(t, "slow/sample", p, err)
}

// TestJournalPages holds journals in each language, and their list.
func TestJournalPages(t *testing.T) {
	paths, err := filepath.Glob("../goldens/testdata/journal/*.txtar")
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d journals, %v", len(paths), err)
	}
	var list []*journal.Journal
	for _, path := range paths {
		j, _, err := journal.Parse(journals.Chained(string(file(t, path, "given.json"))))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, j)
		p, err := JournalPage(j, View{})
		pageGolden(t, "journal/"+strings.TrimSuffix(filepath.Base(path), ".txtar"), p, err)
	}
	p, err := JournalListPage(list, View{})
	pageGolden(t, "journal/list", p, err)
	p, err = JournalListPage(nil, View{})
	pageGolden(t, "journal/none", p, err)
	for _, lang := range say.Languages() {
		words, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		p, err := JournalPage(list[0], View{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		if p.Lang != lang {
			t.Errorf("a page in %s says %s", lang, p.Lang)
		}
		sound(t, p)
	}
}
