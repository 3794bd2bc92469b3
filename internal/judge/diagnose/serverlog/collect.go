package serverlog

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// Options say what is known beside the log.
type Options struct {
	Subject  string
	Settings pg.Settings // of the server that wrote it; nil: not known
	Redact   bool
}

// Collector takes the entries of logs, in the order of time, and holds what the
// report needs: sums, the heaviest and the first of each, never the entries.
type Collector struct {
	o       Options
	files   []File
	sources []pglog.Source
	entries int64
	first   stamp
	last    stamp
	kinds   [64]tally
	errors  names
	mask    mask

	crashes   crashes
	memory    refusals
	temp      temp
	wal       wal
	locks     locks
	vacuum    vacuum
	statement [2]top // out of memory, canceled
}

// stamp is a time of the log.
type stamp struct {
	us   int64
	zone string
	ok   bool
}

func (s stamp) String() string {
	if !s.ok {
		return ""
	}
	t := time.UnixMicro(s.us).UTC().Format(time.DateTime)
	if s.zone != "" {
		t += " " + s.zone
	}
	return t
}

// since is the time between two, and whether both are told.
func (s stamp) since(t stamp) (seconds float64, ok bool) {
	if !s.ok || !t.ok || s.us < t.us {
		return 0, false
	}
	return float64(s.us-t.us) / 1e6, true
}

// tally counts the entries of a kind.
type tally struct {
	count       int64
	first, last stamp
	who         names    // users, hosts, databases: what tells the entries apart
	samples     []string // the first different messages
}

const (
	// maxSamples of a kind are kept.
	maxSamples = 5
	// maxSample is how much of a message is kept: a line of a terminal and a half.
	maxSample = 240
)

// NewCollector starts with nothing.
func NewCollector(o Options) *Collector {
	c := &Collector{o: o, errors: names{}, mask: mask{on: o.Redact}}
	c.temp.group = map[int]*spill{}
	c.wal.init(o.Settings)
	c.locks.kinds = names{}
	return c
}

// File notes that a file was read to its end.
func (c *Collector) File(name string, src pglog.Source, dumpsOnly bool) {
	c.temp.flush()
	c.sources = append(c.sources, src)
	c.files = append(c.files, File{Name: name, Format: string(src.Format), Prefix: src.Prefix, PrefixHow: src.How,
		Bytes: src.Bytes, Lines: src.Lines,
		Entries: src.Entries, Stray: src.Stray, Dumps: dumpsOnly})
}

// Dump takes a memory-context dump.
func (c *Collector) Dump(d *pglog.Dump) { c.memory.dump(c, d) }

// Entry takes an entry.
func (c *Collector) Entry(e *pglog.Entry) {
	c.entries++
	k := e.Kind()
	if e.Timed {
		c.last.us, c.last.ok = e.Time, true
		if c.last.zone != string(e.Zone) { // compares without an allocation
			c.last.zone = string(e.Zone)
		}
		if !c.first.ok {
			c.first = c.last
		}
	}
	if e.Severity >= pglog.Error {
		c.errors.add(string(e.State))
	}
	if c.crashes.open != nil {
		c.crashes.during(e)
	}
	if k == pglog.Other {
		return
	}
	at := c.last
	at.ok = e.Timed
	t := &c.kinds[k]
	t.count++
	if t.count == 1 {
		t.first = at
	}
	t.last = at
	switch k {
	case pglog.ChildDied, pglog.Reinit, pglog.CrashNotice, pglog.Starting, pglog.Interrupted, pglog.RedoStart,
		pglog.RedoDone, pglog.Ready, pglog.ShutdownAsked, pglog.ShutDown, pglog.NotAccepting:
		c.crashes.take(c, e, k, at)
	case pglog.OutOfMemory:
		c.memory.refused(c, e, at)
		c.sample(t, e)
	case pglog.TempFile:
		c.temp.take(c, e)
	case pglog.CheckpointStart, pglog.CheckpointDone, pglog.CheckpointOften:
		c.wal.take(e, k, at)
	case pglog.LockWait, pglog.LockGot:
		c.locks.take(c, e, k)
	case pglog.VacuumRun:
		c.vacuum.take(c, e, at)
	case pglog.Canceled:
		c.statement[1].add(e.Statement, 0, c.user(e), c.database(e))
		c.sample(t, e)
	case pglog.Fault:
	case pglog.TooMany, pglog.AuthFailed, pglog.ConnectionLost, pglog.Terminated:
		c.person(t, e)
		c.sample(t, e)
	default:
		c.sample(t, e)
	}
}

// sample keeps the message where it is a new one. Messages of these kinds name
// files, relations and settings, no rows.
func (c *Collector) sample(t *tally, e *pglog.Entry) {
	if len(t.samples) >= maxSamples {
		return
	}
	m := e.Message
	if i := bytes.IndexByte(m, '\n'); i >= 0 {
		m = m[:i]
	}
	s := c.mask.text(shorten(string(m), maxSample))
	for _, have := range t.samples {
		if have == s {
			return
		}
	}
	t.samples = append(t.samples, s)
}

// person counts who met it.
func (c *Collector) person(t *tally, e *pglog.Entry) {
	if len(e.User) == 0 && len(e.Database) == 0 && len(e.Host) == 0 {
		return
	}
	if t.who == nil {
		t.who = names{}
	}
	var b strings.Builder
	if u := c.user(e); u != "" {
		b.WriteString("user " + u)
	}
	if d := c.database(e); d != "" {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString("database " + d)
	}
	if len(e.Host) > 0 {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString("from " + c.mask.name("host", shorten(string(e.Host), maxSample)))
	}
	t.who.add(b.String())
}

func (c *Collector) user(e *pglog.Entry) string {
	return c.mask.name("user", shorten(string(e.User), 64))
}
func (c *Collector) database(e *pglog.Entry) string {
	return c.mask.name("database", shorten(string(e.Database), 64))
}

// normal is a statement without its literals, "" where it is to be left out.
func (c *Collector) normal(sql []byte) string {
	if c.o.Redact || len(sql) == 0 {
		return ""
	}
	text, _ := pglog.Fingerprint(sql, nil, shownText)
	return string(text)
}

// shorten shortens a text to at most n bytes, between characters, and says so.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// mask replaces names by numbered words, for who shows a report to others.
type mask struct {
	on    bool
	names map[string]string
	count map[string]int
}

func (m *mask) name(kind, s string) string {
	if !m.on || s == "" {
		return s
	}
	key := kind + "\x00" + s
	if p, ok := m.names[key]; ok {
		return p
	}
	if m.names == nil {
		m.names, m.count = map[string]string{}, map[string]int{}
	}
	if len(m.names) >= 8*maxNames {
		return kind + "-…"
	}
	m.count[kind]++
	p := fmt.Sprintf("%s-%d", kind, m.count[kind])
	m.names[key] = p
	return p
}

// quotes are those that the server's catalogues put around names.
var quotes = [][2]string{{`"`, `"`}, {"«", "»"}, {"»", "«"}, {"„", "“"}, {"“", "”"}, {"「", "」"}, {"'", "'"}}

// text replaces what stands in quotes.
func (m *mask) text(s string) string {
	if !m.on {
		return s
	}
	var b strings.Builder
	for {
		at, by := len(s), [2]string{}
		for _, q := range quotes {
			if i := strings.Index(s, q[0]); i >= 0 && i < at {
				at, by = i, q
			}
		}
		b.WriteString(s[:at])
		if at == len(s) {
			return b.String()
		}
		s = s[at+len(by[0]):]
		name, rest, closed := strings.Cut(s, by[1])
		b.WriteString(by[0])
		if !closed {
			return b.String() + "…"
		}
		b.WriteString(m.name("name", name) + by[1])
		s = rest
	}
}
