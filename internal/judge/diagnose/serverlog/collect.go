package serverlog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// Options say what is known in addition to the log.
type Options struct {
	Subject  string
	Settings pg.Settings // of the server that wrote it; nil: not known
	WALDisk  *WALDisk    // nil: not known
	Kernel   say.Message // the command that reads the kernel's log; zero: that of the host which the server is on
	Redact   bool
}

// WALDisk is the filesystem of pg_wal.
type WALDisk struct {
	Total, Free, WAL unit.Bytes // WAL: what pg_wal holds
}

// Collector takes the entries of logs, in the order of time, and holds what the
// report needs: sums, the heaviest and the first of each, never the entries.
type Collector struct {
	o       Options
	files   []File
	sources []pglog.Source
	entries int64
	first   stamp
	last    stamp // of the entry before
	latest  stamp
	kinds   [pglog.Kinds]tally
	errors  names
	mask    mask

	crashes     crashes
	memory      refusals
	temp        temp
	wal         wal
	locks       locks
	vacuum      vacuum
	statement   [2]top // out of memory, canceled
	starts      starts
	shared      sharedMemory
	conns       connections
	disk        DiskFull
	faults      faults
	durations   durations
	sets        sets
	panicked    tally
	startPanics int64
	record      struct { // of WAL, that is not valid
		pid int
		why string
	}
	places      [pglog.Kinds]few // statements of the kinds that name none
	reasons     names            // of refused authentication
	locked      struct{ pid int }
	timeline    int64
	restart     int // PID that said of settings that they wait for a restart, in the reload that goes on
	refusing    int64
	refusedLast int64 // connections that came while the server was shutting down
	fatalConf   bool  // the configuration kept it from starting
	// lines of starts that failed that end one
	fatalStarts int64
	ours        int64
	named       bool // some entry has a user or a database
	recovery    recovery
	changes     changes
	authorized  sessions
	slots       names // from which WAL was asked for that is gone
	consumers   names // application names of those that asked for it
	startup     pglog.Death
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

// since is the time between two, and whether both are known and by the same clock.
func (s stamp) since(t stamp) (seconds float64, ok bool) {
	if !s.ok || !t.ok || s.us < t.us || s.zone != t.zone && s.us-t.us < zoneMatters {
		return 0, false
	}
	return float64(s.us-t.us) / 1e6, true
}

// zoneMatters, in microseconds, is between two times that are long enough apart for their zones not to matter.
const zoneMatters = 48 * 3600 * 1e6

// tally counts the entries of a kind.
type tally struct {
	count       int64
	first, last stamp
	who         clients  // users, hosts, databases: what distinguishes the entries
	samples     []string // the first different messages
	words       string   // theirs, as PostgreSQL's source has them
}

// note counts one at a time of the log.
func (t *tally) note(at stamp) {
	if t.count++; t.count == 1 {
		t.first = at
	}
	t.last = at
}

const (
	// maxSamples of a kind are kept.
	maxSamples = 5
	// maxSample is how much of a message is kept: a line of a terminal and a half.
	maxSample = 240
)

// NewCollector starts with nothing.
func NewCollector(o Options) *Collector {
	c := &Collector{o: o, errors: names{}, mask: mask{on: o.Redact}, authorized: sessions{}, slots: names{},
		consumers: names{}}
	c.temp.group = map[int]*spill{}
	c.wal.init(o.Settings, o.WALDisk)
	c.locks.init()
	c.conns.roles, c.conns.databases = names{}, names{}
	return c
}

// File notes that a file was read to its end.
func (c *Collector) File(name string, src pglog.Source, dumpsOnly bool) {
	c.temp.flush()
	c.sources = append(c.sources, src)
	c.files = append(c.files, File{Name: name, Format: string(src.Format), Prefix: src.Prefix, PrefixHow: src.How,
		Bytes: src.Bytes, Lines: src.Lines,
		Entries: src.Entries, Stray: src.Stray, Dumps: dumpsOnly, Wrapped: src.Wrapped, Language: src.Language})
}

// Dump takes a memory-context dump.
func (c *Collector) Dump(d *pglog.Dump) { c.memory.dump(c, d) }

// Entry takes an entry.
func (c *Collector) Entry(e *pglog.Entry) {
	c.entries++
	c.named = c.named || len(e.User) > 0 || len(e.Database) > 0
	if e.Severity == pglog.Log {
		c.authorized.take(e)
	} else {
		c.authorized.name(e)
	}
	k := e.Kind()
	if e.Timed {
		c.last.us, c.last.ok = e.Time, true
		if c.last.zone != string(e.Zone) { // compares without an allocation
			c.last.zone = string(e.Zone)
		}
		// What a person has put together need not be in the order of time.
		if !c.first.ok || e.Time < c.first.us && c.first.zone == c.last.zone {
			c.first = c.last
		}
		if e.Time >= c.latest.us || c.latest.zone != c.last.zone {
			c.latest = c.last
		}
	}
	if e.Severity >= pglog.Error {
		c.durations.forget(e.PID)
		if own(e) {
			c.ours++
			return
		}
		c.errors.add(string(e.State))
	}
	at := c.last
	at.ok = e.Timed
	c.crashes.alive(e, k, at)
	if e.Severity >= pglog.Fatal && k != pglog.NotAccepting && len(e.User) == 0 {
		c.crashes.fatal = true
	}
	switch e.Severity {
	case pglog.Panic:
		c.panic(e, k, at)
	case pglog.Fatal:
		if k != pglog.NotAccepting && len(e.User) == 0 {
			line, _, _ := bytes.Cut(e.Message, []byte("\n"))
			c.crashes.lastFatal, c.crashes.fatalPID = c.mask.text(shorten(string(line), maxSample)), e.PID
		}
	}
	switch k {
	case pglog.Duration:
		c.sets.take(c, e, e.TookStatement(), at)
		c.durations.take(c, e, at)
		return
	case pglog.Other:
		if e.Severity == pglog.Log {
			c.recovery.take(e)
			c.changes.take(c, e, at)
			if badRecord(e.Message) && !bytes.HasSuffix(e.Message, checkpointRecord) {
				c.record.pid, c.record.why = e.PID, shorten(string(e.Message), maxSample)
			}
		}
		c.sets.take(c, e, e.Stated(), at)
		c.durations.state(e)
		c.wal.restoredNothing = c.wal.restoredNothing || len(e.Detail) > 0 && bytes.HasPrefix(e.Detail, restoredNothing)
		if e.Severity == pglog.Warning || e.Severity == pglog.Log && bytes.HasPrefix(e.Message, couldNot) {
			c.faults.add(c, e, at)
		}
		return
	case pglog.Terminated:
		if c.crashes.stopping { // each session says so at a shutdown
			return
		}
	}
	if k == pglog.Fault {
		if e.Severity >= pglog.Fatal && c.crashes.phase && len(e.User) == 0 && len(e.Database) == 0 {
			k = pglog.StartFailed // whatever it was: only the server itself logs it then
		} else {
			c.faults.add(c, e, at)
		}
	}
	if k = c.config(e, k); k == pglog.Other {
		return
	}
	t := &c.kinds[k]
	t.note(at)
	c.take(e, k, at, t)
}

var (
	// badRecords are what the server finds wrong with a record of WAL, which at the end of WAL is no fault.
	badRecords = [][]byte{[]byte("invalid resource manager ID "), []byte("invalid record "),
		[]byte("invalid info bits "), []byte("invalid magic number "), []byte("record with "),
		[]byte("incorrect resource manager data "), []byte("unexpected pageaddr "), []byte("unexpected timeline ID ")}
	// checkpointRecord is at the end of what it says of the record of a checkpoint then.
	checkpointRecord = []byte("checkpoint record")
)

// badRecord says whether a message is one of these.
func badRecord(m []byte) bool {
	return slices.ContainsFunc(badRecords, func(head []byte) bool { return bytes.HasPrefix(m, head) })
}

var couldNot = []byte("could not ")

// take hands an entry on to what gathers its kind.
func (c *Collector) take(e *pglog.Entry, k pglog.Kind, at stamp, t *tally) {
	switch k {
	case pglog.ChildDied, pglog.Reinit, pglog.EndingAll, pglog.CrashNotice, pglog.PostmasterGone, pglog.Starting,
		pglog.StartPhase, pglog.WasShutDown, pglog.Interrupted, pglog.NotShutDown, pglog.Restoring, pglog.RedoStart,
		pglog.RedoDone, pglog.Ready, pglog.ShutdownAsked, pglog.ShutDown, pglog.NotAccepting:
		c.crashes.take(c, e, k, at)
		c.recovery.step(e, k, at)
		if k == pglog.CrashNotice {
			c.person(t, e)
		}
		open := c.crashes.open
		c.starts.take(e, k, at, open != nil && open.Kind == processDied && !c.crashes.gone && !c.starts.open)
		switch {
		case k != pglog.NotAccepting:
		case bytes.HasSuffix(e.Message, []byte("shutting down")):
			c.refusedLast++
			c.sample(t, e)
		default:
			c.refusing++
			c.person(t, e)
			c.sample(t, e)
		}
	case pglog.OutOfMemory:
		c.memory.refused(c, e, at)
		c.sample(t, e)
	case pglog.TempFile:
		c.temp.take(c, e, at)
	case pglog.CheckpointStart, pglog.CheckpointDone, pglog.CheckpointOften:
		c.wal.take(e, k, at)
	case pglog.LockWait, pglog.LockGot:
		c.locks.take(c, e, k, at)
	case pglog.DeadlockFound:
		c.locks.deadlockFound(c, e)
	case pglog.Deadlock:
		if !c.locks.deadlock(c, e, at) {
			c.person(t, e)
		}
	case pglog.VacuumRun:
		c.vacuum.take(c, e, at)
	case pglog.Canceled:
		c.statement[1].add(e.Statement, 0, c.user(e), c.database(e))
		c.sample(t, e)
	case pglog.StartupGaveUp:
		c.crashes.gaveUp()
		c.starts.open = false
		if !c.crashes.fatal { // nothing in the log says why
			c.fatalStarts++
			f := &c.kinds[pglog.StartFailed]
			f.note(at)
			c.sample(f, e)
		}
	case pglog.Fault, pglog.NoRestart:
	case pglog.NoSharedMemory, pglog.DynamicShared:
		c.shared.take(c, e, k)
		c.sample(t, e)
	case pglog.TooMany, pglog.RoleLimit, pglog.DatabaseLimit, pglog.SendersLimit:
		c.conns.take(c, e, k)
		c.person(t, e)
		c.sample(t, e)
	case pglog.AuthFailed:
		c.reasonOf(e)
		c.person(t, e)
		c.detailed(t, e)
	case pglog.WALGone:
		if slot := e.SlotAsked(); slot != "" {
			c.slots.add(c.mask.name("slot", slot))
		}
		if len(e.App) > 0 {
			c.consumers.add(c.mask.name("application", shorten(string(e.App), 64)))
		}
		c.person(t, e)
		c.sample(t, e)
	case pglog.ConnectionLost, pglog.Terminated, pglog.NoSuchName, pglog.StrangeClient:
		c.person(t, e)
		c.sample(t, e)
	case pglog.DiskFull:
		c.whereFull(e)
		c.places[k].add(c, e)
		c.detailed(t, e)
	case pglog.NewTimeline:
		c.timeline = e.Timeline()
		c.recovery.step(e, k, at)
	case pglog.Collation:
		c.detailed(t, e)
	case pglog.LockFile:
		if bytes.Contains(e.Message, []byte("data directory lock file is invalid")) {
			c.starts.lockLost = true
		}
		if _, pid := e.Locked(); pid > 0 {
			c.locked.pid = pid
		}
		c.hinted(t, e)
	case pglog.StartFailed:
		if e.Severity >= pglog.Fatal {
			c.fatalStarts++
		}
		if c.record.why != "" && c.record.pid == e.PID && bytes.HasSuffix(e.Message, checkpointRecord) {
			c.keepSample(t, e, []byte(c.record.why), e.Detail, e.Hint)
			c.record.why = ""
			return
		}
		c.hinted(t, e)
	case pglog.Diverged:
		c.places[k].add(c, e)
		_, more, _ := bytes.Cut(e.Message, []byte("\n"))
		c.keepSample(t, e, more, e.Detail)
	case pglog.ArchiveFailed, pglog.StandbyConflict, pglog.Corrupt, pglog.ConfigError,
		pglog.OutOfShared, pglog.IOError, pglog.TempLimit, pglog.LockTimeout:
		c.places[k].add(c, e)
		c.detailed(t, e)
	case pglog.StreamBroken:
		_, more, _ := bytes.Cut(e.Message, []byte("\n"))
		c.keepSample(t, e, more)
	case pglog.ArchiveGaveUp:
		c.sample(&c.kinds[pglog.ArchiveFailed], e)
	default:
		c.sample(t, e)
	}
}

// ownName is the application_name of pgfettle's own sessions, and ownGuard how each of
// their transactions begins.
const (
	ownName  = "pgfettle"
	ownGuard = "select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)"
)

// own reports whether an error is of a statement of pgfettle's, which asks with short timeouts and gives up itself: it
// is no fault of the server's.
func own(e *pglog.Entry) bool {
	return string(e.App) == ownName || bytes.HasPrefix(e.Statement, []byte(ownGuard))
}

// panic notes what the server could not go on from. What kept it from starting is in the finding of that.
func (c *Collector) panic(e *pglog.Entry, k pglog.Kind, at stamp) {
	if k == pglog.StartFailed {
		c.startPanics++
		c.crashes.startPID = e.PID
	} else {
		c.crashes.startPID = 0
		t := &c.panicked
		t.note(at)
		c.detailed(t, e)
	}
	line, _, _ := bytes.Cut(e.Message, []byte("\n"))
	c.crashes.panicked, c.crashes.panicPID = c.mask.text(shorten(string(line), maxSample)), e.PID
}

// config distinguishes a configuration that is refused from one that "contains errors" only as a setting of it waits
// for a restart, which the same process has said right before.
func (c *Collector) config(e *pglog.Entry, k pglog.Kind) pglog.Kind {
	switch k {
	case pglog.NeedsRestart:
		c.restart = max(e.PID, 1)
	case pglog.ConfigError:
		c.restart = 0
		if e.Severity >= pglog.Fatal {
			c.fatalConf = true
		}
	case pglog.ConfigReloaded:
		waiting := c.restart != 0 && c.restart == max(e.PID, 1)
		c.restart = 0
		if waiting {
			return pglog.Other
		}
		return pglog.ConfigError
	}
	return k
}

// whereFull counts what did not fit by the file that it names.
func (c *Collector) whereFull(e *pglog.Entry) {
	text := e.Message
	if bytes.HasPrefix(e.Detail, []byte("Could not ")) {
		text = e.Detail
	}
	has := func(s string) bool { return bytes.Contains(text, []byte(s)) }
	switch {
	case has("pgsql_tmp") || has("temporary file") && !has("statistics"):
		c.disk.Temp++
	case has("pg_wal/") || has("pg_xlog/") || has("xlogtemp") || has("WAL file") || has("write-ahead log"):
		c.disk.WAL++
	case has("base/") || has("global/") || has("pg_tblspc/"):
		c.disk.Data++
	default:
		c.disk.Other++
	}
}

// detailed keeps the message with its DETAIL, hinted also with its HINT: for these kinds they give the reason, and
// contain no rows.
func (c *Collector) detailed(t *tally, e *pglog.Entry) { c.keepSample(t, e, e.Detail) }

func (c *Collector) hinted(t *tally, e *pglog.Entry) { c.keepSample(t, e, e.Detail, e.Hint) }

// sample keeps the message if it is a new one. Messages of these kinds name files, relations and settings, no rows.
func (c *Collector) sample(t *tally, e *pglog.Entry) { c.keepSample(t, e) }

func (c *Collector) keepSample(t *tally, e *pglog.Entry, parts ...[]byte) {
	if len(t.samples) >= maxSamples {
		return
	}
	if c.o.Redact { // what a DETAIL names is not quoted: commands, and hosts in them
		parts = nil
	}
	var b strings.Builder
	m := e.Message
	if e.Local != nil { // what a person finds in the log
		m = e.Local
	}
	first, _, _ := bytes.Cut(m, []byte("\n"))
	for _, p := range append([][]byte{first}, parts...) {
		text := strings.Join(strings.Fields(shorten(string(p), maxSample)), " ")
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(text)
	}
	s := c.mask.text(b.String())
	for _, have := range t.samples {
		if have == s {
			return
		}
	}
	t.samples = append(t.samples, s)
	t.words += shorten(string(e.Message), maxSample) + "\n"
}

// person counts the clients concerned.
func (c *Collector) person(t *tally, e *pglog.Entry) {
	if len(e.User) == 0 && len(e.Database) == 0 && len(e.Host) == 0 {
		return
	}
	t.who.add(client{c.user(e), c.database(e), c.mask.name("host", shorten(string(e.Host), maxSample))})
}

func (c *Collector) user(e *pglog.Entry) string {
	return c.mask.name("user", shorten(string(e.User), 64))
}
func (c *Collector) database(e *pglog.Entry) string {
	return c.mask.name("database", shorten(string(e.Database), 64))
}

// normal is a statement without its literals, "" if it is to be omitted.
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

// mask replaces names by numbered words, for sharing a report.
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

// quotes are those that the server's catalogs put around names.
var quotes = [][2]string{{`"`, `"`}, {"«", "»"}, {"»", "«"}, {"„", "“"}, {"“", "”"}, {"「", "」"}, {"'", "'"}}

// text replaces quoted words.
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
