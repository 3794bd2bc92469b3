package evidence

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What a stranger sends is redacted in memory that goes with its size: neither many files of an ordered directory nor a
// table that claims much costs more.
func TestRedactLarge(t *testing.T) {
	many := New()
	for i := range 20_000 {
		add(t, many, fmt.Sprintf("etc/sysctl.d/%d-quill%d.conf", i, i), "")
	}
	claims := New()
	add(t, claims, tableEntry,
		`{"names":99,"addresses":{"4 private":200000,"4 public":200000,"6 public":200000,"6 private":200000,"4 `+
			`loopback":200000}}`)
	text := New()
	for i, x := range []string{"1.", ":", "a:", "::", "1.1.1.1 ", "127.0.0.1", "a, "} {
		add(t, text, fmt.Sprintf("etc/tuned/x%d/tuned.conf", i), "["+strings.Repeat(x, 1<<18)+"]\n")
	}
	for what, c := range map[string]struct {
		a    *Archive
		most uint64
	}{"files": {many, 200 << 20}, "claims": {claims, 1 << 20}, "text": {text, 800 << 20}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := c.a.Redact()
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d MB", what, got>>20)
		if got > c.most || len(r.Names()) < len(c.a.Names()) {
			t.Errorf("%s: %d MB, %d entries of %d", what, got>>20, len(r.Names()), len(c.a.Names()))
		}
	}
}
