// Command stub writes the files with which a check, a knob or a page begins: the
// literal with its words to fill in and the test cases, or the Markdown file of the
// page. It never overwrites.
//
//	go run ./internal/gen/stub check memory/my_check
//	go run ./internal/gen/stub knob io/pg:my_setting
//	go run ./internal/gen/stub page my-page
package main

import (
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stub: "+err.Error())
		os.Exit(1)
	}
}

const (
	checks = "internal/judge/checks"
	rules  = "internal/judge/rules"
	pages  = "docs/pages"
)

var (
	checkID = regexp.MustCompile(`^[a-z][a-z0-9_]{2,40}$`)
	pageID  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{2,40}$`)
	address = regexp.MustCompile(`^((pg|sysctl|thp|boot|unit):|(block|mount|tablespace):\*/)[A-Za-z0-9_.]{2,60}$`)
)

// run writes the stubs below root, the checkout.
func run(root string, args []string) error {
	if len(args) != 2 {
		return errors.New("write: check AREA/ID, knob AREA/ADDRESS, or page ID")
	}
	what, name := args[0], args[1]
	if what == "page" {
		if !pageID.MatchString(name) {
			return fmt.Errorf("%q: the id of a page is lower case words with hyphens, such as pg-test-timing", name)
		}
		return writeFiles(map[string]string{filepath.Join(root, pages, name+".md"): fmt.Sprintf(pageText, name)})
	}
	area, id, _ := strings.Cut(name, "/")
	switch what {
	case "check":
		if err := known(filepath.Join(root, checks), area); err != nil {
			return err
		}
		if !checkID.MatchString(id) {
			return fmt.Errorf("%q: an id is lower case letters, digits and underscores, such as huge_pages_short", id)
		}
		return write(filepath.Join(root, checks, area), id, "_check", fmt.Sprintf(checkText, area, camel(id), id),
			fmt.Sprintf(checkCases, id))
	case "knob":
		if err := known(filepath.Join(root, rules), area); err != nil {
			return err
		}
		if !address.MatchString(id) {
			return fmt.Errorf(
				"%q: an address is layer:name, such as pg:work_mem or sysctl:vm.swappiness, or layer:*/name for a "+
					"device, a mount or a tablespace, such as block:*/nr_requests", id)
		}
		layer, of, _ := strings.Cut(id, ":")
		if rest, family := strings.CutPrefix(of, "*/"); family {
			of = layer + "_" + rest
		}
		file := strings.NewReplacer(".", "_", "-", "_").Replace(of)
		return write(filepath.Join(root, rules, area), file, "_knob", fmt.Sprintf(knobText, area, camel(file), id),
			fmt.Sprintf(knobCases, id))
	}
	return fmt.Errorf("%q: write check, knob or page", what)
}

// known refuses an area that is no directory of the registry.
func known(dir, area string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var areas []string
	for _, d := range list {
		if d.IsDir() && d.Name() != "testdata" {
			areas = append(areas, d.Name())
		}
	}
	if !slices.Contains(areas, area) {
		return fmt.Errorf("%q is no area: write one of %s before the name, with a slash",
			area, strings.Join(areas, ", "))
	}
	return nil
}

// write makes the two files. Where the toolchain would take the name for that of a
// test, or of a file for one system alone (my_test.go, my_windows.go), the tail goes
// behind it.
func write(dir, name, tail, code, cases string) error {
	file := name
	if !built(file + ".go") {
		file += tail
	}
	return writeFiles(map[string]string{
		filepath.Join(dir, file+".go"):                code,
		filepath.Join(dir, "testdata", name+".txtar"): cases,
	})
}

// built reports whether a file of this name is part of its package on every system.
func built(name string) bool {
	nowhere := build.Default
	nowhere.GOOS, nowhere.GOARCH = "none", "none"
	nowhere.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package x\n")), nil
	}
	ok, err := nowhere.MatchFile(".", name)
	return ok && err == nil && !strings.HasSuffix(name, "_test.go")
}

func writeFiles(files map[string]string) error {
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s is there already", path)
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		fmt.Println("wrote " + path)
	}
	return nil
}

// camel turns huge_pages_short into HugePagesShort.
func camel(s string) string {
	var b strings.Builder
	for _, w := range strings.Split(s, "_") {
		if w != "" {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

const checkText = `package %s

import "github.com/pgfettle/pgfettle/internal/judge/check"

// %[2]s …: say where the line is drawn, and why there.
var %[2]s = check.Check{
	ID:       %[3]q,
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "",
	Why:      "",
	Do:       "",
	Sources:  []string{},
	Judge: func(c *check.Case) {
		settings, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if on, ok := settings.Bool(%[3]q); ok && !on {
			c.Found("…")
		}
	},
}
`

const knobText = `package %s

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// %[2]s …: say where the number comes from.
var %[2]s = rule.Rule{
	Address: %[3]q,
	Title:   "",
	Why:     "",
	Formula: "",
	Sources: []string{},
	Needs:   []knob.Address{},
	Decide: func(c *rule.Case) {
		basis, ok := c.Basis()
		if !ok {
			return
		}
		c.Set(basis.Total/100, "1 %% of {memory}", "memory", basis.Total)
	},
}
`

const pageText = `---
# Say here where the facts of this page were seen.
id: %s
kind: advice
title:
names: []
sources: []
see: []
# Why it is there, where no statement of test/coverage/coverage.tsv leads to it.
beyond:
---
`

const checkCases = `%[1]s: say in plain words what these cases are about
-- fires: the setting is off --
set %[1]s=off
-- silent: the setting is on --
set %[1]s=on
-- missing: the settings may not be read --
hide in.server.settings
`

const knobCases = `%[1]s: say in plain words what these cases are about
-- typical --
host ram=64GB cpus=16 storage=nvme pg=17
-- small --
host ram=2GB cpus=1 storage=ssd pg=17
-- the memory is not known --
host ram=64GB cpus=16 pg=17
missing forbidden proc/meminfo a test
`
