package output

import (
	"encoding/json"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// dated is a time that a collector has put before a line: docker, Kubernetes, ts, loggers.
	dated = regex.New(
		`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t]` +
			`(?:(?:stdout|stderr) [FP] |\d\d[OE][+ ])?`)
	// logged is what syslog and the journal put there, in each language; the second form is that
	// of ts.
	logged = regex.New(`^(?:<\d{1,3}>)?\p{L}{2,6}\.? +\d{1,2} \d\d:\d\d:\d\d `)
	source = regex.New(`^[^\s=%|]{1,80} [^\s=%|:]{1,80}(?:\[\d+\])?: ?`)
	// sender is what is left of it behind a time in the form of ISO 8601.
	sender = regex.New(`^[^\s=%|]{1,80} [^\s=%|:]{1,80}\[\d+\]: ?`)
	level  = regex.New(`^(?:\[?(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\]?(?:: | - |\s{1,2}))`)
	// named is the name of a container, a pod or a step; it counts where several lines have it.
	named = regex.New(`^(?:\[([^\]\s][^\]]{0,80})\]:?[ \t]?|([\w./-]{1,80}) {0,40}\| ?)`)
	// listed is a name of a file, as grep puts it there.
	listed = regex.New(`^([\w./+-]{0,200}(?:\.\w{1,8}|/[\w.+-]{1,80}))[:-](?:(\d{1,6})[:-])?`)
	// clocked is a time of day, which sar too begins its lines with.
	clocked = regex.New(`^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[ \t]{1,2}`)
	// counted is the number of a line.
	counted = regex.New(`^ {0,5}(\d{1,4})(?: ?[:|.)]|\t| )[ \t]?`)
	// cell is the edge of a table of a wiki.
	cell    = regex.New(`^[ \t]{0,3}\|[ \t]?`)
	seconds = regex.New(`^ *[0-9.]+s ?$`)
)

// enough lines with the same mark make it one of who carried them.
const enough = 3

// carried takes off what collectors of logs, steps of a pipeline, grep, editors and wikis put
// before each line, and takes lines out of the JSON that holds them.
func carried(lines []string) []string {
	lines = unwrapped(lines)
	for range 2 { // a container's name before a time, and the other way round
		lines = plainly(lines)
	}
	lines = unmarked(lines)
	lines = unlisted(lines)
	lines = unclocked(lines)
	return unnumbered(lines)
}

// plainly takes off times and names.
func plainly(lines []string) []string {
	names := map[string]int{}
	for _, l := range lines {
		if m := nameOf(l); m != nil && len(names) < 1000 {
			name := m[1] + "|" + m[2]
			if names[name]++; names[name] < enough && starts(l[len(m[0]):]) {
				names[name] += enough
			}
		}
	}
	for i, l := range lines {
		l = strings.TrimSuffix(undated(l), " |")
		if m := nameOf(l); m != nil && names[m[1]+"|"+m[2]] >= enough {
			l = l[len(m[0]):]
		}
		if m := begunBy(l, '|', cell); m != "" && !strings.Contains(l, "th=[") {
			l = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(l[len(m):], " \t"), "|"), " \t")
		}
		lines[i] = l
	}
	return lines
}

func undated(l string) string {
	if len(l) < 16 {
		return l
	}
	if c := l[0]; (c == '[' || digit(c)) && (l[4] == '-' || l[5] == '-') {
		if m := dated.FindString(l); m != "" {
			l = l[len(m):]
			if s := sender.FindString(l); s != "" {
				l = l[len(s):]
			}
			return l[len(level.FindString(l)):]
		}
	}
	if at := strings.IndexByte(l[:min(len(l), 40)], ':'); at > 0 && at+3 < len(l) && l[at+3] == ':' {
		m := logged.FindString(l)
		if l = l[len(m):]; m != "" && !starts(l) {
			l = l[len(source.FindString(l)):]
		}
		return l
	}
	return l
}

// nameOf matches a name before a line, but for the times of sysbench: «[ 10s ] thds: 4».
func nameOf(l string) []string {
	if !holds(l[:min(len(l), 84)], "]", "|") {
		return nil
	}
	m := named.FindStringSubmatch(l)
	if m == nil || seconds.MatchString(m[1]) || strings.Contains(m[1], "=") || digits(m[2]) {
		return nil
	}
	return m
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789.,") == "" }

func begunBy(l string, c byte, re *regex.Regex) string {
	if begun(l) != c {
		return ""
	}
	return re.FindString(l)
}

// starts says whether a line of a program surely begins here.
func starts(l string) bool {
	l = strings.TrimLeft(l, " \t")
	return beginning.MatchString(l[:min(len(l), flatLine)])
}

// unlisted takes off the names of files where lines of such programs follow them.
func unlisted(lines []string) []string {
	n := 0
	rest := func(l string) (string, bool) {
		if !holds(l[:min(len(l), 220)], ":", "-") || !holds(l[:min(len(l), 220)], ".", "/") {
			return "", false
		}
		m := listed.FindStringSubmatch(l)
		if m == nil {
			return "", false
		}
		return l[len(m[0]):], true
	}
	for _, l := range lines {
		if r, ok := rest(l); ok && starts(r) {
			n++
		}
	}
	if n < 2 {
		return lines
	}
	for i, l := range lines {
		if r, ok := rest(l); ok {
			lines[i] = r
		}
	}
	return lines
}

// unclocked takes off times of day, where it is no table of sar that they stand in.
func unclocked(lines []string) []string {
	n := 0
	for _, l := range lines {
		if len(l) < 10 || !digit(l[0]) && l[0] != '[' {
			continue
		}
		m := clocked.FindString(l)
		if m == "" {
			continue
		}
		if sarTable.MatchString(strings.TrimSpace(l[len(m):])) {
			return lines
		}
		if starts(l[len(m):]) {
			n++
		}
	}
	if n < 2 {
		return lines
	}
	for i, l := range lines {
		if len(l) > 9 {
			lines[i] = l[len(clocked.FindString(l)):]
		}
	}
	return lines
}

// leastCounted lines in a row whose numbers go up by one are a listing.
const leastCounted = 6

// unnumbered takes off the numbers of lines of a listing.
func unnumbered(lines []string) []string {
	number := func(l string) (int, string) {
		if c := begun(l); !digit(c) {
			return -1, ""
		}
		m := counted.FindStringSubmatch(l + " ")
		if m == nil {
			return -1, ""
		}
		return loneNumber(m[1]), m[0]
	}
	for from := 0; from < len(lines); from++ {
		n, _ := number(lines[from])
		if n < 0 {
			continue
		}
		to := from + 1
		for to < len(lines) {
			if k, _ := number(lines[to]); k != n+to-from {
				break
			}
			to++
		}
		sure := 0
		for i := from; to-from >= leastCounted && i < to && sure < 2; i++ {
			if _, mark := number(lines[i]); starts(lines[i][min(len(mark), len(lines[i])):]) {
				sure++
			}
		}
		if sure >= 2 {
			for i := from; i < to; i++ {
				_, mark := number(lines[i])
				lines[i] = lines[i][min(len(mark), len(lines[i])):]
			}
		}
		from = max(from, to-1)
	}
	return lines
}

// texts are the keys under which collectors keep a line.
var texts = []string{"log", "message", "MESSAGE", "msg", "line", "textPayload", "text", "content"}

// unwrapped takes lines out of JSON: an object for each, a list of texts, or one text with \n.
func unwrapped(lines []string) []string {
	strung := 0
	for _, l := range lines {
		if _, ok := stringed(l); ok {
			if strung++; strung == enough {
				break
			}
		}
	}
	budget := flatAll
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		c := begun(l)
		switch {
		case len(l) > flatMost || len(l) > budget:
		case c == '{' && len(l) > 12 && holds(l, `"log"`, `"message"`, `"MESSAGE"`, `"msg"`, `"line"`, `"textPayload"`,
			`"text"`, `"content"`):
			budget -= len(l)
			var o map[string]json.RawMessage
			if json.Unmarshal([]byte(l), &o) != nil {
				break
			}
			if text, ok := textOf(o); ok {
				out = append(out, strings.Split(strings.TrimRight(text, "\r\n"), "\n")...)
				continue
			}
		case (c == '"' || c == '-') && strung >= enough && len(l) < maxLine:
			if text, ok := stringed(l); ok {
				l = strings.TrimRight(text, "\r\n")
			}
		case strings.Count(l, `\n`) > enough && begins.MatchString(l):
			budget -= len(l)
			l = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(l)
			out = append(out, strings.Split(l, "\n")...)
			continue
		}
		out = append(out, l)
	}
	return out
}

// stringed reads a line that is an element of a list of texts, of JSON or YAML.
func stringed(l string) (text string, ok bool) {
	if c := begun(l); c != '"' && c != '-' || len(l) > maxLine {
		return "", false
	}
	l = strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "- ")), ",")
	if len(l) < 2 || l[0] != '"' || l[len(l)-1] != '"' {
		return "", false
	}
	err := json.Unmarshal([]byte(l), &text)
	return text, err == nil
}

func textOf(o map[string]json.RawMessage) (string, bool) {
	for _, k := range texts {
		var text string
		if v, ok := o[k]; ok && json.Unmarshal(v, &text) == nil {
			return text, true
		}
	}
	return "", false
}
