package pglog

import (
	"bytes"
	"strconv"
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
}

// Checkpoint reads «checkpoint complete: …» and «restartpoint complete: …».
func (e *Entry) Checkpoint() Checkpoint {
	m := e.Message
	c := Checkpoint{Restart: m[0] == 'r', Buffers: numberAfter(m, "wrote "), Distance: -1, Estimate: -1,
		Write: seconds(m, "write="), Sync: seconds(m, " sync="), Total: seconds(m, "total="),
		Longest: seconds(m, "longest=")}
	if kb := numberAfter(m, "distance="); kb >= 0 && kb < 1<<50 {
		c.Distance = kb << 10
	}
	if kb := numberAfter(m, "estimate="); kb >= 0 && kb < 1<<50 {
		c.Estimate = kb << 10
	}
	return c
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
	Signal int // 0: it exited
	Exit   int // exit code
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

// Crash says whether a death makes the postmaster start all over: a process that
// exited with 0 or 1 ended in order. 2 and more, and any signal, did not.
func (d Death) Crash() bool { return d.Signal != 0 || d.Exit > 1 || d.Exit < 0 }

// Running returns the statement of «Failed process was running: …», in any language.
func (e *Entry) Running() []byte {
	s, ok := bytes.CutPrefix(e.Detail, []byte("Failed process was running: "))
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
	On   string // "transaction 1234", "relation 16385 of database 5"
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
	w.Mode, w.On = string(mode[:min(len(mode), maxName)]), string(on[:min(len(on), 2*maxName)])
	kind, _, _ := bytes.Cut(on, []byte(" "))
	w.Kind = string(kind[:min(len(kind), maxName)])
	w.Ms = seconds(append([]byte(" "), ms...), " ")
	return w, w.Ms >= 0
}

// Vacuum is a report of an automatic vacuum.
type Vacuum struct {
	Table   string
	Wrap    bool // to prevent wraparound
	Seconds float64
	Dead    int64 // dead row versions that could not be removed yet; -1: not said
}

// Vacuum reads «automatic vacuum of table "…": …».
func (e *Entry) Vacuum() Vacuum {
	m := e.Message
	v := Vacuum{Wrap: contains(m[:min(len(m), 80)], "to prevent wraparound"), Seconds: seconds(m, "elapsed: "),
		Dead: -1}
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

// Request returns the bytes of «Failed on request of size N in memory context "X".»
func (e *Entry) Request() (size int64, where string) {
	size = numberAfter(e.Detail, "request of size ")
	if _, rest, ok := bytes.Cut(e.Detail, []byte(`memory context "`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			where = string(name[:min(len(name), maxName)])
		}
	}
	return size, where
}
