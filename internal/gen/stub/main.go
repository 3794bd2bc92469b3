// Command stub writes the files with which a check, a knob or a page begins: the
// literal with its words to fill in, and the test cases. It never overwrites.
//
//	go run ./internal/gen/stub check my_check
//	go run ./internal/gen/stub knob pg:my_setting
//	go run ./internal/gen/stub page my-page
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stub: "+err.Error())
		os.Exit(1)
	}
}

var (
	checkID = regexp.MustCompile(`^[a-z][a-z0-9_]{2,40}$`)
	pageID  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{2,40}$`)
	address = regexp.MustCompile(`^(pg|sysctl|thp|block|mount|boot|unit):[A-Za-z0-9_.]{2,60}$`)
)

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("write: check AREA/ID, knob ADDRESS, or page ID")
	}
	switch args[0] {
	case "check":
		area, id, ok := strings.Cut(args[1], "/")
		dir := filepath.Join("internal/judge/checks", area)
		if _, err := os.Stat(filepath.Join(dir, "doc.go")); !ok || area == "" || strings.Contains(area, ".") || err != nil {
			return fmt.Errorf("%q: write the area, which is a folder of internal/judge/checks, and a slash before the id", args[1])
		}
		if !checkID.MatchString(id) {
			return fmt.Errorf("%q: an id is lower case letters, digits and underscores, such as huge_pages_short", id)
		}
		return write(dir, id, fmt.Sprintf(checkText, area, camel(id), id), fmt.Sprintf(checkCases, id))
	case "knob":
		if !address.MatchString(args[1]) {
			return fmt.Errorf("%q: an address is layer:name, such as pg:work_mem or sysctl:vm.swappiness", args[1])
		}
		_, name, _ := strings.Cut(args[1], ":")
		file := strings.NewReplacer(".", "_", "-", "_").Replace(name)
		return write("internal/judge/rule", file, fmt.Sprintf(knobText, camel(file), args[1]), fmt.Sprintf(knobCases, args[1]))
	}
	if args[0] == "page" {
		if !pageID.MatchString(args[1]) {
			return fmt.Errorf("%q: the id of a page is lower case words with hyphens, such as pg-test-timing", args[1])
		}
		file := strings.ReplaceAll(args[1], "-", "_")
		return writeFiles(map[string]string{filepath.Join("internal/judge/advice", file+".go"): fmt.Sprintf(pageText, camel(file), args[1])})
	}
	return fmt.Errorf("%q: write check, knob or page", args[0])
}

func write(dir, name, code, cases string) error {
	return writeFiles(map[string]string{
		filepath.Join(dir, name+".go"):                code,
		filepath.Join(dir, "testdata", name+".txtar"): cases,
	})
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

const knobText = `package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

// %s …: say where the number comes from.
var %[1]s = Rule{
	Address: %[2]q,
	Title:   "",
	Why:     "",
	Formula: "",
	Sources: []string{},
	Needs:   []knob.Address{},
	Decide: func(c *Case) {
		basis, ok := c.Basis()
		if !ok {
			return
		}
		c.Set(basis.Total/100, "1 %% of {memory}", "memory", basis.Total)
	},
}
`

const pageText = `package advice

// %s …: say where the facts of this page were seen.
var %[1]s = Page{
	ID:      %[2]q,
	Kind:    Advice,
	Title:   "",
	Names:   []string{},
	Text:    []string{""},
	Sources: []string{},
}
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
-- typical/host --
host: ram=64GB cpus=16 storage=nvme pg=17
-- typical/want --
-- small/host --
host: ram=2GB cpus=1 storage=ssd pg=17
-- small/want --
-- the memory is not known/host --
host: ram=64GB cpus=16 pg=17
hide: proc/meminfo forbidden a test
-- the memory is not known/want --
`
