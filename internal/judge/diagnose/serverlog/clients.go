package serverlog

import (
	"cmp"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// client is the client of an entry: a user, a database and a host, as far as logged.
type client struct{ user, database, host string }

// words name it.
func (x client) words() say.List {
	var l say.List
	if x.user != "" {
		l.Items = append(l.Items, say.M("user {name}", "name", x.user))
	}
	if x.database != "" {
		l.Items = append(l.Items, say.M("database {name}", "name", x.database))
	}
	if x.host != "" {
		l.Items = append(l.Items, say.M("host {name}", "name", x.host))
	}
	return l
}

// clients counts by client, those beyond maxNames as one.
type clients struct {
	of     map[client]int64
	others int64
}

func (s *clients) add(x client) {
	if _, ok := s.of[x]; !ok && len(s.of) >= maxNames {
		s.others++
		return
	}
	if s.of == nil {
		s.of = map[client]int64{}
	}
	s.of[x]++
}

// told lists the most frequent first, and the others together.
func (s *clients) told(most int) (out []say.Message) {
	type met struct {
		client
		count int64
	}
	var list []met
	for x, n := range s.of {
		list = append(list, met{x, n})
	}
	slices.SortFunc(list, func(a, b met) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.user, b.user), cmp.Compare(a.database, b.database),
			cmp.Compare(a.host, b.host))
	})
	others := s.others
	for i, x := range list {
		if i < most {
			out = append(out, times(x.words(), x.count))
		} else {
			others += x.count
		}
	}
	if others > 0 {
		out = append(out, times(say.M("others"), others))
	}
	return out
}
