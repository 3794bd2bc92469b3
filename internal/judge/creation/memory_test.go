package creation

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestBound: a new instance never gets what the other one may take, an equal part at most where nothing was asked for,
// what was asked for where it is left, and a refusal where it is not.
func TestBound(t *testing.T) {
	a, err := snapshot.Describe("ram=16GB,cpus=8,storage=ssd,pg=17,set.shared_buffers=4GB,set.max_connections=100")
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	next := Beside(s, Layout{Major: 17, Data: "/srv/pg/17/b", Port: 5433}, Folder{Path: "/srv/pg/17/b"}, nil)
	opt := rule.Options{Profile: rule.Mixed}
	takes := memory.Neighbours(next)[0].Take
	left := 16*unit.GB - memory.ReserveOf(16*unit.GB) - takes
	for name, c := range map[string]struct {
		order   Order
		most    unit.Bytes
		exactly unit.Bytes
		refused bool
	}{
		"nothing asked":     {most: 8 * unit.GB},
		"what is left":      {order: Order{Memory: 2 * unit.GB}, exactly: 2 * unit.GB},
		"a share":           {order: Order{Share: 0.25}, exactly: 4 * unit.GB},
		"more than is left": {order: Order{Memory: 15 * unit.GB}, refused: true},
		"a share beyond it": {order: Order{Share: 1}, refused: true},
	} {
		got, err := Bound(next, c.order, opt)
		switch {
		case c.refused != (err != nil):
			t.Errorf("%s: %s, %v", name, got, err)
		case c.refused:
		case got > left || got <= 0:
			t.Errorf("%s: %s, and %s are left", name, got, left)
		case c.exactly > 0 && got != c.exactly, c.most > 0 && got > c.most:
			t.Errorf("%s: %s", name, got)
		}
	}
}
