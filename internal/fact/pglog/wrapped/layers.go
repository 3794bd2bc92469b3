package wrapped

import (
	"bytes"
	"html"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// layer is one thing that may be around the lines.
type layer struct {
	name   string
	share  float64 // of the lines that have it
	indent bool    // it is an indent alone
	whole  bool    // only lines for which has is true are asked
	has    func(line []byte) bool
	// find decides by all lines of the sample, where share of them does not
	find func(sample [][]byte) bool
	// service is the name of what wrote a line, for those that bring the lines of several
	service func(line []byte) string
	// cut returns what is within; nil and true: the line is of another program.
	cut func(line []byte, labeled func([]byte) bool) ([]byte, bool)
}

// plain makes a cut of an expression that matches what stands before a line.
func plain(re string) func([]byte, func([]byte) bool) ([]byte, bool) {
	r := regex.New(re)
	return func(line []byte, _ func([]byte) bool) ([]byte, bool) {
		if at := r.FindIndex(line); at != nil {
			return line[at[1]:], true
		}
		return nil, false
	}
}

const rfc3339 = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`

var (
	colors     = regex.New(`\x1b\[[0-9;]*m`)
	box        = regex.New(`^ {0,8}(?:│|┃|\|) ?`)
	boxEnd     = regex.New(`[ \t]*(?:│|┃|\|)?[ \t]*$`)
	stamp      = regex.New(`^(` + rfc3339 + `)(?: (?:(?:stdout|stderr) [FP] )?|[ \t]+)(?:\{[^{}]*\}[ \t]+)?`)
	svlogd     = regex.New(`^(\d{4}-\d\d-\d\d)_(\d\d:\d\d:\d\d(?:\.\d{1,9})?):? `)
	rule       = regex.New(`^-{3,}(?:\+-+)*$`)
	rows       = regex.New(`^\(\d+ rows?\)$`)
	goesOn     = regex.New(` *\+$`)
	entity     = regex.New(`&(?:quot|gt|lt|amp|#39|#34|nbsp);`)
	ownTime    = regex.New(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
	syslogLine = regex.New(`^(?:<\d{1,3}>1? ?)?(?:` + rfc3339 + `|` +
		`\S{2,20} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:[.,]\d{1,6})?|` + // Aug  8 03:35:01, mag 16 19:38:43
		`\d{1,2}\.? ?\S{2,20} \d\d:\d\d:\d\d(?:[.,]\d{1,6})?|` + // 24 juil. 14:38:39
		` ?\d{1,2}月 {1,2}\d{1,2}日? \d\d:\d\d:\d\d` + // 7月 24 14:38:39
		`) \S+ ([A-Za-z_/][\w@./:-]*)(?:\[\d{1,10}\])?: ?(?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`)
	syslog5424 = regex.New(`^<\d{1,3}>1 (` + rfc3339 + `) \S+ (\S+) \S+ \S+ ` +
		`(?:-|(?:\[[^\]]*\])+) ?(?:\x{FEFF})?(?:\[\d{1,10}(?:-(\d{1,6}))?\] )?`)
	syslogTime    = regex.New(`^(?:<\d{1,3}>1? ?)?(` + rfc3339 + `) `)
	oomLine       = regex.New(`killed by the OOM killer|with result 'oom-kill'|[Oo]ut of memory: Kill(?:ed)? process`)
	postgresIdent = regex.New(`(?i)postgres|postmaster|pg_|pgsql|psql`)
	herokuKeys    = regex.New(
		`^(?:app\[postgres[^\]]{0,40}\]: )(?:\[\w{1,60}\] )?(?:\[\d{1,10}(?:-\d{1,6})?\])?\s*`)
)

var layers = []layer{
	{share: 0.5, cut: func(l []byte, _ func([]byte) bool) ([]byte, bool) { // colors begin each line
		if len(l) == 0 || l[0] != 0x1b {
			return nil, false
		}
		return colors.ReplaceAll(l, nil), true
	}},
	{share: 0.1, whole: true, has: func(l []byte) bool { return entity.Match(l) && bytes.IndexByte(l, '"') < 0 },
		cut: func(l []byte, _ func([]byte) bool) ([]byte, bool) {
			if !entity.Match(l) || bytes.IndexByte(l, '"') >= 0 {
				return nil, false
			}
			return []byte(html.UnescapeString(string(l))), true
		}},
	{name: "psql", find: framed, cut: func(l []byte, _ func([]byte) bool) ([]byte, bool) {
		switch {
		case rule.Match(l) || rows.Match(l):
			return nil, true
		case len(l) == 0 || l[0] != ' ':
			return nil, false
		}
		l = l[1:]
		if at := goesOn.FindIndex(l); at != nil {
			return l[:at[0]], true
		}
		return bytes.TrimRight(l, " "), true
	}},
	{name: "quoted", share: 0.6, cut: plain(`^ ?(?:> ?)+ {0,8}`)},
	{name: "box", share: 0.6, cut: func(l []byte, _ func([]byte) bool) ([]byte, bool) {
		at := box.FindIndex(l)
		if at == nil {
			return nil, false
		}
		l = l[at[1]:]
		return l[:boxEnd.FindIndex(l)[0]], true
	}},
	{name: "comment", share: 0.8, cut: plain(`^ {0,8}(?://|--|#|\*)(?: ⎿)?(?: {1,4}|$)`)},
	{name: "diff", share: 0.8, cut: plain(`^[+](?:[ ]|$|(?:)\b)`)},
	{name: "docker compose", share: 0.5, service: before(`|`), cut: plain(`^[A-Za-z][\w./-]* *\|(?: |$)`)},
	{name: "kubectl", share: 0.5, service: before(`] `), cut: plain(`^\[pod/[^\]]+\] `)},
	{name: "svlogd", share: 0.5, cut: func(l []byte, _ func([]byte) bool) ([]byte, bool) {
		m := svlogd.FindSubmatchIndex(l)
		if m == nil {
			return nil, false
		}
		return withTime(l[m[1]:], string(l[m[2]:m[3]])+"T"+string(l[m[4]:m[5]])+"Z"), true // -tt: UTC
	}},
	{name: "heroku", share: 0.3, cut: func(l []byte, labeled func([]byte) bool) ([]byte, bool) {
		at := herokuKeys.FindIndex(l)
		if at == nil {
			return nil, false
		}
		return l[at[1]:], true
	}},
	{name: "syslog", share: 0.3, cut: cutSyslog},
	{name: "timestamps", share: 0.5, cut: func(l []byte, labeled func([]byte) bool) ([]byte, bool) {
		m := stamp.FindSubmatchIndex(l)
		if m == nil {
			return nil, false
		}
		text := l[m[1]:]
		if len(text) > 0 && text[0] == ' ' && labeled(text) {
			text = bytes.TrimLeft(text, " ")
		}
		return withTime(text, string(l[m[2]:m[3]])), true
	}},
	{share: 0.9, indent: true, cut: plain(`^(?: {2,16}|\t)`)},
}

// framed says whether a sample is a column in the aligned form of psql: a head, a rule, and lines of which all but
// the last of a value end with a plus.
func framed(sample [][]byte) bool {
	ruled, on, all := false, 0, 0
	for _, l := range sample {
		switch {
		case rule.Match(l):
			ruled = true
		case ruled && len(l) > 0 && l[0] == ' ':
			if all++; l[len(l)-1] == '+' {
				on++
			}
		}
	}
	return on > 0 && 2*on >= all
}

// before makes the name of a service of what stands before a mark.
func before(mark string) func([]byte) string {
	return func(line []byte) string {
		i := bytes.Index(line[:min(len(line), maxService)], []byte(mark))
		if i < 0 {
			return ""
		}
		return string(bytes.TrimRight(line[:i], " "))
	}
}

const (
	// maxService is how long the name of a service may be.
	maxService = 200
	// maxServices is how many of them a log may be of.
	maxServices = 64
)

// ofServer is a layer that lets go the lines of services without any line of a server in the sample, but for those
// with a label: what they say in the midst of a statement is no part of it.
func ofServer(l *layer, sample [][]byte, labeled func([]byte) bool) *layer {
	own := map[string]bool{}
	for _, line := range sample {
		if text, ok := l.cut(line, labeled); ok && len(own) < maxServices && (labeled(text) || begins(text)) {
			own[l.service(line)] = true
		}
	}
	if len(own) == 0 || len(own) == maxServices {
		return l
	}
	out := *l
	out.cut = func(line []byte, labeled func([]byte) bool) ([]byte, bool) {
		text, ok := l.cut(line, labeled)
		if ok && !own[l.service(line)] && !labeled(text) && !begins(text) {
			return nil, true
		}
		return text, ok
	}
	return &out
}

// begins says whether a text can be an object.
func begins(text []byte) bool { return len(text) > 0 && text[0] == '{' }

// cutSyslog takes what syslog and the journal put before a line; lines of other programs go.
func cutSyslog(l []byte, labeled func([]byte) bool) ([]byte, bool) {
	if m := syslog5424.FindSubmatchIndex(l); m != nil {
		text := l[m[1]:]
		has := labeled(text)
		if !has && !postgresIdent.Match(l[m[4]:m[5]]) {
			return nil, true
		}
		text = bytes.ReplaceAll(text, []byte("#011"), []byte{'\t'})
		if m[6] >= 0 && string(l[m[6]:m[7]]) != "1" && !has && !bytes.HasPrefix(text, []byte{'\t'}) {
			return append([]byte{'\t'}, text...), true
		}
		return withTime(text, string(l[m[2]:m[3]])), true
	}
	m := syslogLine.FindSubmatchIndex(l)
	if m == nil {
		return nil, false
	}
	text := l[m[1]:]
	has := labeled(text)
	if !has && !postgresIdent.Match(l[m[2]:m[3]]) {
		return nil, true
	}
	text = bytes.ReplaceAll(text, []byte("#011"), []byte{'\t'})
	if m[4] >= 0 && string(l[m[4]:m[5]]) != "1" && !has && !bytes.HasPrefix(text, []byte{'\t'}) {
		text = append([]byte{'\t'}, text...)
	}
	if t := syslogTime.FindSubmatch(l); t != nil && has {
		text = withTime(text, string(t[1]))
	}
	if text == nil {
		text = []byte{}
	}
	return text, true
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
