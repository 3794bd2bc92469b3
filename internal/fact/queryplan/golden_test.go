package queryplan

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/test/golden"
)

// TestGoldens reads each case: the file input, and the plans that are in it. A
// case that has a second file, same, holds the same execution in another dress:
// both must be the same tree.
func TestGoldens(t *testing.T) {
	golden.Files(t, "testdata/*.txtar", func(t *testing.T, c *golden.File) map[string][]byte {
		plans, err := Parse(c.Given["input"])
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(plans, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		for name, same := range c.Given {
			if !strings.HasPrefix(name, "same") {
				continue
			}
			others, err := Parse(same)
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range [][]*Plan{plans, others} {
				for _, p := range list {
					p.Format = ""
				}
			}
			if d := cmp.Diff(plans, others); d != "" {
				t.Errorf("not the same plan (-input +%s):\n%s", name, d)
			}
		}
		return map[string][]byte{"want.json": append(got, '\n')}
	})
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]error{
		"":        ErrNone,
		"SELECT;": ErrNone,
		"<explain xmlns=\"http://www.postgresql.org/2009/explain\">": ErrNone,
		"- Plan: \n    Startup Cost: 1\n":                            ErrNone,
	} {
		if _, err := Parse([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	for _, text := range []string{`[{"Plan": {"Node Type": "Result"`, `[{"Plan": {}}]`, `[{"Plan": 3}]`,
		`"Plan": {"Node Kind": "Result"}`} {
		if p, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q: %v is no plan", text, p)
		}
	}
	if _, err := Parse(make([]byte, MaxText+1)); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
	deep := strings.Repeat(`{"Node Type":"Limit","Plans":[`, maxDepth+2) + strings.Repeat("]}", maxDepth+2)
	if _, err := Parse([]byte(`[{"Plan":` + deep + `}]`)); !errors.Is(err, errNodes) {
		t.Errorf("deep: %v", err)
	}
}

// FuzzParse holds that no text breaks the reader, and that whatever it reads is a
// tree within its bounds without numbers that no server writes.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range ar.Files {
			if part.Name != "want.json" {
				f.Add(part.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		plans, err := Parse(b)
		if (err == nil) != (len(plans) > 0) {
			t.Fatalf("%d plans and error %v", len(plans), err)
		}
		for _, p := range plans {
			n := 0
			p.Root.Walk(func(node *Node) {
				n++
				if node.Head == "" {
					t.Errorf("a node without a name")
				}
				if b := node.Buffers; b != nil && (b.Hit < 0 || b.Read < 0) {
					t.Errorf("negative blocks: %+v", b)
				}
			})
			if n > maxNodes {
				t.Errorf("%d nodes", n)
			}
			if _, err := json.Marshal(p); err != nil {
				t.Errorf("it cannot be written: %v", err)
			}
		}
	})
}
