package history

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/known"
)

const good = `{"schema":"pgfettle.peaks/1","from":1700000000,"to":1705270400,"days":61,"memory":{"value":51539607552,` +
	`"at":1701600000},
"instances":[{"data_directory":"/srv/pg","from":1700000000,"to":1705270400,"days":60.5,"active":{"value":34,` +
	`"at":1701601200},"open":{"value":210,"at":1701601200},"wal":{"value":2e7,"at":1701604800},
"disks":[{"place":"data","days":9.5,"per_day":1e9,"least":-2e8}]},{"data_directory":"port ` +
	`5433","from":0,"to":0,"days":0}]}`

func TestParse(t *testing.T) {
	p, err := Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := Peaks{Schema: Schema, Span: Span{1700000000, 1705270400, 61}, Memory: &Peak{51539607552, 1701600000},
		Instances: []Instance{
			{"/srv/pg", Span{1700000000, 1705270400, 60.5}, &Peak{34, 1701601200}, &Peak{210, 1701601200},
				&Peak{2e7, 1701604800}, []Disk{{"data", 9.5, 1e9, -2e8}}},
			{Instance: "port 5433"},
		}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if in, ok := p.Of("/srv/pg"); !ok || in.Active.Value != 34 {
		t.Errorf("of an instance: %+v, %v", in, ok)
	}
	if _, ok := p.Of("/srv"); ok {
		t.Error("an instance that is not there")
	}
	for old, new := range map[string]string{
		"peaks/1":       "peaks/2",
		`"days":61`:     `"days":-1`,
		`"days":60.5`:   `"days":1e9`,
		`"value":34`:    `"value":-34`,
		`"value":2e7`:   `"value":1e300`,
		`"value":210`:   `"value":-1`,
		`"at":17016000`: `"at":-1701600`,
		"port 5433":     "/srv/pg",
		`"to":1705`:     `"to":1605`,
		`"days":9.5`:    `"days":-9.5`,
		`"per_day":1e9`: `"per_day":1e300`,
		`"least":-2e8`:  `"least":-2e200`,
	} {
		if _, err := Parse([]byte(strings.Replace(good, old, new, 1))); err == nil {
			t.Errorf("%s in the place of %s is taken", new, old)
		}
	}
}

// Evidence without a history is no gap: none was promised. One that cannot be read is.
func TestRead(t *testing.T) {
	if f := Read(fstest.MapFS{}); f.State() != known.Unread || f.Gap() != (known.Fact[Peaks]{}).Gap() {
		t.Errorf("none: %v, %+v", f.State(), f.Gap())
	}
	if f := Read(fstest.MapFS{File: {Data: []byte("{}")}}); f.State() != known.Unread ||
		!strings.Contains(f.Gap().Reason, "malformed") {
		t.Errorf("malformed: %v, %+v", f.State(), f.Gap())
	}
	if f := Read(fstest.MapFS{File: {Data: []byte(good)}}); !f.Known() {
		t.Errorf("good: %+v", f.Gap())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil {
			return
		}
		again, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(again)
		if err != nil {
			t.Fatalf("%s is not taken again: %v", again, err)
		}
		if diff := cmp.Diff(p, q); diff != "" {
			t.Fatal(diff)
		}
	})
}
