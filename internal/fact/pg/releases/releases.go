// Package releases holds what is known of PostgreSQL's releases: the latest minor one of each major version, and when a
// major version gets its last. It is a table of one day, and what rests on it has to say which, or to be silent once
// that day is long ago.
package releases

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// releases.tsv has a line for each major version that was supported at some time since 13 was, ascending, under the day
// on which it was true; make releases writes it. The latest minor release is the newest that the registries have; the
// last day is from the project's versioning policy (pg-versioning): the second Thursday of November, five years after
// the first release. Of a version without a release, it names the release candidate.
//
//go:embed releases.tsv
var text string

// MaxAge is how long the table can be relied on for what is the latest: minor releases come every quarter, with up to
// 14 weeks between two of them. A later one is probable after that.
const MaxAge = 100 * 24 * time.Hour

// Release is what is known of a major version.
type Release struct {
	Latest    unit.Version // its latest minor release
	Candidate string       // where it is not released: the name of the latest release candidate, such as 19rc1
	Last      time.Time    // the day of its last minor release, at midnight UTC
}

type list struct {
	known    time.Time
	releases []Release
}

var table = sync.OnceValue(func() list {
	l, err := parse(text)
	if err != nil {
		panic(err) // the text is part of the program, and a test reads it
	}
	return l
})

// parse reads releases.tsv: the day of its knowledge, a heading, and a line for each major version.
func parse(text string) (list, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	day, ok := strings.CutPrefix(lines[0], "# known on ")
	known, err := time.Parse(time.DateOnly, day)
	if !ok || err != nil || len(lines) < 3 {
		return list{}, fmt.Errorf("releases.tsv: %q is not the day of its knowledge", lines[0])
	}
	out := list{known: known}
	for _, line := range lines[2:] {
		c := strings.Split(line, "\t")
		if len(c) != 3 {
			return list{}, fmt.Errorf("releases.tsv: %q has not three columns", line)
		}
		r := Release{}
		major, err := strconv.Atoi(c[0])
		if err != nil {
			return list{}, fmt.Errorf("releases.tsv: %q: %w", line, err)
		}
		if r.Last, err = time.Parse(time.DateOnly, c[2]); err != nil {
			return list{}, fmt.Errorf("releases.tsv: %q: %w", line, err)
		}
		r.Latest = unit.MajorVersion(major)
		if minor, ok := strings.CutPrefix(c[1], c[0]+"."); ok {
			n, err := strconv.Atoi(minor)
			if err != nil {
				return list{}, fmt.Errorf("releases.tsv: %q: %w", line, err)
			}
			r.Latest += unit.Version(n)
		} else {
			r.Candidate = c[1]
		}
		out.releases = append(out.releases, r)
	}
	return out, nil
}

// Known is the day of the table, at midnight UTC: newer releases may exist when a finding that uses it is read.
func Known() time.Time { return table().known }

// Of returns what is known of a major version; ok is false where it is older or newer than the table.
func Of(major int) (r Release, ok bool) {
	for _, r := range table().releases {
		if r.Latest.Major() == major {
			return r, true
		}
	}
	return Release{}, false
}

// Oldest returns the first major version of the table: what is older was out of support before it.
func Oldest() int { return table().releases[0].Latest.Major() }
