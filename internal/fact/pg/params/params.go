// Package params holds what is known of PostgreSQL's parameters per major
// version, generated from real servers (make facts). A live server's own
// pg_settings comes first, as bounds and enums also depend on how a server was
// built; this table answers what no server is there to ask.
//
// Where a build widens an enum (wal_compression, default_toast_compression, io_method),
// the table holds the narrowest list, without lz4, zstd and io_uring: what it names works
// everywhere, and a value that it does not name may still be accepted by a server at hand.
package params

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Param is one parameter as one major version has it.
type Param struct {
	Name    string
	Type    string // bool, integer, real, string, enum
	Unit    string // base unit: 8kB, kB, ms, …; "" for none
	Context string // postmaster, sighup, superuser, user, backend, superuser-backend, internal
	Min     string // "" where there is none
	Max     string
	Enum    []string
	Boot    string // compiled-in default; "" may be NULL
	// what a fresh cluster made by initdb has, where that differs from Boot: shared_buffers; "" also where it depends
	// on the host (paths, locale, time zone, stack limit)
	Reset string
}

// Lookup returns a parameter as a major version has it; ok is false where that
// version has no such parameter, or if the table does not cover it (Covers).
func Lookup(major int, name string) (p Param, ok bool) {
	all := facts(major)
	i := sort.Search(len(all), func(i int) bool { return all[i].Name >= name })
	for ; i < len(all) && all[i].Name == name; i++ {
		if all[i].in(major) {
			return all[i].copy(), true
		}
	}
	return Param{}, false
}

// All returns every parameter of a major version, sorted by name in byte order.
func All(major int) []Param {
	var out []Param
	for _, f := range facts(major) {
		if f.in(major) {
			out = append(out, f.copy())
		}
	}
	return out
}

// Majors returns the major versions whose servers were asked, ascending.
func Majors() []int {
	var out []int
	for _, f := range table() {
		for m := f.from; m <= f.to; m++ {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Newest is the last of Majors that is released, which is what is meant where no version is given. A version whose
// facts are from a release candidate has to be asked for.
func Newest() int {
	majors := Majors()
	for _, m := range slices.Backward(majors) {
		if Candidate(m) == "" {
			return m
		}
	}
	return majors[len(majors)-1]
}

// Covered are Majors and the Preview, if anything is known of it.
func Covered() []int {
	out := Majors()
	if len(preview()) > 0 {
		out = append(out, Preview)
	}
	return out
}

// Covers says whether the table knows a major version, at least as a preview.
func Covers(major int) bool { return slices.Contains(Covered(), major) }

// Candidate returns the version of the server that the facts of a major version were read from if it was none that is
// released, such as 19rc1: the release may differ. It is "" for the others.
func Candidate(major int) string {
	for _, v := range servers() {
		digits := strings.IndexFunc(v, func(r rune) bool { return r < '0' || r > '9' })
		if digits > 0 && v[digits] != '.' && v[:digits] == strconv.Itoa(major) {
			return v
		}
	}
	return ""
}
