package kernlog

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// record is what is read of a line of journalctl -o json. A value of the journal is a string, or an array of bytes
// where it is no text, or null where it was too long.
type record struct {
	Message   json.RawMessage `json:"MESSAGE"`
	Transport string          `json:"_TRANSPORT"`
	Ident     string          `json:"SYSLOG_IDENTIFIER"`
	Real      string          `json:"__REALTIME_TIMESTAMP"`
	PID       json.RawMessage `json:"_PID"`
	Log       string          `json:"log"` // of Docker's files: a line as it was written
}

// json reads a line that is a JSON object; false where it is none of ours.
func (p *Reader) json(s string) bool {
	if strings.Contains(s, `"error_severity"`) { // a server's jsonlog
		p.foreign = Foreign{Text: []byte(strings.TrimRight(s, "\r\n"))}
		p.given = p.others(&p.foreign)
		return p.given
	}
	var r record
	if json.Unmarshal([]byte(s), &r) != nil {
		return false
	}
	if r.Message == nil && r.Log != "" {
		p.raw(r.Log)
		return true
	}
	if r.Message == nil {
		return false
	}
	text := bytesOf(r.Message)
	if text == "" {
		return true
	}
	l := line{at: none}
	if us, err := strconv.ParseInt(r.Real, 10, 64); err == nil && us > 0 && us < 1<<53 {
		l.at.Wall = time.UnixMicro(us).UTC()
		l.at.Text = l.at.Wall.Format(time.RFC3339)
	}
	l.pid, _ = strconv.Atoi(strings.Trim(string(r.PID), `"`))
	switch {
	case r.Transport == "kernel" || r.Ident == "kernel":
		l.from = fromKernel
	case strings.HasPrefix(r.Ident, "systemd"):
		l.from = fromSystemd
	case strings.HasPrefix(r.Ident, "postgres"):
		l.from = fromServer
	default:
		l.from = fromOther
	}
	for _, t := range strings.Split(text, "\n") {
		k := l
		k.text = strings.TrimSpace(t)
		if k.from == fromServer {
			k.text = t // a tab at its beginning says that it goes on
		}
		if !p.hand(t, k) {
			p.line(k)
		}
	}
	return true
}

// bytesOf reads a string, or an array of bytes.
func bytesOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n []int
	if json.Unmarshal(raw, &n) != nil {
		return ""
	}
	b := make([]byte, 0, len(n))
	for _, c := range n {
		b = append(b, byte(c))
	}
	return string(b)
}
