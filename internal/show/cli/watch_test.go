package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// interrupter is interrupted as soon as the n-th look was written.
type interrupter struct {
	bytes.Buffer
	looks  int
	cancel context.CancelFunc
}

func (i *interrupter) Write(b []byte) (int, error) {
	if i.looks--; i.looks == 0 {
		i.cancel()
	}
	return i.Buffer.Write(b)
}

// TestWatchIsInterrupted: a watch looks again and again, ends when it is
// interrupted with the code for that, has then said nothing of an error, and what
// it wrote is whole.
func TestWatchIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errs := &interrupter{looks: 2, cancel: cancel}, &bytes.Buffer{}
	code := Main(ctx, []string{"diagnose", "memory", "--watch=1s"}, strings.NewReader(""), out, errs, nil)
	if code != exitInterrupted || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
	if n := strings.Count(out.String(), "Memory of the host\n"); n != 2 || strings.Contains(out.String(), "\x1b") ||
		!strings.HasSuffix(out.String(), "\n") {
		t.Errorf("%d looks: %s", n, out)
	}
}

// TestFit: a text that is too long for the screen keeps its beginning and says how
// much is missing; one that is not stays as it is.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text   string
		height int
		want   string
	}{
		{"a\nb\nc\n", 4, "a\nb\nc\n"},
		{"a\nb\nc\n", 3, "a\n… 2 more lines do not fit on the screen\n"},
		{"a\nb\nc\nd\ne\n", 4, "a\nb\n… 3 more lines do not fit on the screen\n"},
		{"a\nb\nc\n", 0, "a\nb\nc\n"}, // a terminal of unknown size
		{"", 24, ""},
	} {
		if got := string((&Env{}).fit([]byte(c.text), c.height)); got != c.want {
			t.Errorf("%q in %d lines: %q", c.text, c.height, got)
		}
	}
}
