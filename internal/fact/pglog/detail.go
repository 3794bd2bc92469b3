package pglog

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Spill is one temporary file that was removed.
type Spill struct {
	Size int64
	PID  int  // of the process that made it: the leader's of parallel workers that share
	Set  bool // one of several of a set that parallel workers share
}

// Spill reads «temporary file: path "…/pgsql_tmpPID.N", size N», in any language.
func (e *Entry) Spill() (t Spill, ok bool) {
	m := e.Message
	end := len(m)
	from := end
	for from > 0 && isDigit(m[from-1]) {
		from--
	}
	v, n := leadingNumber(m[from:end])
	i := bytes.Index(m, tmpPath)
	if n == 0 || i < 0 || i > from {
		return t, false
	}
	t.Size = v
	rest := m[i+len(tmpPath):]
	pid, n := leadingNumber(rest)
	if n > 0 && n <= 10 {
		t.PID = int(pid)
	}
	t.Set = contains(rest[:min(len(rest), 64)], "fileset/")
	return t, true
}

// Checkpoint is what «checkpoint complete» says; what it does not is -1.
type Checkpoint struct {
	Restart  bool    // a restartpoint of a standby
	Buffers  int64   //
	Distance int64   // bytes of WAL since the redo point of the one before
	Estimate int64   // bytes
	Write    float64 // seconds
	Sync     float64
	Total    float64
	Longest  float64 // of the syncs
	Files    int64   // that were synced
}

// Checkpoint reads «checkpoint complete: …» and «restartpoint complete: …».
func (e *Entry) Checkpoint() Checkpoint {
	m := e.Message
	c := Checkpoint{Restart: m[0] == 'r', Buffers: whole(m, "wrote ", " "), Distance: -1, Estimate: -1,
		Write: wholeSeconds(m, "write="), Sync: wholeSeconds(m, " sync="), Total: wholeSeconds(m, "total="),
		Longest: wholeSeconds(m, "longest="), Files: whole(m, "sync files=", ",")}
	if kb := whole(m, "distance=", " "); kb >= 0 && kb < 1<<50 {
		c.Distance = kb << 10
	}
	if kb := whole(m, "estimate=", " "); kb >= 0 && kb < 1<<50 {
		c.Estimate = kb << 10
	}
	return c
}

// Took reads «duration: N.NNN ms»: milliseconds, -1 where they are not all there; rest is
// what stands behind them. Busy servers write little else: it costs no more than its digits.
func (e *Entry) Took() (ms float64, rest []byte) {
	rest, ok := bytes.CutPrefix(e.Message, []byte("duration: "))
	v, n := leadingNumber(rest)
	if !ok || n == 0 || v < 0 {
		return -1, nil
	}
	ms, rest = float64(v), rest[n:]
	if len(rest) > 4 && rest[0] == '.' {
		f, k := leadingNumber(rest[1:4])
		if k == 3 {
			ms, rest = ms+float64(f)/1000, rest[4:]
		}
	}
	if !hasPrefix(rest, " ms") {
		return -1, nil
	}
	return ms, rest[len(" ms"):]
}

// TookStatement returns the statement of «duration: N.NNN ms  statement: SQL» and its like; nil where
// that is in another entry.
func (e *Entry) TookStatement() []byte {
	_, rest := e.Took()
	rest = bytes.TrimLeft(rest, " ")
	if sql := stated(rest); sql != nil {
		return sql
	}
	if _, text, ok := bytes.Cut(rest, []byte("Query Text: ")); ok { // auto_explain
		return queryText(text)
	}
	if e.Local != nil { // the word for what was executed is not English: «выполнение NAME: SQL»
		for _, how := range []string{"bind ", "parse ", "fastpath "} {
			if hasPrefix(rest, how) {
				return nil
			}
		}
		if _, sql, ok := bytes.Cut(rest, []byte(": ")); ok {
			return sql
		}
	}
	return nil
}

// queryText is the statement of a plan of auto_explain: up to its first node, or to what was set for it.
func queryText(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t\n")
	end := len(text)
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			n = len(text) - at
		}
		line := bytes.TrimLeft(text[at:at+n], " \t")
		if bytes.Contains(line, []byte("  (cost=")) || hasPrefix(line, "Settings: ") ||
			hasPrefix(line, "Query Identifier: ") || hasPrefix(line, "Query Parameters: ") {
			end = at
			break
		}
		at += n + 1
	}
	return bytes.TrimSpace(text[:end])
}

// Stated returns the statement of «statement: SQL» and «execute NAME: SQL», as log_statement writes them before it
// runs: how long it took is then in a later entry of the session. Nil: it is no such entry.
func (e *Entry) Stated() []byte {
	if e.Severity != Log {
		return nil
	}
	return stated(e.Message)
}

// stated reads the statement behind «statement:» or «execute NAME:».
func stated(m []byte) []byte {
	for _, how := range []string{"statement:", "execute "} {
		rest, ok := bytes.CutPrefix(m, []byte(how))
		if !ok {
			continue
		}
		if how == "execute " { // and the name of what was prepared
			i := bytes.IndexByte(rest, ':')
			for i >= 0 && i+1 < len(rest) && rest[i+1] != ' ' && rest[i+1] != '\n' { // of a name
				j := bytes.IndexByte(rest[i+1:], ':')
				if i += j + 1; j < 0 {
					i = -1
				}
			}
			if i < 0 {
				return nil
			}
			rest = rest[i+1:]
		}
		return bytes.TrimLeft(rest, " \n\t") // a page may have eaten the space before a line break
	}
	return nil
}

// Apart reads the seconds of «checkpoints are occurring too frequently (N seconds apart)»;
// -1: they are not there.
func (e *Entry) Apart() int64 { return whole(e.Message, "frequently (", " ") }

// whole reads a number that is all there, as what has to follow it is: a message may be
// cut anywhere, and a part of a number is none. -1: it is not.
func whole(m []byte, word, after string) int64 {
	i := bytes.Index(m, []byte(word))
	if i < 0 {
		return -1
	}
	rest := m[i+len(word):]
	v, n := leadingNumber(rest)
	if n == 0 || !hasPrefix(rest[n:], after) {
		return -1
	}
	return v
}

// wholeSeconds reads «WORD=N.NNN s» that is all there.
func wholeSeconds(m []byte, word string) float64 {
	i := bytes.Index(m, []byte(word))
	if i < 0 {
		return -1
	}
	rest := m[i+len(word):]
	n := span(rest, func(c byte) bool { return isDigit(c) || c == '.' })
	if !hasPrefix(rest[n:], " s") {
		return -1
	}
	return seconds(m, word)
}

// CheckpointReason returns the flags behind «checkpoint starting:».
func (e *Entry) CheckpointReason() string {
	_, flags, _ := bytes.Cut(e.Message, []byte(":"))
	for _, w := range []string{"wal", "time", "shutdown", "end-of-recovery"} {
		for f := range bytes.FieldsSeq(flags) {
			if string(f) == w {
				return w
			}
		}
	}
	return "requested" // CHECKPOINT, a backup, CREATE DATABASE, and before 19 «force»
}

func numberAfter(m []byte, word string) int64 {
	i := bytes.Index(m, []byte(word))
	if i < 0 {
		return -1
	}
	v, n := leadingNumber(m[i+len(word):])
	if n == 0 {
		return -1
	}
	return v
}

func seconds(m []byte, word string) float64 {
	i := bytes.Index(m, []byte(word))
	if i < 0 {
		return -1
	}
	rest := m[i+len(word):]
	n := span(rest, func(c byte) bool { return isDigit(c) || c == '.' })
	v, err := strconv.ParseFloat(string(rest[:min(n, 24)]), 64)
	if err != nil {
		return -1
	}
	return v
}

// Death is the end of a process of the server.
type Death struct {
	What   string // "server process", "client backend", "checkpointer process", …
	PID    int
	Signal int    // 0: it exited
	Name   string // of the signal, as the C library calls it: "Killed", "Bus error"
	Exit   int    // exit code
	Raised string // Windows' exception: "0xC0000005"
}

// Death reads «WHAT (PID N) was terminated by signal N: …» and «… exited with exit code N».
func (e *Entry) Death() (d Death, ok bool) {
	m := e.Message
	i := bytes.Index(m, []byte(" (PID "))
	if i < 0 {
		return d, false
	}
	d.What = string(m[:min(i, maxName)])
	pid, n := leadingNumber(m[i+6:])
	if n == 0 || n > 10 {
		return d, false
	}
	d.PID = int(pid)
	rest := m[i+6+n:]
	if v := numberAfter(rest, "by signal "); v > 0 {
		d.Signal = int(v)
		if _, name, ok := bytes.Cut(rest, []byte(": ")); ok {
			d.Name = string(bytes.TrimSpace(name[:min(len(name), maxName)]))
		}
		return d, true
	}
	if _, code, ok := bytes.Cut(rest, []byte("by exception ")); ok {
		n := span(code, func(c byte) bool { return nameByte(c) })
		d.Raised, d.Exit = string(code[:min(n, maxName)]), -1
		return d, true
	}
	if v := numberAfter(rest, "exit code "); v >= 0 {
		d.Exit = int(v)
		return d, true
	}
	if v := foreignSignal(m); v > 0 {
		d.What, d.Signal = "", v // the name is in no language that we know
		return d, true
	}
	d.Exit = -1
	return d, true
}

// foreignSignal is the signal of a message in another language than English. Of
// all that the postmaster says of a child with «(PID N)» only that of a signal has
// one more number, with a colon and the signal's name behind it: «processus
// serveur (PID 21071) a été arrêté par le signal 9 : Killed». 0: it is none.
func foreignSignal(m []byte) int {
	i := bytes.Index(m, []byte("(PID "))
	if i < 0 {
		return 0
	}
	_, n := leadingNumber(m[i+5:])
	rest := m[i+5+n:]
	if n == 0 || len(rest) == 0 || rest[0] != ')' {
		return 0
	}
	const words = 80 // bytes between; in no catalogue are there as many
	at := span(rest, func(c byte) bool { return !isDigit(c) })
	if at > words || at == len(rest) {
		return 0
	}
	signal, n := leadingNumber(rest[at:])
	rest = rest[at+n:]
	colon := bytes.IndexByte(rest[:min(len(rest), 10)], ':') // a space before it, or a word's end
	if n == 0 || signal < 1 || signal > 64 || colon < 0 || colon+1 >= len(rest) || rest[colon+1] != ' ' ||
		span(rest[:colon], func(c byte) bool { return !isDigit(c) }) < colon {
		return 0
	}
	return int(signal)
}

// needed are processes that never exit on their own, so that any exit code but 0 is a crash.
var needed = []string{"autovacuum launcher", "background writer", "checkpointer", "WAL writer", "walwriter",
	"WAL summarizer", "walsummarizer"}

// auxiliary says whether a death is of one of them.
func (d Death) auxiliary() bool {
	return slices.ContainsFunc(needed, func(name string) bool { return strings.HasPrefix(d.What, name) })
}

// Crash says whether a death makes the postmaster start all over: a process that
// exited with 0 or 1 ended in order. 2 and more, and any signal, did not.
func (d Death) Crash() bool {
	return d.Signal != 0 || d.Exit > 1 || d.Exit < 0 || d.Exit == 1 && d.auxiliary()
}

// Running returns the statement of «Failed process was running: …», in any language.
func (e *Entry) Running() []byte {
	s, ok := bytes.CutPrefix(e.Detail, []byte(running))
	if !ok {
		s, ok = bytes.CutPrefix(e.Detail, append(bytes.TrimRight([]byte(running), " "), '\n'))
		s = bytes.TrimSpace(s)
	}
	if !ok && e.Foreign || !ok && foreignSignal(e.Message) > 0 { // in another language, but for the colon
		_, s, ok = bytes.Cut(e.Detail, []byte(": "))
	}
	if !ok {
		return nil
	}
	return s
}

// Wait is a wait for a lock.
type Wait struct {
	PID  int
	Mode string // "ShareLock"
	On   string // the relation by its number: "relation 16385 of database 5"; "" where it is on something else
	Kind string // "transaction", "relation", "tuple", …
	Ms   float64
}

// Wait reads «process N still waiting for MODE on WHAT after N ms», and «acquired».
func (e *Entry) Wait() (w Wait, ok bool) {
	m := e.Message
	rest, ok := bytes.CutPrefix(m, []byte("process "))
	if !ok {
		return w, false
	}
	pid, n := leadingNumber(rest)
	if n == 0 || n > 10 {
		return w, false
	}
	w.PID = int(pid)
	rest = rest[n:]
	if r, ok := bytes.CutPrefix(rest, []byte(" still waiting for ")); ok {
		rest = r
	} else if rest, ok = bytes.CutPrefix(rest, []byte(" acquired ")); !ok {
		return w, false
	}
	mode, rest, ok1 := bytes.Cut(rest, []byte(" on "))
	on, ms, ok2 := bytes.Cut(rest, []byte(" after "))
	if !ok1 || !ok2 {
		return w, false
	}
	w.Mode, w.On = string(mode[:min(len(mode), maxName)]), relationOf(on)
	kind, _, _ := bytes.Cut(on, []byte(" "))
	w.Kind = string(kind[:min(len(kind), maxName)])
	w.Ms = seconds(append([]byte(" "), bytes.TrimLeft(ms, "*_`")...), " ") // a person may have marked it
	return w, true
}

// Vacuum is a report of an automatic vacuum.
type Vacuum struct {
	Table   string
	Wrap    bool // to prevent wraparound
	Seconds float64
	Dead    int64 // dead row versions that could not be removed yet; -1: not said
	Rows    int64 // row versions that remain; -1: not said
}

// Autovacuum says whether an entry is of an autovacuum worker, and of which table, by its CONTEXT.
func (e *Entry) Autovacuum() (table string, ok bool) {
	for _, what := range []string{"automatic vacuum of table \"", "automatic analyze of table \""} {
		if _, rest, found := bytes.Cut(e.Context, []byte(what)); found {
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			return string(name[:min(len(name), 3*maxName)]), true
		}
	}
	return "", string(e.Backend) == "autovacuum worker"
}

// Vacuum reads «automatic vacuum of table "…": …».
func (e *Entry) Vacuum() Vacuum {
	m := e.Message
	v := Vacuum{Wrap: contains(m[:min(len(m), 80)], "to prevent wraparound"), Seconds: seconds(m, "elapsed: "),
		Dead: -1, Rows: -1}
	if _, rest, ok := bytes.Cut(m, []byte("tuples: ")); ok { // pages have the same words before
		v.Rows = whole(rest, " removed, ", " remain")
	}
	if v.Seconds < 0 { // 9.6 and earlier: «CPU 0.55s/0.25u sec elapsed 123.46 sec»
		v.Seconds = seconds(m, " sec elapsed ")
	}
	if _, rest, ok := bytes.Cut(m, []byte(`table "`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			v.Table = string(name[:min(len(name), 3*maxName)])
		}
	}
	if i := bytes.Index(m, []byte(" are dead but not yet removable")); i > 0 {
		from := i
		for from > 0 && isDigit(m[from-1]) {
			from--
		}
		if n, k := leadingNumber(m[from:i]); k > 0 {
			v.Dead = n
		}
	}
	return v
}

// Request returns the bytes of «Failed on request of size N in memory context "X".»; -1:
// they are not told, or cut.
func (e *Entry) Request() (size int64, where string) {
	if size = whole(e.Detail, "request of size ", " "); size < 0 {
		size = whole(e.Detail, "request of size ", ".")
	}
	if _, rest, ok := bytes.Cut(e.Detail, []byte(`memory context "`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			where = string(name[:min(len(name), maxName)])
		}
	}
	return size, where
}

// quoted returns what stands in double quotes behind a text, up to most bytes.
func quoted(b []byte, after string, most int) string {
	_, rest, ok := bytes.Cut(b, []byte(after))
	if !ok {
		return ""
	}
	name, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return ""
	}
	return string(name[:min(len(name), most)])
}

// cause is what the kernel said: the text behind the last colon.
func cause(m []byte) string {
	i := bytes.LastIndex(m, []byte(": "))
	if i < 0 {
		return ""
	}
	return string(m[i+2 : min(len(m), i+2+maxName)])
}

// SharedRequest is a request for shared memory that was refused at the start.
type SharedRequest struct {
	Call  string // mmap or shmget; semget for semaphores
	Error string // the kernel's: "Cannot allocate memory"
	Size  int64  // bytes; -1: not told
	Limit string // that the HINT names: SHMMAX, SHMMNI, SHMALL, SEMMNI; "" for memory itself
}

// SharedRequest reads «could not map anonymous shared memory: …» and «could not create
// shared memory segment: …», whose size the DETAIL or the HINT tells.
func (e *Entry) SharedRequest() SharedRequest {
	r := SharedRequest{Call: "mmap", Error: cause(e.Message), Size: whole(e.Detail, "size=", ",")}
	switch {
	case hasPrefix(e.Message, "could not create shared memory segment"):
		r.Call = "shmget"
	case hasPrefix(e.Message, "could not create semaphores"):
		r.Call = "semget"
	}
	if r.Size < 0 {
		r.Size = whole(e.Hint, "(currently ", " bytes")
	}
	// The hint for ENOSPC names SHMMNI, that for EINVAL SHMMAX and then SHMMIN; that for
	// ENOMEM SHMALL.
	for _, limit := range []string{"SHMMNI", "SHMMAX", "SHMALL", "SEMMNI"} {
		if contains(e.Hint, limit) {
			r.Limit = limit
			break
		}
	}
	return r
}

// SegmentRequest reads «could not resize shared memory segment "X" to N bytes: …»: bytes,
// -1 where they are not told, and what the kernel said.
func (e *Entry) SegmentRequest() (size int64, why string) {
	return whole(e.Message, `" to `, " bytes"), cause(e.Message)
}

// LimitOf returns the role or the database of «too many connections for role "X"».
func (e *Entry) LimitOf() string {
	if name := quoted(e.Message, `role "`, maxName); name != "" {
		return name
	}
	return quoted(e.Message, `database "`, maxName)
}

// Locked reads «lock file "X" already exists» and whose it is, by its HINT; 0: not told.
func (e *Entry) Locked() (file string, pid int) {
	if v := whole(e.Hint, "(PID ", ")"); v > 0 && v < 1<<31 {
		pid = int(v)
	}
	return quoted(e.Message, `lock file "`, 4*maxName), pid
}

// Version returns that of «starting PostgreSQL 17.4 on …».
func (e *Entry) Version() string {
	rest, ok := bytes.CutPrefix(e.Message, []byte("starting PostgreSQL "))
	if !ok {
		return ""
	}
	n := bytes.IndexByte(rest, ' ')
	if n < 0 { // it may be cut
		return ""
	}
	return string(bytes.TrimSuffix(rest[:min(n, maxName)], []byte{','})) // «12.4, compiled by Visual C++»
}

// LastUp reads the time of «database system was interrupted; last known up at …» and of
// «database system was shut down at …». «… in recovery at log time …» tells when a checkpoint that was replayed had
// been made, and not when the server last ran.
func (e *Entry) LastUp() (us int64, zoneName []byte, ok bool) {
	i := bytes.LastIndex(e.Message, []byte(" at "))
	if i < 0 || bytes.Contains(e.Message, []byte(" at log time ")) { // of the checkpoint that was replayed
		return 0, nil, false
	}
	rest := e.Message[i+len(" at "):]
	us, n := clock(rest)
	if n == 0 || n >= len(rest) || rest[n] != ' ' { // without its zone it may be cut
		return 0, nil, false
	}
	zoneName = zone(rest[n+1:])
	return us, zoneName, len(zoneName) > 0
}

// Timeline returns that of «selected new timeline ID: N»; 0: it is not told.
func (e *Entry) Timeline() int64 { return max(numberAfter(e.Message, "timeline ID: "), 0) }

const (
	// maxLocked is how many statements of one deadlock are read: two, almost always.
	maxLocked = 4
	// maxHolders of a lock are read.
	maxHolders = 16
)

// Locked is a process of a deadlock, and its statement.
type Locked struct {
	PID int
	SQL []byte
}

// DeadlockStatements returns the statements of the DETAIL of a deadlock: «Process N: SQL»,
// which goes on until the next one.
func (e *Entry) DeadlockStatements() (out []Locked) {
	rest := e.Detail
	for len(rest) > 0 && len(out) < maxLocked {
		line, more, _ := bytes.Cut(rest, []byte("\n"))
		at := processColon(line)
		if at == 0 {
			rest = more
			continue
		}
		sql := rest[at:]
		end := len(sql)
		for i := 0; i < len(sql); {
			nl := bytes.IndexByte(sql[i:], '\n')
			if nl < 0 {
				break
			}
			i += nl + 1
			if processColon(sql[i:]) > 0 {
				end = i - 1
				break
			}
		}
		if sql := bytes.TrimSpace(sql[:end]); len(sql) > 0 {
			pid, _ := leadingNumber(bytes.TrimLeft(line, " \t")[len("Process "):])
			out = append(out, Locked{int(pid), sql})
		}
		rest = bytes.TrimPrefix(sql[end:], []byte("\n"))
	}
	return out
}

// processColon returns where a statement begins in «Process N: …»; 0: it is no such line.
func processColon(line []byte) int {
	const word = "Process "
	line = line[:min(len(line), len(word)+16)]
	trimmed := bytes.TrimLeft(line, " \t")
	if !hasPrefix(trimmed, word) {
		return 0
	}
	_, n := leadingNumber(trimmed[len(word):])
	at := len(word) + n + 1
	if n == 0 || at > len(trimmed) || trimmed[at-1] != ':' {
		return 0
	}
	if at < len(trimmed) { // a page may have eaten the space before a line break
		if trimmed[at] != ' ' && trimmed[at] != '\n' {
			return 0
		}
		at++
	}
	return len(line) - len(trimmed) + at
}

// Holders reads «Process holding the lock: N. Wait queue: N, N.» of a wait, and
// «Processes holding the lock: N, N. …».
func (e *Entry) Holders() (pids []int, queue int) {
	_, rest, ok := bytes.Cut(e.Detail, []byte("holding the lock: "))
	if !ok {
		return nil, 0
	}
	list, rest, _ := bytes.Cut(rest, []byte("."))
	for f := range bytes.SplitSeq(list, []byte(", ")) {
		if v, n := leadingNumber(f); n > 0 && n == len(f) && n <= 10 && len(pids) < maxHolders {
			pids = append(pids, int(v))
		}
	}
	if _, waiting, ok := bytes.Cut(rest, []byte("Wait queue: ")); ok {
		queue = 1 + bytes.Count(waiting, []byte(", "))
	}
	return pids, queue
}

// maxTied is how many relations of one deadlock are read.
const maxTied = 4

// DeadlockOn returns the relations that the DETAIL of a deadlock names by their numbers, where a process waits for one
// or for a tuple of one: «relation 16385 of database 5».
func (e *Entry) DeadlockOn() (out []string) {
	for line := range bytes.SplitSeq(e.Detail, []byte{'\n'}) {
		_, on, ok := bytes.Cut(line, []byte(" waits for "))
		if !ok || !ofDeadlock(bytes.TrimLeft(line, " \t")) {
			continue
		}
		if on, _, ok = bytes.Cut(on, []byte("; blocked by ")); !ok {
			continue
		}
		_, on, _ = bytes.Cut(on, []byte(" on "))
		if name := relationOf(on); name != "" && len(out) < maxTied && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// relationOf is the relation in what a lock is on: «tuple (222,9) of relation 16385 of database 5».
func relationOf(on []byte) string {
	i := bytes.Index(on, []byte("relation "))
	if i < 0 {
		return ""
	}
	return string(on[i:min(len(on), i+maxName)])
}

// Relation returns that of a CONTEXT: «while updating tuple (3,4) in relation "X"».
func (e *Entry) Relation() string { return quoted(e.Context, `in relation "`, maxName) }

// SlotAsked returns the slot of «START_REPLICATION SLOT "x" …», the command that an entry is of; "": it has none.
func (e *Entry) SlotAsked() string {
	rest, ok := bytes.CutPrefix(e.Statement, []byte("START_REPLICATION SLOT "))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(" "))
	return strings.Trim(string(name[:min(len(name), maxName)]), `"`)
}

// Tuple returns the place of the row that a CONTEXT names: «(3,4)»; "": it names none.
func (e *Entry) Tuple() string {
	_, rest, ok := bytes.Cut(e.Context, []byte(" tuple ("))
	at, rest, ended := bytes.Cut(rest, []byte(")"))
	block, row, two := bytes.Cut(at, []byte(","))
	if !ok || !ended || !two || !bytes.HasPrefix(rest, []byte(" in relation ")) || len(at) > 2*10+1 ||
		len(block) == 0 || len(row) == 0 || span(block, isDigit) < len(block) || span(row, isDigit) < len(row) {
		return ""
	}
	return "(" + string(at) + ")"
}

// Within returns the statement that a CONTEXT names innermost: «SQL statement "…"», of a
// function; nil: it names none.
func (e *Entry) Within() []byte {
	rest, ok := bytes.CutPrefix(e.Context, []byte(`SQL statement "`))
	if !ok {
		return nil
	}
	// The statement may have quotes of its own: its line ends with one, or its text is cut.
	if i := bytes.Index(rest, []byte("\"\n")); i >= 0 {
		return rest[:i]
	}
	return bytes.TrimSuffix(rest, []byte(`"`))
}

// Doing returns what an entry came from: its STATEMENT, and where it has none, as a
// process of the server's own has not, the first line of its CONTEXT.
func (e *Entry) Doing() []byte {
	if len(e.Statement) > 0 || len(e.Context) == 0 {
		return e.Statement
	}
	line, _, _ := bytes.Cut(e.Context, []byte("\n"))
	if string(line) == "parallel worker" { // says nothing of what it did
		return nil
	}
	return line
}

// Maintenance says whether a statement sorts within maintenance_work_mem: what builds
// indexes, checks foreign keys or rewrites a table in an order.
func Maintenance(sql []byte) bool {
	w := words(sql, 4)
	switch w[0] {
	case "reindex", "cluster", "vacuum", "autovacuum:", "automatic":
		return true
	case "create":
		return w[1] == "index" || w[1] == "unique" && w[2] == "index"
	case "alter":
		return w[1] == "table" && addsConstraint(sql)
	}
	return false
}

// addsConstraint says whether an ALTER TABLE adds or checks a constraint, or gives it a new
// order.
func addsConstraint(sql []byte) bool {
	low := bytes.ToLower(sql[:min(len(sql), maxIdent)])
	for _, w := range []string{" primary key", " unique", " add constraint", " exclude ", " validate constraint",
		" foreign key", " cluster on"} {
		if contains(low, w) {
			return true
		}
	}
	return false
}

// words returns the first words of a statement in lower case, without its comments.
func words(sql []byte, most int) []string {
	out := make([]string, 0, most)
	for i := 0; i < len(sql) && len(out) < most; {
		switch {
		case sql[i] <= ' ' || sql[i] == '(' || sql[i] == ';':
			i++
		case hasPrefix(sql[i:], "--"):
			nl := bytes.IndexByte(sql[i:], '\n')
			if nl < 0 {
				nl = len(sql) - i
			}
			i += nl
		case hasPrefix(sql[i:], "/*"):
			end := bytes.Index(sql[i:], []byte("*/"))
			if end < 0 {
				end = len(sql) - i - 2
			}
			i += end + 2
		default:
			n := span(sql[i:], func(c byte) bool { return c > ' ' && c != '(' && c != ';' })
			w := sql[i : i+min(n, maxName)]
			i += n
			out = append(out, string(bytes.ToLower(w)))
		}
	}
	for len(out) < most {
		out = append(out, "")
	}
	return out
}

// RedoTook is what «redo done at …» says it took, in seconds.
func (e *Entry) RedoTook() (seconds float64, ok bool) {
	v := wholeSeconds(e.Message, "elapsed: ")
	return v, v >= 0
}
