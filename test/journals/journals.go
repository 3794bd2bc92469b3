// Package journals makes journals of lines that were written manually, for tests.
package journals

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Chained gives each line of a journal its number and its checksum, as docs/journal.md describes them, so that the
// lines of a case can be written manually. What does not end in a brace and a newline is left as it is: a line that was
// damaged.
func Chained(text string) []byte {
	var out strings.Builder
	sum, n := "", 0
	for l := range strings.Lines(text) {
		body, ok := strings.CutSuffix(l, "}\n")
		if !ok {
			out.WriteString(l)
			continue
		}
		if n++; body != "{" {
			body += ","
		}
		body += `"seq":` + strconv.Itoa(n)
		h := sha256.Sum256([]byte(sum + body))
		sum = hex.EncodeToString(h[:])[:16]
		out.WriteString(body + `,"sum":"` + sum + "\"}\n")
	}
	return []byte(out.String())
}
