package house

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A package is a room that one person can know: this many source files and lines, tests apart.
const (
	mostFiles = 25
	mostLines = 3000
	// mostFamily is how many files may begin with the same word before they are a package.
	mostFamily = 3
)

// system ends the name of a file that is built on one operating system or CPU alone.
var system = regexp.MustCompile(`_(linux|darwin|windows|other|amd64|arm64)$`)

// TestRooms verifies that a package is not too large to be known, and that files of one family are a package. large.txt
// has the exceptions, each with its reason.
func TestRooms(t *testing.T) {
	packages := map[string]map[string]int{}
	known := map[string]bool{}
	for _, dir := range []string{"internal", "cmd", "tools", "test"} {
		for folder, files := range roomsBelow(t, os.DirFS(root), dir) {
			packages[folder] = files
			known[path.Base(folder)] = true
		}
	}
	var over []string
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		over = append(over, tooLarge(folder, packages[folder], known)...)
	}
	reasons := reasonsIn(t, "large.txt")
	for _, o := range over {
		subject, what, _ := strings.Cut(o, ": ")
		if reasons[subject] == "" {
			t.Errorf("%s: %s; divide it, or say why not in large.txt", subject, what)
		}
		delete(reasons, subject)
	}
	for _, subject := range slices.Sorted(maps.Keys(reasons)) {
		t.Errorf("large.txt: %s needs no reason any more, take it out", subject)
	}
}

// named are the packages whose files are named after the check or the knob that each is about: which
// words these share is PostgreSQL's and Linux's choice.
var named = regexp.MustCompile(`^internal/judge/(checks|rules)/`)

// roomsBelow are the packages below a directory: the name of each source file that is not a test and that a person
// wrote, and its lines.
func roomsBelow(t *testing.T, files fs.FS, dir string) map[string]map[string]int {
	t.Helper()
	rooms := map[string]map[string]int{}
	err := fs.WalkDir(files, dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		b, err := fs.ReadFile(files, p)
		if err != nil || generatedLine.Match(b) {
			return err
		}
		folder := path.Dir(p)
		if rooms[folder] == nil {
			rooms[folder] = map[string]int{}
		}
		rooms[folder][strings.TrimSuffix(path.Base(p), ".go")] = strings.Count(string(b), "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

// generatedLine is how a generated file says what it is.
var generatedLine = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// tooLarge says what of a package goes over the limits, each as «subject: what».
func tooLarge(folder string, files map[string]int, packages map[string]bool) (over []string) {
	lines := 0
	for _, n := range files {
		lines += n
	}
	if len(files) > mostFiles || lines > mostLines {
		over = append(over, fmt.Sprintf("%s: %d files with %d lines", folder, len(files), lines))
	}
	if named.MatchString(folder) {
		return over
	}
	for word, family := range families(slices.Sorted(maps.Keys(files)), packages) {
		if len(family) > mostFamily {
			over = append(over, fmt.Sprintf("%s %s*: %d files of one family: %s",
				folder, word, len(family), strings.Join(family, " ")))
		}
	}
	slices.Sort(over)
	return over
}

// families are the names that begin with the same word: what is before a «_», or a whole name of a file of this package
// or of a package anywhere, which is how names without a «_» are made of words (pg.go, pgstop.go).
func families(names []string, packages map[string]bool) map[string][]string {
	words := map[string]bool{}
	for i, n := range names {
		names[i] = system.ReplaceAllString(n, "")
		if before, _, cut := strings.Cut(names[i], "_"); cut {
			words[before] = true
		}
	}
	for _, n := range names {
		for end := 2; end <= len(n); end++ {
			if packages[n[:end]] || slices.Contains(names, n[:end]) {
				words[n[:end]] = true
			}
		}
	}
	out := map[string][]string{}
	for word := range words {
		for _, n := range names {
			if strings.HasPrefix(n, word) && !slices.Contains(out[word], n) {
				out[word] = append(out[word], n)
			}
		}
	}
	for word, family := range out { // the longer word says more about the same files
		for other, o := range out {
			if len(other) > len(word) && strings.HasPrefix(other, word) && len(o) == len(family) {
				delete(out, word)
			}
		}
	}
	return out
}

// reasonsIn reads a list of this directory, a line «subject: reason» each.
func reasonsIn(t *testing.T, list string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(list))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		subject, reason, _ := strings.Cut(line, ": ")
		if len(strings.TrimSpace(reason)) < 10 {
			t.Errorf("%s: %s has no reason", list, subject)
		}
		if out[subject] != "" {
			t.Errorf("%s has twice: %s", list, subject)
		}
		out[subject] = reason
	}
	return out
}

// TestRoomsCanFail verifies that TestRooms finds what is too large, and nothing else.
func TestRoomsCanFail(t *testing.T) {
	many := map[string]int{}
	for i := range mostFiles + 1 {
		many[fmt.Sprintf("%c%c", 'a'+i, 'z'-i)] = 1
	}
	for _, c := range []struct {
		name  string
		files map[string]int
		want  string
	}{
		{"many files", many, "p: 26 files with 26 lines"},
		{"many lines", map[string]int{"a": mostLines, "b": 1}, "p: 2 files with 3001 lines"},
		{"as many as there may be", map[string]int{"a": mostLines}, ""},
		{"a prefix", map[string]int{"kind_a": 1, "kind_b": 1, "kind_c": 1, "kind_d": 1},
			"p kind*: 4 files of one family: kind_a kind_b kind_c kind_d"},
		{"three of a prefix", map[string]int{"kind_a": 1, "kind_b": 1, "kind_c": 1}, ""},
		{"a leading word", map[string]int{"pg": 1, "pgroom": 1, "pgstop": 1, "pgman": 1},
			"p pg*: 4 files of one family: pg pgman pgroom pgstop"},
		{"one letters alone", map[string]int{"read": 1, "real": 1, "reap": 1, "ready": 1}, ""},
		{"one file, two systems", map[string]int{"rt_linux": 1, "rt_other": 1, "rt_a": 1, "rt_b": 1}, ""},
	} {
		if got := strings.Join(tooLarge("p", c.files, nil), "\n"); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}
