package serverlog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

const (
	// maxDumps is how many dumps are reported: the largest.
	maxDumps = 5
	// shownContexts of a dump are reported.
	shownContexts = 8
)

// refusals gathers refused allocations and the dumps before them.
type refusals struct {
	dumps   []Dump
	seen    int64
	waiting []Dump // written, and their error is still to come
	bare    *Dump  // what the last refused allocation, which had no dump before it, says of one that may follow
	bareAt  int64  // the entry that it was in
	asked   map[request]int64
	largest int64
	worker  int64 // of those that were refused: to autovacuum workers
	tables  names // whose autovacuum it was
}

// request is an allocation that was refused; its size is unknown if below 0.
type request struct {
	size  int64
	where string
}

// maxRequests is how many different ones are counted.
const maxRequests = 256

func (s *refusals) dump(c *Collector, d *pglog.Dump) {
	s.seen++
	out := Dump{PID: d.PID, Asked: d.Asked, Whole: d.Whole, Mixed: d.Mixed, TotalBytes: unit.Bytes(d.Total),
		Request: -1}
	byOwn := slices.Clone(d.Contexts)
	slices.SortStableFunc(byOwn, func(a, b pglog.Context) int { return cmp.Compare(b.Total, a.Total) })
	for _, x := range byOwn[:min(len(byOwn), shownContexts)] {
		out.Largest = append(out.Largest, s.context(c, x, x.Total))
	}
	// the top is the whole
	byTree := slices.DeleteFunc(slices.Clone(d.Contexts), func(x pglog.Context) bool { return x.Depth == 0 })
	slices.SortStableFunc(byTree, func(a, b pglog.Context) int { return cmp.Compare(b.Below, a.Below) })
	for _, x := range byTree[:min(len(byTree), shownContexts)] {
		out.Subtrees = append(out.Subtrees, s.context(c, x, x.Below))
	}
	sum := map[string]*Context{}
	for _, x := range d.Contexts {
		n := sum[x.Name]
		if n == nil {
			n = &Context{Name: x.Name}
			sum[x.Name] = n
		}
		n.Bytes = plus(n.Bytes, x.Total)
		n.Count += max(x.More, 1)
	}
	for _, n := range sum {
		out.Summed = append(out.Summed, *n)
	}
	slices.SortFunc(out.Summed, func(a, b Context) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name))
	})
	out.Summed = slices.Clone(out.Summed[:min(len(out.Summed), shownContexts)])
	if d.Asked {
		out.Time = c.last.String()
		s.keep(out)
		return
	}
	if len(s.waiting) < maxDumps {
		if len(s.waiting) == 0 && s.bare != nil && s.bareAt == c.entries {
			out.after = s.bare
		}
		s.waiting = append(s.waiting, out)
	}
}

func (s *refusals) context(c *Collector, x pglog.Context, size int64) Context {
	out := Context{Name: x.Name, Bytes: unit.Bytes(size), Count: max(x.More, 1)}
	switch {
	case x.Ident == "":
	case strings.HasPrefix(x.Name, "CachedPlan") || strings.ContainsAny(x.Ident, " '"): // the text of a query
		out.Ident = c.normal([]byte(x.Ident))
	default:
		out.Ident = c.mask.name("name", x.Ident)
	}
	return out
}

// refused takes an "out of memory" and gives it the dump that was written before.
func (s *refusals) refused(c *Collector, e *pglog.Entry, at stamp) {
	if table, ok := e.Autovacuum(); ok {
		s.worker++
		if s.tables == nil {
			s.tables = names{}
		}
		if table != "" {
			s.tables.add(c.mask.name("table", table))
		}
	}
	doing := e.Doing()
	c.statement[0].add(doing, 0, c.user(e), c.database(e))
	c.statement[0].within(doing, e.Within())
	if size, where := e.Request(); size >= 0 || where != "" {
		if s.asked == nil {
			s.asked = map[request]int64{}
		}
		if r := (request{size, where}); s.asked[r] > 0 || len(s.asked) < maxRequests {
			s.asked[r]++
		}
		s.largest = max(s.largest, size)
	}
	s.bare = nil
	if len(s.waiting) == 0 {
		s.bare, s.bareAt = &Dump{Time: at.String(), PID: e.PID, Statement: c.normal(doing)}, c.entries
		s.bare.Request, s.bare.In = e.Request()
		return
	}
	d := s.waiting[0]
	s.waiting = s.waiting[1:]
	d.Time, d.PID, d.Statement = at.String(), e.PID, c.normal(doing)
	d.Request, d.In = e.Request()
	s.keep(d)
}

func (s *refusals) keep(d Dump) {
	for _, l := range []*[]Context{&d.Largest, &d.Subtrees, &d.Summed} {
		if *l == nil {
			*l = []Context{}
		}
	}
	s.dumps = append(s.dumps, d)
	slices.SortStableFunc(s.dumps, func(a, b Dump) int { return cmp.Compare(b.TotalBytes, a.TotalBytes) })
	s.dumps = s.dumps[:min(len(s.dumps), maxDumps)]
}

func (s *refusals) report(c *Collector) Memory {
	for _, d := range s.waiting { // their error is in another file, or was never logged
		if a := d.after; a != nil { // a page shows the dump behind its error
			d.Time, d.PID, d.Statement, d.Request, d.In = a.Time, a.PID, a.Statement, a.Request, a.In
		}
		s.keep(d)
	}
	s.waiting = nil
	out := Memory{Refused: c.kinds[pglog.OutOfMemory].count, Requests: s.requests(),
		Dumps:     append([]Dump{}, s.dumps...),
		DumpsSeen: s.seen}
	out.Statements, _ = c.statement[0].first(shownTop)
	c.hide(out.Statements)
	return out
}

// requests are the most frequent first.
func (s *refusals) requests() []Request {
	out := []Request{}
	for r, n := range s.asked {
		out = append(out, Request{Bytes: larger(nil, r.size), In: r.where, Count: n})
	}
	size := func(r Request) unit.Bytes {
		if r.Bytes == nil {
			return -1
		}
		return *r.Bytes
	}
	slices.SortFunc(out, func(a, b Request) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(size(b), size(a)), strings.Compare(a.In, b.In))
	})
	return out[:min(len(out), shownTop)]
}

// hide takes the texts out of a redacted report; the fingerprints stay.
func (c *Collector) hide(list []Statement) {
	for i := range list {
		if c.o.Redact {
			list[i].Text, list[i].Within = "", ""
		}
	}
}
