package serve

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/render"
)

// block is one piece of a longer text: a line that begins with two spaces is a
// command or a listing, as in all our texts.
type block struct {
	Code bool
	Text string
}

func blocks(s string) []block {
	var out []block
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \r\n")
		code := strings.HasPrefix(line, "  ")
		switch n := len(out); {
		case line == "":
		case code && n > 0 && out[n-1].Code:
			out[n-1].Text += "\n" + strings.TrimPrefix(line, "  ")
		default:
			out = append(out, block{code, strings.TrimPrefix(line, "  ")})
		}
	}
	return out
}

// seen makes a page harmless to look at: what would act on the reader's screen,
// such as marks that reorder text, is written as \xNN. Line ends and tabs are the
// templates' own.
func seen(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		body, end := strings.CutSuffix(line, "\n")
		for i, part := range strings.Split(body, "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(render.Clean(part))
		}
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// pairs hands several values to a template: names and values by turns.
func pairs(list ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(list); i += 2 {
		out[list[i].(string)] = list[i+1] // the templates are ours
	}
	return out
}
