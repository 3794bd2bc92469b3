package main

import (
	"bytes"
	"encoding/json"
)

// rows writes a document as it is published: one line for each field of the document,
// each of its blocks, each run, and each secondary metric. The values are those of the
// document, byte for byte; only the white space between them is another. An error means
// that the document is no JSON.
func rows(document []byte) ([]byte, error) {
	var compact, out bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return nil, err
	}
	text := compact.Bytes()
	var lines []bool // of each open object and list: whether what it holds is on separate lines
	quoted := false
	newline := func() {
		out.WriteByte('\n')
		for range lines {
			out.WriteByte(' ')
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		last := len(lines) - 1
		if !quoted && (c == '}' || c == ']') {
			whole := last == 0 && lines[0]
			lines = lines[:last]
			if whole {
				newline()
			}
		}
		out.WriteByte(c)
		switch {
		case quoted && c == '\\':
			i++
			out.WriteByte(text[i])
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			// The document itself, its lists of objects (blocks, secondary), and those of
			// the objects in these (runs).
			list := c == '[' && len(lines)%2 == 1 && text[i+1] == '{'
			lines = append(lines, len(lines) == 0 || list)
			if lines[len(lines)-1] {
				newline()
			}
		case c == ',' && lines[last]:
			newline()
		}
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
