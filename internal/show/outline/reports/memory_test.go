package reports

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// TestNothingToChange holds what is said of options that are not worth a restart: one that is only there to compare
// with may save much.
func TestNothingToChange(t *testing.T) {
	base := memory.Option{ID: memory.AsItIs}
	small := memory.Option{ID: memory.OnHuge, Saves: unit.MB, Do: []say.Message{say.Text("a step")}}
	half := memory.Option{ID: memory.SmallerPool, Saves: 8 * unit.GB}
	large := memory.Option{ID: memory.OnHuge, Saves: unit.GB, Do: small.Do}
	for name, c := range map[string]struct {
		list []memory.Option
		want string
	}{
		"none of them": {[]memory.Option{base, small}, "No option saves 1% of the memory or more"},
		"one to compare with": {[]memory.Option{base, small, half},
			"Except for those that are only compared, no option"},
		"one that is worth it":    {[]memory.Option{base, large, half}, "a step"},
		"nothing to compare with": {[]memory.Option{base}, "Worst case"},
	} {
		var o outline.Outline
		memoryWords{}.options(&o, &memory.Instance{Limit: 16 * unit.GB, Options: c.list})
		var text strings.Builder
		for _, block := range o {
			switch b := block.(type) {
			case outline.Para:
				text.WriteString(b.Text.String() + "\n")
			case outline.List:
				for _, it := range b.Items {
					text.WriteString(it.Text.String() + "\n")
				}
			}
		}
		if got := text.String(); !strings.Contains(got, c.want) || strings.Contains(got, "no option saves") !=
			strings.HasPrefix(c.want, "Except") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
