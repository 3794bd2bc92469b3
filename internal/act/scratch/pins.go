package scratch

import "slices"

// release is a server build that can be fetched.
type release struct {
	major   int
	version string            // as the registry spells it
	sums    map[string]string // SHA-256 of the archive in hex, by platform: "linux-amd64"
}

// releases are the newest of each major version at the time of writing. The sums are those of archives that were run
// here; the registry's own sum comes from where the archive comes from and proves nothing. Builds of the same versions
// for arm64 were not run, so none is pinned.
var releases = []release{
	{13, "13.23.0",
		map[string]string{"linux-amd64": "2b0387c9abb4ab2cdf8e5ebad4f3b0877078203e1de797023c681ecd1ff66938"}},
	{14, "14.24.0",
		map[string]string{"linux-amd64": "a22637a4a9904f6a7ed42ca0849f3db96f29a6d7dc719d9da8487fe4522e5017"}},
	{15, "15.19.0",
		map[string]string{"linux-amd64": "335beb3873692297bfa7712f09ef706114c28896e85ee83098f3aafaaa70b24a"}},
	{16, "16.15.0",
		map[string]string{"linux-amd64": "bda67fe32e23b049c25db4b98132d154a4fa824c44e1bd8fd01b0236f4676c24"}},
	{17, "17.11.0",
		map[string]string{"linux-amd64": "f044ba1009e9c7ed62a5a9a6f923ca6327fe4e80d8f6bf4f8887dbc59ac14bed"}},
	{18, "18.6.0",
		map[string]string{"linux-amd64": "63999c2914366d62c68e51794e597588c336e75ed2958d53c558e8deca5e13fc"}},
}

// Fetchable returns the major versions that can be fetched, ascending.
func Fetchable() []int {
	var out []int
	for _, r := range releases {
		out = append(out, r.major)
	}
	return out
}

func releaseOf(major int) (release, bool) {
	i := slices.IndexFunc(releases, func(r release) bool { return r.major == major })
	if i < 0 {
		return release{}, false
	}
	return releases[i], true
}

// pin returns the sum of the archive for a platform ("linux-amd64"), "" if none is known.
func (r release) pin(platform string) string { return r.sums[platform] }
