package goldens

import (
	"bytes"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

func TestOOMForms(t *testing.T) {
	goldens(t, "oom", func(t *testing.T, given, _ []byte, name string) string {
		var d oomresult.OOM
		decode(t, given, &d)
		var b bytes.Buffer
		var err error
		if name == "json" {
			err = json.Demo(&b, &d)
			valid(t, "demo-oom", b.Bytes())
		} else {
			o := reports.Demo(&d, nil)
			everyForm(t, name, o)
			err = term.Write(&b, o, style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
