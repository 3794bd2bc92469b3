package configure

import "testing"

// TestBeside: the throwaway cluster that a plan is made for is on the disk that is measured.
func TestBeside(t *testing.T) {
	for _, c := range []struct{ temp, scratch, want string }{
		{"/", "", ""},
		{"/", "/nowhere/x/scratch", ""},
		{"/proc", "/nowhere/x/scratch", "/"},
		{"/", "/proc/nowhere/scratch", "/proc"},
		{"/nowhere", "/proc/scratch", ""},
	} {
		t.Setenv("TMPDIR", c.temp)
		if got := beside(c.scratch); got != c.want {
			t.Errorf("temporary files in %s, clusters in %s: %q, wanted %q", c.temp, c.scratch, got, c.want)
		}
	}
}
