package pglog

import (
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Syslog is the format of log_destination that syslog writes to a file.
const Syslog Format = "syslog"

// beforeIdent and afterIdent are a line of syslog around the name of the program: a
// time of RFC 3164 or of RFC 3339 and the host; then the process, and the number that
// the server gives to its messages and their parts (syslog_sequence_numbers,
// syslog_split_messages).
const (
	beforeIdent = `^(?:<\d{1,3}>1? ?)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,24}) \S{1,255} `
	usualIdent  = `(?:postgres|postgresql)[\w@.-]{0,64}`
	afterIdent  = `(?:\[\d{1,10}\])?: (?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`
)

var usualSyslogLine = regex.New(beforeIdent + usualIdent + afterIdent)

// syslogLine matches the lines of servers of a syslog_ident; "": of the usual ones.
func syslogLine(ident string) *regexp.Regexp {
	if ident == "" || !utf8.ValidString(ident) { // a server takes printable ASCII alone
		return usualSyslogLine.Regexp()
	}
	return regexp.MustCompile(beforeIdent + `(?:` + regexp.QuoteMeta(ident) + `|` + usualIdent + `)` + afterIdent)
}

// syslogReader hands out the lines of a server as it would write them to a file.
type syslogReader struct {
	in   *lines
	line *regexp.Regexp
	left []byte
	told int // bytes of lines that came again
}

// FromSyslog reads the lines of PostgreSQL servers out of a file of syslog as plain
// lines: without what syslog put before them, and with the tabs that it spelled
// #011. All other lines are passed over, and of a line that is too long the rest.
// ident is the server's syslog_ident; "" is the default.
func FromSyslog(r io.Reader, ident string) io.Reader {
	return &syslogReader{in: newLines(r), line: syslogLine(ident)}
}

// Read implements io.Reader.
func (s *syslogReader) Read(p []byte) (int, error) {
	for len(s.left) == 0 {
		line, ok := s.in.next()
		if !ok {
			if s.in.err != nil {
				return 0, s.in.err
			}
			return 0, io.EOF
		}
		m := s.line.FindSubmatchIndex(line)
		if m == nil {
			continue
		}
		text, again := s.repeated(line[m[1]:])
		text = bytes.ReplaceAll(text, []byte("#011"), []byte{'\t'})
		var part []byte
		if m[2] >= 0 {
			part = line[m[2]:m[3]]
		}
		s.left = s.left[:0]
		for range again {
			s.left = appendPart(s.left, text, part)
		}
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// repeatedLine is what syslog writes of a line that came again.
var repeatedLine = regex.New(`^message repeated (\d{1,6}) times: \[ (?:\[\d{1,10}(?:-\d{1,6})?\] )?(.*)\]$`)

const (
	// maxAgain is how often a line is handed out that syslog says was repeated, and maxTold how many bytes of such
	// lines are in all.
	maxAgain = 1000
	maxTold  = 16 << 20
)

// repeated is a line, and how often it came.
func (s *syslogReader) repeated(text []byte) ([]byte, int) {
	if !bytes.HasPrefix(text, []byte("message repeated ")) {
		return text, 1
	}
	m := repeatedLine.FindSubmatch(text)
	if m == nil {
		return text, 1
	}
	v, _ := leadingNumber(m[1])
	n := int(min(max(v, 1), maxAgain))
	if s.told+n*len(text) > maxTold {
		return m[2], 1
	}
	s.told += n * len(text)
	return m[2], n
}

// appendPart appends a line of a message. part is its number where syslog has cut the
// message; a later one that begins nothing of its own goes on the line before.
func appendPart(to, text, part []byte) []byte {
	if len(part) > 0 && string(part) != "1" && findLabel(text) < 0 && !bytes.HasPrefix(text, []byte{'\t'}) {
		to = append(to, '\t')
	}
	return append(append(to, text...), '\n')
}
