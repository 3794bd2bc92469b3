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
	if n := strings.Count(out.String(), "Memory of the host: "); n != 2 || strings.Contains(out.String(), "\x1b") || !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("%d looks: %s", n, out)
	}
}
