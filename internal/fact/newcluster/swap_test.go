package newcluster

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestSwap: a value is read as it was written, and nothing else is read.
func TestSwap(t *testing.T) {
	s := SwapOf(2*unit.GB, "0123456789abcdef")
	if got, err := ParseSwap(s.Text()); err != nil || got != s || Short(s.Text()) != "2 GB" {
		t.Errorf("%s: %+v, %v, %s", s.Text(), got, err, Short(s.Text()))
	}
	for _, text := range []string{"", "absent", "2147483648", "2147483648 ", "-1 " + s.UUID, "0 " + s.UUID,
		"02 " + s.UUID, "2GB " + s.UUID, "2147483648 " + s.UUID + " ", "2147483648 " + s.UUID[1:],
		"99999999999999999999 " + s.UUID, "2147483648 " + s.UUID + "\n/etc/passwd"} {
		if _, err := ParseSwap(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	for at, want := range map[string]bool{"/swapfile": true, "/srv/a-b_1.x/swap@1+": true, "": false, "/": false,
		"swapfile": false, "/a b": false, "/a\tb": false, "/a\nb": false, `/a\040b`: false, "/a//b": false,
		"/a/": false, "/a/../b": false, "/a/./b": false, "/a#": false} {
		if SwapPath(at) != want {
			t.Errorf("%q: %v", at, !want)
		}
	}
}
