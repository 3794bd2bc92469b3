package evidence

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// class is a kind of name. The number behind it is that of the name, whatever
// class it is met in: db3 and role3 are a database and a role of one name.
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
	paramName      class = "custom.param"
	word           class = "name" // a word of a path, a unit, a cgroup or a title
)

// classes are all of them; those before the last are looked for in prose.
var classes = []class{dbName, roleName, tablespaceName, schemaName, relationName, slotName, appName, hostName,
	paramName, word}

// tableEntry names the entry that a redaction leaves: how many pseudonyms were
// given, so that those of an archive that is redacted once more are known for
// what they are and stay.
const tableEntry = "redaction.json"

// table is that entry. It reveals no name.
type table struct {
	Names     int            `json:"names"`
	Addresses map[string]int `json:"addresses"` // by version of IP and reach
}

// redactor replaces names. It goes over an archive twice: first to gather the
// names, when it answers with nothing of use, then, once they are numbered, to
// replace them.
type redactor struct {
	table   table
	before  int            // pseudonyms of names that an earlier redaction gave
	numbers map[string]int // name → its number; 0 until it has one
	order   []string       // of appearance
	met     map[string][]class

	given     map[netip.Addr]bool // pseudonyms that an earlier redaction gave
	addrs     map[netip.Addr]netip.Addr
	addrOrder []netip.Addr

	files  map[string]string             // base names of ordered directories → theirs
	params map[string]map[string]setting // folder of an instance's answers → its parameters
}

func newRedactor(a *Archive) *redactor {
	r := &redactor{numbers: map[string]int{}, met: map[string][]class{}, given: map[netip.Addr]bool{},
		addrs: map[netip.Addr]netip.Addr{},
		files: map[string]string{}, params: map[string]map[string]setting{}}
	var t table
	if json.Unmarshal(a.files[tableEntry], &t) == nil && t.Names >= 0 && t.Names <= MaxArchive {
		r.before, r.table.Names = t.Names, t.Names
	}
	r.table.Addresses = map[string]int{}
	size := 0
	for _, b := range a.files {
		size += len(b)
	}
	most := min(size/len("::1"), MaxEntries) // a table is a stranger's: no more addresses are there than have room
	for kind, n := range t.Addresses {
		if n <= 0 || n > MaxEntries || !pseudo(kind, 1).IsValid() {
			continue
		}
		r.table.Addresses[kind] = n
		for i := range min(n, most) {
			r.given[pseudo(kind, i+1)] = true
		}
	}
	return r
}

// name returns the pseudonym of a name; names that every cluster has, the empty
// one, and pseudonyms stay.
func (r *redactor) name(c class, s string) string {
	if s == "" || commonName(c, s) || r.ours(s) {
		return s
	}
	n, ok := r.numbers[s]
	if !ok {
		r.numbers[s] = 0
		r.order = append(r.order, s)
	}
	if !slices.Contains(r.met[s], c) {
		r.met[s] = append(r.met[s], c)
	}
	return string(c) + strconv.Itoa(n)
}

// ours reports whether a name is a pseudonym that an earlier redaction gave.
func (r *redactor) ours(s string) bool {
	c := class(strings.TrimRight(s, "0123456789"))
	digits := s[len(c):]
	n, err := strconv.Atoi(digits)
	if err != nil || n <= 0 || n > r.before || !slices.Contains(classes, c) {
		return false
	}
	return digits[0] != '0' || c == word && len(digits) == orderedDigits
}

// number gives all gathered names their pseudonyms, in the order in which they appear. A number with which one would
// read like a name of the archive is skipped, so that no word of a redacted archive is a name of the original.
func (r *redactor) number() {
	for _, s := range r.order {
		r.table.Names++
		for slices.ContainsFunc(classes, func(c class) bool {
			_, taken := r.numbers[string(c)+strconv.Itoa(r.table.Names)]
			return taken
		}) {
			r.table.Names++
		}
		r.numbers[s] = r.table.Names
	}
	r.numberAddresses()
}

// anywhere returns the pseudonym of a name that was met elsewhere, "" for none.
func (r *redactor) anywhere(s string) string {
	for _, c := range classes[:len(classes)-1] {
		if slices.Contains(r.met[s], c) {
			return r.name(c, s)
		}
	}
	return ""
}

// publicApps are the programs that connect to every cluster, as they name themselves.
var publicApps = set(
	`walreceiver psql pgfettle pgbench pg_basebackup pg_receivewal pg_recvlogical pg_dump pg_dumpall pg_restore ` +
		`pg_rewind pg_upgrade
	pg_isready pg_amcheck pg_checksums vacuumdb reindexdb clusterdb`)

// publicNames are those that are the same in every cluster.
var publicNames = map[class]map[string]bool{
	dbName: set(`postgres template0 template1 all replication sameuser samerole`), roleName: set(`postgres all`),
	schemaName: set(`public information_schema $user`), appName: publicApps,
	hostName:     set(`localhost samehost samenet all`),
	relationName: set(`pg_attribute pg_class pg_depend pg_type pg_index`), // of deep_catalogs, which names no schema
}

// commonName reports whether a name is the same in every cluster. The server keeps pg_ for itself in names of roles,
// schemas and tablespaces, and in no others.
func commonName(c class, s string) bool {
	if strings.HasPrefix(s, "pg_") && (c == roleName || c == schemaName || c == tablespaceName) {
		return true
	}
	return publicNames[c][s]
}

// path redacts the words of a path, a unit name, a cgroup or a comm: runs of letters and digits that are not common to
// all systems. Everything between them stays, so that a path keeps its depth and a unit its form. Addresses are
// replaced whole.
func (r *redactor) path(s string) string {
	if p, ok := r.address(s); ok {
		return p
	}
	return r.withAddresses(s, r.words)
}

func (r *redactor) words(s string) string {
	var b strings.Builder
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
	return b.String()
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
