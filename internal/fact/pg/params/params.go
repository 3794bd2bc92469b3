// Package params holds what is known of PostgreSQL's parameters per major
// version, generated from real servers (make facts). A live server's own
// pg_settings comes first, as bounds and enums also depend on how a server was
// built; this table answers what no server is there to ask.
//
// The table was read from builds without lz4, zstd, LLVM, systemd, liburing and
// libnuma, so where a build widens an enum (wal_compression,
// default_toast_compression, io_method) it holds the narrowest list: what it
// names works everywhere, and a value that it does not name may still be
// accepted by a server at hand.
package params

import (
	"slices"
	"sort"
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
// version has no such parameter, or if the table does not cover it. Facts of the
// Preview are from its sources.
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

// Majors returns the major versions whose servers were asked, ascending; the
// Preview is none of them.
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
