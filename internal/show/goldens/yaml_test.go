package goldens

import (
	"encoding/json"
	"strings"
	"testing"
)

// yamlRoundTrip holds of every quoted string of a document that it is one that JSON reads too, except for the escapes
// that YAML alone has, and that nothing stands after it: there is no YAML reader among the dependencies, and double
// quotes mean the same to both.
func yamlRoundTrip(t *testing.T, doc []byte) {
	t.Helper()
	for line := range strings.Lines(string(doc)) {
		at := strings.IndexByte(line, '"')
		if trimmed := strings.TrimSpace(line); at < 0 || strings.HasPrefix(trimmed, "#") {
			continue
		}
		text := strings.TrimSuffix(line[at:], "\n")
		text = strings.TrimSuffix(text, ":") // a quoted key without a value
		if key, value, ok := strings.Cut(text, `": "`); ok {
			text = `"` + value
			if err := json.Unmarshal([]byte(key+`"`), new(string)); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if err := json.Unmarshal([]byte(text), new(string)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
