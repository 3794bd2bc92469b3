package outline

import (
	"testing"
	"time"
)

func TestHowLong(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 900 * time.Millisecond: "0 s", 59 * time.Second: "59 s", time.Minute: "1 min",
		61 * time.Second: "1 min 1 s",
		time.Hour:        "1 h", 8*time.Hour + 59*time.Second: "8 h", 25 * time.Hour: "1 d 1 h",
		400*24*time.Hour + time.Minute: "400 d",
	} {
		if got := howLong(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
