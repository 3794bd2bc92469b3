package pgclient

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

func text1(s string) *string { return &s }

func TestAnswerIsRows(t *testing.T) {
	var w answer
	w.columns([]string{"a", `b"`})
	w.row([][]byte{[]byte("x\"\\\n\t\x01\x7fé€😀"), nil})
	w.row([][]byte{[]byte(""), []byte("latin1 \xe9\xff end")})
	var got pg.Rows
	if err := json.Unmarshal(w.bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, w.bytes())
	}
	want := pg.Rows{Columns: []string{"a", `b"`}, Rows: [][]*string{
		{text1("x\"\\\n\t\x01\x7fé€😀"), nil}, {text1(""), text1("latin1 \uFFFD\uFFFD end")}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	w.columns([]string{"a"})
	if got := string(w.bytes()); got != "{\"columns\":[\"a\"],\"rows\":[]}\n" {
		t.Errorf("no rows: %s", got)
	}
}

// FuzzAnswer: any bytes of a server become JSON that is read back with the same
// shape, and an entry that the archive writes as plain text.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("x\x00\x1f\"\\\xff\u2028"), []byte("-- a --"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var w answer
		w.columns([]string{string(a), "b"})
		w.row([][]byte{a, b})
		w.row([][]byte{nil, a})
		var got pg.Rows
		if err := json.Unmarshal(w.bytes(), &got); err != nil {
			t.Fatalf("%v in %q", err, w.bytes())
		}
		if len(got.Columns) != 2 || len(got.Rows) != 2 || got.Rows[1][0] != nil || got.Rows[0][1] == nil {
			t.Errorf("%q became %+v", w.bytes(), got)
		}
		e := evidence.New()
		if err := e.Add("pg/1/x.json", w.bytes()); err != nil {
			t.Fatal(err)
		}
	})
}
