package machine

import "testing"

func FuzzParseTimes(f *testing.F) {
	f.Add("7 (a) b (c)) S 1 7 7 0 -1 4194560 100 200 0 0 12 34 56 78 20 0 1 0 99 1000 10\n")
	f.Fuzz(func(t *testing.T, text string) {
		if own, waited, err := parseTimes(text); err == nil && (own < 0 || waited < 0) {
			t.Errorf("%q: %v %v", text, own, waited)
		}
	})
}
