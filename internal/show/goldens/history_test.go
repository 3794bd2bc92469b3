package goldens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// TestHistoryForms renders a history.
func TestHistoryForms(t *testing.T) {
	goldens(t, "history", func(t *testing.T, given, _ []byte, name string) string {
		var d document.History
		decode(t, given, &d)
		everyForm(t, name, reports.History(d, nil))
		everyForm(t, name, reports.Series(d, nil))
		var b bytes.Buffer
		var err error
		switch form, rest, _ := strings.Cut(name, "-"); form {
		case "json":
			err = json.History(&b, d)
			valid(t, "history", b.Bytes())
		case "list":
			err = term.Write(&b, reports.Series(d, nil), style(t, name))
		case "ascii":
			st := style(t, "text-"+rest)
			st.ASCII = true
			err = term.Write(&b, reports.History(d, nil), st)
		default:
			err = term.Write(&b, reports.History(d, nil), style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
