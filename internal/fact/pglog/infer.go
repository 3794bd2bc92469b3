package pglog

import (
	"bytes"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// usual are prefixes that are found often: the server's default, that of Debian,
// of cloud services, and those that log analysers ask for. The fullest stand first,
// so that of two that fit the one that tells more is taken.
var usual = []string{
	"%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
	"%t [%p]: user=%u,db=%d,app=%a,client=%h ",
	"%t [%p]: [%l-1] %quser=%u,db=%d,app=%a,client=%h ",
	"%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
	"%m [%p]: [%l-1] db=%d,user=%u,app=%a,client=%h ",
	"%t [%p]: [%l-1] user=%u,db=%d,client=%h ",
	"%t [%p]: user=%u,db=%d,client=%h ",
	"%t [%p]: [%l-1] user=%u,db=%d ",
	"%m [%p] %q%u@%d/%a ",
	"%m [%p] %q%u@%d ",
	"%t [%p-%l] %q%u@%d ",
	"%t [%p-%l] %r %q%u@%d ", // of autobase, a collection for Patroni
	"%t:%r:%u@%d:[%p]:",
	"%m:%r:%u@%d:[%p]:%l:%e:%s:%v:%x:%c:%q%a:",
	"%m [%p]: ",
	"%t [%p]: ",
	"%m [%p] ",
	"%t [%p] ",
	"%m [%p] %e ",
	"%m %p %e ",
	"%n [%p] ",
	"%t-%c-", // of Azure
	"< %m >",
	"< %m > ",
	"%m ",
	"%t ",
}

const (
	// sampleLines is how many labelled lines a prefix is judged by.
	sampleLines = 300
	// fitShare of them have to fit: what a backup or an archive command wrote
	// between them may look like a labelled line.
	fitShare = 0.8
	// maxShapes is how many lines a prefix is built of.
	maxShapes = 24
)

// infer finds the prefix of the lines at the head of a log. one says that its labels have one space behind them.
func infer(head []byte) (p *prefix, how string, one bool) {
	sample, before := labelledLines(head, false)
	// Of a page that ate spaces hardly a line is left as it was.
	if few, b := labelledLines(head, true); len(few) > 2*len(sample) {
		sample, before, one = few, b, true
	}
	if len(sample) == 0 {
		p = newPrefix("%m [%p] ")
		p.one = one
		return p, "none fits", one
	}
	if n := leadingBare(before); n > 0 && n < len(before) {
		if p, how = inferOf(sample[n:], before[n:], one); p != nil && p.stamps() {
			p.bare = true
			return p, how, one
		}
	}
	p, how = inferOf(sample, before, one)
	return p, how, one
}

// leadingBare counts the lines at the beginning of a sample that have nothing before their label.
func leadingBare(before [][]byte) (n int) {
	for n < len(before) && len(bytes.TrimSpace(before[n])) == 0 {
		n++
	}
	return n
}

// stamps says whether a prefix has a time or a process.
func (p *prefix) stamps() bool {
	for _, s := range p.steps {
		if s.escape != 0 && strings.IndexByte("mtnpc", s.escape) >= 0 {
			return true
		}
	}
	return false
}

// inferOf finds the prefix of a sample; nil where none fits.
func inferOf(sample, before [][]byte, one bool) (p *prefix, how string) {
	try := func(specs []string) (best *prefix, most int) {
		for _, spec := range specs {
			q := newPrefix(spec)
			q.one = one
			n, used := fit(q, sample)
			if !used && strings.Contains(spec, "%q") { // no line has what it has more than another
				continue
			}
			if n > most {
				best, most = q, n
			}
		}
		return best, most
	}
	enough := int(fitShare*float64(len(sample)) + 0.5)
	best, n := try(usual)
	if n == len(sample) {
		return coarse(best, sample), "usual"
	}
	var shapes []string
	seen := map[string]bool{}
	for _, b := range before {
		for _, s := range shape(b) {
			if !seen[s] && len(shapes) < maxShapes {
				seen[s] = true
				shapes = append(shapes, s)
			}
		}
	}
	if other, m := try(shapes); m > n && m >= enough {
		return other, "inferred"
	}
	if n >= enough {
		return coarse(best, sample), "usual"
	}
	return nil, "none fits"
}

// oneSpace says whether the labels of a log have one space behind them.
func oneSpace(head []byte) bool {
	two, _ := labelledLines(head, false)
	few, _ := labelledLines(head, true)
	return len(few) > 2*len(two)
}

// coarse is a prefix with %t where no time has a fraction of a second: %m would fit too.
func coarse(p *prefix, sample [][]byte) *prefix {
	if !strings.Contains(p.spec, "%m") {
		return p
	}
	var f fields
	for _, line := range sample {
		if _, _, ok := p.match(line, &f); ok && f.fine {
			return p
		}
	}
	q := newPrefix(strings.Replace(p.spec, "%m", "%t", 1))
	q.one = p.one
	return q
}

// labelledLines are the lines of a head with a label somewhere, and what stands
// before it.
func labelledLines(head []byte, one bool) (sample, before [][]byte) {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimPrefix(bytes.TrimSuffix(line, []byte{'\r'}), tick)
		if len(line) == 0 || line[0] == '\t' {
			continue
		}
		i := findLabel(line)
		if i < 0 && one {
			i = findOne(line)
		}
		if i >= 0 {
			if at := seek(line, i); at > 0 { // pg_ctl's words stand before it
				line, i = line[at:], i-at
			}
			sample, before = append(sample, line), append(before, line[:i])
		}
		if len(sample) == sampleLines {
			break
		}
	}
	return sample, before
}

// seek returns where the last time before a label begins, 0 where there is none or where it is what a prefix has
// other than at its beginning: only words end right before it, such as «waiting for server to start....».
func seek(line []byte, label int) int {
	for at := label - 19; at > 0; at-- {
		if _, n := clock(line[at:]); n > 0 && at+n <= label && !isDigit(line[at-1]) {
			if c := line[at-1]; c == '.' || c >= 0x80 || c == '>' || c == '+' || c == '|' ||
				(c == ' ' || c == '\t') && unzoned(line[:at-1]) && len(zone(line[min(at+n+1, label):label])) > 0 {
				return at
			}
			return 0
		}
	}
	return 0
}

// unzoned says whether a text is a time without a zone and nothing else: a program has put it before the line, as the
// server's own have a zone.
func unzoned(b []byte) bool {
	_, n := clock(b)
	return n > 0 && n == len(b)
}

// fit counts the lines that a prefix fits; used says that one of them has names of a session.
func fit(p *prefix, sample [][]byte) (n int, used bool) {
	var f fields
	for _, line := range sample {
		// A name with a space in it is another part of the prefix, almost always.
		if l, _, ok := p.match(line, &f); ok && known(l) && bytes.IndexByte(f.user, ' ') < 0 &&
			bytes.IndexByte(f.db, ' ') < 0 && !bytes.ContainsAny(f.host, " ,=") {
			n++
			used = used || len(f.user) > 0 || len(f.db) > 0 || len(f.app) > 0 || len(f.host) > 0 || len(f.be) > 0
		}
	}
	return n, used
}

// fits says whether a prefix that is said to be that of a log is.
func fits(p *prefix, head []byte) bool {
	sample, _ := labelledLines(head, false)
	n, _ := fit(p, sample)
	return float64(n) >= fitShare*float64(len(sample))
}

// known says whether a label is one of the lists.
func known(l label) bool { return l.part != partMessage || l.severity != NoSeverity }

// maxLabelAt is how far from its beginning a line is searched for a label.
const maxLabelAt = 400

// wordStart is where the word that ends at a place may begin as a label: capitals or letters of another alphabet.
func wordStart(b []byte, end int) int {
	word := end
	for word > 0 && (b[word-1] >= 0x80 || b[word-1] >= 'A' && b[word-1] <= 'Z' ||
		isDigit(b[word-1]) && word == end) {
		word--
	}
	return word
}

// findLabel returns where the first word of the lists stands that is followed by a
// colon and two spaces, as the server writes them; -1 where there is none.
func findLabel(line []byte) int {
	b := line[:min(len(line), maxLabelAt)]
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(":  "))
		if i < 0 {
			return -1
		}
		end := at + i
		word := wordStart(b, end)
		if l, _, ok := labelled(line[word:], false, false); ok && known(l) {
			return word
		}
		if at := glued(line, word, end); at > 0 {
			return at
		}
		// Some words are two: «명령 구문».
		if more := bytes.LastIndexByte(line[:max(word-1, 0)], ' ') + 1; word > 1 && line[word-1] == ' ' &&
			end-more < maxLabel {
			if l, _, ok := labelled(line[more:], false, false); ok && known(l) {
				return more
			}
		}
		at = end + 3
	}
}

// findOne is findLabel for labels with one space behind them: right at the beginning, or behind a time, or behind a
// process in brackets.
func findOne(line []byte) int {
	b := line[:min(len(line), maxLabelAt)]
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(": "))
		if i < 0 {
			return -1
		}
		end := at + i
		word := wordStart(b, end)
		if l, _, ok := labelled(line[word:], false, true); ok && known(l) && ownBefore(line[:word]) {
			return word
		}
		if at := glued(line, word, end); at > 0 {
			return at
		}
		at = end + 2
	}
}

// glued is where the label begins in a word that a zone is a part of, as a prefix of «%t» without a space makes it:
// «2017-09-28 13:35:20 EESTERROR:». It is 0 where no time ends before the word.
func glued(line []byte, word, end int) int {
	for _, width := range []int{len("2017-09-28 13:35:20"), len("2017-09-28 13:35:20.123")} {
		from := word - 1 - width
		if from < 0 || line[word-1] != ' ' {
			continue
		}
		if _, n := clock(line[from:]); n != width {
			continue
		}
		for at := word + 2; at <= word+5 && at < end; at++ { // zones have two to five letters
			if _, ok := labels()[string(line[at:end])]; ok {
				return at
			}
		}
	}
	return 0
}

// ownBefore says whether what stands before a label with one space behind it is a server's: nothing, a time that no
// comma goes on with, a number in brackets, or names by their keys.
func ownBefore(b []byte) bool {
	if len(bytes.TrimSpace(b)) == 0 || bytes.Contains(b, []byte("user=")) && bytes.Contains(b, []byte("db=")) {
		return true
	}
	for at := 0; at+19 <= len(b); at++ {
		if _, n := clock(b[at:]); n > 0 {
			return at+n == len(b) || b[at+n] != ','
		}
	}
	return bracketed(b) > 0
}

// labeled says whether a line has an entry of the server anywhere, in any format that has one line for each.
func labeled(line []byte) bool { return hasLabel(line) || csvLabel.Match(line) }

// csvLabel is the severity and the SQLSTATE of csvlog.
var csvLabel = regex.New(`,"?(?:DEBUG|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC)"?,"?[0-9A-Z]{5}"?,`)

// hasLabel says whether a line has a label of an entry.
func hasLabel(line []byte) bool { return findLabel(line) >= 0 || findOne(line) >= 0 }

// keys are the words that stand before a value in a prefix, KEY=VALUE.
var keys = map[string]string{
	"user": "%u", "usr": "%u", "u": "%u", "db": "%d", "database": "%d", "d": "%d", "app": "%a", "application": "%a",
	"application_name": "%a", "a": "%a",
	"client": "%h", "host": "%h", "remote": "%r", "h": "%h", "r": "%r", "pid": "%p", "p": "%p", "tag": "%i",
	"cmd": "%i", "sid": "%c", "session": "%c", "s": "%c", "line": "%l", "l": "%l",
	"sqlstate": "%e", "statecode": "%e", "ts": "%m", "vtxid": "%v", "cmdtag": "%i", "state": "%e", "code": "%e",
	"err": "%e", "e": "%e", "txid": "%x", "xid": "%x", "tx": "%x",
	"x": "%x", "vxid": "%v", "v": "%v", "qid": "%Q", "query_id": "%Q", "backend": "%b", "b": "%b", "bt": "%b",
}

// digitStates are SQLSTATEs that logs often have and that look like the number of a line.
var digitStates = map[string]bool{"22012": true, "23502": true, "23503": true, "23505": true, "23514": true,
	"25006": true, "28000": true, "40001": true, "42501": true, "42601": true, "42703": true, "42883": true,
	"53100": true, "53200": true, "53300": true, "57014": true}

// backendTypes are what %b is of processes that most logs have.
var backendTypes = []string{"postmaster", "startup", "checkpointer", "background writer", "walwriter", "archiver",
	"autovacuum launcher", "autovacuum worker", "logical replication launcher", "logical replication worker",
	"client backend", "walsender", "walreceiver", "io worker", "background worker", "parallel worker",
	"slotsync worker"}

// backendType is how long the type of a process is that a text begins with; 0 where it begins with none.
func backendType(b []byte) int {
	for _, name := range backendTypes {
		if n := len(name); bytes.HasPrefix(b, []byte(name)) && (n == len(b) || !wordByte(b[n])) {
			return n
		}
	}
	return 0
}

// shape makes log_line_prefixes of what stands before a label: times, numbers in
// brackets, KEY=VALUE and user@database are taken for what they usually are. The
// second has the part for sessions optional. Where a name of a host stands among it,
// further ones have it as the client's.
func shape(b []byte) []string {
	out, host := shapeOf(b, false)
	if host {
		more, _ := shapeOf(b, true)
		out = append(out, more...)
	}
	return out
}

// shapeOf is shape with names of hosts as words of the prefix, or as those of clients; host says that there is one.
func shapeOf(b []byte, clients bool) (specs []string, host bool) {
	var out strings.Builder
	var pid, stamped bool
	session := -1 // where what only sessions have begins
	if _, n := dayFirst(b); n > 0 {
		return nil, false // no server writes such a time: another program put it there
	}
	mark := func() {
		if session < 0 {
			session = out.Len()
		}
	}
	for len(b) > 0 {
		if _, n := clock(b); n > 0 {
			escape := "%t"
			if n > 19 {
				escape = "%m"
			}
			if stamped {
				escape = "%s"
			}
			stamped = true
			if n < len(b) && b[n] == ' ' {
				if z := zone(b[n+1:]); len(z) > 0 {
					n += 1 + len(z)
				}
			}
			out.WriteString(escape)
			b = b[n:]
			continue
		}
		if _, n := epoch(b); n > 0 && !stamped {
			stamped = true
			out.WriteString("%n")
			b = b[n:]
			continue
		}
		if rest, ok := bytes.CutPrefix(b, []byte("[unknown]@")); ok {
			mark()
			out.WriteString("%u@%d")
			if b = bytes.TrimPrefix(rest, []byte("[unknown]")); len(b) == len(rest) {
				b = rest[span(rest, func(c byte) bool { return c != '/' && wordByte(c) }):]
			}
			continue
		}
		if n := address6(b); n > 0 {
			mark()
			escape := "%h"
			if port := port(b[n:]); port > 0 {
				escape, n = "%r", n+port
			}
			out.WriteString(escape)
			b = b[n:]
			continue
		}
		if n := backendType(b); n > 0 {
			out.WriteString("%b")
			b = b[n:]
			continue
		}
		n := span(b, wordByte)
		word := b[:n]
		rest := b[n:]
		at := bytes.IndexByte(word, '@')
		key := keys[strings.ToLower(string(word))]
		equal := span(rest, func(c byte) bool { return c == ' ' })
		if equal > 1 || equal == len(rest) || rest[equal] != '=' {
			equal = -1
		}
		switch {
		case n == 0 && bytes.HasPrefix(b, []byte("[local]")) || bytes.HasPrefix(b, []byte("[none]")):
			out.WriteString("%L")
			b = b[bytes.IndexByte(b, ']')+1:]
			continue
		case n == 0:
			if b[0] == '%' {
				out.WriteByte('%')
			}
			out.WriteByte(b[0])
			b = b[1:]
			continue
		case key != "" && equal >= 0:
			if strings.Contains("uda hr", key[1:]) {
				mark()
			}
			pid = pid || key == "%p"
			out.Write(word)
			out.Write(rest[:equal+1])
			b = rest[equal+1:]
			if equal > 0 && len(b) > 0 && b[0] == ' ' { // «user = %u»
				out.WriteByte(' ')
				b = b[1:]
			}
			out.WriteString(key)
			b = bytes.TrimPrefix(b, []byte("[unknown]"))
			if i := bytes.IndexAny(b, ", |;]"); i >= 0 {
				b = b[i:]
			} else {
				b = nil
			}
			continue
		case address(word):
			mark()
			escape := "%h"
			if port := port(rest); port > 0 {
				escape, rest = "%r", rest[port:]
			}
			out.WriteString(escape)
		case string(word) == "00000": // no process has that number
			out.WriteString("%e")
		case string(word) == "0": // neither has a process 0, nor is it the number of a line
			out.WriteString("%x")
		case pid && digitStates[string(word)]:
			out.WriteString("%e")
		case span(word, isDigit) == n:
			switch {
			case !pid:
				pid = true
				out.WriteString("%p")
			case n == 1 && word[0] == '1' && len(rest) > 0 && rest[0] == ']' && strings.HasSuffix(out.String(), "-"):
				out.WriteString("1")
			default:
				out.WriteString("%l")
			}
		case bytes.IndexByte(word, '-') > 0 && span(bytes.ReplaceAll(word, []byte("-"), nil), isDigit) == n-1 &&
			bytes.Count(word, []byte("-")) == 1:
			left := word[:bytes.IndexByte(word, '-')]
			if pid {
				out.WriteString("%l-" + string(word[len(left)+1:]))
			} else {
				pid = true
				out.WriteString("%p-%l")
			}
		case isState(word) && bytes.ContainsAny(word, "0123456789"):
			out.WriteString("%e")
		case at >= 0:
			mark()
			out.WriteString("%u@%d")
			if bytes.HasPrefix(rest, []byte("[unknown]")) {
				rest = rest[len("[unknown]"):]
			}
			if bytes.IndexByte(word[at:], '/') >= 0 || len(rest) > 0 && rest[0] == '/' {
				// An application name may hold anything: it goes on to what
				// stands between it and the label.
				out.WriteString("/%a")
				rest = rest[len(bytes.TrimRight(rest, " ,:;|>")):]
			}
		case bytes.IndexByte(word, '/') > 0 && span(word, func(c byte) bool { return isDigit(c) || c == '/' }) == n:
			out.WriteString("%v")
		case bytes.IndexByte(word, '.') > 4 && span(word, func(c byte) bool {
			return isDigit(c) || c >= 'a' && c <= 'f' || c == '.'
		}) == n && bytes.Count(word, []byte(".")) == 1:
			out.WriteString("%c")
		case sessionLine(word):
			out.WriteString("%c-%l")
		case clients && hostName(word):
			mark()
			out.WriteString("%h")
		default:
			host = host || hostName(word)
			out.WriteString(strings.ReplaceAll(string(word), "%", "%%"))
		}
		b = rest
	}
	spec := out.String()
	if session < 0 {
		return []string{spec}, host
	}
	return []string{spec, spec[:session] + "%q" + spec[session:]}, host
}

// hostName says whether a word can be the name of a host with its domain: «db1.example.com».
func hostName(word []byte) bool {
	dot := bytes.LastIndexByte(word, '.')
	if dot < 1 || dot+2 >= len(word) || word[0] == '.' || word[0] == '-' {
		return false
	}
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	return span(word[dot+1:], letter) == len(word)-dot-1 &&
		span(word, func(c byte) bool { return letter(c) || isDigit(c) || c == '.' || c == '-' }) == len(word)
}

// address says whether a word is an address of IPv4.
func address(word []byte) bool {
	return bytes.Count(word, []byte(".")) == 3 && len(word) <= len("255.255.255.255") &&
		span(word, func(c byte) bool { return isDigit(c) || c == '.' }) == len(word)
}

// address6 is how long the address of IPv6 is that a text begins with; 0: it begins with none.
func address6(b []byte) int {
	const most = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")
	n := span(b[:min(len(b), most+1)], func(c byte) bool { return isHex(c) || c == ':' || c == '.' })
	if n > 1 && b[n-1] == ':' && b[n-2] != ':' { // a colon of the prefix
		n--
	}
	text := b[:n]
	if n > most || bytes.Count(text, []byte(":")) < 2 || n < len(b) && wordByte(b[n]) || b[0] == ':' && b[1] != ':' ||
		bytes.HasPrefix(text, []byte("::")) && n == 2 {
		return 0
	}
	groups, gaps := 0, 0
	for i, g := range bytes.Split(text, []byte(":")) {
		switch {
		case len(g) == 0:
			if i > 0 && i < bytes.Count(text, []byte(":")) {
				gaps++
			}
		case bytes.IndexByte(g, '.') >= 0:
			if !address(g) || i < bytes.Count(text, []byte(":")) {
				return 0
			}
			groups += 2
		case len(g) > 4:
			return 0
		default:
			groups++
		}
	}
	if groups == 8 && gaps == 0 || groups > 0 && groups < 8 && gaps == 1 {
		return n
	}
	return 0
}

// port is how long the port in parentheses behind an address is; 0: there is none.
func port(b []byte) int {
	if len(b) < 3 || b[0] != '(' {
		return 0
	}
	if n := 1 + span(b[1:], isDigit); n > 1 && n < len(b) && b[n] == ')' {
		return n + 1
	}
	return 0
}

// sessionLine says whether a word is a session ID and the number of its line, «61afaad4.7ad9-1».
func sessionLine(word []byte) bool {
	id, line, ok := bytes.Cut(word, []byte{'-'})
	return ok && bytes.IndexByte(id, '.') > 4 && bytes.Count(id, []byte(".")) == 1 && len(line) > 0 &&
		span(line, isDigit) == len(line) &&
		span(id, func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c == '.' }) == len(id)
}

// wordByte is what the values of a prefix are made of: not what people put
// between them.
func wordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || strings.IndexByte("_-.@/", c) >= 0
}
