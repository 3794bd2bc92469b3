package pglog

import (
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

// Syslog is the format of log_destination that syslog writes to a file.
const Syslog Format = "syslog"

// beforeIdent and afterIdent are a line of syslog around the name of the program: a
// time of RFC 3164 or of RFC 3339 and the host; then the process, and the number that
// the server gives to its messages and their parts (syslog_sequence_numbers,
// syslog_split_messages).
const (
	beforeIdent = `^(?:<\d{1,3}>1? ?)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,24}) \S{1,255} ` +
		`(?:[a-z]+\d?\.[a-z]+<\d{1,3}>:? )?` // facility.level<priority> of a template
	usualIdent = `(?:postgres|postgresql)[\w@.-]{0,64}`
	afterIdent = `(?:\[\d{1,10}\])?: (?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`
)

var usualSyslogLine = regex.New(beforeIdent + usualIdent + afterIdent)

// syslogLine matches the lines of servers of a syslog_ident; "": of the usual ones.
func syslogLine(ident string) *regexp.Regexp {
	if ident == "" || !utf8.ValidString(ident) { // a server takes printable ASCII alone
		return usualSyslogLine.Regexp()
	}
	return regexp.MustCompile(beforeIdent + `(?:` + regexp.QuoteMeta(ident) + `|` + usualIdent + `)` + afterIdent)
}

// FromSyslog reads the lines of PostgreSQL servers out of a file of syslog as plain
// lines: without what syslog put before them, and with the tabs that it spelled
// #011. All other lines are passed over, and of a line that is too long the rest.
// ident is the server's syslog_ident; "" is the default.
func FromSyslog(r io.Reader, ident string) io.Reader {
	ours := syslogLine(ident)
	var repeats unwrap.Repeats
	return &rewriter{in: newLines(r), rewrite: func(to, line []byte) []byte {
		line, times := repeats.Line(line)
		m := ours.FindSubmatchIndex(line)
		if m == nil {
			return to
		}
		text := bytes.ReplaceAll(line[m[1]:], []byte("#011"), []byte{'\t'})
		var part []byte
		if m[2] >= 0 {
			part = line[m[2]:m[3]]
		}
		for range times {
			to = appendPart(to, text, part)
		}
		return to
	}}
}

// appendPart appends a line of a message. part is its number where syslog has cut the
// message; a later one that begins nothing of its own goes on the line before.
func appendPart(to, text, part []byte) []byte {
	if len(part) > 0 && string(part) != "1" && findLabel(text) < 0 && !bytes.HasPrefix(text, []byte{'\t'}) {
		to = append(to, '\t')
	}
	return append(append(to, text...), '\n')
}
