package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Format is the first line of the text form; the number is the schema version.
const Format = "pgfettle evidence 1"

// missingName is the entry that lists what could not be read, one JSON object a line.
const missingName = "missing.jsonl"

// endName is the marker that closes the text form, so that a file cut off on
// its way is told from a whole one.
const endName = "end of evidence"

// escaped marks an entry whose text was escaped because it is no plain text.
const escaped = " (escaped)"

type missingLine struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	Reveal string `json:"reveal,omitempty"`
}

// WriteTo writes the text form: the format line, then one txtar entry a file,
// sorted by name. Entries that hold no plain text (NUL bytes, no newline at
// the end, a line that looks like an entry marker) are escaped so that reading
// them gives the same bytes.
func (a *Archive) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	b.WriteString(Format + "\n")
	names := a.Names()
	if len(a.missing) > 0 {
		names = append(names, missingName)
		sort.Strings(names)
	}
	for _, n := range names {
		data, ok := a.files[n]
		if !ok {
			for _, m := range a.MissingFiles() {
				line, err := json.Marshal(missingLine{m.Name, m.State.String(), m.Reason, m.Reveal})
				if err != nil {
					return 0, err
				}
				data = append(append(data, line...), '\n')
			}
		}
		if plain(data) && !strings.HasSuffix(n, escaped) {
			fmt.Fprintf(&b, "-- %s --\n%s", n, data)
		} else {
			fmt.Fprintf(&b, "-- %s%s --\n%s", n, escaped, escape(data))
		}
	}
	fmt.Fprintf(&b, "-- %s --\n", endName)
	n, err := w.Write(b.Bytes())
	return int64(n), err
}

func plain(data []byte) bool {
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

func unescape(data []byte) ([]byte, error) {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			out = append(out, data[i])
			continue
		}
		switch {
		case i+1 < len(data) && data[i+1] == '\\':
			out = append(out, '\\')
			i++
		case i+2 == len(data) && data[i+1] == '\n':
			return out, nil
		case i+3 < len(data) && data[i+1] == 'x':
			v, err := strconv.ParseUint(string(data[i+2:i+4]), 16, 8)
			if err != nil {
				return nil, fmt.Errorf("bad escape %q", data[i:i+4])
			}
			out = append(out, byte(v))
			i += 3
		default:
			return nil, errors.New("bad escape")
		}
	}
	return out, nil
}

// IsArchive says whether b begins like the text form.
func IsArchive(b []byte) bool { return bytes.HasPrefix(b, []byte(Format[:len(Format)-1])) }

// Parse reads the text form. It refuses another format version, names that
// lead out of the archive, and anything over the limits; the error is one
// clause that names the line or entry.
func Parse(b []byte) (*Archive, error) {
	if len(b) > MaxArchive {
		return nil, fmt.Errorf("evidence: larger than %d MB", MaxArchive>>20)
	}
	first, rest, ok := bytes.Cut(b, []byte("\n"))
	if !IsArchive(b) {
		return nil, errors.New("evidence: the first line does not name the format; is this a file that 'pgfettle snapshot' wrote?")
	}
	if !ok || string(first) != Format {
		return nil, fmt.Errorf("evidence: format %q is not %q; use the pgfettle that wrote it", first, Format)
	}
	a := New()
	name, esc, have := "", false, false
	var body []byte
	flush := func() error {
		if !have {
			if len(bytes.TrimSpace(body)) > 0 {
				return errors.New("evidence: text before the first entry")
			}
			return nil
		}
		if esc {
			u, err := unescape(body)
			if err != nil {
				return fmt.Errorf("evidence: %s: %w", name, err)
			}
			body = u
		}
		switch name {
		case missingName:
			return a.readMissing(body)
		case endName:
			if len(bytes.TrimSpace(body)) > 0 {
				return errors.New("evidence: text after the end")
			}
			return nil
		}
		if _, dup := a.files[name]; dup {
			return fmt.Errorf("evidence: %s stands there twice", name)
		}
		if len(a.files) >= MaxEntries {
			return fmt.Errorf("evidence: more than %d entries", MaxEntries)
		}
		return a.Add(name, body)
	}
	start := 0
	for at := 0; at < len(rest); {
		end := len(rest)
		if i := bytes.IndexByte(rest[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if n, ok := marker(rest[at:end]); ok {
			if have && name == endName {
				return nil, errors.New("evidence: text after the end")
			}
			body = rest[start:at]
			if err := flush(); err != nil {
				return nil, err
			}
			name, esc = strings.CutSuffix(n, escaped)
			have, start = true, end
		}
		at = end
	}
	body = rest[start:]
	if err := flush(); err != nil {
		return nil, err
	}
	if name != endName {
		return nil, fmt.Errorf("evidence: the file is cut off: its last line, «-- %s --», is missing", endName)
	}
	return a, nil
}

func marker(line []byte) (string, bool) {
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
		a.AddMissing(Missing{Name: m.Name, State: st, Reason: m.Reason, Reveal: m.Reveal})
	}
	return nil
}
