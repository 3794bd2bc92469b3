package tablespaces_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

type (
	wanted = tablespaces.MoveWanted
	found  = tablespaces.MoveFound
)

// shop is a database whose tables may be moved.
func shop() (tablespaces.MoveWanted, tablespaces.MoveFound) {
	free := 10 * unit.GB
	table := tablespaces.Object{Schema: "public", Name: "orders", OID: 1, Kind: "r", Space: "pg_default", Size: unit.GB,
		Toast: unit.GB, Mine: true}
	index := tablespaces.Object{Schema: "public", Name: "orders_pkey", OID: 2, Kind: "i", Space: "pg_default",
		Table: "public.orders", Size: 500 * unit.MB, Mine: true, Concurrently: true}
	return tablespaces.MoveWanted{Objects: []string{"orders"}, To: "archive"}, tablespaces.MoveFound{Label: "/data",
		Database: "shop", Role: "shop", Major: 17, ToExists: true, MayUse: true, Free: &free, Point: "/srv/hdd",
		WALLevel: "replica", Objects: []tablespaces.Object{table, index}}
}

// TestMoveRefusals: each thing that is wrong is refused alone, with its exit code.
func TestMoveRefusals(t *testing.T) {
	for want, c := range map[string]struct {
		code int
		spin func(*wanted, *found)
	}{
		"is a standby":           {5, func(_ *wanted, f *found) { f.Standby = true }},
		"there is no tablespace": {5, func(_ *wanted, f *found) { f.ToExists = false }},
		"only shared catalogs":   {5, func(w *wanted, _ *found) { w.To = "pg_global" }},
		"has no CREATE on":       {7, func(_ *wanted, f *found) { f.MayUse = false }},
		"no table, materialized view or index x, y": {5, func(_ *wanted, f *found) {
			f.Missing = []string{"x", "y"}
		}},
		"is a system " +
			"catalog": {5, func(_ *wanted, f *found) { f.Objects[0].System = true }},
		"is a " +
			"temporary": {5, func(_ *wanted, f *found) { f.Objects[0].Temporary = true }},
		"is partitioned": {5, func(_ *wanted, f *found) {
			f.Objects[0].Kind, f.Objects[0].Children = "p", []string{"public.orders_1"}
		}},
		"move its partitions: public.orders_1": {5, func(_ *wanted, f *found) {
			f.Objects[0].Kind, f.Objects[0].Children = "p", []string{"public.orders_1"}
		}},
		"is a TOAST table": {5, func(_ *wanted, f *found) { f.Objects[0].Kind = "t" }},
		"is neither a table nor an index": {5, func(_ *wanted, f *found) {
			f.Objects[0].Kind = "v"
		}},
		"does not own public.orders": {7, func(_ *wanted, f *found) {
			f.Objects[0].Mine = false
		}},
		"has an invalid copy": {5, func(_ *wanted, f *found) {
			f.Objects[1].Leftover = "public.orders_pkey_ccnew"
		}},
		"has 1 GB free, and 2.74 GB are needed": {5, func(_ *wanted, f *found) {
			*f.Free = unit.GB
		}},
	} {
		w, f := shop()
		c.spin(&w, &f)
		_, err := tablespaces.Moving(w, f)
		no, ok := errors.AsType[*say.Problem](err)
		if !ok || no.Code != c.code || !strings.Contains(no.In(nil)+no.Hint.String(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestMoveParts: a table, its indexes, or both; what is there already is told and not moved.
func TestMoveParts(t *testing.T) {
	for part, want := range map[tablespaces.Part]string{tablespaces.Both: "orders orders_pkey",
		tablespaces.Tables: "orders", tablespaces.Indexes: "orders_pkey"} {
		w, f := shop()
		w.Part = part
		m, err := tablespaces.Moving(w, f)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range m.Objects {
			names = append(names, o.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q moves %s", part, got)
		}
	}
	w, f := shop()
	f.Objects[0].Space = "archive"
	if m, err := tablespaces.Moving(w, f); err != nil || len(m.Here) != 1 || len(m.Objects) != 1 ||
		m.Size != 500*unit.MB || !m.Gently(&m.Objects[0]) {
		t.Errorf("%v, %+v", err, m)
	}
	f.Major = 13
	if m, err := tablespaces.Moving(w, f); err != nil || m.Gently(&m.Objects[0]) {
		t.Errorf("13 rebuilds an index in another tablespace: %v", err)
	}
}

// TestMoveTime: by what was measured, else by the bounds of common disks.
func TestMoveTime(t *testing.T) {
	w, f := shop()
	m, err := tablespaces.Moving(w, f)
	if err != nil {
		t.Fatal(err)
	}
	if least, most := m.Seconds(50 * unit.GB); least != 102 || most != 513 {
		t.Errorf("%d–%d s", least, most)
	}
	f.Speed = unit.GB
	if m, err = tablespaces.Moving(w, f); err != nil {
		t.Fatal(err)
	}
	if least, most := m.Seconds(50 * unit.GB); least != 50 || most != 101 {
		t.Errorf("measured: %d–%d s", least, most)
	}
}

// TestMoveOrder: the small ones first, each table before its indexes.
func TestMoveOrder(t *testing.T) {
	list := tablespaces.Ordered([]tablespaces.Object{
		{Schema: "s", Name: "big_pkey", Kind: "i", Table: "s.big", Size: 1}, {Schema: "s", Name: "big", Kind: "r",
			Size: 90},
		{Schema: "s", Name: "b_idx", Kind: "i", Table: "s.b", Size: 5}, {Schema: "s", Name: "b", Kind: "r", Size: 1},
		{Schema: "s", Name: "a", Kind: "r", Size: 6}})
	var names []string
	for _, o := range list {
		names = append(names, o.Name)
	}
	if got := strings.Join(names, " "); got != "a b b_idx big big_pkey" {
		t.Error(got)
	}
}

// TestMoveSQL holds the statements.
func TestMoveSQL(t *testing.T) {
	for got, want := range map[string]string{
		tablespaces.MoveSQL("r", "s", `a"b`, "x", false): `ALTER TABLE "s"."a""b" SET TABLESPACE "x"`,
		tablespaces.MoveSQL("m", "s", "v", "x", false):   `ALTER MATERIALIZED VIEW "s"."v" SET TABLESPACE "x"`,
		tablespaces.MoveSQL("i", "s", "i", "x", false):   `ALTER INDEX "s"."i" SET TABLESPACE "x"`,
		tablespaces.MoveSQL("i", "s", "i", "x", true):    `REINDEX (CONCURRENTLY, TABLESPACE "x") INDEX "s"."i"`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
