package serverlog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

const (
	// maxStatements is how many different statements are held. At 500 bytes of
	// text each that is a megabyte a table.
	maxStatements = 2048
	// shownText is how much of a statement is kept.
	shownText = 400
	// shownTop is how many of a list are shown.
	shownTop = 10
	// maxNames is how many different names of a kind are counted.
	maxNames = 512
)

// top counts by statement. When it is full the lesser half goes to others: the list of the heaviest is still right
// then, except for what returns later; lossy reports that.
type top struct {
	of    map[uint64]*Statement
	other Statement
	lossy bool
	buf   []byte
}

func (t *top) add(sql []byte, bytes int64, user, database string) {
	if t.of == nil {
		t.of = make(map[uint64]*Statement)
	}
	var text []byte
	var hash uint64
	if len(sql) > 0 {
		text, hash = pglog.Fingerprint(sql, t.buf, shownText)
		t.buf = text
	}
	s := t.of[hash]
	if s == nil {
		if len(t.of) >= maxStatements {
			t.prune()
		}
		s = &Statement{Fingerprint: fmt.Sprintf("%016x", hash), Text: string(text)}
		if len(sql) == 0 {
			s.Fingerprint = ""
		}
		t.of[hash] = s
	}
	s.Count++
	s.Bytes = plus(s.Bytes, bytes)
	if n := unit.Bytes(bytes); n >= s.Largest {
		s.Largest, s.User, s.Database = n, user, database
	}
}

// within notes the statement of a function that a statement was in.
func (t *top) within(sql, inner []byte) {
	if len(inner) == 0 {
		return
	}
	text, hash := pglog.Fingerprint(sql, t.buf, 1)
	t.buf = text
	if s := t.of[hash]; s != nil && s.Within == "" {
		text, _ := pglog.Fingerprint(inner, nil, shownText)
		s.Within = string(text)
	}
}

// sorted are the statements, those of the most bytes first, then the most frequent.
func (t *top) sorted() []*Statement {
	all := make([]*Statement, 0, len(t.of))
	for _, s := range t.of {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Statement) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return all
}

func (t *top) prune() {
	t.lossy = true
	for _, s := range t.sorted()[maxStatements/2:] {
		t.other.Count += s.Count
		t.other.Bytes = plus(t.other.Bytes, int64(s.Bytes))
		t.other.Largest = max(t.other.Largest, s.Largest)
	}
	keep := t.sorted()[:maxStatements/2]
	clear(t.of)
	for _, s := range keep {
		var h uint64
		if s.Fingerprint != "" {
			h, _ = strconv.ParseUint(s.Fingerprint, 16, 64)
		}
		t.of[h] = s
	}
}

// first returns the n heaviest, and the sum of the others.
func (t *top) first(n int) (list []Statement, others Statement) {
	others = t.other
	list = []Statement{}
	for i, s := range t.sorted() {
		if i < n {
			list = append(list, *s)
			continue
		}
		others.Count += s.Count
		others.Bytes = plus(others.Bytes, int64(s.Bytes))
		others.Largest = max(others.Largest, s.Largest)
	}
	return list, others
}

// plus adds without going round: sizes come from a text that anybody may write.
func plus(a unit.Bytes, b int64) unit.Bytes {
	if s := a + unit.Bytes(b); s >= a {
		return s
	}
	return 1<<63 - 1
}

// names counts by name, those beyond maxNames as one.
type names map[string]int64

const otherNames = "others"

func (n names) add(name string) {
	if _, ok := n[name]; !ok && len(n) >= maxNames {
		name = otherNames
	}
	n[name]++
}

// list is the most frequent first.
func (n names) list(most int) []Count {
	out := []Count{}
	for name, c := range n {
		out = append(out, Count{name, c})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	if len(out) > most {
		rest := Count{Name: otherNames}
		for _, c := range out[most:] {
			rest.Count += c.Count
		}
		out = append(out[:most], rest)
	}
	return out
}

// sizes is a histogram of sizes: eight buckets for each doubling, so that a
// quantile is one of the values, at most an eighth above the true one, whatever their number.
type sizes struct {
	count [64 * 8]int64
	most  [64 * 8]int64 // the largest of each bucket
	all   int64
}

func bucket(v int64) int {
	if v < 8 {
		return int(max(v, 0))
	}
	exp := 0
	for v>>exp >= 16 {
		exp++
	}
	return exp*8 + int(v>>exp)
}

func (s *sizes) add(v int64) {
	i := min(bucket(v), len(s.count)-1)
	s.count[i]++
	s.most[i] = max(s.most[i], v)
	s.all++
}

// quantile returns a size that percent of all are not above.
func (s *sizes) quantile(percent int) int64 {
	need := (s.all*int64(percent) + 99) / 100
	for i, n := range s.count {
		if need -= n; need <= 0 {
			return s.most[i]
		}
	}
	return s.most[len(s.count)-1]
}
