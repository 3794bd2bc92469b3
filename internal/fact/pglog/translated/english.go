package translated

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxTries bounds how often the end of an argument of one message is looked for.
	maxTries = 400
	// maxText is how long a message may be that begins with an argument: these are tried one by one.
	maxText = 600
	// maxNear is how far from its beginning a message tells whose end it is of.
	maxNear = 200
	// maxLines is how many lines of a message are taken one by one.
	maxLines = 60
	// maxDepth is how deep arguments that are messages themselves nest.
	maxDepth = 2
)

// English returns the English form of a message, and the language that it was in. Of a message of several lines that
// is in no catalog as a whole each line is taken alone, and lines that are in none stay. language is what is known
// of the log's language: messages that begin with an argument are only looked up where it is one; "" is not known.
// A message that is English, or in no catalog, is false.
func English(m []byte, language string) (english []byte, in string, ok bool) {
	if len(m) < keyLength {
		return nil, "", false
	}
	ix := load()
	if english, in, ok = ix.whole(m, language, 0); ok {
		return english, in, true
	}
	if language != "" {
		if cut, with := ix.withoutSuffix(m); with {
			if english, in, ok = ix.whole(cut, language, 0); ok {
				return english, in, true
			}
		}
	}
	if language == "" && len(ix.byHead[[keyLength]byte(m)]) == 0 {
		return nil, "", false
	}
	first, rest, more := bytes.Cut(m, []byte{'\n'})
	if !more {
		return nil, "", false
	}
	english, in, ok = ix.whole(first, language, 0)
	if !ok {
		return nil, "", false
	}
	for range maxLines {
		if !more {
			break
		}
		var line []byte
		line, rest, more = bytes.Cut(rest, []byte{'\n'})
		english = append(english, '\n')
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		if e, _, ok := ix.whole(line[indent:], in, 0); ok {
			english = append(english, e...)
		} else {
			english = append(english, line...)
		}
	}
	if more {
		english = append(append(english, '\n'), rest...)
	}
	return english, in, true
}

// whole takes a text as one message.
func (ix *index) whole(m []byte, language string, depth int) (english []byte, in string, ok bool) {
	if len(m) < keyLength {
		return nil, "", false
	}
	candidates := ix.byHead[[keyLength]byte(m)]
	for _, p := range candidates {
		if depth > 0 && language != p.language {
			continue
		}
		if e, ok := ix.try(p, m, depth); ok {
			return e, p.language, true
		}
	}
	if p, args := longest(candidates, m); p != nil && depth == 0 {
		return ix.fill(p, args, depth), p.language, true
	}
	near := m[:min(len(m), maxNear)]
	switch {
	case language != "" && len(m) > maxText && !bytes.Contains(near, pidMark):
	case language != "":
		for _, p := range ix.byArg[language] {
			if e, ok := ix.try(p, m, depth); ok {
				return e, language, true
			}
		}
	case bytes.Contains(near, pidMark): // the end of a process is worth a look at all languages
		return ix.inAny("%s (PID %d)", m, depth)
	case depth == 0 && bytes.HasPrefix(m, ownName) && len(m) < maxText: // the first message of a start is, too
		return ix.inAny("starting %s", m, depth)
	}
	return nil, "", false
}

// inAny takes a text that begins with an argument as a message whose English form begins so, in any language.
func (ix *index) inAny(id string, m []byte, depth int) (english []byte, in string, ok bool) {
	for l, list := range ix.byArg {
		for _, p := range list {
			if strings.HasPrefix(p.id, id) {
				if e, ok := ix.try(p, m, depth); ok {
					return e, l, true
				}
			}
		}
	}
	return nil, "", false
}

var ownName = []byte("PostgreSQL ")

var pidMark = []byte("PID ")

// mostArgs is more than any message has: checkpoint complete has twenty-odd.
const mostArgs = 40

// arguments are those of a message, by their number; %m is -1.
type arguments struct {
	v    [mostArgs + 1][]byte
	have [mostArgs + 1]bool
}

func (a *arguments) set(n int, v []byte) {
	if n = max(n, 0); n <= mostArgs {
		a.v[n], a.have[n] = v, true
	}
}

func (a *arguments) get(n int) ([]byte, bool) {
	n = min(max(n, 0), mostArgs)
	return a.v[n], a.have[n]
}

func (ix *index) try(p *pattern, m []byte, depth int) ([]byte, bool) {
	if len(m) < len(p.lead) || string(m[:len(p.lead)]) != p.lead {
		return nil, false
	}
	if !p.parsed {
		p.from, p.to, p.parsed = parse(strings.TrimRight(p.text, "\n")), parse(strings.TrimRight(p.id, "\n")), true
	}
	var args arguments
	tries := maxTries
	if !match(p.from, m, &args, &tries, false) {
		return nil, false
	}
	return ix.fill(p, &args, depth), true
}

// fill puts arguments into the English message.
func (ix *index) fill(p *pattern, args *arguments, depth int) []byte {
	var out []byte
	last := 0 // where the last words begin
	for _, t := range p.to {
		if t.words != "" {
			last = len(out)
			out = append(out, t.words...)
			continue
		}
		v, known := args.get(t.arg)
		if !known { // the rest is cut, or in the words of another release
			if i := bytes.LastIndexByte(out[last:], ';'); i >= 0 {
				out = out[:last+i]
			}
			break
		}
		if t.verb == 's' || t.verb == 'm' {
			v = bytes.TrimSpace(v)
			if e, ok := ix.phrases[p.language+"\x00"+string(v)]; ok {
				v = []byte(e)
			} else if depth < maxDepth && len(v) < maxText {
				if e, _, ok := ix.whole(v, p.language, depth+1); ok {
					v = e
				}
			}
			// «checkpoint starting:%s%s…»: the flags have a space of their own.
			if a, _ := args.get(t.arg); len(a) > 0 && a[0] == ' ' && len(out) > 0 && out[len(out)-1] == ':' {
				out = append(out, ' ')
			}
		}
		out = append(out, v...)
	}
	return out
}

// longPieces is from how many pieces on the end of a translation may be other than that of the catalog: minor
// releases have changed «kB», and a paste is cut.
const longPieces = 8

// longest is the candidate of which most fits the beginning of a text, half of its pieces at least.
func longest(candidates []*pattern, m []byte) (best *pattern, args *arguments) {
	most := 0
	several := bytes.IndexByte(m, '\n') >= 0
	for _, p := range candidates {
		if several && !strings.Contains(p.id, "=%") { // lines of a DETAIL are messages of their own
			continue
		}
		if len(p.from) < longPieces || !bytes.HasPrefix(m, []byte(p.lead)) {
			continue
		}
		if _, ok := words(p.from[0].words, m); !ok {
			continue
		}
		for n := len(p.from) - 1; n >= max(len(p.from)/2, most+1); n-- {
			got := &arguments{}
			tries := maxTries
			if match(p.from[:n], m, got, &tries, true) {
				best, args, most = p, got, n
				break
			}
		}
	}
	return best, args
}

// match matches a text against the pieces of a translation, and fills in the arguments. More of the text may follow
// where open is set.
func match(pieces []piece, m []byte, args *arguments, tries *int, open bool) bool {
	if *tries--; *tries < 0 {
		return false
	}
	for len(pieces) > 0 && pieces[0].words != "" {
		n, ok := words(pieces[0].words, m)
		if !ok {
			return false
		}
		m, pieces = m[n:], pieces[1:]
	}
	if len(pieces) == 0 {
		return open || len(bytes.TrimRight(m, " \n.")) == 0
	}
	p := pieces[0]
	if n := number(p.verb, m); n >= 0 {
		args.set(p.arg, m[:n])
		return n > 0 && match(pieces[1:], m[n:], args, tries, open)
	}
	// A text goes on to what follows it.
	next := ""
	if len(pieces) > 1 {
		next = pieces[1].words
	}
	if next == "" {
		if len(pieces) == 1 {
			args.set(p.arg, m)
			return true
		}
		// Another argument follows at once: all but the last are thought to be empty.
		args.set(p.arg, nil)
		return match(pieces[1:], m, args, tries, open)
	}
	first, _ := utf8.DecodeRuneInString(next)
	for n := 0; n <= len(m); n++ {
		if n < len(m) && m[n]&0xc0 == 0x80 {
			continue // within a character
		}
		if n < len(m) && !space(first) && first < utf8.RuneSelf && m[n] != byte(first) {
			continue
		}
		if _, ok := words(next, m[n:]); ok {
			args.set(p.arg, m[:n])
			if match(pieces[1:], m[n:], args, tries, open) {
				return true
			}
			if *tries < 0 {
				return false
			}
		}
	}
	return false
}

// number returns how much of a text is a number of a verb, -1 where the verb is of a text.
func number(verb byte, m []byte) int {
	n := 0
	switch verb {
	case 'd', 'i', 'u':
		if n < len(m) && m[n] == '-' {
			n++
		}
		for n < len(m) && m[n] >= '0' && m[n] <= '9' {
			n++
		}
	case 'f', 'g':
		for n < len(m) && (m[n] >= '0' && m[n] <= '9' || m[n] == '.' || m[n] == ',' || m[n] == '-') {
			n++
		}
		for n > 0 && m[n-1] == ',' {
			n--
		}
	case 'x', 'X', 'o':
		for n < len(m) && (m[n] >= '0' && m[n] <= '9' || m[n]|0x20 >= 'a' && m[n]|0x20 <= 'f') {
			n++
		}
	case 'c':
		n = min(1, len(m))
	default:
		return -1
	}
	return n
}

// words matches words of a translation at the beginning of a text. White space is one as much as another: a line
// break of the translation, what a page left of two spaces, and the space that French puts before a colon.
func words(w string, m []byte) (n int, ok bool) {
	for len(w) > 0 {
		r, k := utf8.DecodeRuneInString(w)
		if space(r) {
			for len(w) > 0 {
				if r, k = utf8.DecodeRuneInString(w); !space(r) {
					break
				}
				w = w[k:]
			}
			got := 0
			for n+got < len(m) {
				c, l := utf8.DecodeRune(m[n+got:])
				if !space(c) {
					break
				}
				got += l
			}
			if got == 0 && len(w) > 0 {
				return 0, false
			}
			n += got
			continue
		}
		if !bytes.HasPrefix(m[n:], []byte(w[:k])) {
			return 0, false
		}
		n += k
		w = w[k:]
	}
	return n, true
}

func space(r rune) bool {
	return r == ' ' || r == '\n' || r == '\t' || r == '\u00a0' || r > 0x7f && unicode.IsSpace(r)
}

// withoutSuffix takes «at character 22» away from the end of a message, in any language.
func (ix *index) withoutSuffix(m []byte) ([]byte, bool) {
	for _, p := range ix.suffix {
		head, tail, _ := strings.Cut(p.text, "%d")
		rest, ok := bytes.CutSuffix(m, []byte(tail))
		n := len(rest)
		for n > 0 && rest[n-1] >= '0' && rest[n-1] <= '9' {
			n--
		}
		if ok && n < len(rest) && bytes.HasSuffix(rest[:n], []byte(head)) {
			return rest[:n-len(head)], true
		}
	}
	return m, false
}

// WithoutPosition takes «at character 22» in any language away from the end of a message.
func WithoutPosition(m []byte) []byte {
	m, _ = load().withoutSuffix(m)
	return m
}
