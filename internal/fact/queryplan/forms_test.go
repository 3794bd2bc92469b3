package queryplan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// formPlan is one execution as psql -At writes it.
const formPlan = `Nested Loop  (cost=0.56..34.70 rows=4 width=88) (actual time=0.040..9120.112 rows=120000 loops=1)
  Buffers: shared hit=100 read=20
  ->  Index Scan using a_pkey on a  (cost=0.28..8.30 rows=1 width=44) (actual time=0.020..20.500 rows=120000 loops=1)
        Index Cond: (id > 5)
        Buffers: shared hit=40
  ->  Index Scan using b_a_idx on b  (cost=0.28..26.36 rows=4 width=44) (actual time=0.050..0.070 rows=1 loops=120000)
        Index Cond: (a_id = a.id)
        Filter: ((kind = 'x'::text) AND (deleted_at IS NULL))
        Rows Removed by Filter: 40
        Buffers: shared hit=60 read=20
Planning Time: 0.500 ms
Execution Time: 9150.000 ms
`

// TestForms holds that one execution is the same tree in whatever a person pastes.
func TestForms(t *testing.T) {
	each := func(prefix string) string {
		return prefix + strings.ReplaceAll(strings.TrimSuffix(formPlan, "\n"), "\n", "\n"+prefix) + "\n"
	}
	cut := func(width int) string {
		var b strings.Builder
		for l := range strings.Lines(formPlan) {
			l = strings.TrimSuffix(l, "\n")
			for len(l) > width {
				b.WriteString(l[:width] + "\n")
				l = l[width:]
			}
			b.WriteString(l + "\n")
		}
		return b.String()
	}
	doubled := strings.ReplaceAll(formPlan, "\n", "\n\t")
	lines := strings.Split(strings.TrimSuffix(formPlan, "\n"), "\n")
	rows := func(form string) string { // each line by a verb of fmt
		var b strings.Builder
		for i, l := range lines {
			form := strings.ReplaceAll(form, "NUMBER", fmt.Sprintf("%6d", i+1))
			fmt.Fprintf(&b, strings.ReplaceAll(form, "INDEX", fmt.Sprint(i+1)), l)
		}
		return b.String()
	}
	python := func(l string) string {
		if strings.Contains(l, "'") {
			return `"` + l + `"`
		}
		return "'" + l + "'"
	}
	script := strings.Repeat("\nINSERT INTO log\nVALUES (1)\n-- a remark\nRETURNING id;\n", 4) + "\n"
	tuples, dotted := "", ""
	for _, l := range lines {
		tuples += "(" + python(l) + ",), "
		for r := []rune(l); len(r) > 0; {
			n := min(len(r), 70)
			dotted += string(r[:n])
			if r = r[n:]; len(r) > 0 {
				dotted += ".\n."
			}
		}
		dotted += "\n"
	}
	logOf := "2024-05-01 10:00:00.1 UTC [4242] LOG:  duration: 9150.000 ms  plan:\n\tQuery Text: SELECT 1\n\t" +
		strings.TrimSuffix(doubled, "\t")
	var objects strings.Builder
	for l := range strings.Lines(logOf) {
		fmt.Fprintf(&objects, "{\"log\":%q,\"stream\":\"stderr\",\"time\":\"2024-05-01T10:00:00.1Z\"}\n", l)
	}
	column := " id | plan | n\n----+" + strings.Repeat("-", 132) + "+---\n"
	for i, l := range lines {
		id, n, plus := "  ", "  ", "+"
		if i == 0 {
			id, n = " 1", " 7"
		}
		if i == len(lines)-1 {
			plus = " "
		}
		column += fmt.Sprintf(" %s | %-130s%s|%s\n", id, l, plus, n)
	}
	for name, text := range map[string]string{
		"plain":       formPlan,
		"windows":     strings.ReplaceAll(formPlan, "\n", "\r\n"),
		"mail":        each("> "),
		"mail twice":  each("> > "),
		"sql comment": each("-- "),
		"in a script": script + each("-- ") + script,
		"no blank":    script + each("--") + script,
		"in a shell":  script + each("#") + script,
		"in Go":       script + each("\t// ") + script,
		"diff":        each("+"),
		"indented":    each("        "),
		"tab":         each("\t"),
		"compose":     each("db-1  | "),
		"containers":  each("2024-05-01T10:00:00.123456789Z stderr F "),
		"syslog":      each("May  1 10:00:00 host postgres[4242]: [7-1] "),
		"pre": "<pre>" + strings.ReplaceAll(strings.ReplaceAll(formPlan, "->", "-&gt;"), ">  I", "&gt;  I") +
			"</pre>",
		"breaks":           strings.ReplaceAll(formPlan, "\n", "<br/>\n"),
		"arrows":           strings.ReplaceAll(formPlan, "->", "→"),
		"dash":             strings.ReplaceAll(formPlan, "->", "–>"),
		"width 60":         cut(60),
		"width 73":         cut(73),
		"width 80":         cut(80),
		"width 100":        cut(100),
		"psycopg":          ">>> cur.fetchall()\n[" + strings.TrimSuffix(tuples, ", ") + "]\n",
		"node-pg":          "[\n" + rows("  { 'QUERY PLAN': %q },\n") + "]\n",
		"rows":             `[` + strings.TrimSuffix(rows(`{"QUERY PLAN": %q}, `), ", ") + `]`,
		"Ruby":             `[` + strings.TrimSuffix(rows(`{"QUERY PLAN"=>%q}, `), ", ") + `]`,
		"Ecto":             "  rows: [\n" + rows("    [%q],\n") + "  ],\n  num_rows: 13\n}\n",
		"one string":       "Out[1]: '" + strings.NewReplacer("\n", `\n`, "'", `\'`).Replace(formPlan) + "'\n",
		"expanded":         rows("-[ RECORD NUMBER ]--------\nQUERY PLAN | %s\n"),
		"unicode records":  rows("─[ RECORD NUMBER ]────────\nQUERY PLAN │ %s\n"),
		"rows of \\G":      rows("************* NUMBER. row *************\nQUERY PLAN: %s\n"),
		"wrapped":          dotted,
		"colors":           "\x1b[32m" + strings.ReplaceAll(formPlan, "\n", "\x1b[0m\n\x1b[32m") + "\x1b[0m\n",
		"without width":    each("\u200b"),
		"UTF-16":           "\xff\xfe" + strings.Join(strings.Split(formPlan, ""), "\x00") + "\x00",
		"a logger":         rows("2026-11-20 10:00:INDEX,123 INFO  [main] c.e.Repo - %s\n"),
		"Python's logging": each("INFO:root:"),
		"Go's log":         each("2026/11/20 10:00:00 "),
		"print_r":          rows("    [INDEX] => Array\n        (\n            [QUERY PLAN] => %s\n        )\n\n"),
		"var_dump":         rows("  [INDEX]=>\n  array(1) {\n    [\"QUERY PLAN\"]=>\n    string(90) \"%s\"\n  }\n"),
		"Java":             "[" + strings.TrimSuffix(rows("{QUERY PLAN=%s}, "), ", ") + "]\n",
		"SQL strings": "'" + strings.NewReplacer("'", "''", "\n", "'\n'").Replace(
			strings.TrimSpace(formPlan)) + "'\n",
		"one line":          strings.Join(strings.Fields(formPlan), " ") + "\n",
		"another arrow":     strings.ReplaceAll(formPlan, "->", "➜"),
		"chat":              each("21:04 <mzk> "),
		"cat -n":            rows("NUMBER\t%s\n"),
		"editor":            rows("NUMBER: %s\n"),
		"notices":           each("NOTICE:  "),
		"notices of a file": each("psql:a.sql:3: HINWEIS:  "),
		"a column":          column + "(1 row)\n",
		"docker":            objects.String(),
		"laid out": "[\n  {\n    \"labels\": {\n      \"a\": \"b\"\n    },\n    \"textPayload\": " +
			strconv.Quote(logOf) +
			",\n    \"severity\": \"INFO\"\n  }\n]\n",
		"no prefix": "LOG:  duration: 9150.000 ms  plan:\n\tQuery Text: SELECT 1\n\t" +
			strings.TrimSuffix(doubled, "\t") +
			"ERROR:  x\nDETAIL:  y\n",
		"log": "2024-05-01 10:00:00.1 UTC [4242] LOG:  duration: 9150.000 ms  plan:\n\tQuery Text: SELECT 1\n\t" +
			strings.TrimSuffix(doubled, "\t"),
		"csv log": `2024-05-01 10:00:00.1 UTC,"u","d",1,"h",1.1,7,"SELECT",,3/7,0,LOG,00000,` +
			`"duration: 9150.000 ms  plan:` +
			"\nQuery Text: SELECT 1\n" + strings.TrimSuffix(formPlan, "\n") + `",,,,,,,,,"app","client backend"` + "\n",
		"json log": `{"record":{"message":"duration: 9150.000 ms  plan:\nQuery Text: SELECT 1\n` +
			strings.ReplaceAll(formPlan, "\n", `\n`) + `"}}`,
		"tech log": `59:22.81,DBPOSTGRS,6,Sql="SELECT 1",planSQLText="` + strings.TrimSuffix(formPlan, "\n") +
			"\n\",RowsAffected=1\n",
	} {
		list, err := Parse([]byte(text))
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %d plans, %v", name, len(list), err)
			continue
		}
		p := list[0]
		r := p.Root
		if r.Head != "Nested Loop" || len(r.Children) != 2 || p.Fragment || p.Cut != "" || p.Unknown != nil ||
			*p.Execution != 9150 || p.Planning == nil || *p.Planning != 0.5 || r.Buffers == nil ||
			r.Buffers.Hit != 100 {
			t.Errorf("%s: %+v", name, p)
			continue
		}
		b := r.Children[1]
		if b.Head != "Index Scan using b_a_idx on b" || b.Actual == nil || *b.Actual.Total != 0.07 ||
			b.Actual.Loops != 120000 || b.Removed != 40 || b.Buffers.Read != 20 || len(b.Words) != 2 ||
			b.Words[0].Text != "((kind = 'x'::text) AND (deleted_at IS NULL))" {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// formObject is a plan in FORMAT JSON.
const formObject = `[{"Plan": {"Node Type": "Limit", "Startup Cost": 0.4, "Total Cost": 9.5, "Plan Rows": 4, ` +
	`"Plan Width": 8, "Actual Startup Time": 1.5, "Actual Total Time": 2.5, "Actual Rows": 3, "Actual Loops": 1, ` +
	`"Plans": [{"Node Type": "Seq Scan", "Parallel Aware": false, "Relation Name": "t", "Alias": "t", ` +
	`"Actual Total Time": 2.25, "Actual Rows": 3, "Actual Loops": 1, "Filter": "(\"A\" = 'o''neil'::text)", ` +
	`"Rows Removed by Filter": 7}]}, "Planning Time": 0.5, "Triggers": [], "Execution Time": 3.5}]`

// TestObjects holds that one plan is the same however a program printed it.
func TestObjects(t *testing.T) {
	words := strings.NewReplacer("false", "False")
	single := func(s string) string { // Python and JavaScript quote by what is within
		return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, `"(\"A\" = 'o''neil'::text)"`, "\x01"),
			`"`, "'"), "\x01", `'("A" = \'o\'\'neil\'::text)'`)
	}
	for name, text := range map[string]string{
		"json":   formObject,
		"Python": "(" + single(words.Replace(formObject)) + ",)\n",
		"Ruby":   strings.NewReplacer(`": `, `"=>`).Replace(formObject),
		"JavaScript": strings.NewReplacer("'Plan':", "Plan:", "'Plans':", "Plans:", "'Filter':",
			"Filter:").Replace(single(formObject)),
		"a string": `{"rows": [{"QUERY PLAN": ` + strconv.Quote(formObject) + `}]}`,
	} {
		list, err := Parse([]byte(text))
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %d plans, %v", name, len(list), err)
			continue
		}
		p := list[0]
		if p.Format != "json" || *p.Execution != 3.5 || *p.Planning != 0.5 || p.Root.Head != "Limit" || p.Cut != "" ||
			len(p.Root.Children) != 1 {
			t.Errorf("%s: %+v", name, p)
			continue
		}
		if c := p.Root.Children[0]; c.Head != "Seq Scan on t" || c.Removed != 7 || len(c.Words) != 1 ||
			c.Words[0].Text != `("A" = 'o''neil'::text)` {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestTimes holds which times are those of the whole plan.
func TestTimes(t *testing.T) {
	const head = "Aggregate  (cost=1.0..2.0 rows=1 width=8) (actual time=8.0..9.0 rows=1 loops=1)\n" +
		"  ->  Seq Scan on t  (cost=0.0..1.0 rows=9 width=0) (actual time=0.1..7.0 rows=9 loops=1)\n"
	for tail, want := range map[string][3]float64{
		"Planning Time: 0.5 ms\nExecution Time: 9.5 ms\n": {0.5, 9.5, 0},

		"Planning Time: 0.5 ms Execution Time: 9.5 ms\n": {0.5, 9.5, 0},

		"Planning time: 0,500 ms\nExecution time: 1,009.500 ms\n": {0.5, 1009.5, 0},

		"Total runtime: 9.5 ms\n": {0, 9.5, 0},

		"Execution Time: 9.5 ms\nStorage Execution Time: 4.0 ms\n": {0, 9.5, 0},

		"        Storage Table Read Execution Time: 4.0 ms\nExecution Time: 9.5 ms\n": {0, 9.5, 0},

		"        Planning Time: 7.0 ms\n        Execution Time: 8.0 ms\nExecution Time: 9.5 ms\n": {0, 9.5, 0},

		"\nTime: 6.125 s\n  - planning: 3.5 ms\n  - execution: 6.120 s\n    - I/O read: 5.000 s\n": {3.5, 6120, 6125},

		"Execution Time: 9.5 ms\nEXPLAIN\nTime: 9.124s (9 seconds), executed in: 9.121s (9 seconds)\n": {0, 9.5, 9124},

		"Execution Time: 9.5 ms\n(3 rows)\n\nDurée : 2880,902 ms (00:02,881)\n": {0, 9.5, 2880.902},

		"Execution Time: 9.5 ms\n(3 строки)\n\nВремя: 41203,118 мс (00:41,203)\n": {0, 9.5, 41203.118},
	} {
		list, err := Parse([]byte(head + tail))
		if err != nil || len(list) != 1 {
			t.Errorf("%q: %d plans, %v", tail, len(list), err)
			continue
		}
		for i, got := range []*float64{list[0].Planning, list[0].Execution, list[0].Client} {
			if got == nil && want[i] != 0 || got != nil && *got != want[i] {
				t.Errorf("%q: time %d is not %v", tail, i, want[i])
			}
		}
	}
}

// TestUndiff holds that a diff of two plans is two plans, and that marks before one plan are none.
func TestUndiff(t *testing.T) {
	const diff = `--- a
+++ b
@@ -1,4 +1,4 @@
 Limit (actual time=1.0..9.0 rows=1 loops=1)
-  ->  Seq Scan on t (actual time=0.9..8.9 rows=1 loops=1)
-        Rows Removed by Filter: 999
-Execution Time: 9.5 ms
+  ->  Index Scan using i on t (actual time=0.1..0.2 rows=1 loops=1)
+Execution Time: 0.5 ms
`
	list, err := Parse([]byte(diff))
	if err != nil || len(list) != 2 || *list[0].Execution != 9.5 || *list[1].Execution != 0.5 ||
		list[0].Root.Children[0].Head != "Seq Scan on t" || list[1].Root.Children[0].Head != "Index Scan using i on t" {
		t.Errorf("%d plans, %v", len(list), err)
	}
}

// TestCutYAML holds that YAML that ends within a node is told to be cut, and that whole YAML is not.
func TestCutYAML(t *testing.T) {
	const whole = `- Plan:
    Node Type: "Limit"
    Plan Width: 4
    Actual Loops: 1
    Plans:
      - Node Type: "Seq Scan"
        Alias: "t"
        Plan Width: 4
        Actual Loops: 1
  Execution Time: 3.5
`
	for _, n := range []int{len(whole), strings.Index(whole, "  Execution")} {
		if list, err := Parse([]byte(whole[:n])); err != nil || list[0].Cut != "" {
			t.Errorf("%d: %v %v", n, list, err)
		}
	}
	for _, part := range []string{"Alias: ", `Alias: "t`, `Alias: "t"`, "Plan Width: 4\n        Act"} {
		n := strings.LastIndex(whole, part) + len(part)
		if list, err := Parse([]byte(whole[:n])); err != nil || list[0].Cut == "" {
			t.Errorf("%q: %v %v", part, list, err)
		}
	}
}

// TestOthers holds that the plans of other databases are named, and that a plan of PostgreSQL is not taken for one.
func TestOthers(t *testing.T) {
	for product, text := range map[string]string{
		"MySQL":       "-> Nested loop inner join  (cost=52 rows=66) (actual time=0.4..19 rows=2 loops=1)\n",
		"Oracle":      "| Id  | Operation         | Name |\n|   0 | SELECT STATEMENT  |      |\n",
		"SQLite":      "QUERY PLAN\n|--SCAN a\n`--SEARCH b USING INTEGER PRIMARY KEY (rowid=?)\n",
		"CockroachDB": "  distribution: local\n  vectorized: true\n\n  • scan\n    table: t@t_pkey\n",
	} {
		_, err := Parse([]byte(text))
		if !errors.Is(err, ErrOther) || !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), product+",") {
			t.Errorf("%s: %v", product, err)
		}
	}
	if _, err := Parse([]byte(strings.Replace(formPlan, "(id > 5)", "(id = '-> x (cost=1 rows=2)')", 1))); err != nil {
		t.Error(err)
	}
}

// TestForks holds what is read of nodes and lines that forks and extensions have of their own.
func TestForks(t *testing.T) {
	for product, text := range map[string]string{
		"Greenplum": `Gather Motion 6:1  (slice1; segments: 6)  (cost=0.0..6.1 rows=4 width=2) (actual rows=4 loops=1)
  ->  Redistribute Motion 6:6  (slice2; segments: 6)  (cost=0.00..5.8 rows=12 width=12) (actual rows=12 loops=1)
        ->  Seq Scan on clicks  (cost=0.00..5.7 rows=12 width=12) (actual time=0.2..1.8 rows=12 loops=1)
`,
		"YugabyteDB": `YB Batched Nested Loop Join  (cost=1.0..4.0 rows=1 width=3) (actual rows=8 loops=1)
  ->  Seq Scan on a  (cost=1.0..2.0 rows=1 width=2) (actual time=4.0..13.1 rows=8 loops=1)
        Storage Table Read Execution Time: 12.4 ms
  ->  Index Scan using i on b  (cost=0.0..2.1 rows=1 width=1) (actual time=0.8..0.9 rows=8 loops=1)
`,
		"Redshift": `XN Hash Join DS_BCAST_INNER  (cost=2.1..21.1 rows=10 width=27)
  ->  XN Seq Scan on sale  (cost=0.00..10.1 rows=10 width=12)
  ->  XN Hash  (cost=1.7..1.7 rows=17 width=23)
`,
	} {
		list, err := Parse([]byte(text))
		if err != nil || len(list) != 1 || list[0].Product != product || list[0].Unknown != nil {
			t.Errorf("%s: %v %+v", product, err, list)
			continue
		}
		n := 0
		list[0].Root.Walk(func(*Node) { n++ })
		if n != 3 {
			t.Errorf("%s: %d nodes", product, n)
		}
	}
}

// TestSerialization holds that the blocks of the serialization are not those of a node.
func TestSerialization(t *testing.T) {
	list, err := Parse([]byte(`Seq Scan on t  (cost=0.0..1.0 rows=9 width=0) (actual time=0.1..7.0 rows=9 loops=1)
  Buffers: shared hit=19
Serialization: time=80.5 ms  output=19112kB  format=text
  Buffers: shared hit=3120 read=188
Execution Time: 88.1 ms
`))
	if err != nil || list[0].Root.Buffers.Hit != 19 || list[0].Serialize == nil ||
		list[0].Serialize.Buffers.Read != 188 {
		t.Errorf("%v %+v", err, list)
	}
}

// TestFormats holds that a text with one plan in each format has all of them, in its order.
func TestFormats(t *testing.T) {
	text := `explain select 1 from a;
                    QUERY PLAN
--------------------------------------------------
 Seq Scan on a  (cost=0.00..20.50 rows=246 width=7)
(1 row)

explain (format yaml) select 1 from a;
         QUERY PLAN
----------------------------
 - Plan:                   +
     Node Type: "Seq Scan" +
     Relation Name: "a"    +
     Alias: "a"            +
     Total Cost: 20.50     +
     Plan Rows: 246        +
     Plan Width: 7
(1 row)

explain (format xml) select 1 from a;
 <explain xmlns="http://www.postgresql.org/2009/explain">+
   <Query>                                               +
     <Plan>                                              +
       <Node-Type>Seq Scan</Node-Type>                   +
       <Relation-Name>a</Relation-Name>                  +
       <Total-Cost>20.50</Total-Cost>                    +
     </Plan>                                             +
   </Query>                                              +
 </explain>
explain (format json) select 1 from a;
 [                                +
   {                              +
     "Plan": {                    +
       "Node Type": "Seq Scan",   +
       "Relation Name": "a",      +

       "Total Cost": 20.50        +
     }                            +
   }                              +
 ]
(1 row)
Seq Scan on a  (cost=0.00..20.50 rows=246 width=7)
`
	list, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range list {
		got += p.Format + " "
		if p.Root.Head != "Seq Scan on a" || p.Root.Cost == nil || p.Root.Cost.Total != 20.5 || p.Cut != "" {
			t.Errorf("%s: %+v", p.Format, p.Root)
		}
	}
	if got != "text yaml xml json text " {
		t.Error(got)
	}
}
