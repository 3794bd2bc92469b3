package output

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	benchTPS     = regex.New(`(?i)\btps\b|\btransactions? ?(?:/|per) ?s`)
	benchClients = regex.New(`(?i)^(?:n(?:um(?:ber)?)?\.? ?(?:of )?)?` +
		`(?:clients?|connections?|concurrency|conns?|-c|sessions?|клиент\S*)$`)
	benchThreads = regex.New(`(?i)^(?:n(?:um(?:ber)?)?\.? ?(?:of )?)?(?:threads?|jobs|-j)$`)
	benchScale   = regex.New(`(?i)^(?:scale|scaling)(?: factor)?$`)
	benchLatency = regex.New(`(?i)\blat(?:ency)?\b|\bзадержка\b`)
	benchOther   = regex.New(`(?i)std|dev|p9\d|9\d|max|min|%|\bus\b|µs|\bs\)`)
)

// retypedBench reads results of pgbench that somebody has put into a table of his own: each row
// is a run.
type retypedBench struct {
	r     *reader
	known bool // pgbench was named
	head  []string
}

func (t *retypedBench) line(s scanned) bool {
	t.known = t.known || strings.Contains(s.text, "pgbench")
	if !t.known || len(s.text) > 400 || !strings.ContainsAny(s.text, "|;\t,") {
		t.head = nil
		return false
	}
	if retypedRule.MatchString(s.text) {
		return t.head != nil
	}
	cells := split(s.text)
	if len(cells) < 2 || len(cells) > 24 {
		t.head = nil
		return false
	}
	if t.head == nil || len(cells) != len(t.head) {
		t.head = nil
		if benchTPS.MatchString(s.text) && !strings.ContainsAny(s.text, "=:") {
			t.head = cells
		}
		return false
	}
	return t.row(s, cells)
}

func (t *retypedBench) row(s scanned, cells []string) bool {
	p := Pgbench{}
	var rates []int
	var of []string
	for i, name := range t.head {
		name, text := strings.Trim(name, "`*_ "), strings.Trim(cells[i], "`*_~ ")
		v, ok := figure(text)
		n, _ := whole(text)
		switch {
		case benchTPS.MatchString(name):
			if ok && v > 0 && v <= mostPerSecond {
				rates = append(rates, i)
			}
		case ok && benchClients.MatchString(name):
			p.Clients = n
		case ok && benchThreads.MatchString(name):
			p.Threads = n
		case ok && benchScale.MatchString(name):
			p.Scale = n
		case ok && benchLatency.MatchString(name) && !benchOther.MatchString(name) && p.Latency.Mean == nil:
			p.Latency.Mean = &v
		default:
			of = append(of, text)
		}
	}
	for _, i := range rates {
		v, _ := figure(strings.Trim(cells[i], "`*_~ "))
		one, name := p, strings.Join(of, " ")
		one.TPS = &v
		if len(rates) > 1 {
			name = strings.TrimSpace(name + " " + strings.Trim(t.head[i], "`*_ "))
		}
		o := t.r.open(PgbenchRun, s.number)
		o.Pgbench, o.Cut, o.Of = &one, true, short(name, 64)
		t.r.runs++
	}
	return len(rates) > 0
}

func (t *retypedBench) end() { t.head = nil }
