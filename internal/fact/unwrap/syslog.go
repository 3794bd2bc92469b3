package unwrap

import (
	"bytes"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	syslogLine = regex.New(`^(?:<\d{1,3}>1? ?)?(?:` + rfc3339 + `|` +
		`\S{2,20} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:[.,]\d{1,6})?|` + // Aug  8 03:35:01, mag 16 19:38:43
		`\d{1,2}\.? ?\S{2,20} \d\d:\d\d:\d\d(?:[.,]\d{1,6})?|` + // 24 juil. 14:38:39
		` ?\d{1,2}月 {1,2}\d{1,2}日? \d\d:\d\d:\d\d` + // 7月 24 14:38:39
		`) \S+ (?:[a-z]+\d?\.[a-z]+<\d{1,3}>:? )?([A-Za-z_/][\w@./:-]*)(?:\[\d{1,10}\])?: ?` +
		`(?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`)
	syslog5424 = regex.New(`^<\d{1,3}>1 (` + rfc3339 + `) \S+ (\S+) \S+ \S+ ` +
		`(?:-|(?:\[[^\]]*\])+) ?(?:\x{FEFF})?(?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`)
	ofStep = regex.New(`^` + rfc3339 + ` \d\d[OE][+ ]`) // of GitLab
	// a time zone and a label with two spaces behind it, of a server: no host and no program
	timeZone      = regex.New(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* [A-Z]{2,5} \p{Lu}{3,12}\d?\x{a0}?:  `)
	syslogTime    = regex.New(`^(?:<\d{1,3}>1? ?)?(` + rfc3339 + `) `)
	oomLine       = regex.New(`killed by the OOM killer|with result 'oom-kill'|[Oo]ut of memory: Kill(?:ed)? process`)
	postgresIdent = regex.New(`(?i)postgres|postmaster|pg_|pgsql|psql`)
)

// findSyslog finds what syslog and the journal put before a line. Of a server's log, lines of other programs go.
func findSyslog(s *sample) cut {
	has := func(l []byte) bool {
		return syslogLine.Match(l) && !ofStep.Match(l) && !timeZone.Match(l) || syslog5424.Match(l)
	}
	if !s.most(0.3, has) || s.Labeled == nil && !s.most(0.8, has) {
		return nil
	}
	if s.anyLine() && !s.oneProgram() {
		return nil
	}
	labeled := s.Labeled
	if labeled != nil {
		return func(l line, out func(line)) {
			if ends(l) {
				return
			}
			if text := ofSyslog(l.text, labeled); text != nil {
				out(line{text, l.number})
			}
		}
	}
	return each(func(l []byte) []byte {
		at := syslog5424.FindIndex(l)
		if at == nil {
			at = syslogLine.FindIndex(l)
		}
		// «Mar 10 14:02:51 transaction type: » is a time alone.
		if t := ts.FindIndex(l); t != nil && s.Begin != nil && s.Begin(string(l[t[1]:])) == 0 {
			at = t
		}
		if at == nil {
			return l
		}
		return bytes.ReplaceAll(l[at[1]:], []byte("#011"), []byte{'\t'})
	})
}

// oneProgram says whether all lines are of one program, such as a script that reports: lines of several are a journal,
// and those of the kernel, systemd and servers are read as one.
func (s *sample) oneProgram() bool {
	m := syslogLine.FindSubmatchIndex(s.lines[0])
	if m == nil || strings.HasPrefix(string(s.lines[0][m[2]:m[3]]), "systemd") {
		return false
	}
	ident := s.lines[0][m[2]:m[3]]
	return string(ident) != "kernel" && !postgresIdent.Match(ident) && s.all(0.9, func(l []byte) bool {
		m := syslogLine.FindSubmatchIndex(l)
		return m != nil && bytes.Equal(l[m[2]:m[3]], ident)
	})
}

// ofSyslog is what a server wrote into a line; nil: the line is another program's.
func ofSyslog(l []byte, labeled func([]byte) bool) []byte {
	var text, ident, part, at []byte
	if m := syslog5424.FindSubmatchIndex(l); m != nil {
		text, at, ident = l[m[1]:], l[m[2]:m[3]], l[m[4]:m[5]]
		if m[6] >= 0 {
			part = l[m[6]:m[7]]
		}
	} else if m := syslogLine.FindSubmatchIndex(l); m != nil {
		text, ident = l[m[1]:], l[m[2]:m[3]]
		if m[4] >= 0 {
			part = l[m[4]:m[5]]
		}
		if t := syslogTime.FindSubmatch(l); t != nil && labeled(text) {
			at = t[1]
		}
	} else {
		return l
	}
	has := labeled(text)
	if !has && !postgresIdent.Match(ident) {
		return nil
	}
	text = bytes.ReplaceAll(text, []byte("#011"), []byte{'\t'})
	if part != nil && string(part) != "1" && !has && !bytes.HasPrefix(text, []byte{'\t'}) {
		return append([]byte{'\t'}, text...)
	}
	if at != nil {
		text = withTime(text, string(at))
	}
	if text == nil {
		text = []byte{}
	}
	return text
}
