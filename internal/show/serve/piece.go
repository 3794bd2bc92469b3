package serve

import (
	"strings"
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

// pairs hands several values to a template: names and values by turns.
func pairs(list ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(list); i += 2 {
		out[list[i].(string)] = list[i+1] // the templates are ours
	}
	return out
}
