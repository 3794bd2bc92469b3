package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/monitor"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// TestWatchTalk: a line of a watch has the time of day for people, and its weight
// where the journal of systemd reads it; no line holds what a terminal would obey.
func TestWatchTalk(t *testing.T) {
	for vars, want := range map[string]string{"": `^\d\d:\d\d:\d\d one two \S*x\n$`,
		"JOURNAL_STREAM=8:1": `^<4>one two \S*x\n$`} {
		var b bytes.Buffer
		newTalk(&Env{Stderr: &b, Vars: []string{vars}, Target: &target.Local{}}).
			tell(monitor.Warning, say.Text("one\ntwo \x1bx"))
		if !regexp.MustCompile(want).Match(b.Bytes()) || bytes.ContainsRune(b.Bytes(), 0x1b) {
			t.Errorf("%s: %q", vars, &b)
		}
	}
}

// TestTerminated: SIGTERM is distinguished from Ctrl-C by the cause of the context.
func TestTerminated(t *testing.T) {
	for s, want := range map[os.Signal]bool{syscall.SIGTERM: true, syscall.SIGINT: false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New(s.String() + " signal received")) // as signal.NotifyContext words it
		if errors.Is(stopped(ctx), errEnded) != want {
			t.Errorf("%s: %v", s, !want)
		}
	}
}
