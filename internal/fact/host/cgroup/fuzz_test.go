package cgroup

import (
	"math"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

func FuzzCGroup(f *testing.F) {
	files, err := filepath.Glob("testdata/cgroup.*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var mounts, group []byte
		for _, e := range ar.Files {
			switch e.Name {
			case "proc/self/mountinfo":
				mounts = e.Data
			case "proc/100/cgroup":
				group = e.Data
			}
		}
		f.Add(mounts, group)
	}
	f.Fuzz(func(t *testing.T, mounts, group []byte) {
		members, err := ParseMembership(group)
		if len(members) > maxCGroupLines || err != nil && members != nil {
			t.Errorf("%d hierarchies, %v", len(members), err)
		}
		table, _ := host.ParseMounts(mounts)
		names := Files(mounts, group)
		// five controllers, at most 18 files (huge pages) at each level
		if len(names) > 5*18*(maxCGroupDepth+1)+2 {
			t.Errorf("%d files", len(names))
		}
		for _, n := range names {
			under := false
			for _, m := range table {
				under = under || strings.HasPrefix("/"+n, path.Clean(m.Point))
			}
			if strings.Contains("/"+n+"/", "/../") || strings.HasPrefix(n, "/") || !under {
				t.Errorf("%q is not below a mount", n)
			}
		}
	})
}

func FuzzLimit(f *testing.F) {
	for _, s := range []string{"max", "-1", "9223372036854771712", "18446744073709551615", "100000 100000",
		"max 100000", "150000 1000"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := ParseLimit(b); n < NoLimit || n >= unlimited || err != nil && n != 0 {
			t.Errorf("%d, %v", n, err)
		}
		n, err := ParseCPUMax(b)
		if err == nil && n != NoLimit && (!(n > 0) || math.IsInf(n, 0)) {
			t.Errorf("%v processors", n)
		}
		if n, err := ParseOOMKills(b); n < 0 || err != nil && n != 0 {
			t.Errorf("%d kills, %v", n, err)
		}
	})
}
