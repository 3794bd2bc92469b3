package render

import (
	"bytes"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/oomdemo"
)

func TestOOMForms(t *testing.T) {
	goldens(t, "oom", func(t *testing.T, given, _ []byte, name string) string {
		var d oomdemo.OOM
		decode(t, given, &d)
		var b bytes.Buffer
		var err error
		if name == "json" {
			err = OOMJSON(&b, &d)
			valid(t, "demo-oom", b.Bytes())
		} else {
			err = OOMText(&b, &d, style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
