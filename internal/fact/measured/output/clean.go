package output

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

// commented is a mark of a remark before a line, in any language.
var commented = regex.New(`^\s*(?:#|//|--|[:%;*]) {1,3}`)

// around is what outputs may be pasted in. Both sides of a diff are runs.
var around = &unwrap.Reader{Sign: known, Begin: beginAt, Both: true}

// hints are cheaper to look for than beginnings, of which each has one.
var hints = []string{"tps = ", "ops/sec", "per test", "transaction", "scaling factor", "number of", "latency",
	"progress: ", "IOPS=", "(g=", "(groupid=", "percentile", "sec) ", "sec):", "Run status", "bw=", "per sec.",
	"avg-cpu", "Device", "swpd", "loop time"}

// known says whether a line of a program begins anywhere in a line.
func known(l []byte) bool {
	const most = 400
	s := string(l[:min(len(l), most)])
	return holds(s, hints...) && within.MatchString(s)
}

// beginAt is where in a line one of a program surely begins; negative where none does.
func beginAt(l string) int {
	if starts(l) {
		return 0
	}
	if m := begins.FindStringSubmatchIndex(l); m != nil {
		return m[2]
	}
	return -1
}

// starts says whether a line of a program surely begins here.
func starts(l string) bool {
	l = strings.TrimLeft(l, " \t")
	return beginning.MatchString(l[:min(len(l), flatLine)])
}

var (
	// where the result of dd begins, behind another
	ddAgain = regex.New(`[ *|]{2,}([0-9]{1,15} bytes \()`)
	// what a page or a program has put in front of the first line of a text
	opened = regex.New(`^\s*(?:(?:\x60{3})?(?:output|console|text|bash|shell|log)|` +
		`(?:[\w.]{1,24} ?:?[:=] ?)?[a-z]?["'\x60]{1,3})` +
		`(Linux [0-9]\S* \(.*|procs -.*|pgbench \([0-9].*|sysbench [0-9].*|transaction type: .*|` +
		`avg-cpu: .*|Device:? +\S.*)$`)
	// the name that a person gave to a run, in front of each of its lines
	labelled = regex.New(`^\[[^\[\]]{1,60}\] `)
)

// clean splits a file into lines, without what they were pasted in, and says which line of the file each was in. A
// text that has lost its line breaks gets them back where a line of such a program surely begins.
func clean(b []byte) (lines []string, numbers []int) {
	var in []unwrap.Line
	for _, l := range around.Text(b).Lines {
		text := strings.ToValidUTF8(l.Text, "\uFFFD")
		if strings.Count(text, " copied, ") > 1 { // the cells of a row of a table
			text = ddAgain.ReplaceAllString(text, "\r$1")
		}
		for part := range strings.SplitSeq(text, "\r") { // what a terminal writes over
			if c := begun(part); c != 0 && strings.IndexByte("#/-:%;*", c) >= 0 {
				if m := commented.FindString(part); m != "" && len(part) > len(m) {
					part = strings.Repeat(" ", len(m)) + part[len(m):]
				}
			}
			if bare := strings.TrimLeft(part, "`"); len(bare) < len(part) && starts(bare) { // inline code over lines
				part = bare
			}
			if holds(part, "`", `"`, "'", "tLinux ", "eLinux ", "hLinux ", "lLinux ", "gLinux ") {
				if m := opened.FindStringSubmatch(part); m != nil {
					part = m[1]
				}
				if bare := strings.TrimRight(part, "`'\",;"); len(bare) < len(part) && isRow(bare) {
					part = bare // the end of such a text
				}
			}
			if m := labelled.FindString(part); m != "" && pgbenchLine.MatchString(part[len(m):]) {
				part = part[len(m):]
			}
			if bold, ok := marked(part); ok {
				part = bold
			}
			if holds(part, "//", "#", "<-", "<=", "←", "；", "（", "-- ", "   (") {
				part = remark.ReplaceAllString(part, "$1")
			}
			in = append(in, unwrap.Line{Text: part, Number: l.Number})
		}
	}
	in = flat(in)
	lines, numbers = make([]string, len(in)), make([]int, len(in))
	for i, l := range in {
		lines[i], numbers[i] = l.Text, l.Number
	}
	return folded(lines), numbers
}

// isRow says whether a line ends with as many figures as only a row of a table has.
func isRow(l string) bool {
	const least = 4
	f := strings.Fields(l)
	return len(f) > least && onlyFigures(percents(f[len(f)-least:]))
}

// marked takes the marks of bold text or of code off a line that is between them as a whole.
func marked(l string) (text string, ok bool) {
	t := strings.TrimSpace(l)
	for _, mark := range []string{"**", "__"} {
		if text, ok = strings.CutPrefix(t, mark); !ok {
			continue
		}
		if text, ok = strings.CutSuffix(text, mark); ok && text != "" && !strings.Contains(text, mark) {
			return text, true
		}
	}
	return "", false
}

// beginnings are where a line begins in a text that has lost its breaks; they are looked for in
// long lines alone.
const beginnings = `\d+ seconds per test|` +
	`\d+ operations per test|O_DIRECT supported|Direct I/O is not|F_NOCACHE supported|` +
	`Compare (?:file sync|open_sync)|Test if fsync|Non-[Ss]ync'ed|` +
	`(?:open_datasync|fdatasync|fsync_writethrough|fsync|open_sync)\s+(?:[0-9]+[.,][0-9]+\s+ops/sec|n/a)|` +
	`(?:[0-9]+ \*\s+)?[0-9]+kB open_sync writes?\s|write, (?:fsync, close|close, fsync)\s|` +
	`write\s+[0-9]+[.,][0-9]+\s+ops/sec|` +
	`Testing timing overhead|(?:Per|Average) loop time|Histogram of timing|` +
	`transaction type: |scaling factor: |query mode: |number of (?:clients|threads|transactions|failed)[a-z ]*: |` +
	`maximum number of tries: |duration: [0-9]+ s|latency (?:average|stddev)\s*[=:] |initial connection time = |` +
	`[2-5];fio-[0-9]|tps = |statement latencies in|progress: [0-9]|` +
	`<=? (?:us|ns)\s|[0-9]{1,10} +[0-9]{1,3}[.,][0-9]{4,5} +(?:[0-9]{1,3}[.,][0-9]{4,5} +)?[0-9]+\b|` +
	`\S+: \(g=[0-9]+\): rw=|\S+: \(groupid=[0-9]+|(?:read|write) ?: (?:IOPS|io)=|` +
	`(?:slat|clat|lat|sync) \((?:nsec|usec|msec)\) ?: min=|(?:clat|lat|sync) percentiles \(|` +
	`bw \( *[KMG]i?B|iops +: min=|` +
	`lat \((?:nsec|usec|msec)\) +: [0-9]|cpu +: usr=|IO depths +: |issued (?:rwts)?: total|issued +: total|` +
	`latency +: target|Run status group|(?:READ|WRITE): (?:bw|io)=|Disk stats|fsync/fdatasync/sync_file_range:|` +
	`fio-[0-9][0-9A-Za-z.-]* Starting|Starting [0-9]+ (?:process|thread)|` +
	`(?:transactions|queries|read/write requests|other operations|ignored errors|deadlocks|reconnects): +[0-9]+ +\(|` +
	`(?:read|write|other|total|total number of events): +[0-9]+\b|total time: +[0-9.]+s|` +
	`(?:min|avg|max|sum|(?:approx\. +)?[0-9.]+(?:th)? percentile): +[0-9.]+(?:ms)?\b|` +
	`(?:SQL|OLTP test|General) statistics:|Latency \(ms\):|Threads fairness:|Number of threads: [0-9]|` +
	`Linux [0-9]\S+ \(|avg-cpu: |Device:? +(?:tps|r/s|rrqm/s)|procs -+memory|r +b +swpd +free`

// sarRows are where a line of sar or mpstat begins in such a text: a time with the head of a table or a row behind it.
const sarRows = `|(?:[0-9]{2}:[0-9]{2}:[0-9]{2}(?: [AP]M)?|Average:) +` +
	`(?:CPU +%us|DEV +tps |[a-z0-9-]{1,32} +[0-9]{1,9}[.,][0-9]{2} )`

var (
	begins    = regex.New(`(?:^|\s)(` + beginnings + `)`)
	flattened = regex.New(`(?:^|\s)(` + beginnings + sarRows + `)`)
	beginning = regex.New(`^(?:` + beginnings + `)`)
	// within is one behind whatever a text was pasted in, also the end of a line that is written out
	within = regex.New(`(?:^|[^\w]|\\[nrt])(?:` + beginnings + `)`)
)

// flatLine is how long a line is that may hold several.
const flatLine = 160

// flatMost bounds what is looked at of one line, and flatAll of all of them.
const flatMost, flatAll = 64 << 10, 1 << 20

func flat(lines []unwrap.Line) []unwrap.Line {
	budget := flatAll
	out := make([]unwrap.Line, 0, len(lines))
	for _, whole := range lines {
		l := whole.Text
		give := func(text string) { out = append(out, unwrap.Line{Text: text, Number: whole.Number}) }
		if len(l) < flatLine || len(l) > flatMost || len(l) > budget || begun(l) == '{' {
			give(l)
			continue
		}
		budget -= len(l)
		at := flattened.FindAllStringSubmatchIndex(l, 4096)
		if len(at) < 2 {
			give(l)
			continue
		}
		from := 0
		for _, m := range at {
			if m[2] > from {
				give(l[from:m[2]])
			}
			from = m[2]
		}
		give(l[from:])
	}
	return rows(out)
}

var (
	headOfRows = regex.New(`^(?:avg-cpu:|Device:? |r b swpd )`)
	column     = regex.New(
		`^(?:[a-z0-9_A-Z]*[%/]\S*|%\S+|\S*await|\S+-sz|svctm|tps|kB_\S+|MB_\S+|[a-z]{1,5})$`)
)

// rows breaks a table that stands in one line: its columns tell how many figures a row has.
func rows(lines []unwrap.Line) []unwrap.Line {
	out := make([]unwrap.Line, 0, len(lines))
	for _, whole := range lines {
		l := whole.Text
		give := func(text string) { out = append(out, unwrap.Line{Text: text, Number: whole.Number}) }
		if len(l) < flatLine/2 || !holds(l[:flatLine/2], "avg-cpu", "evice", "swpd") ||
			!headOfRows.MatchString(strings.Join(strings.Fields(l[:flatLine/2]), " ")) {
			give(l)
			continue
		}
		f := strings.Fields(l)
		cpu, numbers := f[0] == "avg-cpu:", f[0] == "r"
		n := 1
		for n < len(f) && (numbers || column.MatchString(f[n])) && !onlyFigures(f[n:n+1]) {
			n++
		}
		if n == len(f) {
			give(l) // a head alone, and a wide one
			continue
		}
		if !cpu && !numbers && n < len(f) && n > 2 && onlyFigures(f[n:n+1]) {
			n-- // the name of the first device looked like a column
		}
		give(strings.Join(f[:n], " "))
		for at := n; at < len(f); {
			end, from := at+n, at+1
			switch {
			case cpu:
				end, from = at+n-1, at
			case numbers:
				from = at
			}
			if end > len(f) || !onlyFigures(f[from:end]) {
				give(strings.Join(f[at:], " "))
				break
			}
			give(strings.Join(f[at:end], " "))
			at = end
		}
	}
	return out
}

var (
	fioOpened = regex.New(`^\s*[^\s:].*: \(g=\d+\): rw=`)
	fioGroup  = regex.New(`^\s*(?:READ|WRITE|TRIM): (?:bw|io)=`)
)

// folded joins lines that a mailer has folded, of the kinds that are longer than its width.
func folded(lines []string) []string {
	lines = foldedTables(lines)
	for i := 0; i+1 < len(lines); i++ {
		var whole string
		switch {
		case !holds(lines[i], "rw=", "bw=", "io="):
			continue
		case fioOpened.MatchString(lines[i]):
			whole = "iodepth="
		case fioGroup.MatchString(lines[i]):
			whole = "run="
			if strings.Contains(lines[i], "aggrb=") {
				whole = "mint="
			}
		default:
			continue
		}
		// the line that was joined stays as an empty one, so that numbers of lines hold
		for n := 1; n <= 2 && i+n < len(lines) && !strings.Contains(lines[i], whole); n++ {
			if strings.TrimSpace(lines[i+n]) == "" {
				break
			}
			lines[i] += " " + strings.TrimSpace(lines[i+n])
			lines[i+n] = ""
		}
	}
	return lines
}

var (
	foldedIostat = regex.New(`^(?:\S*[/%]\S*|\S*await|\S+-sz|svctm)$`)
	foldedVmstat = regex.New(`^(?:bi|bo|in|cs|us|sy|id|wa|st|gu)$`)
)

// foldedTables joins the rows of iostat and vmstat that a mailer has folded: their heads tell
// how many figures a row has.
func foldedTables(lines []string) []string {
	join := func(i int) {
		lines[i] += " " + strings.TrimSpace(lines[i+1])
		lines[i+1] = ""
	}
	columns := vmstatColumns(lines) // of the rows before the first head, which have no other
	for i := 0; i+1 < len(lines); i++ {
		var of *regex.Regex
		switch l := lines[i]; {
		case strings.Contains(l, "evice") && iostatHead.MatchString(l):
			of = foldedIostat
		case strings.Contains(l, "swpd") && vmstatHead.MatchString(l):
			of = foldedVmstat
		}
		if of != nil {
			columns = 0
			if next := strings.Fields(lines[i+1]); len(next) > 0 && len(next) < 24 &&
				!slices.ContainsFunc(next, func(f string) bool { return !of.MatchString(f) }) {
				join(i)
				columns = len(strings.Fields(lines[i]))
			}
			continue
		}
		if columns == 0 {
			continue
		}
		f, next := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		if len(f) < 2 || len(f) >= columns || len(next) == 0 || !onlyFigures(f[1:]) || !onlyFigures(next) {
			continue
		}
		all := len(f) + len(next)
		if all == columns || all < columns && !onlyFigures(f[:1]) && blank(lines[i+2:]) { // or the file is cut there
			join(i)
			i++
		}
	}
	return lines
}

// blank says whether lines have nothing in them.
func blank(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
}

// vmstatColumns is how many columns the first head of a text has, where it is one of vmstat that was folded; else 0.
func vmstatColumns(lines []string) int {
	for i := 0; i+1 < len(lines); i++ {
		switch l := lines[i]; {
		case strings.Contains(l, "evice") && iostatHead.MatchString(l):
			return 0
		case strings.Contains(l, "swpd") && vmstatHead.MatchString(l):
			next := strings.Fields(lines[i+1])
			for _, f := range next {
				if !foldedVmstat.MatchString(f) {
					return 0
				}
			}
			if len(next) == 0 {
				return 0
			}
			return len(strings.Fields(l)) + len(next)
		}
	}
	return 0
}

// remark is what a person has written behind the figure of a line that has one.
var remark = regex.New(`^(\s*[A-Za-z0-9][\w ()./%,-]{0,60}[:=] {0,40}[0-9][0-9.,]*(?: ?(?:ms|us|s|%))?` +
	`(?: {1,20}\([0-9][^)]*\))?)\s*(?://|#|<[-=]|←|；|（|-- |\s{2}\([^0-9]).*$`)

// short bounds a text to some characters, and makes it harmless.
func short(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}

// figure reads a number with a decimal point or comma, and with separators of thousands
// where there are several. ok is false for what is none.
func figure(s string) (float64, bool) {
	switch commas, points := strings.Count(s, ","), strings.Count(s, "."); {
	case commas == 1 && points == 0:
		s = strings.Replace(s, ",", ".", 1)
	case commas > 0 && points <= 1:
		s = strings.ReplaceAll(s, ",", "")
	}
	if s == "" || len(s) > 32 || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}

// figures reads all fields, or none.
func figures(fields []string) ([]float64, bool) {
	out := make([]float64, 0, len(fields))
	for _, f := range fields {
		v, ok := figure(f)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// whole reads digits.
func whole(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0
}

// neat rounds what a unit of time made of a printed number, to a thousandth of a nanosecond.
func neat(seconds float64) float64 { return math.Round(seconds*1e12) / 1e12 }

// holds says whether a text holds one of some words: cheaper than a pattern, for lines of which
// most hold none.
func holds(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// loneNumber returns the only run of digits of a text, of up to six; 0 where there is none, or
// several.
func loneNumber(s string) int {
	n, runs, digits := 0, 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < '0' || c > '9' {
			digits = 0
			continue
		}
		if digits == 0 {
			if runs++; runs > 1 {
				return 0
			}
		}
		if digits++; digits > 6 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// begun returns the first byte of a text that is no space; 0 where there is none.
func begun(s string) byte {
	s = strings.TrimLeft(s, " \t")
	if s == "" {
		return 0
	}
	return s[0]
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
