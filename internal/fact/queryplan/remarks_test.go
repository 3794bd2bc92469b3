package queryplan

import (
	"slices"
	"strings"
	"testing"
)

// TestWithinComments holds that a plan behind the marks of comments is the plan, whatever language they are of.
func TestWithinComments(t *testing.T) {
	const plan = ` Aggregate  (cost=9.0..9.1 rows=1 width=8) (actual time=31.200..31.201 rows=1 loops=1)
   ->  Seq Scan on b  (cost=0.0..8.0 rows=90 width=4) (actual time=0.010..30.000 rows=70 loops=1)
         Filter: (n > 7)
         Rows Removed by Filter: 4100
 Planning Time: 0.200 ms
 Execution Time: 31.300 ms
`
	want := shapeOf(parseOne(t, plan))
	for _, mark := range []string{"--", "-- ", "#", "# ", "#>", "#> ", "//", "// "} {
		text := "SELECT count(*) FROM b WHERE n > 7;\n"
		for l := range strings.Lines(plan) {
			text += mark + l
		}
		if got := shapeOf(parseOne(t, text+"\nnext();\n")); got != want {
			t.Errorf("behind %q:\n%s\nwant\n%s", mark, got, want)
		}
	}
}

// TestRemarksWithinDocuments holds that what a person wrote behind a value of JSON or YAML is no part of it.
func TestRemarksWithinDocuments(t *testing.T) {
	const inJSON = `[{"Plan": {
  "Node Type": "Seq Scan", MARK the whole table
  "Relation Name": "b",
  "Plan Rows": 90, "Plan Width": 4,
  "Actual Total Time": 30.5, MARK slow
  "Actual Rows": 70, "Actual Loops": 1,
  "Filter": "(note <> 'a # b -- c // d')"
  },
  "Execution Time": 31.5
}]
`
	const inYAML = `- Plan:
    Node Type: "Seq Scan" MARK the whole table
    Relation Name: "b"
    Plan Rows: 90
    Plan Width: 4
    Actual Total Time: 30.5 MARK slow
    MARK of a line of its own
    Actual Rows: 70
    Actual Loops: 1
    Filter: "(note <> 'a # b -- c // d')"
  Execution Time: 31.5
`
	texts := []string{strings.ReplaceAll(inYAML, "MARK", "#")}
	for _, mark := range []string{"--", "//", "#"} {
		texts = append(texts, strings.ReplaceAll(inJSON, "MARK", mark))
	}
	for _, text := range texts {
		p := parseOne(t, text)
		if p.Execution == nil || *p.Execution != 31.5 || p.Root.Head != "Seq Scan on b" || p.Cut != "" ||
			p.Root.Actual == nil || p.Root.Actual.Rows != 70 || *p.Root.Actual.Total != 30.5 {
			t.Errorf("%s\n%+v %+v", text, p, p.Root)
			continue
		}
		if at := slices.IndexFunc(p.Root.Words, func(w Property) bool { return w.Name == "Filter" }); at < 0 ||
			p.Root.Words[at].Text != "(note <> 'a # b -- c // d')" {
			t.Errorf("%s\n%+v", text, p.Root.Words)
		}
	}
}

// TestIndexBetweenPlans holds that an index is known to be created by the text between two plans.
func TestIndexBetweenPlans(t *testing.T) {
	const first = "Seq Scan on b  (cost=0.0..8.0 rows=90 width=4) (actual time=0.1..30.0 rows=70 loops=1)\n" +
		"Execution Time: 30.1 ms\n\n"
	const second = "\nIndex Scan using b_n on b  (cost=0.0..8.0 rows=90 width=4) (actual time=0.1..0.3 rows=70 " +
		"loops=1)\n" +
		"Execution Time: 0.4 ms\n"
	for statement, want := range map[string]string{
		"CREATE INDEX b_n ON b (n);":                           "b_n",
		"then create unique index concurrently b_n on b(n);":   "b_n",
		"db=# CREATE INDEX IF NOT EXISTS b_n ON b USING btree": "b_n",
		"-- nothing was done":                                  "",
	} {
		list, err := Parse([]byte(first + statement + "\n" + second))
		if err != nil || len(list) != 2 {
			t.Fatalf("%s: %d plans, %v", statement, len(list), err)
		}
		if got := strings.Join(list[1].Created, " "); got != want || len(list[0].Created) > 0 {
			t.Errorf("%s: %q and %q", statement, list[0].Created, got)
		}
	}
}
