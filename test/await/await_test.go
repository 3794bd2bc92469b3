package await

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ending is a test that can be seen to fail.
type ending struct {
	testing.TB
	said string
}

func (e *ending) Helper() {}

func (e *ending) Fatalf(format string, args ...any) {
	e.said = fmt.Sprintf(format, args...)
	panic(e)
}

// TestThat: it looks at once and again until the answer is yes, however long that
// takes within its patience, and then says what it waited for and what it saw.
func TestThat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, looks := time.Now(), 0
		That(t, "nothing", func() (bool, any) { looks++; return true, nil })
		if took := time.Since(began); looks != 1 || took != 0 {
			t.Errorf("%d looks in %s at what is there", looks, took)
		}
		That(t, "late", func() (bool, any) { return time.Since(began) >= Patience-time.Second, nil })
		e := &ending{TB: t}
		func() {
			defer func() { _ = recover() }()
			That(e, "the train", func() (bool, any) { return false, "rails" })
		}()
		if !strings.Contains(e.said, "the train") || !strings.Contains(e.said, "rails") {
			t.Errorf("of what never comes it says %q", e.said)
		}
	})
}
