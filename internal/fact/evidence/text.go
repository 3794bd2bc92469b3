package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Format is the first line of the text form; the number is the schema version.
const Format = "pgfettle evidence 1"

// missingName is the entry that lists what could not be read, one JSON object a line.
const missingName = "missing.jsonl"

// endName is the marker that closes the text form, so that a file cut off on its way can be distinguished from a whole
// one.
const endName = "end of evidence"

// escaped marks an entry whose text was escaped because it is no plain text.
const escaped = " (escaped)"

type missingLine struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	Reveal string `json:"reveal,omitempty"`
	Cause  string `json:"cause,omitempty"`
}

// WriteTo writes the text form: the format line, then one txtar entry a file,
// sorted by name. Entries that hold no plain text (NUL bytes, no newline at
// the end, a line that looks like an entry marker) are escaped so that reading
// them gives the same bytes.
func (a *Archive) WriteTo(w io.Writer) (int64, error) {
	out := &counter{w: bufio.NewWriterSize(w, readSize)}
	out.put(Format + "\n")
	names := a.Names()
	if len(a.missing) > 0 {
		names = append(names, missingName)
		sort.Strings(names)
	}
	for _, n := range names {
		data, ok := a.files[n]
		if !ok {
			for _, m := range a.MissingFiles() {
				line, err := json.Marshal(missingLine{m.Name, m.State.String(), m.Reason, m.Reveal, m.Cause})
				if err != nil {
					return out.n, err
				}
				data = append(append(data, line...), '\n')
			}
		}
		if isText(data) && !strings.HasSuffix(n, escaped) {
			out.put("-- " + n + " --\n")
		} else {
			out.put("-- " + n + escaped + " --\n")
			data = escape(data)
		}
		out.put(string(data))
	}
	out.put("-- " + endName + " --\n")
	return out.n, errors.Join(out.err, out.w.Flush())
}

// counter writes, counts what it has written, and keeps the first error.
type counter struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (c *counter) put(s string) {
	if c.err == nil {
		var n int
		n, c.err = c.w.WriteString(s)
		c.n += int64(n)
	}
}

func isText(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	if data[len(data)-1] != '\n' || !utf8.Valid(data) {
		return false
	}
	for _, c := range data {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return !bytes.HasPrefix(data, []byte("-- ")) && !bytes.Contains(data, []byte("\n-- "))
}

// escape doubles backslashes, writes what cannot be seen as \xNN, and ends
// text that has no newline at its end with a lone backslash before one.
func escape(data []byte) []byte {
	var b bytes.Buffer
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case data[i] == '\\':
			b.WriteString(`\\`)
		case data[i] == '\n' || data[i] == '\t':
			b.WriteByte(data[i])
		case data[i] == '-' && (i == 0 || data[i-1] == '\n'):
			b.WriteString(`\x2d`)
		case r == utf8.RuneError && n <= 1 || r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, data[i])
			n = 1
		default:
			b.Write(data[i : i+n])
		}
		i += max(n, 1)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		b.WriteString("\\\n")
	}
	return b.Bytes()
}

// IsArchive reports whether b begins like the text form.
func IsArchive(b []byte) bool { return bytes.HasPrefix(b, []byte(Format[:len(Format)-1])) }

func marker(line []byte) (string, bool) {
	if !bytes.HasPrefix(line, []byte("-- ")) {
		return "", false
	}
	s := strings.TrimRight(string(line), "\r\n")
	if len(s) < 7 || !strings.HasPrefix(s, "-- ") || !strings.HasSuffix(s, " --") {
		return "", false
	}
	return s[3 : len(s)-3], true
}

func (a *Archive) readMissing(b []byte) error {
	for i, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var m missingLine
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("evidence: %s, line %d: %w", missingName, i+1, err)
		}
		if len(a.missing) >= MaxEntries {
			return fmt.Errorf("evidence: more than %d missing files", MaxEntries)
		}
		st := known.Unread
		switch m.State {
		case known.Absent.String():
			st = known.Absent
		case known.Forbidden.String():
			st = known.Forbidden
		}
		a.AddMissing(Missing{Name: m.Name, State: st, Reason: m.Reason, Reveal: m.Reveal, Cause: causeWord(m.Cause)})
	}
	return nil
}

// causeWord returns a cause as it was read, or "" for what is none: other
// programs take it for a key, and nothing that is a word needs redaction.
func causeWord(s string) string {
	if len(s) > 32 {
		return ""
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' {
			return ""
		}
	}
	return s
}
