package queryplan

import (
	"fmt"
	"strings"
	"testing"
)

// TestByHand holds that one execution is the same tree with what people put around its lines.
func TestByHand(t *testing.T) {
	numbered := func(form string) string {
		var b strings.Builder
		for i, l := range strings.Split(strings.TrimSuffix(formPlan, "\n"), "\n") {
			fmt.Fprintf(&b, form+"\n", i+1, l)
		}
		return b.String()
	}
	csv := ""
	for l := range strings.Lines(strings.ReplaceAll(formPlan, " on b ", ` on "B" b `)) {
		l = strings.TrimSuffix(l, "\n")
		if strings.Contains(l, `"`) { // the first quote was taken off, the others were not
			l = strings.ReplaceAll(l, `"`, `""`) + `"`
		}
		csv += l + "\n"
	}
	starred := strings.NewReplacer("Planning Time: 0.500 ms", "- **Planning Time**: **0.500 ms**",
		"Execution Time: 9150.000 ms", "- **Execution Time:** 9150.000 ms").Replace(formPlan)
	want := parseOne(t, formPlan)
	for name, text := range map[string]string{
		"1. in prose":   "As run:\n\n```\n" + numbered("%d. %s") + "```\n\n1. It reads a.\n2. It reads b.\n",
		"1) right":      numbered("%3d) %s"),
		"bare":          "The plan.\n\n" + numbered("%2d %s") + "\nand so on.\n",
		"bold times":    starred,
		"half a quote":  csv,
		"with a remark": formPlan + "\n1. a\n2. b\n3. c\n",
	} {
		got := parseOne(t, text)
		if name == "half a quote" {
			if head := got.Root.Children[1].Head; head != "Index Scan using b_a_idx on B b" {
				t.Error(head)
			}
			got.Root.Children[1].Head = want.Root.Children[1].Head
		}
		if a, b := shapeOf(want), shapeOf(got); a != b {
			t.Errorf("%s:\n%s\nwant\n%s", name, b, a)
		}
	}
}

func parseOne(t *testing.T, text string) *Plan {
	t.Helper()
	list, err := Parse([]byte(text))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d plans, %v: %s", len(list), err, text)
	}
	return list[0]
}

// shapeOf is the tree with its figures.
func shapeOf(p *Plan) string {
	var b strings.Builder
	var walk func(n *Node, depth int)
	walk = func(n *Node, depth int) {
		fmt.Fprintf(&b, "%d %s %v %v %d\n", depth, n.Head, *n.Cost, n.Actual.Rows, n.Removed)
		for _, c := range n.Children {
			walk(c, depth+1)
		}
	}
	walk(p.Root, 0)
	fmt.Fprintf(&b, "%v %v", *p.Planning, *p.Execution)
	return b.String()
}

// TestRetypedScans holds plans of one node whose figures and blanks a person left out.
func TestRetypedScans(t *testing.T) {
	list, err := Parse([]byte("So it read:\n\n```\nSeq Scan on parts\nFilter: (name ~~ 'a%'::text)\n" +
		"Rows Removed by Filter: 7\nExecution Time: 0.400 ms\n```\n\nand then\n\n```\nIndex Scan using parts_name " +
		"on parts\n" +
		"Index Cond: (name = 'a'::text)\n```\n"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d plans, %v", len(list), err)
	}
	if a, b := list[0].Root, list[1].Root; a.Head != "Seq Scan on parts" || a.Removed != 7 ||
		b.Head != "Index Scan using parts_name on parts" {
		t.Errorf("%+v %+v", a, b)
	}
}
