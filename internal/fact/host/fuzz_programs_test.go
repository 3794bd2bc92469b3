package host

import (
	"path"
	"strings"
	"testing"
)

func FuzzPrograms(f *testing.F) {
	seed(f, "programs.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := ParsePrograms(b)
		if err != nil {
			return
		}
		for _, p := range list {
			notNegative(t, p.Name, float64(p.RSS), p.CPUTime, p.Since)
			if private, ok := p.Private.Get(); ok && (private < 0 || private > p.RSS) {
				t.Errorf("%q: %s private of %s", p.Name, private, p.RSS)
			}
			if p.Name == "" || strings.ContainsFunc(p.Name, func(r rune) bool {
				return r < ' ' || r == 0x7f || r == 0x1b || r == 0x202e
			}) {
				t.Errorf("name %q", p.Name)
			}
		}
	})
}

func FuzzPlacement(f *testing.F) {
	seed(f, "100/status")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePlacement(b)
		if err != nil {
			return
		}
		n, _ := ParseCPUList([]byte(p.Mems))
		found := 0
		for i := range maxCPUs {
			if has, err := ListHas(p.Mems, i); err != nil {
				t.Fatal(err)
			} else if has {
				found++
			}
		}
		if found != n {
			t.Errorf("%q: %d numbers, and %d are in it", p.Mems, n, found)
		}
	})
}

func FuzzTunedProfile(f *testing.F) {
	seed(f, "/tuned.conf")
	f.Fuzz(func(t *testing.T, b []byte) {
		sets, err := ParseTunedProfile(b)
		if err != nil {
			return
		}
		for _, s := range sets {
			if s.Name == "" || s.Value == "" || strings.ContainsAny(s.Name+s.Value, "$\n\x1b") {
				t.Errorf("%+v", s)
			}
		}
		// a text of any form names files that end, and are in the directories of profiles
		names, _ := TunedFiles("p", func(string) (string, bool) { return string(b), true })
		for _, n := range names {
			if !matchesTuned(n) {
				t.Errorf("%q", n)
			}
		}
	})
}

func matchesTuned(name string) bool {
	for _, g := range TunedGlobs {
		if ok, _ := path.Match(g, name); ok {
			return true
		}
	}
	return false
}
