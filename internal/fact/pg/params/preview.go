package params

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Preview is the major version that no server can be asked of yet. As long as preview.tsv is empty, nothing is known of
// it, and it is not covered. What is in it is known from the sources alone: it may still change, and bounds that a
// build decides are those of the sources.
const Preview = 20

// preview.tsv holds what the Preview has otherwise than the version before, in the columns of params.tsv; type "gone"
// marks what the version before has and the Preview has not. It is read from
// src/backend/utils/misc/guc_parameters.dat of the sources of a beta, and emptied when params.tsv has the version.
//
//go:embed preview.tsv
var previewText string

var preview = sync.OnceValue(func() []fact {
	news, err := parse(previewText)
	if err != nil {
		panic(err) // the text is part of the program, and a test reads it
	}
	return previewed(news, table())
})

// previewed are the facts of the Preview: its news, and what else the last version of the table has.
func previewed(news, table []fact) []fact {
	if len(news) == 0 {
		return nil
	}
	replaced := map[string]bool{}
	var out []fact
	for _, f := range news {
		replaced[f.Name] = true
		if f.Type != "gone" {
			out = append(out, f)
		}
	}
	last := 0
	for i := range table {
		last = max(last, table[i].to)
	}
	for _, f := range table {
		if f.in(last) && !replaced[f.Name] {
			f.from, f.to = Preview, Preview
			out = append(out, f)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

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
