package params

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Preview is the major version whose parameters are known from its sources only.
// They may still change, and bounds that a build decides are those of the sources.
const Preview = 19

// preview.tsv holds what 19 has otherwise than 18, in the columns of params.tsv;
// type "gone" marks what 18 has and 19 has not. It was read from
// src/backend/utils/misc/guc_parameters.dat of the sources of 19 in its beta
// and compared with the facts of 18.
//
//go:embed preview.tsv
var previewText string

var preview = sync.OnceValue(func() []fact {
	news, err := parse(previewText)
	if err != nil {
		panic(err) // the text is part of the program, and a test reads it
	}
	replaced := map[string]bool{}
	var out []fact
	for _, f := range news {
		replaced[f.Name] = true
		if f.Type != "gone" {
			out = append(out, f)
		}
	}
	last := Majors()[len(Majors())-1]
	for _, f := range table() {
		if f.in(last) && !replaced[f.Name] {
			f.from, f.to = Preview, Preview
			out = append(out, f)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
})

// facts returns the table that has a major version.
func facts(major int) []fact {
	if major == Preview {
		return preview()
	}
	return table()
}

// Changed returns the names that a major version has otherwise than the one
// before, its defaults included: what it lacks, what is new, what differs.
func Changed(major int) []string {
	var out []string
	note := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	before := map[string]Param{}
	for _, p := range All(major - 1) {
		before[p.Name] = p
	}
	for _, p := range All(major) {
		q, ok := before[p.Name]
		delete(before, p.Name)
		if !ok || p.Type != q.Type || p.Unit != q.Unit || p.Context != q.Context || p.Min != q.Min || p.Max != q.Max ||
			p.Boot != q.Boot || strings.Join(p.Enum, ",") != strings.Join(q.Enum, ",") {
			note(p.Name)
		}
	}
	for name := range before {
		note(name)
	}
	slices.Sort(out)
	return out
}
