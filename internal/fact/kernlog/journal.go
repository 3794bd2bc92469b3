package kernlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record is what is read of a line of journalctl -o json. A value of the journal is a string, or an array of bytes
// where it is no text, or null where it was too long.
type record struct {
	Message   json.RawMessage `json:"MESSAGE"` // and message, of most others
	Transport string          `json:"_TRANSPORT"`
	Ident     string          `json:"SYSLOG_IDENTIFIER"`
	Host      string          `json:"_HOSTNAME"`
	Real      string          `json:"__REALTIME_TIMESTAMP"`
	PID       json.RawMessage `json:"_PID"`
	Short     string          `json:"short_message"` // of Graylog
	Raw       string          `json:"_raw"`          // of Splunk
	Output    string          `json:"output"`        // of a program that another started
	Stdout    string          `json:"stdout"`        // likewise
	Log       string          `json:"log"`           // of Docker's files: a line as it was written
	Msg       string          `json:"msg"`           // of Fluent Bit's input kmsg
	Text      string          `json:"textPayload"`   // of Cloud Logging
	Payload   json.RawMessage `json:"jsonPayload"`   // likewise: the fields of the journal
	Syslog    string          `json:"SyslogMessage"`
	Time      json.RawMessage `json:"time"`
	Timestamp json.RawMessage `json:"timestamp"`
	At        json.RawMessage `json:"@timestamp"`
	Seconds   *int64          `json:"sec"` // since boot, of kmsg
	Micros    *int64          `json:"usec"`
}

// stamp is when it was written, as far as one of its fields tells.
func (r *record) stamp() (at Stamp, ok bool) {
	const years = 1e9
	if r.Seconds != nil && *r.Seconds >= 0 && *r.Seconds < years {
		v := strconv.FormatInt(*r.Seconds, 10)
		if r.Micros != nil && *r.Micros >= 0 && *r.Micros < 1e6 {
			v += fmt.Sprintf(".%06d", *r.Micros)
		}
		return stampOf(v)
	}
	for _, raw := range []json.RawMessage{r.Timestamp, r.At, r.Time} {
		if at, ok := stampOf(strings.Trim(string(raw), `"`)); ok {
			return at, true
		}
	}
	return none, false
}

// json reads a line that is a JSON object; false where it is none of ours.
func (p *Reader) json(s string) bool {
	if strings.Contains(s, `"error_severity"`) { // a server's jsonlog
		p.foreign = Foreign{Text: operatorRecord([]byte(strings.TrimRight(s, "\r\n")))}
		p.given = p.others(&p.foreign)
		return p.given
	}
	var r record
	if json.Unmarshal([]byte(s), &r) != nil {
		return false
	}
	at, told := r.stamp()
	if r.Message == nil && r.Payload != nil {
		var inner record
		if json.Unmarshal(r.Payload, &inner) == nil && inner.Message != nil {
			inner.Timestamp, inner.Payload, r = r.Timestamp, nil, inner
			at, told = r.stamp()
		}
	}
	if r.Message == nil {
		for _, text := range []string{r.Log, r.Msg, r.Text, r.Syslog, r.Short, r.Raw, r.Output, r.Stdout} {
			if text != "" {
				p.lines(text, at, told)
				return true
			}
		}
		return false
	}
	text := bytesOf(r.Message)
	if text == "" {
		return true
	}
	if r.Transport == "" && r.Ident == "" {
		p.lines(text, at, told)
		return true
	}
	l := line{at: none, host: r.Host}
	if told {
		l.at = at
	}
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

// operatorRecord is the object of jsonlog that stands in one of CloudNativePG, which has the names of csvlog's columns;
// what is none comes back as it is.
func operatorRecord(b []byte) []byte {
	var outer struct {
		Record map[string]any `json:"record"`
	}
	if !bytes.Contains(b, []byte(`"record"`)) || json.Unmarshal(b, &outer) != nil || outer.Record == nil {
		return b
	}
	for from, to := range map[string]string{"log_time": "timestamp", "user_name": "user", "database_name": "dbname",
		"process_id": "pid", "sql_state_code": "state_code", "query": "statement"} {
		if v, ok := outer.Record[from]; ok {
			delete(outer.Record, from)
			outer.Record[to] = v
		}
	}
	flat, err := json.Marshal(outer.Record)
	if err != nil {
		return b
	}
	return flat
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
