package readers

import (
	"fmt"
	"os"
	"testing"
)

// TestScore runs the program on every case of the corpus and holds the table that
// docs/readers.md publishes.
func TestScore(t *testing.T) {
	cases, err := ReadCorpus("corpus")
	if err != nil {
		t.Fatal(err)
	}
	var sums Sums
	for i := range cases {
		c := &cases[i]
		t.Run(c.Kind+"/"+c.Name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "case-") // its name is in what is printed: no word of the case
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			r, err := Measure(t.Context(), c, dir)
			if err != nil {
				t.Fatal(err)
			}
			sums.Add(r)
			for _, m := range r.Misses() {
				t.Log(m)
			}
		})
	}
	for _, s := range sums {
		if s.Recall() < 0.95 || s.Wrong+s.False > 0 {
			t.Errorf("%s: not what docs/readers.md promises: %+v", s.Kind, *s)
		}
	}
	b, err := os.ReadFile("../../docs/readers.md")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := Publish(string(b), ScoreMark, sums.Table()); err != nil || text != string(b) {
		t.Errorf("docs/readers.md has another table than\n%s(%v) make score UPDATE=-update", sums.Table(), err)
	}
}

// TestAnswers holds how a fact is judged, and that a score can fall.
func TestAnswers(t *testing.T) {
	runs, err := readExpect("case", 1, `run: version
# of a line
fact: .a.b == 1
fact: .a.b == 2
fact: .a.c == 2
fact: .a.d == "x"
fact: [.l[].k] | index("y") != null == true
fact: [.l[].k] | index("z") != null == true
says: kib?bi
says: unsaid
never: told\s+plainly
never: nobody says`)
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]any{"a": map[string]any{"b": 1.0, "d": ""}, "l": []any{map[string]any{"k": "y"}}}
	r := &Result{Case: &Case{Runs: runs}}
	for _, f := range runs[0].Facts {
		a, said := f.answer(value, "Told\n  plainly kibi")
		r.Answers, r.Said = append(r.Answers, a), append(r.Said, said)
	}
	if got, want := fmt.Sprint(r.Answers),
		"[right wrong missing missing right missing right missing wrong right]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var s Sum
	s.Add(r)
	if s.Right != 3 || s.Missing != 4 || s.Wrong != 1 || s.False != 1 {
		t.Errorf("%+v", s)
	}
	for _, text := range []string{"fact: .a == 1", "run: x\nfact: .a", "run: x\nfact: .a == b", "run: x\nsays: (",
		"run: x\nfact: .[ == 1", "run: x\nrecall: 1", "run"} {
		if _, err := readExpect("case", 1, text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
