package unwrap

import (
	"bytes"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

const rfc3339 = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`

var (
	// stamp is a time of RFC 3339 with what containers, GitLab and Loki have behind it.
	stamp = regex.New(`^\[?(` + rfc3339 +
		`)\]?(?: (?:(?:stdout|stderr) [FP] |\d\d[OE][+ ])?|[ \t]+|$)(?:\{[^{}]*\}[ \t]+)?`)
	// ts is what the program of that name puts before a line; behind it is no host and no program, as of syslog.
	ts      = regex.New(`^\p{L}{2,6}\.? {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: |$)`)
	tsOther = regex.New(`^[\w.-]{1,255} [\w@./()-]{1,64}(?:\[\d{1,10}\])?: `)
	// job is what «gh run view --log» puts before the time: the job, a tab, its step, a tab, in the first line of a
	// step the mark of the byte order.
	job      = regex.New(`^[^\t]{1,160}\t[^\t]{1,160}\t\x{FEFF}?(` + rfc3339 + `)(?: |$)`)
	step     = regex.New(`^\[\d\d:\d\d:\d\d\] ?[A-Za-z]?:[ \t]+\[Step \d{1,3}/\d{1,3}\](?: |$)()`) // of TeamCity
	inTime   = regex.New(`^(?:\[ {0,8}[\d+<]|\[[^\]]{8,40}\d\d:\d\d|\d{4}-\d\d-\d\d|\p{L}{2,6}\.? {1,2}\d{1,2} \d\d:)`)
	inDay    = regex.New(`^(?:\[[^\]]{8,40}\d\d:\d\d|\d{4}-\d\d-\d\d|\p{L}{2,6}\.? {1,2}\d{1,2} \d\d:)`)
	ownTime  = regex.New(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
	dated    = regex.New(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t]`)
	clocked  = regex.New(`^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[ \t]{1,2}`)
	severity = regex.New(`^(?:\[?(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\]?(?:: | - |\s{1,2}))`)
	chat     = regex.New(`^\[?\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?\]? *` +
		`(?:<[ @+]?[^<>]{1,40}>|[\w-]{1,30}:|\*{0,2}[\w-]{1,30}\*{0,2} ?[|│])(?: |$)|` +
		`^<[ @+]?[\w\[\]{}^|-]{1,40}>(?: |$)`)
)

// findJob finds the columns of a job and its step, and leaves the time that is behind them.
func findJob(s *sample) cut {
	for _, form := range []*regex.Regex{job, step} {
		if s.most(0.5, form.Match) && (s.Labeled != nil || s.all(0.5, form.Match)) {
			// A line of another form is left as it is.
			return off(func(l []byte) int { return append(form.FindSubmatchIndex(l), 0, 0, 0)[2] })
		}
	}
	return nil
}

// findTimestamps finds a time of RFC 3339 before each line, which no server and no kernel writes itself.
func findTimestamps(s *sample) cut {
	if !s.most(0.5, stamp.Match) || s.Labeled == nil && !s.all(0.5, stamp.Match) {
		return s.ts()
	}
	if s.Sign == nil && s.Labeled == nil && 10*s.count(func(l []byte) bool {
		at := stamp.FindIndex(l)
		return at != nil && tsOther.Match(l[at[1]:])
	}) > len(s.lines) {
		return nil // of syslog, which names a host and a program
	}
	if s.Exact {
		return each(sparingTime)
	}
	labeled := s.Labeled
	return each(func(l []byte) []byte {
		m := stamp.FindSubmatchIndex(l)
		if m == nil {
			return l
		}
		text := l[m[1]:]
		if labeled == nil {
			return text
		}
		if len(text) > 0 && text[0] == ' ' && labeled(text) {
			text = bytes.TrimLeft(text, " ")
		}
		return withTime(text, string(l[m[2]:m[3]]))
	})
}

// sparingTime takes off a time that is not the only one of a line, or that stands before a line which goes on. A time
// since the boot needs the other to tell the day.
func sparingTime(l []byte) []byte {
	m := stamp.FindSubmatchIndex(l)
	if m == nil {
		return l
	}
	text := l[m[1]:]
	if inDay.Match(text) || begins(text) || len(bytes.TrimLeft(text, " \t")) < len(text) {
		return text
	}
	return append(append(bytes.Clone(l[m[2]:m[3]]), ' '), text...)
}

// ts finds what ts puts there.
func (s *sample) ts() cut {
	length := func(l []byte) int {
		at := ts.FindIndex(l)
		if at == nil || tsOther.Match(l[at[1]:]) && (s.Begin == nil || s.Begin(string(l[at[1]:])) != 0) {
			return 0
		}
		return at[1]
	}
	has := func(l []byte) bool { n := length(l); return n > 0 && (!s.Exact || inDay.Match(l[n:])) }
	if len(s.lines) < 3 || !s.most(0.7, has) {
		return nil
	}
	return off(func(l []byte) int {
		if at := ts.FindIndex(l); at != nil {
			return at[1]
		}
		return 0
	})
}

// withTime puts the time of what brought a line before it, where it has none of its own and is no line that goes on.
func withTime(text []byte, at string) []byte {
	if len(text) == 0 || text[0] == '\t' || text[0] == ' ' || text[0] == '{' {
		return text
	}
	// A time behind the label is one that the message tells.
	if own := ownTime.FindIndex(text[:min(len(text), 400)]); own != nil &&
		!bytes.Contains(text[:own[0]], []byte(":  ")) {
		return text
	}
	t, ok := parseTime(at)
	if !ok {
		return text
	}
	return append([]byte(t+" "), text...)
}

// parseTime spells a time of RFC 3339 as the server does.
func parseTime(s string) (string, bool) {
	s = strings.Replace(s, ",", ".", 1)
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC().Format("2006-01-02 15:04:05.000 MST"), true
		}
	}
	return "", false
}

// findTimes finds times in forms that servers write too, and the level that a logger puts behind one.
func findTimes(s *sample) cut {
	length := func(l []byte) int {
		at := dated.FindIndex(l)
		if at == nil {
			at = clocked.FindIndex(l)
		}
		if at == nil {
			return 0
		}
		if m := severity.FindIndex(l[at[1]:]); m != nil {
			return at[1] + m[1]
		}
		return at[1]
	}
	// A table of which the lines begin with a time is one: what begins a line of the reader has to follow.
	known := func(l []byte) bool {
		n := length(l)
		return n > 0 && s.Begin != nil && s.Begin(string(l[n:])) == 0
	}
	if s.known == 0 || s.count(known) < 2 || !s.most(0.5, known) {
		return nil
	}
	return off(length)
}

// findChat finds the time and the name that a chat has before what somebody writes.
func findChat(s *sample) cut {
	if len(s.lines) < 3 || !s.most(0.9, chat.Match) || s.any(ownName.Match) {
		return nil
	}
	return off(func(l []byte) int {
		if at := chat.FindIndex(l); at != nil {
			return at[1]
		}
		return 0
	})
}
