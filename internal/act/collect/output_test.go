package collect

import "testing"

// TestFirstLine: a program's error is reported without its own name, which some print twice.
func TestFirstLine(t *testing.T) {
	for _, c := range []struct{ errs, out, want string }{
		{"tune2fs: tune2fs: Operation not permitted while trying to open /dev/vda\nmore\n", "tune2fs 1.47.0\n",
			"Operation not permitted while trying to open /dev/vda"},
		{"tune2fs: Bad magic number\n", "", "Bad magic number"},
		{"\n", "tune2fs 1.47.0\n", "tune2fs 1.47.0"},
		{"tune2fs:\n", "", "no answer"},
		{"", "", "no answer"},
	} {
		if got := firstLine("tune2fs", []byte(c.errs), []byte(c.out)); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.errs, c.out, got, c.want)
		}
	}
}
