package workload

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestUseOfParameters holds what a parameter of a statement is found to stand for.
func TestUseOfParameters(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []use // of the parameters in their order
	}{
		{"SELECT * FROM t WHERE id = $1", []use{{column: "id"}}},
		{"SELECT * FROM t x WHERE x.id=$1 AND x.\"Name\" <> $2",
			[]use{{qualifier: "x", column: "id"}, {qualifier: "x", column: "Name"}}},
		{"SELECT * FROM t WHERE id IN ($1, $2 ,$3)", []use{{column: "id"}, {column: "id"}, {column: "id"}}},
		{"SELECT * FROM t WHERE t.id NOT IN ($1 /*, ... */)", []use{{qualifier: "t", column: "id"}}},
		{"SELECT * FROM t WHERE id = ANY ($1)", []use{{column: "id"}}},
		{"SELECT * FROM t WHERE id = ANY ($1::int[])", []use{{column: "id"}}},
		{"SELECT * FROM t WHERE at BETWEEN $1 AND $2 AND k = $3",
			[]use{{column: "at", low: true}, {column: "at", high: true}, {column: "k"}}},
		{"SELECT * FROM t WHERE at BETWEEN $1::date AND $2::date",
			[]use{{column: "at", low: true}, {column: "at", high: true}}},
		{"SELECT * FROM t WHERE at >= $1 AND at < $2", []use{{column: "at", low: true}, {column: "at", high: true}}},
		{"SELECT * FROM t WHERE $1 < at AND $2::int = t.k", []use{{column: "at", low: true},
			{qualifier: "t", column: "k"}}},
		{"SELECT * FROM t WHERE name LIKE $1 OR name::text NOT ILIKE $2", []use{{column: "name"}, {column: "name"}}},
		{"SELECT * FROM t ORDER BY id LIMIT $1 OFFSET $2", []use{{limit: true}, {offset: true}}},
		{"SELECT * FROM t FETCH FIRST $1 ROWS ONLY", []use{{limit: true}}},
		{"UPDATE t SET a = $1, b = $2 WHERE id = $3", []use{{column: "a"}, {column: "b"}, {column: "id"}}},
		{"SELECT lower($1), coalesce(a, $2), a + $3 FROM t", []use{{}, {}, {}}},
		{"SELECT * FROM t WHERE lower(name) = $1", []use{{}}},
		{"SELECT * FROM t WHERE (a, b) IN (($1, $2))", []use{{}, {}}},
		{"SELECT CASE WHEN a = $1 THEN $2 ELSE $3 END FROM t", []use{{column: "a"}, {}, {}}},
		{"$1", []use{{}}},
		{"= $1 =", []use{{}}},
	} {
		ts := tokens(c.sql)
		var got []use
		for i, x := range ts {
			if x.kind == param {
				got = append(got, useOf(ts, i))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\n got %+v\nwant %+v", c.sql, got, c.want)
		}
	}
}

// TestSources holds which tables a statement names.
func TestSources(t *testing.T) {
	for sql, want := range map[string][]source{
		"SELECT 1": nil,
		"SELECT * FROM a, s.b AS x, ONLY c y WHERE 1=1": {{"", "a", "a"}, {"s", "b", "x"},
			{"", "c", "y"}},
		"SELECT * FROM a LEFT JOIN \"B\".\"C d\" ON a.id = 1 JOIN e USING (id)": {{"", "a", "a"}, {"B", "C d", "C d"},
			{"", "e", "e"}},
		"UPDATE t SET a = 1 FROM u WHERE t.id = u.id":    {{"", "t", "t"}, {"", "u", "u"}},
		"DELETE FROM t -- FROM x\n USING u /* FROM y */": {{"", "t", "t"}, {"", "u", "u"}},
		"SELECT * FROM (SELECT * FROM a) q JOIN (b JOIN c ON true) ON true": {{"", "a", "a"}, {"", "b", "b"},
			{"", "c", "c"}},
		"SELECT 'FROM x', $$ y $$ FROM a": {{"", "a", "a"}},
	} {
		if got := sources(tokens(sql)); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", sql, got, want)
		}
	}
}

// TestFit holds which statements are omitted by their text, and why.
func TestFit(t *testing.T) {
	for sql, why := range map[string]string{
		"SELECT * FROM t WHERE id = $1":                       "",
		"(SELECT 1) UNION (SELECT 2)":                         "",
		"WITH x AS (SELECT 1) SELECT * FROM x":                "",
		"SELECT a::text, 'it''s 10:30' FROM t;":               "",
		"SELECT last_update FROM t":                           "",
		"WITH x AS (DELETE FROM t RETURNING 1) SELECT 1":      "only reading",
		"UPDATE t SET a = $1":                                 "only reading",
		"SELECT * FROM t FOR UPDATE":                          "locks rows",
		"SELECT * FROM t FOR NO KEY UPDATE":                   "locks rows",
		"SELECT * INTO x FROM t":                              "makes a table",
		"INSERT INTO t VALUES ($1)":                           "new keys",
		"BEGIN":                                               "a command",
		"VACUUM t":                                            "a command",
		"SELECT 1; DROP TABLE t":                              "more than one",
		"SELECT a[1:n] FROM t":                                "colon",
		"SELECT 'x:y' FROM t":                                 "colon",
		"<insufficient privilege>":                            "pg_read_all_stats",
		"":                                                    "empty",
		"SELECT '\xff'":                                       "UTF-8",
		"SELECT * FROM pg_stat_statements":                    "statistics themselves",
		"SELECT * FROM dblink('x') AS t (a int)":              "dblink",
		"SELECT " + strings.Repeat("a,", longest) + " FROM t": "longer",
	} {
		err := fit(sql, tokens(sql), false)
		if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%.60s: %v, want %q", sql, err, why)
		}
	}
	for _, sql := range []string{"UPDATE t SET a = $1", "SELECT * FROM t FOR UPDATE", "DELETE FROM t"} {
		if err := fit(sql, tokens(sql), true); err != nil {
			t.Errorf("%s, with writes: %v", sql, err)
		}
	}
}

// TestPickFollowsTheDistribution verifies that common values come as often as in the table, the others evenly, and that
// a range has the order of the histogram.
func TestPickFollowsTheDistribution(t *testing.T) {
	d := distribution{common: []string{"a", "b"}, freqs: []float64{0.5, 0.1}, bounds: []string{"c", "d", "e", "f"}}
	count := map[string]int{}
	for _, v := range d.pick(100, false) {
		count[v]++
	}
	if count["a"] != 50 || count["b"] != 10 || count["c"] != 1 || count["f"] != 1 {
		t.Errorf("%v", count)
	}
	var bounds []string
	for i := range 201 {
		bounds = append(bounds, string(rune('A'+i/26))+string(rune('a'+i%26)))
	}
	got := (&distribution{common: []string{"z"}, freqs: []float64{0.9}, bounds: bounds}).pick(100, true)
	if len(got) != 100 || !slices.IsSorted(got) || slices.Contains(got, "z") {
		t.Errorf("a range: %d values, %v", len(got), got[:5])
	}
	if got := (&distribution{common: []string{"rare", strings.Repeat("x", 300)}, freqs: []float64{0.001, 0.9}}).pick(
		100, false); !slices.Equal(got, []string{"rare"}) {
		t.Errorf("rare ones, and one that is no key: %v", got)
	}
}

// TestRewrite holds the script of a statement: an index for each parameter, the
// same for both occurrences of one, and the end of a range above its beginning.
func TestRewrite(t *testing.T) {
	sql := "SELECT * FROM t WHERE a >= $1 AND a < $2 AND (b = $3 OR c = $3) LIMIT $4 -- end"
	ps := map[int]*parameter{1: {values: []string{"1", "2"}, typ: "integer"},
		2: {values: []string{"3", "4"}, typ: "integer", above: 1},
		3: {values: []string{"it's 10:30\\", "y"}, typ: "text"}, 4: {values: []string{"5"}, typ: "bigint"}}
	want := `\set v1 random(1, 2)
\set v2 least(2, :v1 + random(0, 20))
\set v3 random(1, 2)
SELECT * FROM t WHERE a >= (ARRAY[E'1',E'2']::integer[])[:v1] AND a < (ARRAY[E'3',E'4']::integer[])[:v2] AND (b = ` +
		`(ARRAY[E'it''s 10\x3a30\\',E'y']::text[])[:v3] OR c = (ARRAY[E'it''s 10\x3a30\\',E'y']::text[])[:v3]) LIMIT ` +
		`(ARRAY[E'5']::bigint[])[1] -- end
;
`
	if got := rewrite(sql, tokens(sql), ps, func(v int) string { return ":v" + string(rune('0'+v)) }).script(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestSharesAreKept verifies that weights have the shares of the calls.
func TestSharesAreKept(t *testing.T) {
	m := Mix{Covered: 1_000_000, Statements: []Mixed{{Calls: 600_000, Rows: 1, Seen: 1.1},
		{Calls: 399_990, Rows: 10, Seen: 5}, {Calls: 10, Rows: 0, Seen: 0}}}
	s := make([]Script, 3)
	m.weigh(s)
	for i, x := range m.Statements[:2] {
		if math.Abs(x.Share-x.Weight) > 1e-3 {
			t.Errorf("%d: share %v, weight %v", i, x.Share, x.Weight)
		}
	}
	if !m.Statements[0].Near || m.Statements[1].Near || m.Statements[2].Near || s[2].Weight != 1 {
		t.Errorf("%+v %+v", m.Statements, s)
	}
}

// TestListOfArray holds how the server's arrays are read.
func TestListOfArray(t *testing.T) {
	for in, want := range map[string][]string{
		`{}`: nil, ``: nil, `{a,b}`: {"a", "b"}, `{"a,b","c\"d","e\\f","","NULL",NULL,g h}`: {"a,b", `c"d`, `e\f`,
			"", "NULL", "g h"}, `{a,"b`: {"a", "b"}, `{`: nil,
	} {
		if got := list([]byte(in)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"SELECT * FROM a JOIN b.c x ON x.id = $1 WHERE y BETWEEN $2 AND $3 LIMIT $4",
		"/* /* */ 'a''b' \"c\"\"d\" $5::int", "{a,\"b\\\"c\",NULL}", "$99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ts := tokens(s)
		at := 0
		for i, x := range ts {
			if x.at < at || x.end <= x.at || x.end > len(s) {
				t.Fatalf("token %d of %q is at %d to %d, the one before ends at %d", i, s, x.at, x.end, at)
			}
			at = x.end
			if x.kind == param {
				useOf(ts, i)
			}
		}
		sources(ts)
		_ = fit(s, ts, true)
		list([]byte(s))
		if l := literal(s); strings.Contains(l, ":") {
			t.Errorf("%q holds a colon", l)
		}
	})
}
