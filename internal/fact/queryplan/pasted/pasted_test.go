package pasted

import (
	"strings"
	"testing"
)

// TestPlain holds that a text is left as it is where nothing is around it.
func TestPlain(t *testing.T) {
	for _, text := range []string{
		"",
		"Seq Scan on t  (cost=0.00..1.00 rows=1 width=4)\n  Filter: (a = 'x: LOG:  y'::text)\n",
		"a | b\n---+---\n1 | 2\n",
		`{"a": "b"}`,
	} {
		if got := Plain([]byte(text)); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// FuzzPlain holds that no text breaks what takes off its wrapping, nor becomes many times as long.
func FuzzPlain(f *testing.F) {
	const plan = "Limit  (cost=0.1..1.0 rows=1 width=4)\n  ->  Seq Scan on t  (cost=0.1..1.0 rows=1 width=4)\n"
	for _, text := range []string{
		plan, "('" + strings.ReplaceAll(plan, "\n", "',), ('") + "'", `{'Plan': {'Node Type': "x\u00e9\'`,
		`\"Plan\" : \`, "-[ RECORD 1 ]--\nQUERY PLAN | " + plan, " a | b\n---+---\n 1 | " + plan,
		"-" + plan + "+" + plan, `{"log":"LOG:  duration: 1.0 ms  plan:\\n"}`, "NOTICE:  " + plan, "Limit (cost=.\n.1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Plain([]byte(text)); len(got) > 8*len(text)+1<<20 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}
