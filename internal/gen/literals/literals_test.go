package literals

import (
	"strings"
	"testing"
	"testing/fstest"
)

func files(texts map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, t := range texts {
		m[name] = &fstest.MapFile{Data: []byte(t)}
	}
	return m
}

func TestRenderSortsByKeyAndLeavesOutWhatIsNotALiteral(t *testing.T) {
	got, err := Render(files(map[string]string{
		"z.go": "package rule\nvar swappiness = Rule{Address: knob.Sysctl(\"vm.swappiness\")}\n",
		"a.go": "package rule\nvar workMem = Rule{Title: \"x\", Address: knob.PG(\"work_mem\")}\nvar " +
			"other = Thing{}\nfunc f() { var x = Rule{Address: \"pg:inner\"}; _ = x }\n",
		"m.go": "package rule\nvar (\n thp = Rule{Address: \"thp:enabled\"}\n bufs = Rule{Address: " +
			"knob.PG(\"shared_buffers\")}\n)\n",
		"m_test.go":       "package rule\nvar fake = Rule{Address: \"pg:fake\"}\n",
		"registry_gen.go": "package rule\nvar old = Rule{Address: \"pg:old\"}\n",
	}), Package{"example.org/judge/rule", "Rule", "Address"})
	if err != nil {
		t.Fatal(err)
	}
	want := "return []Rule{\n\t\tbufs,\n\t\tworkMem,\n\t\tswappiness,\n\t\tthp,\n\t}"
	if !strings.Contains(string(got), want) {
		t.Errorf("the list is not\n%s\nbut\n%s", want, got)
	}
}

func TestRenderListsTheFoldersBelow(t *testing.T) {
	got, err := Render(files(map[string]string{
		"wal/lag.go":        "package wal\nvar Lag = check.Check{ID: \"wal_lag\"}\n",
		"wal/lag_test.go":   "package wal\nvar fake = check.Check{ID: \"fake\"}\n",
		"memory/swap.go":    "package memory\nvar Swap = check.Check{ID: \"swap\"}\nvar other = Check{ID: \"other\"}\n",
		"memory/testdata/x": "",
		"here.go":           "package checks\nvar Here = check.Check{ID: \"here\"}\n",
	}), Package{"example.org/judge/checks", "check.Check", "ID"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"import (\n\t\"example.org/judge/check\"\n\t\"example.org/judge/checks/memory\"\n\t\"example.org/judge/checks/wal\"\n)",
		"// All returns every Check of this package, sorted by ID.\nfunc All() []check.Check {\n\treturn " +
			"[]check.Check{\n\t\tmemory.Swap,\n\t\twal.Lag,\n\t}",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the file has not\n%s\nbut is\n%s", want, got)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		of    string
		want  string
	}{
		"one that is not exported": {map[string]string{
			"wal/a.go": "package wal\nvar lag = check.Check{ID: \"wal_lag\"}\n"}, "check.Check",
			"wal/a.go: lag is listed outside of wal"},
		"one key in two files": {map[string]string{
			"a.go": "package check\nvar a = Check{ID: \"fsync_off\"}\n",
			"b.go": "package check\nvar b = Check{ID: \"fsync_off\"}\n"}, "Check",
			`b.go: ID "fsync_off" stands in a.go too`},
		"a literal without a key": {map[string]string{"a.go": "package check\nvar a = Check{Title: \"x\"}\n"}, "Check",
			"a.go: a has no ID"},
		"a key made by a variable": {map[string]string{"a.go": "package check\nvar a = Check{ID: name}\n"}, "Check",
			"a.go: a has no ID"},
		"a file that is not Go": {map[string]string{"a.go": "pakage check\n"}, "Check", "a.go:1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Find(files(c.files), c.of, "ID")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v does not contain %q", err, c.want)
			}
		})
	}
}

func TestCurrent(t *testing.T) {
	folder := map[string]string{"a.go": "package check\nvar a = Check{ID: \"fsync_off\"}\n"}
	if err := Current(files(folder), Package{"example.org/check", "Check", "ID"}); err == nil {
		t.Error("a folder without the generated file is current")
	}
	made, err := Render(files(folder), Package{"example.org/check", "Check", "ID"})
	if err != nil {
		t.Fatal(err)
	}
	folder[File] = string(made)
	if err := Current(files(folder), Package{"example.org/check", "Check", "ID"}); err != nil {
		t.Error(err)
	}
	folder["b.go"] = "package check\nvar b = Check{ID: \"wal_full\"}\n"
	if err := Current(files(folder), Package{"example.org/check", "Check", "ID"}); err == nil ||
		!strings.Contains(err.Error(), "go generate") {
		t.Errorf("a literal that is not listed: %v", err)
	}
}
