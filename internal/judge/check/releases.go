package check

// releasesAsOf is when the table below was true. Findings that rest on it say
// so, as a newer release may be out when somebody reads them.
const releasesAsOf = "November 2026"

// release is what is known of a major version: its latest minor release and
// the day from which on it gets no more.
type release struct {
	major, minor     int
	year, month, day int
}

// releases are the major versions that were supported at some time since 13
// was, from the project's versioning policy.
var releases = []release{
	{13, 23, 2025, 11, 13},
	{14, 24, 2026, 11, 12},
	{15, 19, 2027, 11, 11},
	{16, 15, 2028, 11, 9},
	{17, 11, 2029, 11, 8},
	{18, 6, 2030, 11, 14},
}

func releaseOf(major int) (release, bool) {
	for _, r := range releases {
		if r.major == major {
			return r, true
		}
	}
	return release{}, false
}
