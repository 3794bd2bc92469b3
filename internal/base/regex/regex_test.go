package regex

import "testing"

// TestRegex verifies that an expression is compiled when it is first used, and what its methods return.
func TestRegex(t *testing.T) {
	r := New(`(\d+)-(\w+)`)
	if r.re != nil {
		t.Error("it is compiled before it is used")
	}
	if m := r.FindStringSubmatch("a 12-b"); len(m) != 3 || m[1] != "12" || m[2] != "b" {
		t.Errorf("%q", m)
	}
	if r.MatchString("12") || !r.Match([]byte("1-2")) || r.String() != `(\d+)-(\w+)` {
		t.Error("it matches what it should not, or not what it should")
	}
	if s := r.ReplaceAllString("1-x 2-y", "$2"); s != "x y" {
		t.Errorf("%q", s)
	}
}

// TestWrong verifies that an expression that is wrong is seen where all are compiled.
func TestWrong(t *testing.T) {
	before := all
	defer func() {
		all = before
		if recover() == nil {
			t.Error("a wrong expression is compiled")
		}
	}()
	New(`(`)
	CompileAll()
}
