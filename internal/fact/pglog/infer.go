package pglog

import (
	"bytes"
	"strings"
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
	"%t [%p]: [%l-1] user=%u,db=%d ",
	"%m [%p] %q%u@%d/%a ",
	"%m [%p] %q%u@%d ",
	"%t [%p-%l] %q%u@%d ",
	"%t:%r:%u@%d:[%p]:",
	"%m:%r:%u@%d:[%p]:%l:%e:%s:%v:%x:%c:%q%a:",
	"%m [%p]: ",
	"%t [%p]: ",
	"%m [%p] ",
	"%t [%p] ",
	"%m [%p] %e ",
	"%m %p %e ",
	"%n [%p] ",
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

// infer finds the prefix of the lines at the head of a log.
func infer(head []byte) (p *prefix, how string) {
	sample, before := labelledLines(head)
	if len(sample) == 0 {
		return newPrefix("%m [%p] "), "none fits"
	}
	try := func(specs []string) (best *prefix, most int) {
		for _, spec := range specs {
			q := newPrefix(spec)
			if n := fit(q, sample); n > most {
				best, most = q, n
			}
		}
		return best, most
	}
	enough := int(fitShare*float64(len(sample)) + 0.5)
	best, n := try(usual)
	if n == len(sample) {
		return best, "usual"
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
		return best, "usual"
	}
	return nil, "none fits"
}

// labelledLines are the lines of a head with a label somewhere, and what stands
// before it.
func labelledLines(head []byte) (sample, before [][]byte) {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 || line[0] == '\t' {
			continue
		}
		if i := findLabel(line); i >= 0 {
			sample, before = append(sample, line), append(before, line[:i])
		}
		if len(sample) == sampleLines {
			break
		}
	}
	return sample, before
}

// fit counts the lines that a prefix fits.
func fit(p *prefix, sample [][]byte) (n int) {
	var f fields
	for _, line := range sample {
		// A name with a space in it is another part of the prefix, almost always.
		if l, _, ok := p.match(line, &f); ok && known(l) && bytes.IndexByte(f.user, ' ') < 0 &&
			bytes.IndexByte(f.db, ' ') < 0 && !bytes.ContainsAny(f.host, " ,=") {
			n++
		}
	}
	return n
}

// fits says whether a prefix that is said to be that of a log is.
func fits(p *prefix, head []byte) bool {
	sample, _ := labelledLines(head)
	return float64(fit(p, sample)) >= fitShare*float64(len(sample))
}

// known says whether a label is one of the lists.
func known(l label) bool { return l.part != partMessage || l.severity != NoSeverity }

// maxLabelAt is how far from its beginning a line is searched for a label.
const maxLabelAt = 400

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
		word := end
		for word > 0 && (b[word-1] >= 0x80 || b[word-1] >= 'A' && b[word-1] <= 'Z' ||
			isDigit(b[word-1]) && word == end) {
			word--
		}
		if l, _, ok := labelled(line[word:], false); ok && known(l) {
			return word
		}
		at = end + 3
	}
}

// keys are the words that stand before a value in a prefix, KEY=VALUE.
var keys = map[string]string{
	"user": "%u", "usr": "%u", "u": "%u", "db": "%d", "database": "%d", "d": "%d", "app": "%a", "application": "%a",
	"application_name": "%a", "a": "%a",
	"client": "%h", "host": "%h", "remote": "%r", "h": "%h", "r": "%r", "pid": "%p", "p": "%p", "tag": "%i",
	"cmd": "%i", "sid": "%c", "session": "%c", "s": "%c", "line": "%l", "l": "%l",
	"sqlstate": "%e", "state": "%e", "code": "%e", "err": "%e", "e": "%e", "txid": "%x", "xid": "%x", "tx": "%x",
	"x": "%x", "vxid": "%v", "v": "%v", "qid": "%Q", "query_id": "%Q", "backend": "%b", "b": "%b", "bt": "%b",
}

// shape makes log_line_prefixes of what stands before a label: times, numbers in
// brackets, KEY=VALUE and user@database are taken for what they usually are. The
// second has the part for sessions optional.
func shape(b []byte) []string {
	var out strings.Builder
	var pid, stamped bool
	session := -1 // where what only sessions have begins
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
		n := span(b, wordByte)
		word := b[:n]
		rest := b[n:]
		at := bytes.IndexByte(word, '@')
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
		case len(rest) > 0 && rest[0] == '=' && keys[strings.ToLower(string(word))] != "":
			escape := keys[strings.ToLower(string(word))]
			if strings.Contains("uda hr", escape[1:]) {
				mark()
			}
			pid = pid || escape == "%p"
			out.Write(word)
			out.WriteString("=" + escape)
			b = rest[1:]
			if i := bytes.IndexAny(b, ", |;]"); i >= 0 {
				b = b[i:]
			} else {
				b = nil
			}
			continue
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
		case isState(word) && (string(word) == "00000" || span(word, isDigit) > 0):
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
		default:
			out.WriteString(strings.ReplaceAll(string(word), "%", "%%"))
		}
		b = rest
	}
	spec := out.String()
	if session < 0 {
		return []string{spec}
	}
	return []string{spec, spec[:session] + "%q" + spec[session:]}
}

// wordByte is what the values of a prefix are made of: not what people put
// between them.
func wordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || strings.IndexByte("_-.@/", c) >= 0
}
