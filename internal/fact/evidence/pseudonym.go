package evidence

import (
	"net/netip"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

// class is a kind of name; names of different classes have their own numbers.
type class string

const (
	dbName         class = "db"
	roleName       class = "role"
	tablespaceName class = "tablespace"
	schemaName     class = "schema"
	relationName   class = "relation"
	slotName       class = "slot"
	appName        class = "app"
	hostName       class = "host"
	addressName    class = "addr"
	paramName      class = "custom.param"
	word           class = "name" // a word of a path, a unit, a control group or a title
)

// redactor replaces names. It goes over an archive twice: first to gather the
// names, when it answers with nothing of use, then, once they are numbered, to
// replace them.
type redactor struct {
	names  map[class]map[string]string
	params map[string]map[string]setting // folder of an instance's answers → its parameters
}

// name returns the pseudonym of a name; names that every cluster has, and the
// empty one, stay.
func (r *redactor) name(c class, s string) string {
	if s == "" || commonName(c, s) {
		return s
	}
	m := r.names[c]
	if m == nil {
		m = map[string]string{}
		r.names[c] = m
	}
	p, ok := m[s]
	if !ok {
		m[s] = ""
	}
	return p
}

// number gives all gathered names their pseudonyms, in sorted order.
func (r *redactor) number() {
	for c, m := range r.names {
		all := make([]string, 0, len(m))
		for s := range m {
			all = append(all, s)
		}
		sort.Strings(all)
		for i, s := range all {
			m[s] = string(c) + strconv.Itoa(i+1)
		}
	}
}

// commonName says whether a name is the same in every cluster.
func commonName(c class, s string) bool {
	if c != word && strings.HasPrefix(s, "pg_") && c != hostName && c != addressName {
		return true
	}
	switch c {
	case dbName:
		return s == "postgres" || s == "template0" || s == "template1"
	case roleName:
		return s == "postgres"
	case schemaName:
		return s == "public" || s == "information_schema"
	case appName:
		return s == "walreceiver" || s == "psql" || s == "pgfettle" || s == "pgbench"
	case hostName, addressName:
		return s == "localhost" || s == "127.0.0.1" || s == "::1"
	}
	return false
}

// path redacts the words of a path, a unit name, a control group or a comm:
// runs of letters and digits that are not common to all systems. Everything
// between them stays, so that a path keeps its depth and a unit its form.
// Addresses are replaced whole.
func (r *redactor) path(s string) string {
	if p, ok := r.address(s); ok {
		return p
	}
	var b strings.Builder
	for {
		at := ipv4.FindStringIndex(s)
		if at == nil {
			break
		}
		r.words(&b, s[:at[0]])
		b.WriteString(r.name(addressName, s[at[0]:at[1]]))
		s = s[at[1]:]
	}
	r.words(&b, s)
	return b.String()
}

// ipv4 finds an address within a text, such as that of a share //10.0.0.5/x.
var ipv4 = regexp.MustCompile(`\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b`)

func (r *redactor) words(b *strings.Builder, s string) {
	start := -1
	flush := func(end int) {
		if start >= 0 {
			b.WriteString(r.word(s[start:end]))
			start = -1
		}
	}
	for i, c := range s {
		if wordRune(c) {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
		b.WriteRune(c)
	}
	flush(len(s))
}

// wordRune says what a word is made of. The underscore belongs to it, so that
// pg_wal is one word.
func wordRune(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

func (r *redactor) word(w string) string {
	if commonWord(w) {
		return w
	}
	return r.name(word, w)
}

// address replaces a text that is an IP address, alone or with a port or a
// prefix length, or with an export behind it (10.0.0.5:/srv).
func (r *redactor) address(s string) (string, bool) {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return r.name(addressName, a.String()), true
	}
	if a, err := netip.ParsePrefix(s); err == nil {
		return r.name(addressName, a.Addr().String()) + "/" + strconv.Itoa(a.Bits()), true
	}
	if a, err := netip.ParseAddrPort(s); err == nil {
		return r.name(addressName, a.Addr().String()) + ":" + strconv.Itoa(int(a.Port())), true
	}
	if host, export, ok := strings.Cut(s, ":/"); ok {
		if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
			return r.name(addressName, a.String()) + ":" + r.path("/"+export), true
		}
	}
	return "", false
}
