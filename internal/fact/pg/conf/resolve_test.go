package conf

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// TestResolve: files are read where they are included, the last line wins, and
// postgresql.auto.conf is last.
func TestResolve(t *testing.T) {
	r := Resolve(tree(map[string]string{
		"etc/pg/postgresql.conf": "a = 1\ninclude_dir 'conf.d'\nB = 2\ninclude " +
			"'more/x.conf'\ninclude_if_exists 'none.conf'\nc = 3\n",
		"etc/pg/conf.d/10-a.conf":     "a = 10\nd = 1\n",
		"etc/pg/conf.d/9-a.conf":      "a = 9\n",
		"etc/pg/conf.d/Z.conf":        "a = 'upper'\n",
		"etc/pg/conf.d/.hidden.conf":  "a = hidden\n",
		"etc/pg/conf.d/a.conf.bak":    "a = bak\n",
		"etc/pg/conf.d/.conf":         "a = short\n",
		"etc/pg/conf.d/sub.conf/file": "",
		"etc/pg/more/x.conf":          "include 'y.conf'\n",
		"etc/pg/more/y.conf":          "b = from-y\n",
		"data/postgresql.auto.conf":   "c = 'auto'\n",
	}), "/etc/pg/postgresql.conf", "/data")
	var got []string
	for _, s := range r.Settings {
		got = append(got, fmt.Sprintf("%s=%s %s:%d %t", s.Name, s.Value, s.File, s.Line, s.Wins))
	}
	want := []string{
		"a=1 /etc/pg/postgresql.conf:1 false",
		"a=10 /etc/pg/conf.d/10-a.conf:1 false", "d=1 /etc/pg/conf.d/10-a.conf:2 true",
		"a=9 /etc/pg/conf.d/9-a.conf:1 false",
		"a=upper /etc/pg/conf.d/Z.conf:1 true",
		"b=2 /etc/pg/postgresql.conf:3 false",
		"b=from-y /etc/pg/more/y.conf:1 true",
		"c=3 /etc/pg/postgresql.conf:6 false",
		"c=auto /data/postgresql.auto.conf:1 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(r.Faults) > 0 || !slices.Equal(r.Dirs, []string{"/etc/pg/conf.d"}) {
		t.Errorf("faults %v, folders %v", r.Faults, r.Dirs)
	}
	if w, ok := r.Winner("A"); !ok || w.Value != "upper" || r.Values()["c"] != "auto" {
		t.Errorf("winner %+v, values %v", w, r.Values())
	}
}

// TestFaults: what the server would refuse is told with its place, and the rest
// is read all the same.
func TestFaults(t *testing.T) {
	deep := map[string]string{"postgresql.conf": "include '0.conf'\n"}
	for i := range 12 {
		deep[fmt.Sprintf("%d.conf", i)] = fmt.Sprintf("include '%d.conf'\n", i+1)
	}
	for _, c := range []struct {
		title string
		files map[string]string
		fault string
	}{
		{"no file", nil, "/postgresql.conf: file does not exist"},
		{"missing include", map[string]string{"postgresql.conf": "a = 1\ninclude 'x.conf'\nb = 2\n"},
			"/postgresql.conf line 2: /x.conf: file does not exist"},
		{"missing folder", map[string]string{"postgresql.conf": "a = 1\ninclude_dir 'd'\nb = 2\n"},
			"/postgresql.conf line 2: /d: file does not exist"},
		{"bad line", map[string]string{"postgresql.conf": "a = 1\nb c d\nb = 2\n"},
			`/postgresql.conf line 2: syntax error near "d"`},
		{"empty name", map[string]string{"postgresql.conf": "a = 1\ninclude ' '\nb = 2\n"},
			"/postgresql.conf line 2: include: the name of the file is empty"},
		{"includes itself", map[string]string{"postgresql.conf": "a = 1\ninclude 'postgresql.conf'\nb = 2\n"},
			"/postgresql.conf line 2: /postgresql.conf: the file includes itself"},
		{"too deep", deep, "/9.conf line 1: /10.conf: files are nested more than 10 deep"},
	} {
		r := Resolve(tree(c.files), "/postgresql.conf", "")
		if len(r.Faults) != 1 || r.Faults[0].Error() != c.fault {
			t.Errorf("%s: %v", c.title, r.Faults)
		}
		if c.files != nil && c.title != "too deep" && (r.Values()["a"] != "1" || r.Values()["b"] != "2") {
			t.Errorf("%s: %v", c.title, r.Values())
		}
	}
	wide := map[string]string{"postgresql.conf": strings.Repeat("include_dir 'd'\n", 300)}
	for i := range 10 {
		wide[fmt.Sprintf("d/%d.conf", i)] = "a = 1\n"
	}
	if r := Resolve(tree(wide), "/postgresql.conf", ""); len(r.Files) != maxIncludes || len(r.Faults) != 1 {
		t.Errorf("%d files, %d faults", len(r.Files), len(r.Faults))
	}
}
