package movewal

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
)

// FuzzWalNote: the owner of a data directory can write anything into the note. Whatever is accepted as one names places
// that a move could have had.
func FuzzWalNote(f *testing.F) {
	const dir = "/srv/pg"
	for _, n := range []record{
		{Schema: recordSchema, From: Place{Path: dir + "/pg_wal"},
			To: Place{Path: "/wal/new", Link: "/wal/new", Made: true}, Running: true, Phase: copying, Log: "/log"},
		{Schema: recordSchema, From: Place{Path: "/wal/new", Link: "../x"}, To: Place{Path: dir + "/pg_wal"},
			Back: true, Phase: removing, Control: "ab"},
		{Schema: recordSchema, From: Place{Path: dir}, To: Place{Path: dir + "/base", Link: "x"}, Phase: switching},
		{Schema: recordSchema, From: Place{Path: dir + "/pg_wal"}, To: Place{Path: dir, Link: "x"}, Phase: switching},
		{Schema: recordSchema, From: Place{Path: dir + "/pg_wal"}, To: Place{Path: "/", Link: "x"}, Phase: switching},
		{Schema: recordSchema, From: Place{Path: "/a/../" + dir, Link: "x"}, To: Place{Path: "relative", Link: "x"},
			Phase: "later"},
	} {
		b, err := json.Marshal(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := parseRecord(dir, b)
		if err != nil {
			return
		}
		for _, p := range []Place{n.From, n.To} {
			if !path.IsAbs(p.Path) || path.Clean(p.Path) != p.Path {
				t.Errorf("%q", p.Path)
			}
			if p.Path == "/" || (p.Path == dir || strings.HasPrefix(p.Path, dir+"/")) &&
				(p.Path != dir+"/pg_wal" || p.Link != "") {
				t.Errorf("%q (link %q) is in the data directory", p.Path, p.Link)
			}
		}
	})
}
