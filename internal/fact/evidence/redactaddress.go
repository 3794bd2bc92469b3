package evidence

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// reach is what an address says about who can reach it. Checks use no more of it, so a pseudonym has the reach of its
// address.
type reach string

const (
	thisHost  reach = "loopback"
	localLink reach = "link-local"
	private   reach = "private" // RFC 1918, and unique local addresses of IPv6
	shared    reach = "shared"  // RFC 6598, between a provider and its customers
	multicast reach = "multicast"
	public    reach = "public"
)

// ranges are where pseudonyms are taken from, one after the other, by reach. Public ones are those that RFC 5737 and
// RFC 3849 keep for documents, then that of RFC 2544 for benchmarks: no host has them.
var (
	ranges4 = map[reach][]string{thisHost: {"127.0.1.0/16"}, localLink: {"169.254.0.0/16"}, private: {"10.0.0.0/8"},
		shared:    {"100.64.0.0/10"},
		multicast: {"233.252.0.0/24", "239.0.0.0/8"}, public: {"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
			"198.18.0.0/15"}}
	ranges6 = map[reach][]string{localLink: {"fe80::/10"}, private: {"fd00::/8"}, multicast: {"ff0e::/16"},
		public: {"2001:db8::/32"}}
)

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

func reachOf(a netip.Addr) reach {
	switch a = a.Unmap(); {
	case a.IsLoopback():
		return thisHost
	case a.IsLinkLocalUnicast():
		return localLink
	case a.IsPrivate():
		return private
	case a.IsMulticast():
		return multicast
	case sharedSpace.Contains(a):
		return shared
	}
	return public
}

// kindOf is a reach of a version of IP, whose pseudonyms are counted by themselves.
func kindOf(a netip.Addr) string {
	if a.Is4() {
		return "4 " + string(reachOf(a))
	}
	return "6 " + string(reachOf(a))
}

// pseudo returns the nth pseudonym of the kind of an address.
func pseudo(kind string, n int) netip.Addr {
	version, r, _ := strings.Cut(kind, " ")
	ranges := ranges6
	if version == "4" {
		ranges = ranges4
	}
	list := ranges[reach(r)]
	for i, text := range list {
		p := netip.MustParsePrefix(text)
		hosts := min(p.Addr().BitLen()-p.Bits(), 24) // more addresses than an archive has words
		if size := 1<<hosts - 2; n > size && i < len(list)-1 {
			n -= size
			continue
		}
		b := p.Addr().AsSlice()
		for k, v := len(b)-1, n; k >= 0 && v > 0; k, v = k-1, v>>8 {
			v += int(b[k])
			b[k] = byte(v)
		}
		a, _ := netip.AddrFromSlice(b)
		return a
	}
	return netip.Addr{}
}

// sameEverywhere reports whether an address is no one's: any, this host's usual ones, and netmasks.
func sameEverywhere(a netip.Addr) bool {
	if a.IsUnspecified() || a == netip.IPv6Loopback() || a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		return true
	}
	if !a.Is4() {
		return false
	}
	b := a.As4()
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	return b[0] == 255 && ^v&(^v+1) == 0 // ones, then zeros
}

// addr returns the pseudonym of an address; the name of an interface behind it
// goes, and an IPv4 address within an IPv6 one stays that.
func (r *redactor) addr(a netip.Addr) string {
	a = a.WithZone("")
	if a.Is4In6() {
		return "::ffff:" + r.addr(a.Unmap())
	}
	if sameEverywhere(a) || r.given[a] {
		return a.String()
	}
	p, ok := r.addrs[a]
	if !ok {
		r.addrs[a] = netip.Addr{}
		r.addrOrder = append(r.addrOrder, a)
	}
	if !p.IsValid() {
		return "0.0.0.0" // not numbered yet; what is made of it is thrown away
	}
	return p.String()
}

// numberAddresses gives the gathered addresses their pseudonyms in the order of
// appearance. No pseudonym is an address of the archive.
func (r *redactor) numberAddresses() {
	for _, a := range r.addrOrder {
		kind := kindOf(a)
		for {
			r.table.Addresses[kind]++
			p := pseudo(kind, r.table.Addresses[kind])
			if _, taken := r.addrs[p]; !taken {
				r.addrs[a] = p
				break
			}
		}
	}
}

// address replaces a text that is an IP address, alone or with a port or a
// prefix length, or with an export behind it (10.0.0.5:/srv).
func (r *redactor) address(s string) (string, bool) {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		if strings.HasPrefix(s, "[") {
			return "[" + r.addr(a) + "]", true
		}
		return r.addr(a), true
	}
	if a, err := netip.ParsePrefix(s); err == nil {
		return r.addr(a.Addr()) + "/" + strconv.Itoa(a.Bits()), true
	}
	if a, err := netip.ParseAddrPort(s); err == nil {
		if a.Addr().Is4() {
			return r.addr(a.Addr()) + ":" + strconv.Itoa(int(a.Port())), true
		}
		return "[" + r.addr(a.Addr()) + "]:" + strconv.Itoa(int(a.Port())), true
	}
	if host, export, ok := strings.Cut(s, ":/"); ok {
		if a, ok := r.address(host); ok {
			return a + ":" + r.path("/"+export), true
		}
	}
	return "", false
}

// addressLike finds what may be an address within a text, such as that of a
// share //10.0.0.5/x or of [fd00::7]:5432.
var addressLike = regex.New(`[0-9A-Fa-f:.]*(\.[0-9]+\.|:[0-9A-Fa-f]*:)[0-9A-Fa-f:.]*`)

// withAddresses replaces the addresses within a text and passes the text between them to rest.
func (r *redactor) withAddresses(s string, rest func(string) string) string {
	var b strings.Builder
	from := 0
	for _, at := range addressLike.FindAllStringIndex(s, -1) {
		start, end := at[0], at[1]
		// Its last letters may be the first of a word: 1.2.3.4:acme, 1.2.3.4.de.example.org.
		inWord := end < len(s) && wordRune(rune(s[end]))
		var a netip.Addr
		var err error
		text := ""
		for {
			if i := strings.LastIndexAny(s[start:end], ".:"); inWord && i > 0 {
				end = start + i + 1
			}
			for strings.HasSuffix(s[start:end], ".") || strings.HasSuffix(s[start:end], ":") &&
				!strings.HasSuffix(s[start:end], "::") {
				end-- // the end of a sentence, or of what it is a heading of
			}
			text = s[start:end]
			a, err = netip.ParseAddr(text)
			i := strings.LastIndexAny(text, ".:")
			if inWord = err != nil && i > 0 && strings.ContainsAny(text[i:], "abcdefABCDEF"); !inWord {
				break
			}
		}
		if v4, rest, ok := strings.Cut(text, ":"); err != nil && ok && strings.Trim(rest, "0123456789") != "" {
			if b, berr := netip.ParseAddr(v4); berr == nil { // of a share, such as 10.0.0.5:data
				a, err, end = b, nil, start+len(v4)
			}
		}
		if err != nil || start > 0 && wordRune(rune(s[start-1])) || end < len(s) && wordRune(rune(s[end])) ||
			strings.Trim(text, ":") == "" {
			if p, perr := netip.ParseAddrPort(text); perr == nil && p.Addr().Is4() &&
				(start == 0 || !wordRune(rune(s[start-1]))) {
				b.WriteString(rest(s[from:start]) + r.addr(p.Addr()) + text[strings.LastIndexByte(text, ':'):])
				from = end
			}
			continue
		}
		b.WriteString(rest(s[from:start]) + r.addr(a))
		from = end
	}
	b.WriteString(rest(s[from:]))
	return b.String()
}

// host replaces the name of a host, or its address.
func (r *redactor) host(s string) string {
	if p, ok := r.address(s); ok {
		return p
	}
	if rest, ok := strings.CutPrefix(s, "127."); ok { // no address, and yet taken for one of this host
		return "127." + r.name(hostName, rest)
	}
	return r.name(hostName, s)
}
