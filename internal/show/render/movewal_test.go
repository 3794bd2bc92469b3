package render

import (
	"bytes"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
)

func TestMoveWALText(t *testing.T) {
	goldens(t, "movewal", func(t *testing.T, given, _ []byte, name string) string {
		var f apply.WalFit
		decode(t, given, &f)
		var b bytes.Buffer
		if err := MoveWALText(&b, &f, style(t, name)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
