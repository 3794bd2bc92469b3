package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxTries bounds how many openings of JSON are looked into.
const maxTries = 16

// documents reads the JSON of fio and of sysstat.
type documents struct {
	fio   *fio
	stat  *sysstat
	tries int
}

// read reads a document that begins in the first line, and returns how many lines it takes; 0
// where there is none. What stands before its brace in the line is lost, as a warning of fio.
func (d *documents) read(lines []string, number int) int {
	first := strings.TrimSpace(lines[0])
	if first == "" || d.tries >= maxTries {
		return 0
	}
	at := 0
	switch {
	case first[0] == '{' || first[0] == '[':
	case holds(first, `{`) && holds(first, `"fio version"`, `"sysstat"`):
		at = strings.Index(first, "{")
	case holds(first[:min(len(first), 40)], `"jobs"`, `"sysstat"`, `"hosts"`, `"disk_util"`):
	default:
		return 0
	}
	head := strings.Join(lines[:min(len(lines), 4)], " ")
	head = head[:min(len(head), 2048)]
	fio := holds(head, `"fio version"`, `"jobname"`, `"disk_util"`)
	if !fio && !holds(head, `"sysstat"`, `"hosts"`) {
		return 0
	}
	d.tries++
	text := []byte(strings.Join(lines, "\n"))
	before := bytes.Index(text, []byte(first)) + at
	lead := ""
	if first[at] == '"' {
		lead = "{" // its first brace was not copied
	}
	read := d.stat.document
	if fio {
		read = d.fio.document
	}
	end := read(append([]byte(lead), text[before:]...), number)
	if end == 0 {
		return 0
	}
	end = min(before+end-len(lead), len(text))
	return 1 + bytes.Count(text[:end], []byte("\n"))
}

// decode reads a document and returns where it ends; one that was cut as far as it goes.
func decode(text []byte, to any, reset func()) (end int, cut bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if dec.Decode(to) == nil {
		return int(dec.InputOffset()), false
	}
	reset()
	if json.Unmarshal(closed(text), to) != nil {
		return 0, false
	}
	return len(text), true
}

// texted are options of JSON, of which some versions write numbers without quotes.
type texted map[string]string

func (t *texted) UnmarshalJSON(b []byte) error {
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return nil // another form: no option is known
	}
	*t = texted{}
	for k, v := range m {
		switch v.(type) {
		case string, float64, bool:
			(*t)[k] = fmt.Sprint(v)
		}
	}
	return nil
}

// closed ends a document of JSON that was cut: what came after its last whole value is left
// out, and what is open is closed.
func closed(b []byte) []byte {
	type place struct {
		at    int
		stack string
	}
	var stack []byte
	var last place
	inText, escaped := false, false
	for i, c := range b {
		switch {
		case inText:
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				inText = false
			}
			continue
		case c == '"':
			inText = true
			continue
		case c == '{' || c == '[':
			stack = append(stack, c+2) // the bracket that closes it
		case (c == '}' || c == ']') && len(stack) > 0:
			stack = stack[:len(stack)-1]
			last = place{i + 1, string(stack)}
		case c == ',':
			last = place{i, string(stack)}
		}
		if len(stack) > 64 {
			break
		}
	}
	out := append([]byte{}, b[:last.at]...)
	for i := len(last.stack) - 1; i >= 0; i-- {
		out = append(out, last.stack[i])
	}
	return out
}
