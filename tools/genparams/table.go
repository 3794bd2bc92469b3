package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// table writes the facts as text: the versions of the servers, a heading, then one line for each
// fact and unbroken range of major versions, sorted by name and version.
func table(versions []string, facts map[fact][]int) (string, error) {
	type line struct {
		fact
		from, to int
	}
	var lines []line
	for f, majors := range facts {
		slices.Sort(majors)
		l := line{f, majors[0], majors[0]}
		for _, m := range majors[1:] {
			if m == l.to+1 {
				l.to = m
				continue
			}
			lines = append(lines, l)
			l = line{f, m, m}
		}
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b line) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return a.from - b.from
	})
	var t strings.Builder
	t.WriteString("# read from " + strings.Join(versions, " ") + "\n")
	t.WriteString("name\ttype\tunit\tcontext\tmin\tmax\tenum\tboot\treset\tfrom\tto\n")
	for _, l := range lines {
		cells := []string{l.name, l.typ, l.unit, l.context, l.min, l.max, l.enum, l.boot, l.reset, strconv.Itoa(l.from),
			strconv.Itoa(l.to)}
		for _, c := range cells {
			if strings.ContainsAny(c, "\t\n") {
				return "", fmt.Errorf("%s: %q does not fit into a line", l.name, c)
			}
		}
		t.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return t.String(), nil
}
