package params

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed params.tsv
var text string

// fact is a line of the table: a parameter as it is in a range of versions.
type fact struct {
	Param
	from, to int
}

func (f *fact) in(major int) bool { return f.from <= major && major <= f.to }

// copy keeps callers from writing into the table.
func (f *fact) copy() Param {
	p := f.Param
	p.Enum = append([]string(nil), f.Enum...)
	return p
}

// table parses the embedded text when it is first asked for: most runs talk to
// a server and need none of it.
var table = sync.OnceValue(func() []fact {
	t, err := parse(text)
	if err != nil {
		panic(err) // the text is part of the program, and a test reads it
	}
	return t
})

// columns of params.tsv. Values of an enum are separated by commas.
const columns = 11

// readFrom begins the first line of the table, which names the servers that it was read from.
const readFrom = "# read from "

// servers are the versions of the servers that the table was read from, as they give them: 18.6, 19rc1.
var servers = sync.OnceValue(func() []string {
	first, _, _ := strings.Cut(text, "\n")
	return strings.Fields(strings.TrimPrefix(first, readFrom))
})

// parse reads a table: lines that begin with #, a heading, then one line a fact, sorted by name
// and version.
func parse(text string) ([]fact, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	heads := 1
	for heads < len(lines) && strings.HasPrefix(lines[heads-1], "#") {
		heads++
	}
	out := make([]fact, 0, len(lines))
	for n, line := range lines[heads:] {
		n += heads + 1
		c := strings.Split(line, "\t")
		if len(c) != columns {
			return nil, fmt.Errorf("params.tsv line %d: %d columns instead of %d", n, len(c), columns)
		}
		from, err1 := strconv.Atoi(c[9])
		to, err2 := strconv.Atoi(c[10])
		if err1 != nil || err2 != nil || from > to {
			return nil, fmt.Errorf("params.tsv line %d: versions %q to %q", n, c[9], c[10])
		}
		f := fact{Param: Param{Name: c[0], Type: c[1], Unit: c[2], Context: c[3], Min: c[4], Max: c[5], Boot: c[7],
			Reset: c[8]}, from: from, to: to}
		if c[6] != "" {
			f.Enum = strings.Split(c[6], ",")
		}
		out = append(out, f)
	}
	return out, nil
}
