package render

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestHistoryForms renders what a history tells.
func TestHistoryForms(t *testing.T) {
	goldens(t, "history", func(t *testing.T, given, _ []byte, name string) string {
		var d History
		decode(t, given, &d)
		var b bytes.Buffer
		var err error
		switch form, rest, _ := strings.Cut(name, "-"); form {
		case "json":
			err = HistoryJSON(&b, d)
			valid(t, "history", b.Bytes())
		case "list":
			err = HistoryListText(&b, d, style(t, name))
		case "ascii":
			st := style(t, "text-"+rest)
			st.ASCII = true
			err = HistoryText(&b, d, st)
		default:
			err = HistoryText(&b, d, style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func TestHowLong(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 900 * time.Millisecond: "0 s", 59 * time.Second: "59 s", time.Minute: "1 min", 61 * time.Second: "1 min 1 s",
		time.Hour: "1 h", 8*time.Hour + 59*time.Second: "8 h", 25 * time.Hour: "1 d 1 h", 400*24*time.Hour + time.Minute: "400 d",
	} {
		if got := howLong(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
