package kernlog

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// source is the program that wrote a line, as far as its prefix tells.
type source int

const (
	bare source = iota // no prefix tells
	fromKernel
	fromSystemd
	fromServer // PostgreSQL, through syslog or the journal
	fromOther
)

// line is a line without its prefix.
type line struct {
	at     Stamp
	from   source
	pid    int    // of the program, where the prefix has it
	host   string // likewise
	text   string //
	indent bool   // it began with a space: it continues a message of several lines
}

var (
	// -d has how long after the last; CONFIG_PRINTK_CALLER the task or the processor that wrote it
	reBoot  = regex.New(`^\[\s*(\d{1,9})\.(\d{3,9})(?: {0,2}<[ \d.]{0,24}>)?\] ?(?:\[ {0,8}[TC]\d{1,8}\] ?)?`)
	reDelta = regex.New(`^\[\s*[+<]\s*\d+\.\d+>?\] ?`)
	// Weekdays and months are of the language of who ran dmesg or journalctl: one word or two, with
	// letters, digits, and points of any script. What stands about them tells that they are a date.
	// The day is before the month in some, such as «dim. 19 avril». Who retypes it leaves the year out.
	reCtime = regex.New(`^\[ {0,2}((?:\S{1,24} {1,4}){1,4}\d{1,2}(?: {1,2}[^\s\d]\S{0,23})? ` +
		`\d\d:\d\d:\d\d(?: \d{4})?)(?: {0,2}<[ \d.]{0,24}>)?\] ?`)
	reHuman = regex.New(`^\[ {0,2}((?:\S{1,24} {0,4}){1,3}\d{1,2} \d\d:\d\d)\] ?`)
	reISO   = regex.New(
		`^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)([.,]\d{1,9})?(Z|[+-]\d\d:?\d\d| [A-Z]{3,4})?(?:\s|$)`)
	reISOIn = regex.New(
		`^\[(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)([.,]\d{1,9})?(Z|[+-]\d\d:?\d\d| [A-Z]{3,4})?\]:? `)
	reFull   = regex.New(`^(?:[^\s:\]]{1,24} {1,4}){1,2}(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{1,9})? (\S{1,8}) `)
	reSyslog = regex.New(`^((?:\S{1,24} {1,4}){1,3}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)?):? `)
	// RFC 5424: priority and version, time, host, program, process, message, structured data
	re5424 = regex.New(`^<\d{1,3}>1 (\S{1,40} )(\S{1,255}) (\S{1,48}) (\S{1,128}) \S{1,32} ` +
		`(?:-|(?:\[[^\]]*\])+) ?`)
	reCRI = regex.New(`^(?:stdout|stderr) [FP] `)
	// Of a person's own script, or of a console: in front of the lines of a kill alone.
	reClock = regex.New(`^(\d\d:\d\d:\d\d(?:\.\d{1,9})?) +`)
	// What tells of kills besides the kernel, behind such a time: a program, or a unit.
	reTeller = regex.New(`^(?:(?:\S{1,255} )?(?:kernel|systemd|systemd-oomd|earlyoom)(?:\[\d{1,10}\])?: |` +
		`\S{1,255}: (?:A process of this unit has been killed by the OOM|Failed with result 'oom-kill'))`)
	reUnix = regex.New(`^(\d{9,10})\.(\d{6}) `)
	// The time since boot behind something that a console or a program put before it.
	reBootIn  = regex.New(`(?:<\d{1,3}>)?\[\s{0,8}(\d{1,9})\.(\d{3,9})\] ?(?:\[ {0,8}[TC]\d{1,8}\] ?)?`)
	reBootCut = regex.New(`^(\d{1,9})\.(\d{3,9})\] `) // its bracket is lost
	// Not within a word: that is a person's name for a process.
	reColor  = regex.New(`(^|[\s:=(,\]])(?:\x1b\[[0-9;]{0,16}[mK])+|(?:\x1b\[[0-9;]{0,16}[mK])+([\s:=),]|$)`)
	reMarkup = regex.New(`^(?:</?(?:p|pre|code|div|span|li|td|tr)\b[^<>]{0,80}>)+|(?:</?(?:p|pre|code|div|` +
		`span|li|td|tr|br) ?/?>)+$`)
	// The number of the line, as viewers and cat -n show it.
	reNumbered = regex.New(`^\d{1,7}(?: {0,4}[|│:] {0,4}| {2,8}|\t| \t)`)
	reBullet   = regex.New("^(?:[-*•·] {1,3}`?|`)") // of a list
	rePrio     = regex.New(`^(?:<\d{1,3}>|[a-z]{3,8}\s*:[a-z]{2,7}\s*: ?|kern: {1,8}[a-z]{2,7}: )`)
	// A line of a log as a string of a program, behind the name of a field.
	reSourceField = regex.New(`^["']?(?:text|line|msg|message|log|entry|raw)["']? ?[:=] {1,4}["'\x60]`)
	reKmsg        = regex.New(`^\d{1,4},\d+,(\d{1,18}),[^;]{0,64};`)
	reTag         = regex.New(`^([A-Za-z][\w./@+-]{0,63})(?:\[(\d{1,10})\])?$`)
)

// stripLine takes the prefixes off a line: of a quotation, of dmesg, of
// journalctl and of syslog, one after the other as they stand.
func stripLine(s string) line {
	l := line{at: none}
	s = strings.TrimRight(s, " \t\r\n")
	if strings.IndexByte(s, '&') >= 0 { // copied from the source of a page
		s = strings.ReplaceAll(html.UnescapeString(s), "\u00a0", " ")
	}
	s = plainText(s)
	for strings.HasPrefix(s, "> ") || strings.HasPrefix(s, ">") && len(s) > 1 {
		s = strings.TrimPrefix(strings.TrimPrefix(s, ">"), " ")
	}
	l.indent = strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\t")
	s = strings.TrimLeft(s, " \t")
	if strings.HasPrefix(s, `"`) || strings.HasPrefix(s, "|") {
		if q := strings.TrimLeft(s, "\"| "); timeBegins(q) {
			s = strings.TrimRight(q, "\",| ")
		}
	}
	if m := reSourceField.FindString(s); m != "" {
		if q := s[len(m):]; timeBegins(rePrio.ReplaceAllString(q, "")) {
			s = strings.TrimRight(q, "\"',`;) ")
		}
	}
	s = stripFile(uncommented(s))
	tagged := false
	if strings.HasPrefix(s, "<") {
		if m := re5424.FindStringSubmatch(s); m != nil {
			tagged = true
			_, _ = stripTime(m[1], &l.at)
			l.host = m[2]
			l.from, _ = sourceOf(m[3])
			l.pid, _ = strconv.Atoi(m[4])
			s = s[len(m[0]):]
		}
	}
	for range 5 { // priority, time, tag, the kernel's own time, and one to spare
		rest, ok := stripTime(s, &l.at)
		if !ok && !tagged {
			rest, ok = stripTag(s, &l)
			tagged = ok
		}
		if !ok && l.at.Text != "" && strings.HasPrefix(s, "std") { // as Kubernetes writes it
			if m := reCRI.FindString(s); m != "" {
				rest, ok = s[len(m):], true
			}
		}
		if !ok {
			break
		}
		s = rest
	}
	if l.at.Boot < 0 && l.from == bare {
		if rest, boot, ok := bootWithin(s); ok {
			s, l.at.Boot = rest, boot
			if l.at.Text == "" {
				l.at.Text = fmt.Sprintf("[%.6f]", boot.Seconds())
			}
			l.from = fromKernel
		}
	}
	if l.from == fromKernel && strings.HasPrefix(s, "systemd") { // what systemd writes to the kernel's buffer
		if rest, ok := stripTag(s, &l); ok {
			s = rest
		}
	}
	l.text = strings.TrimSpace(s)
	return l
}

// uncommented takes the mark of a comment off a line that is quoted in the source of a program.
func uncommented(s string) string {
	for _, mark := range []string{"// ", "# ", "-- ", "* ", "; "} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			if rest = strings.TrimLeft(rest, " "); timeBegins(rest) || opens(rest) ||
				strings.HasPrefix(rest, "score ") {
				return rest
			}
		}
	}
	return s
}

// ofKill says whether a line is one of a kill, or a row of its table.
func ofKill(s string) bool {
	return opens(s) || strings.HasPrefix(s, "oom_reaper:") || strings.HasPrefix(s, "[ ") ||
		strings.HasPrefix(s, "Mem-Info:") || strings.HasPrefix(s, "Tasks state")
}

// timeBegins says whether a line begins with a time.
func timeBegins(s string) bool {
	var at Stamp
	_, ok := stripTime(s, &at)
	return ok
}

// plainText undoes what terminals and pages put about a line: colors, blanks that do not break, marks of
// Markdown and HTML.
func plainText(s string) string {
	if strings.Contains(s, "\x1b[") {
		s = reColor.ReplaceAllString(s, "$1$2")
	}
	if strings.Contains(s, "\u00a0") {
		s = strings.ReplaceAll(s, "\u00a0", " ")
	}
	if strings.Contains(s, "\u21aa") { // where a book folds a line
		s = strings.ReplaceAll(s, "\u21aa", "")
	}
	s = strings.TrimPrefix(s, "\ufeff")
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = strings.Trim(s, "`")
	}
	if strings.HasSuffix(s, ">") || strings.HasPrefix(s, "<p") || strings.HasPrefix(s, "<c") {
		s = reMarkup.ReplaceAllString(s, "")
	}
	return s
}

// bootWithin finds the kernel's own time behind what a console or a hypervisor wrote before it. What a server
// or a program quotes is none.
func bootWithin(s string) (rest string, boot time.Duration, ok bool) {
	const most = 100
	m := reBootIn.FindStringSubmatchIndex(s[:min(len(s), most)])
	if m == nil || m[0] == 0 || strings.ContainsAny(s[:m[0]], "'\"") || hasSeverity([]byte(s[:m[0]])) {
		return s, 0, false
	}
	return s[m[1]:], sinceBoot(s[m[2]:m[3]], s[m[4]:m[5]]), true
}

// sinceBoot is the kernel's own time, of which a person may have left some digits out.
func sinceBoot(seconds, fraction string) time.Duration {
	const nano = 9
	sec, _ := strconv.ParseInt(seconds, 10, 64)
	part, _ := strconv.ParseInt(fraction+strings.Repeat("0", nano-len(fraction)), 10, 64)
	return time.Duration(sec)*time.Second + time.Duration(part)
}

// stripFile takes the name of a file and the number of a line off, as grep writes them, where a time stands
// behind them.
func stripFile(s string) string {
	const most = 160
	rest := s
	if m := reNumbered.FindString(s); m != "" {
		var at Stamp
		if _, ok := stripTime(s[len(m):], &at); ok {
			return s[len(m):]
		}
	}
	if m := reBullet.FindString(s); m != "" {
		var at Stamp
		if _, ok := stripTime(s[len(m):], &at); ok {
			return s[len(m):]
		}
	}
	if q, ok := strings.CutPrefix(s, `"`); ok || strings.HasPrefix(s, "\u201c") {
		q = strings.TrimPrefix(q, "\u201c")
		var at Stamp
		if _, ok := stripTime(q, &at); ok {
			return q
		}
	}
	for range 2 {
		i := strings.IndexByte(rest[:min(len(rest), most)], ':')
		if i <= 0 || strings.ContainsAny(rest[:i], " \t[]<>") {
			return s
		}
		rest = rest[i+1:]
		digits := strings.TrimLeft(rest, "0123456789")
		if len(digits) < len(rest) && strings.HasPrefix(digits, ":") {
			continue // the number, or a time of day
		}
		var at Stamp
		if _, ok := stripTime(rest, &at); ok {
			return rest
		}
		return s
	}
	return s
}

// stripTime takes one mark of time off. A line may have two, of the wall clock
// and since boot.
func stripTime(s string, at *Stamp) (string, bool) {
	if s == "" {
		return s, false
	}
	note := func(text string) {
		if at.Text == "" {
			at.Text = text
		}
	}
	switch c := s[0]; {
	case c == '[':
		if m := reBoot.FindStringSubmatch(s); m != nil {
			at.Boot = sinceBoot(m[1], m[2])
			text := m[0][:strings.IndexAny(m[0], "<]")] // and how long after the last
			note(strings.TrimRight(text, " ") + "]")
			return s[len(m[0]):], true
		}
		if m := reCtime.FindStringSubmatch(s); m != nil {
			note(m[1]) // of the host's time zone, which is not told
			return s[len(m[0]):], true
		}
		if m := reISOIn.FindStringSubmatch(s); m != nil {
			note(strings.TrimSpace(m[1] + m[2] + m[3]))
			at.setWall(m[1], m[2], m[3])
			return s[len(m[0]):], true
		}
		if m := reDelta.FindString(s); m != "" {
			at.after = true
			return s[len(m):], true
		}
		if m := reHuman.FindStringSubmatch(s); m != nil {
			note(strings.TrimSpace(m[1])) // to the minute; neither year nor zone
			return s[len(m[0]):], true
		}
	case c == '<' || 'a' <= c && c <= 'z':
		// Most lines that begin so are plain text: the expression is slow.
		if i := strings.IndexByte(s[:min(len(s), 12)], ':'); c == '<' || i >= 0 {
			if m := rePrio.FindString(s); m != "" {
				return s[len(m):], true
			}
		}
	case '0' <= c && c <= '9':
		if m := reBootCut.FindStringSubmatch(s); m != nil {
			at.Boot = sinceBoot(m[1], m[2])
			note(m[1] + "." + m[2])
			return s[len(m[0]):], true
		}
		if m := reISO.FindStringSubmatch(s); m != nil {
			note(strings.TrimSpace(m[1] + m[2] + m[3]))
			at.setWall(m[1], m[2], m[3])
			return s[len(m[0]):], true
		}
		if m := reClock.FindStringSubmatch(s); m != nil && (ofKill(s[len(m[0]):]) ||
			reTeller.MatchString(s[len(m[0]):])) {
			note(m[1]) // the day is unknown
			return s[len(m[0]):], true
		}
		if m := reUnix.FindStringSubmatch(s); m != nil {
			sec, _ := strconv.ParseInt(m[1], 10, 64)
			micro, _ := strconv.ParseInt(m[2], 10, 64)
			at.Wall = time.Unix(sec, micro*1000).UTC()
			note(m[1] + "." + m[2])
			return s[len(m[0]):], true
		}
		if m := reKmsg.FindStringSubmatch(s); m != nil {
			micro, err := strconv.ParseInt(m[1], 10, 64)
			if err == nil && micro < 1e15 {
				at.Boot = time.Duration(micro) * time.Microsecond
			}
			return s[len(m[0]):], true
		}
	}
	if !hasClock(s) {
		return s, false
	}
	if m := reFull.FindStringSubmatch(s); m != nil {
		note(m[1] + m[2] + " " + m[3])
		at.setWall(m[1], m[2], " "+m[3])
		return s[len(m[0]):], true
	}
	if m := reSyslog.FindStringSubmatch(s); m != nil {
		note(m[1]) // neither year nor zone
		return s[len(m[0]):], true
	}
	return s, false
}

// hasClock says quickly whether a line may begin with a date in words: with a time of day that
// stands behind what three words of a language take.
func hasClock(s string) bool {
	const most = 3 * 48
	for i := strings.IndexByte(s[:min(len(s), most)], ':'); i >= 0 && i+6 <= len(s); {
		if s[i+3] == ':' {
			return true
		}
		next := strings.IndexByte(s[i+1:min(len(s), most)], ':')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

// setWall sets the wall clock where the zone is told. Of letters only UTC and
// GMT mean one zone to everybody.
func (at *Stamp) setWall(text, fraction, zone string) {
	layout := "2006-01-02T15:04:05"
	text = strings.Replace(text, " ", "T", 1)
	switch z := strings.TrimSpace(zone); {
	case z == "UTC" || z == "GMT" || z == "Z":
		zone = "+0000"
	case len(z) >= 5 && (z[0] == '+' || z[0] == '-'):
		zone = strings.Replace(z, ":", "", 1)
	default:
		return
	}
	t, err := time.Parse(layout+"-0700", text+zone)
	if err != nil {
		return
	}
	if len(fraction) > 1 {
		if f, err := strconv.ParseFloat("0."+fraction[1:], 64); err == nil {
			t = t.Add(time.Duration(f * float64(time.Second)))
		}
	}
	at.Wall = t.UTC()
}

// stripTag takes «host program[pid]: » off. Without a host only the programs
// that matter here are taken for one: "Node 0 DMA: " is no tag.
func stripTag(s string, l *line) (string, bool) {
	i := strings.Index(s, ": ")
	if k := strings.Index(s[:min(len(s), 270)], "kernel:"); k >= 0 && (i < 0 || k+6 < i) && (k == 0 || s[k-1] == ' ') {
		i = k + 6 // rsyslogd's messages to all terminals have no blank
	}
	if i < 0 {
		return s, false
	}
	host, name, two := strings.Cut(s[:i], " ")
	if !two {
		host, name = "", host
	}
	if len(host) > 255 {
		return s, false
	}
	m := reTag.FindStringSubmatch(name)
	if m == nil {
		return s, false
	}
	switch from, known := sourceOf(m[1]); {
	case from == fromServer && m[2] == "":
		return s, false // «postgres: page allocation failure» is the kernel's
	case known || m[2] != "" && l.at.Text != "":
		l.from = from
	default:
		return s, false
	}
	l.pid, _ = strconv.Atoi(m[2])
	if two {
		l.host = host
	}
	return strings.TrimPrefix(s[i+1:], " "), true
}

// sourceOf tells a program by its name; known is false where it is none of those that matter here.
func sourceOf(name string) (from source, known bool) {
	switch name {
	case "kernel":
		return fromKernel, true
	case "containerd", "dockerd", "slurmstepd":
		return bare, true // their lines are read as those without a prefix
	case "systemd", "systemd-oomd", "earlyoom":
		return fromSystemd, true // what tells of kills besides the kernel
	case "postgres", "postgresql", "postmaster":
		return fromServer, true
	}
	return fromOther, false
}
