package goldens

import (
	"bytes"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

func TestMoveWALText(t *testing.T) {
	goldens(t, "movewal", func(t *testing.T, given, _ []byte, name string) string {
		var f walmove.Plan
		decode(t, given, &f)
		var b bytes.Buffer
		o := reports.MoveWAL(&f, nil)
		everyForm(t, name, o)
		if err := term.Write(&b, o, style(t, name)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
