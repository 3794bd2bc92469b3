package conffile_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/test/golden"
)

// judged is a tree of files below /d with /d/postgresql.conf as its main one.
func judged(files map[string]string, major int) conffile.Report {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys["d/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return conffile.Judge(conf.Resolve(fsys, "/d/postgresql.conf", "/d"), "/d/postgresql.conf", major,
		func(p string) string { return strings.TrimPrefix(p, "/d/") }, nil, checks.All())
}

// TestGoldens: testdata/NAME.txtar says in its first line what it shows; the files
// are the configuration; want/N is what is found for version N.
func TestGoldens(t *testing.T) {
	seen := map[string]bool{}
	golden.Files(t, "testdata/*.txtar", func(t *testing.T, c *golden.File) map[string][]byte {
		files, got := map[string]string{}, map[string][]byte{}
		for name, text := range c.Given {
			files[name] = string(text)
		}
		for _, name := range c.Wants {
			major, err := strconv.Atoi(strings.TrimPrefix(name, "want/"))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			for _, f := range judged(files, major).Findings {
				seen[f.ID] = true
				fmt.Fprintf(&b, "%s:%d %s %s: %s\n", f.File, f.Line, f.Severity, f.ID, f.Seen)
				for _, bad := range []string{"%!", "..", " .", "{"} {
					if strings.Contains(strings.ReplaceAll(f.Seen.String(), "…", ""), bad) && bad != "{" ||
						len(say.Placeholders(f.Seen.String()+f.Do.String())) > 0 {
						t.Errorf("%q in %q, %q", bad, f.Seen, f.Do)
					}
				}
			}
			if b.Len() == 0 {
				b.WriteString("nothing\n")
			}
			got[name] = b.Bytes()
		}
		return got
	})
	for _, k := range conffile.Kinds() {
		if !seen[k.ID] && k.ID != conffile.NeedsRestart.ID { // no file has statements: TestOnlyReloaded
			t.Errorf("no case shows %s", k.ID)
		}
	}
}

// TestOnlyReloaded: what statements set that a reload does not change is reported, unless they speak of a restart.
func TestOnlyReloaded(t *testing.T) {
	const set = "ALTER SYSTEM SET shared_buffers = '1GB';\nALTER SYSTEM SET work_mem = '8MB';\n" +
		"ALTER SYSTEM SET wal_buffers = '16MB';\n"
	for text, want := range map[string]string{
		set + "SELECT pg_reload_conf();\n": "Line 4 reloads the configuration, which does not change " +
			"shared_buffers, wal_buffers.",
		set + "SELECT pg_reload_conf();\n-- then restart the server\n": "",
		set: "",
		"ALTER SYSTEM SET work_mem = '8MB';\nSELECT pg_reload_conf();\n":        "",
		set + "SELECT pg_reload_conf(); -- shared_buffers: после перезапуска\n": "",
	} {
		r := conffile.JudgeText(conftext.Read(text), "/d/x.sql", 17, strings.ToLower, nil, false, nil)
		got := ""
		for _, f := range r.Findings {
			if f.ID == conffile.NeedsRestart.ID {
				got = f.Seen.String()
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAlternatives: of two lists for two machines no line makes one of the other without effect; of one list it does.
func TestAlternatives(t *testing.T) {
	const small, large = "shared_buffers = 1GB\nwork_mem = 4MB\nmax_wal_size = 1GB\n",
		"shared_buffers = 8GB\nwork_mem = 32MB\nmax_wal_size = 9GB\n"
	for text, want := range map[string]int{
		"**4 GB of RAM:**\n\n```\n" + small + "```\n\n**32 GB of RAM:**\n\n```\n" + large + "```\n": 0,
		"Take these.\n\n4 GB RAM:\n" + small + "\n32 GB RAM:\n" + large:                             0,
		"Take these.\n```\n" + small + large + "```\nThat is all.\n":                                3,
		"Take these.\n```\n" + small + "```\nAnd later\n```\nwork_mem = 8MB\n```\nThat is all.\n":   1,
	} {
		r := conffile.JudgeText(conftext.Read(text), "/d/x.md", 17, strings.ToLower, nil, false, nil)
		n := 0
		for _, f := range r.Findings {
			if f.ID == conffile.Duplicate.ID {
				n++
			}
		}
		if n != want {
			t.Errorf("%q: %d lines without effect, want %d: %+v", text, n, want, r.Read)
		}
	}
}

// TestKindsAreComplete: what a page needs is there, and every source exists.
func TestKindsAreComplete(t *testing.T) {
	ids := map[string]bool{}
	for _, k := range conffile.Kinds() {
		if !strings.HasPrefix(k.ID, "conf_") || ids[k.ID] || k.Title == "" || k.Why == "" || k.Do == "" ||
			k.Area == "" || len(k.Sources) == 0 {
			t.Errorf("%+v", k)
		}
		ids[k.ID] = true
		for _, s := range k.Sources {
			if _, ok := say.SourceByID(s); !ok {
				t.Errorf("%s: no source %s", k.ID, s)
			}
		}
	}
}

// TestHostileFileIsBounded: a file of a hundred thousand wrong names costs a
// thousand findings, and says how many lines were left.
func TestHostileFileIsBounded(t *testing.T) {
	var b strings.Builder
	const lines = 100_000
	for n := range lines {
		fmt.Fprintf(&b, "nonsense_%d = 1\n", n)
	}
	r := judged(map[string]string{"postgresql.conf": b.String()}, 17)
	if len(r.Findings) > 1000 || len(r.Findings)+r.Left != lines {
		t.Errorf("%d findings, %d left", len(r.Findings), r.Left)
	}
}

// FuzzJudge: whatever is in the files, the judge ends, and says nothing without a place and words.
func FuzzJudge(f *testing.F) {
	f.Add("work_mem = 4kb\ninclude 'a.conf'\n", "jit = on\ninclude '../d/postgresql.conf'", 17)
	f.Add("shared_buffers = 0x7fffffffffffffffff TB\nx.y=1\nseed = nan", "include_dir '.'", 19)
	f.Add("random_page_cost = '1e-400'\nwal_level=minimal\nmax_connections='.5e1'", "", 13)
	f.Fuzz(func(t *testing.T, main, other string, major int) {
		for _, f := range judged(map[string]string{"postgresql.conf": main, "a.conf": other},
			13+max(major, -major)%7).Findings {
			if f.File == "" || f.Seen.String() == "" || f.Do.String() == "" || f.Line < 0 {
				t.Errorf("%+v", f)
			}
		}
	})
}

// TestForAHost: with a machine the same file is judged for its memory, its pool of huge pages and its disk; each
// finding is at the line that causes it, and what a default causes at the file as a whole.
func TestForAHost(t *testing.T) {
	const file = "shared_buffers = 12GB\nwork_mem = 1GB\nmax_connections = 400\nhuge_pages = on\n"
	for _, c := range []struct {
		host string
		want []string // ids with their lines
		not  []string
	}{
		{"ram=16GB,cpus=8,storage=ssd,pg=17", []string{"huge_pages_short:4", "shared_buffers_vs_memory:1",
			"work_mem_vs_memory:2", "pg_stat_statements_missing:0"}, nil},
		{"ram=2TB,cpus=8,storage=ssd,pg=17", []string{"huge_pages_short:4"},
			[]string{"shared_buffers_vs_memory", "work_mem_vs_memory", "swappiness_high", "thp_always"}},
	} {
		a, err := snapshot.Describe(c.host)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		fsys := fstest.MapFS{"d/postgresql.conf": &fstest.MapFile{Data: []byte(file)}}
		r := conffile.Judge(conf.Resolve(fsys, "/d/postgresql.conf", "/d"), "/d/postgresql.conf",
			17, func(p string) string { return p }, s, checks.All())
		got := map[string]bool{}
		for _, f := range r.Findings {
			got[f.ID], got[fmt.Sprintf("%s:%d", f.ID, f.Line)] = true, true
		}
		for _, id := range c.want {
			if !got[id] {
				t.Errorf("%s: no %s in %v", c.host, id, got)
			}
		}
		for _, id := range c.not {
			if got[id] {
				t.Errorf("%s: %s", c.host, id)
			}
		}
	}
}

// TestRulesBeside: lines of pg_hba.conf beside the settings are judged with them.
func TestRulesBeside(t *testing.T) {
	judge := func(text string) string {
		told := conftext.Read(text)
		r := conffile.JudgeText(told, "/d/f", 17, func(p string) string { return p }, nil, false, checks.All())
		var b strings.Builder
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "%d %s: %s\n", f.Line, f.ID, f.Seen)
		}
		return b.String()
	}
	const set = "Hello,\nthese are my settings:\nwork_mem = 4MB\nfsync = on\nlisten_addresses = '*'\nssl = %s\n"
	got := judge(fmt.Sprintf(set, "off") + "host all all 0.0.0.0/0 trust\n")
	if !strings.Contains(got, "hba_trust: trust in "+
		"line 7 (all users, from anywhere)") || !strings.Contains(got, "any host: 1") {
		t.Errorf("%s", got)
	}
	if got := judge(fmt.Sprintf(set, "off") + "host all all 127.0.0.1/32 md5\n"); strings.Contains(got, "tls_off") {
		t.Errorf("%s", got)
	}
	got = judge("Hello,\nthese are my settings:\nwork_mem = 4MB\nfsync = on\nhost all all 10.0.0.0 255.0.0.0 trust\n")
	if !strings.Contains(got, "5 hba_trust") {
		t.Errorf("%s", got)
	}
	if got := judge(fmt.Sprintf(set, "off")); !strings.Contains(got, "rules of pg_hba.conf: unknown") {
		t.Errorf("%s", got)
	}
}

// TestFileOfTheCommandLine: the command line may name the configuration file; a file may not.
func TestFileOfTheCommandLine(t *testing.T) {
	for text, want := range map[string]bool{
		"config_file = '/etc/pg.conf'\nwork_mem = 4MB\n":                                    true,
		"/usr/bin/postgres -D /d --config-file=/d/postgresql.conf --work_mem=4MB\n":         false,
		"Started as:\npostgres -c config_file=/etc/pg.conf -c work_mem=4MB\nis it right?\n": false,
	} {
		told, found := conftext.Read(text), false
		r := judged(map[string]string{"postgresql.conf": text}, 17)
		if told.Form != conftext.Plain {
			r = conffile.JudgeText(told, "/d/f", 17, func(p string) string { return p }, nil, false, checks.All())
		}
		for _, f := range r.Findings {
			found = found || f.ID == "conf_fixed"
		}
		if found != want {
			t.Errorf("%q: %v", text, r.Findings)
		}
	}
}
