package paste

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/paste/input"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
)

// What a program logged of another's output: JSON whose message has several lines.

const (
	mostEmbedded = 200     // such lines of a file are looked into
	maxMessage   = 1 << 16 // bytes of a message
)

// message returns the text of several lines that a line of JSON holds; "" where it has none.
func message(t string) string {
	at := strings.IndexByte(t, '{')
	if strings.Count(t, `\n`) > 5 && (at < 0 || at > 300 || !strings.HasSuffix(t, "}")) && len(t) <= maxMessage {
		return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`).Replace(t) // a piece of such a string
	}
	if at < 0 || at > 300 || !strings.HasSuffix(t, "}") || !strings.Contains(t, `\n`) {
		return ""
	}
	var m map[string]any
	if json.Unmarshal([]byte(t[at:]), &m) != nil {
		return ""
	}
	for _, k := range []string{"msg", "message", "log", "stdout", "output", "text", "MESSAGE"} {
		if s, ok := m[k].(string); ok && strings.Count(s, "\n") > 1 && len(s) <= maxMessage {
			return s
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if s, ok := m[k].(string); ok && strings.Count(s, "\n") > 3 && len(s) <= maxMessage {
			return s
		}
	}
	return ""
}

// embedded reads the first part in the message of a line of JSON.
func (s *scanner) embedded(w *part.Window, i int) int {
	if s.messages >= mostEmbedded {
		return 0
	}
	text := message(w.Text(0))
	if text == "" {
		return 0
	}
	s.messages++
	lines := input.Lines([]byte(text))
	prompt.Mark(lines)
	tries := part.MostFar / 20
	asked := ""
	for k := range lines {
		if lines[k].Is == part.Command {
			asked = prompt.Inner(lines[k].Command)
		}
		if lines[k].Is != part.Content {
			continue
		}
		p := &part.Window{Lines: lines[k:max(lines[k].End, k+1)], Command: asked, Tries: &tries}
		if f, ok := ask(p, notProse); ok {
			if f.Body == nil {
				for _, l := range p.Lines[:min(f.N, len(p.Lines))] {
					f.Body = append(f.Body, l.Indented)
				}
			}
			f.N = 1
			return s.part(w, i, f)
		}
	}
	return 0
}
