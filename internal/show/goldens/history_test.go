package goldens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// TestHistoryForms renders what a history tells.
func TestHistoryForms(t *testing.T) {
	goldens(t, "history", func(t *testing.T, given, _ []byte, name string) string {
		var d document.History
		decode(t, given, &d)
		var b bytes.Buffer
		var err error
		switch form, rest, _ := strings.Cut(name, "-"); form {
		case "json":
			err = json.History(&b, d)
			valid(t, "history", b.Bytes())
		case "list":
			err = term.Series(&b, d, style(t, name))
		case "ascii":
			st := style(t, "text-"+rest)
			st.ASCII = true
			err = term.History(&b, d, st)
		default:
			err = term.History(&b, d, style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
