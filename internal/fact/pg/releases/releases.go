// Package releases holds what is known of PostgreSQL's releases: the latest
// minor one of each major version, and when a major version gets its last. It
// is a table of one day, and what rests on it has to say which.
package releases

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// AsOf is the month of the table: newer releases may exist when a finding that uses
// it is read.
const AsOf = "2026-11"

// Release is what is known of a major version.
type Release struct {
	Latest unit.Version // its latest minor release
	Last   time.Time    // the day of its last minor release, at midnight UTC
}

// table holds the major versions that were supported at some time since 13 was,
// ascending, from the project's versioning policy (pg-versioning).
var table = []Release{
	{130023, day(2025, time.November, 13)},
	{140024, day(2026, time.November, 12)},
	{150019, day(2027, time.November, 11)},
	{160015, day(2028, time.November, 9)},
	{170011, day(2029, time.November, 8)},
	{180006, day(2030, time.November, 14)},
}

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Of returns what is known of a major version; ok is false where it is older or
// newer than the table.
func Of(major int) (r Release, ok bool) {
	for _, r := range table {
		if r.Latest.Major() == major {
			return r, true
		}
	}
	return Release{}, false
}

// Oldest returns the first major version of the table: what is older was out of
// support before it.
func Oldest() int { return table[0].Latest.Major() }
