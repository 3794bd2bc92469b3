package apply

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
)

// FuzzWalNote: the owner of a data directory writes what he likes into the note.
// Whatever is taken for one names places that a move could have had.
func FuzzWalNote(f *testing.F) {
	const dir = "/srv/pg"
	for _, n := range []walNote{
		{Schema: walSchema, From: walPlace{Path: dir + "/pg_wal"}, To: walPlace{Path: "/wal/new", Link: "/wal/new", Made: true}, Running: true, Phase: walCopying, Log: "/log"},
		{Schema: walSchema, From: walPlace{Path: "/wal/new", Link: "../x"}, To: walPlace{Path: dir + "/pg_wal"}, Back: true, Phase: walRemoving, Control: "ab"},
		{Schema: walSchema, From: walPlace{Path: dir}, To: walPlace{Path: dir + "/base", Link: "x"}, Phase: walSwitching},
		{Schema: walSchema, From: walPlace{Path: dir + "/pg_wal"}, To: walPlace{Path: dir, Link: "x"}, Phase: walSwitching},
		{Schema: walSchema, From: walPlace{Path: dir + "/pg_wal"}, To: walPlace{Path: "/", Link: "x"}, Phase: walSwitching},
		{Schema: walSchema, From: walPlace{Path: "/a/../" + dir, Link: "x"}, To: walPlace{Path: "relative", Link: "x"}, Phase: "later"},
	} {
		b, err := json.Marshal(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := parseWalNote(dir, b)
		if err != nil {
			return
		}
		for _, p := range []walPlace{n.From, n.To} {
			if !path.IsAbs(p.Path) || path.Clean(p.Path) != p.Path {
				t.Errorf("%q", p.Path)
			}
			if p.Path == "/" || (p.Path == dir || strings.HasPrefix(p.Path, dir+"/")) && (p.Path != dir+"/pg_wal" || p.Link != "") {
				t.Errorf("%q (link %q) is in the data directory", p.Path, p.Link)
			}
		}
	})
}
