// Package conninfo takes connection strings apart, keywords and values or a URI, as libpq does, and spells them again.
package conninfo

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Pair is a keyword of a connection string.
type Pair struct{ Name, Value string }

// Pairs are a connection string taken apart.
type Pairs []Pair

// errConninfo does not quote what may hold a password.
var errConninfo = say.Err("the connection string cannot be read")

// Get returns the value of a keyword, the last one as libpq takes it; "" if there is none.
func (c Pairs) Get(name string) string {
	out := ""
	for _, p := range c {
		if p.Name == name {
			out = p.Value
		}
	}
	return out
}

// String spells it as keywords and values.
func (c Pairs) String() string {
	var out []string
	for _, p := range c {
		out = append(out, p.Name+"='"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(p.Value)+"'")
	}
	return strings.Join(out, " ")
}

// Parse takes a connection string apart: keywords and values, or a URI.
func Parse(text string) (out Pairs, err error) {
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		out, err = parseURI(text)
	} else {
		out, err = parseKeywords(text)
	}
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }
	for _, p := range out { // all keywords of libpq are such words
		if p.Name == "" || strings.IndexFunc(p.Name, odd) >= 0 || strings.IndexByte(p.Value, 0) >= 0 {
			return nil, errConninfo
		}
	}
	return out, err
}

// parseURI reads what libpq and pgconn both take: several hosts with their ports
// are lists of as many parts.
func parseURI(text string) (out Pairs, err error) {
	u, err := url.Parse(text)
	// A # is no part of one to libpq, and one of a host to pgconn, which also trims.
	if err != nil || strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r == '#' }) >= 0 {
		return nil, errConninfo // the error would quote it
	}
	add := func(name, value string) {
		if value != "" {
			out = append(out, Pair{name, value})
		}
	}
	var hosts, ports []string
	for h := range strings.SplitSeq(u.Host, ",") {
		host, port := h, ""
		if i := strings.LastIndexByte(h, ':'); i >= 0 && i > strings.LastIndexByte(h, ']') {
			host, port = h[:i], h[i+1:]
		}
		if inner, ok := strings.CutPrefix(host, "["); ok { // an IPv6 address
			host = strings.TrimSuffix(inner, "]")
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	add("host", strings.Join(hosts, ","))
	if slices.ContainsFunc(ports, func(p string) bool { return p != "" }) {
		add("port", strings.Join(ports, ","))
	}
	add("dbname", strings.TrimPrefix(u.Path, "/"))
	if u.User != nil {
		add("user", u.User.Username())
		password, _ := u.User.Password()
		add("password", password)
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range u.Query() {
			if !yield(k) {
				return
			}
		}
	}) {
		add(name, u.Query().Get(name))
	}
	return out, nil
}

// parseKeywords reads «name = 'value'», as libpq's conninfo_parse does.
func parseKeywords(text string) (out Pairs, err error) {
	space := func(c byte) bool { return strings.IndexByte(" \t\n\r\v\f", c) >= 0 }
	i := 0
	skip := func() {
		for i < len(text) && space(text[i]) {
			i++
		}
	}
	for skip(); i < len(text); skip() {
		from := i
		for i < len(text) && text[i] != '=' && !space(text[i]) {
			i++
		}
		name := text[from:i]
		skip()
		if name == "" || i == len(text) || text[i] != '=' {
			return nil, errConninfo
		}
		i++
		skip()
		var b strings.Builder
		quoted := i < len(text) && text[i] == '\''
		if quoted {
			i++
		}
		closed := !quoted
		for i < len(text) {
			c := text[i]
			if quoted && c == '\'' {
				i++
				closed = true
				break
			}
			if !quoted && space(c) {
				break
			}
			if c == '\\' { // at the end it is nothing
				if i++; i == len(text) {
					break
				}
				c = text[i]
			}
			b.WriteByte(c)
			i++
		}
		if !closed {
			return nil, errConninfo
		}
		out = append(out, Pair{name, b.String()})
	}
	return out, nil
}
