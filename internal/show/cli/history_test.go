package cli

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"90m": "2026-11-03T10:30:00Z", "36h": "2026-11-02T00:00:00Z", "7d": "2026-10-27T12:00:00Z",
		"2w": "2026-10-20T12:00:00Z", "1y": "2025-11-03T12:00:00Z", "5s": "2026-11-03T11:59:55Z",
		"2026-11-01": "2026-11-01T00:00:00Z", "2026-11-01 14:30": "2026-11-01T14:30:00Z",
		"2026-11-01T14:30:05": "2026-11-01T14:30:05Z", "2026-11-01T14:30:05+02:00": "2026-11-01T12:30:05Z",
	} {
		if got, err := moment("since", text, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "0d", "-7d", "7", "7x", "1.5d", "101y", "4294967295y", "99999999999d",
		"2026-13-01", "tomorrow"} {
		if got, err := moment("since", text, now); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}
