package queryplan

import (
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
	for name, text := range map[string]string{
		"plain":       formPlan,
		"windows":     strings.ReplaceAll(formPlan, "\n", "\r\n"),
		"mail":        each("> "),
		"mail twice":  each("> > "),
		"sql comment": each("-- "),
		"diff":        each("+"),
		"indented":    each("        "),
		"tab":         each("\t"),
		"compose":     each("db-1  | "),
		"containers":  each("2024-05-01T10:00:00.123456789Z stderr F "),
		"syslog":      each("May  1 10:00:00 host postgres[4242]: [7-1] "),
		"pre": "<pre>" + strings.ReplaceAll(strings.ReplaceAll(formPlan, "->", "-&gt;"), ">  I", "&gt;  I") +
			"</pre>",
		"breaks":    strings.ReplaceAll(formPlan, "\n", "<br/>\n"),
		"arrows":    strings.ReplaceAll(formPlan, "->", "→"),
		"dash":      strings.ReplaceAll(formPlan, "->", "–>"),
		"width 60":  cut(60),
		"width 73":  cut(73),
		"width 80":  cut(80),
		"width 100": cut(100),
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
