package pglog

import (
	"bytes"
	"io"
	"regexp"
)

// Syslog is the format of log_destination that syslog writes to a file.
const Syslog Format = "syslog"

// syslogLine is a line of syslog: a time of RFC 3164 or of RFC 3339, the host, the
// program with its process, and the number that the server gives to its messages
// and their parts (syslog_sequence_numbers, syslog_split_messages).
var syslogLine = regexp.MustCompile(`^(?:<\d{1,3}>1? ?)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,24}) \S{1,255} ` +
	`(?:postgres|postgresql)[\w@.-]{0,64}(?:\[\d{1,10}\])?: (?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`)

// syslogReader hands out the lines of a server as it would write them to a file.
type syslogReader struct {
	in   *lines
	left []byte
}

// FromSyslog reads the lines of PostgreSQL servers out of a file of syslog as plain
// lines: without what syslog put before them, and with the tabs that it spelled
// #011. All other lines are passed over, and of a line that is too long the rest.
func FromSyslog(r io.Reader) io.Reader { return &syslogReader{in: newLines(r)} }

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
		m := syslogLine.FindSubmatchIndex(line)
		if m == nil {
			continue
		}
		text := bytes.ReplaceAll(line[m[1]:], []byte("#011"), []byte{'\t'})
		later := m[2] >= 0 && string(line[m[2]:m[3]]) != "1"
		s.left = s.left[:0]
		if later && findLabel(text) < 0 && !bytes.HasPrefix(text, []byte{'\t'}) {
			s.left = append(s.left, '\t') // a line was cut in two: it goes on
		}
		s.left = append(append(s.left, text...), '\n')
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}
