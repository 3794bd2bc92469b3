package kernlog

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// entry is one of a journal that has a line for each field: journalctl -o verbose and -o export, and JSON that was
// made readable (gcloud, jq, dmesg -J). Its time stands before its text, or behind it.
type entry struct {
	text string // that waits for its time; "": none
	at   Stamp  // that waits for its text; no text and no time: none
	told bool   // at is set
}

var (
	reFieldLine = regex.New(`^"([\w@.]{1,64})" ?: {0,8}(\S.*)$`)
	// The fields of the journal, as -o export and -o verbose write them.
	reJournal = regex.New(`^([A-Z_][A-Z0-9_]{2,63})=`)
	// «Wed 2026-03-04 23:10:11.220110 CET [s=0a1b;i=1fb0;…]»
	reVerbose = regex.New(`^(?:\S{1,24} {1,4})?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^\[\]]{0,32} \[s=[0-9a-f]{1,64};`)
)

// maxFieldTime is how long the line of a field with a time may be.
const maxFieldTime = 200

// early notes what tells the time of the lines behind it and has no word of memory: the date of dmesg -H, and the
// fields of an entry. It looks at every line, and so at a few bytes of it.
func (p *Reader) early(b []byte) {
	p.ofKernel(b)
	p.exited(b)
	p.limited(b)
	p.states(b)
	if len(b) > maxFieldTime {
		return
	}
	p.finished(b)
	switch c := b[0]; {
	case c == '[':
		p.minute(b)
	case c == '_':
		if v, ok := bytes.CutPrefix(b, []byte("__REALTIME_TIMESTAMP=")); ok {
			p.time(string(bytes.TrimSpace(v)))
		}
	case c == ' ' || c == '\t' || c == '"':
		b = bytes.TrimLeft(b, " \t")
		for _, k := range []string{`"time"`, `"timestamp"`, `"@timestamp"`, `"date"`, `"ts"`,
			`"__REALTIME_TIMESTAMP"`, `"lastTimestamp"`, `"firstTimestamp"`, `"eventTime"`} {
			if bytes.HasPrefix(b, []byte(k)) {
				v := bytes.TrimLeft(b[len(k):], " \t:")
				p.time(strings.Trim(strings.TrimSpace(string(v)), `,"`))
				return
			}
		}
	case len(b) > 2 && bytes.HasSuffix(bytes.TrimRight(b, "\r\n"), []byte("]")) && bytes.Contains(b, []byte(" [s=")):
		if reVerbose.Match(b) {
			at := none
			if _, ok := stripTime(string(b[:bytes.IndexByte(b, '[')]), &at); ok {
				p.timed(at)
			}
		}
	}
}

// time takes the time of an entry.
func (p *Reader) time(v string) {
	if at, ok := stampOf(v); ok {
		p.timed(at)
	}
}

func (p *Reader) timed(at Stamp) {
	p.entry.at, p.entry.told = at, true
	if p.entry.text != "" {
		p.write()
	}
}

// write takes the text of an entry as the lines that it is, with its time.
func (p *Reader) write() {
	e := p.entry
	p.entry = entry{}
	if e.text != "" {
		p.lines(e.text, e.at, e.told)
	}
}

// lines takes a text that stood in a field of an entry.
func (p *Reader) lines(text string, at Stamp, told bool) {
	if p.within > 1 {
		return // an entry in an entry in an entry
	}
	p.within++
	before, had := p.outer, p.outerTold
	p.outer, p.outerTold = at, told
	for t := range strings.Lines(text) {
		p.raw(t)
	}
	p.outer, p.outerTold = before, had
	p.within--
}

// field takes a line that is a field of an entry, or nothing but brackets between entries.
func (p *Reader) field(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return false
	}
	switch c := s[0]; {
	case c == '"':
		m := reFieldLine.FindStringSubmatch(s)
		if m == nil || strings.Contains(s, "OOMKilled") {
			return false
		}
		if message(m[1]) && strings.HasPrefix(m[2], `"`) {
			p.text(unquoted(strings.TrimRight(m[2], " ,")))
		}
		return true
	case c == '_' || c >= 'A' && c <= 'Z':
		m := reJournal.FindStringSubmatch(s)
		if m == nil {
			return false
		}
		if m[1] == "MESSAGE" {
			p.text(s[len("MESSAGE="):])
		}
		return true
	case strings.Trim(s, "{}[], \t") == "":
		return true
	}
	return false
}

// text takes the text of an entry.
func (p *Reader) text(s string) {
	if p.entry.text != "" {
		p.write()
	}
	if p.entry.text = s; p.entry.told {
		p.write()
	}
}

// message says whether a field of this name holds what a program wrote.
func message(key string) bool {
	switch key {
	case "message", "msg", "MESSAGE", "log", "textPayload", "Output", "SyslogMessage", "line", "text", "body":
		return true
	}
	return false
}

// unquoted reads a string of JSON; of one that is cut what is there.
func unquoted(s string) string {
	var t string
	if json.Unmarshal([]byte(s), &t) == nil {
		return t
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`)
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u003c`, "<", `\u003e`, ">",
		`\u0026`, "&").Replace(s)
}

// stampOf reads a time as entries have it: in words, or as a number of seconds, thousandths, or millionths since
// 1970, or, where it is small, since the boot.
func stampOf(v string) (Stamp, bool) {
	at := none
	if _, ok := stripTime(v, &at); ok && at.Text != "" {
		return at, true
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || f < 0 || math.IsNaN(f) || f > 1e19 {
		return none, false
	}
	const years = 1e9 // seconds: no host runs for 30 years, and nothing here is of before 2001
	switch {
	case f < years:
		at.Boot = time.Duration(f * float64(time.Second))
		at.Text = "[" + strconv.FormatFloat(f, 'f', 6, 64) + "]"
		return at, true
	case f < years*1e3:
	case f < years*1e6:
		f /= 1e3
	case f < years*1e9:
		f /= 1e6
	default:
		f /= 1e9
	}
	at.Wall = time.UnixMicro(int64(f * 1e6)).UTC()
	at.Text = at.Wall.Format(time.RFC3339)
	return at, true
}
