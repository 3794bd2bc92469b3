package kernlog

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// record is what is read of a line of journalctl -o json, or of a server's
// jsonlog. A value of the journal is a string, or an array of bytes where it is
// no text, or null where it was too long.
type record struct {
	Message   json.RawMessage `json:"MESSAGE"`
	Transport string          `json:"_TRANSPORT"`
	Ident     string          `json:"SYSLOG_IDENTIFIER"`
	Real      string          `json:"__REALTIME_TIMESTAMP"`
	PID       json.RawMessage `json:"_PID"`

	Severity  string          `json:"error_severity"` // from here on a server's
	Timestamp string          `json:"timestamp"`
	ServerPID json.RawMessage `json:"pid"`
	Text      string          `json:"message"`
	Detail    string          `json:"detail"`
	State     string          `json:"state_code"`
	Statement string          `json:"statement"`
	Backend   string          `json:"backend_type"`
}

// json reads a line that is a JSON object; false where it is none of ours.
func (p *Reader) json(s string) bool {
	var r record
	if json.Unmarshal([]byte(s), &r) != nil {
		return false
	}
	if r.Severity != "" {
		pid, _ := strconv.Atoi(strings.Trim(string(r.ServerPID), `"`))
		p.srv.entry(p, entry{at: timeOf(r.Timestamp), pid: pid, severity: r.Severity, state: r.State, message: r.Text, detail: r.Detail, statement: r.Statement})
		return true
	}
	text := bytesOf(r.Message)
	if text == "" {
		return r.Message != nil
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
		if k.from != fromOther && p.srv.text(p, t, k) {
			continue
		}
		p.line(k)
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
