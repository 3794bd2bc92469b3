package pglog

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// journalRecord is what is read of a line of journalctl -o json. Each value is a string,
// an array of bytes where it is no text, or null where it was too long.
type journalRecord struct {
	Message   json.RawMessage `json:"MESSAGE"`
	Transport json.RawMessage `json:"_TRANSPORT"` // stdout: the standard output and error of a service
	Ident     json.RawMessage `json:"SYSLOG_IDENTIFIER"`
}

// FromJournal reads the lines of a PostgreSQL server out of the journal of systemd, as
// journalctl -o json writes the records of the server's unit: what the unit wrote to its
// standard output and error, and what a program called ident, postgres or postgresql
// wrote to syslog. Records of other programs, such as those of systemd about the unit,
// and lines that are no record are passed over.
func FromJournal(r io.Reader, ident string) io.Reader {
	return &rewriter{in: newLines(r), rewrite: func(to, line []byte) []byte { return appendRecord(to, line, ident) }}
}

// syslogSequence is what a server puts before each part of a message to syslog.
var syslogSequence = regex.New(`^\[\d{1,10}(?:-(\d{1,6}))?\] `)

// appendRecord appends the line that a record holds, of a server of a syslog_ident.
func appendRecord(to, line []byte, syslogIdent string) []byte {
	var r journalRecord
	if json.Unmarshal(line, &r) != nil || r.Message == nil {
		return to
	}
	text := journalValue(r.Message)
	if len(text) == 0 {
		return to
	}
	switch string(journalValue(r.Transport)) {
	case "stdout":
		return append(append(to, text...), '\n')
	case "syslog":
		ident := string(journalValue(r.Ident))
		if ident != syslogIdent && !strings.HasPrefix(ident, "postgres") {
			return to
		}
		var part []byte
		if m := syslogSequence.FindSubmatch(text); m != nil {
			part, text = m[1], text[len(m[0]):]
		}
		return appendPart(to, text, part)
	}
	return to
}

// journalValue reads a string, or an array of bytes; nil where it is neither.
func journalValue(raw json.RawMessage) []byte {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []byte(s)
	}
	var b []byte
	if json.Unmarshal(raw, &b) != nil {
		return nil
	}
	return b
}
