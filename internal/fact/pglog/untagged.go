package pglog

import (
	"bytes"
	"strings"
)

// untagged are the kinds of messages that are read without a label, and the severity that they have: people copy the
// text alone.
var untagged = map[Kind]Severity{CheckpointOften: Log, CheckpointDone: Log, LockWait: Log, LockGot: Log,
	DeadlockFound: Log, TempFile: Log, ArchiveFailed: Log, ChildDied: Log, EndingAll: Log, Reinit: Log,
	NotShutDown: Log, Interrupted: Log, WasShutDown: Log, Ready: Log, StartupGaveUp: Log, ShutdownAsked: Log,
	CrashNotice: Warning, Canceled: Error, StandbyConflict: Error, NotAccepting: Fatal, TooMany: Fatal}

const (
	// leastUntagged is how long such a message is at least: shorter ones are words of prose.
	leastUntagged = 28
	// maxSource is how long the word may be that a person put before it, for where it is from.
	maxSource = 24
)

// bald says whether no label of a head has a time or a process before it.
func bald(head []byte, one bool) bool {
	_, before := labelledLines(head, one)
	for _, b := range before {
		if f := loose(b); f.timed || f.pid > 0 {
			return false
		}
	}
	return true
}

// untagged takes a line of a paste that is a message of the server and nothing else, without its label.
func (r *plainReader) untagged(line []byte, number int64, cut bool) bool {
	text := bytes.TrimLeft(line, " \t>*-•│|`'\"")
	if r.have && r.at == partMessage && r.naked && bytes.HasPrefix(text, []byte(running)) {
		r.add(partDetail, text, false)
		r.at = partDetail
		return true
	}
	f := fields{}
	if us, n := clock(text); n > 0 {
		f.time, f.timed = us, true
		if text = text[n:]; len(text) > 1 {
			f.zone = zone(text[1:])
			text = text[min(len(text), 1+len(f.zone)):]
		}
	} else if n := dayTime(text); n > 0 {
		text = text[n:]
	}
	text = bytes.TrimRight(bytes.TrimLeft(text, " :-"), " `'\".,")
	for range 2 {
		if s := nakedSeverity(text); s != NoSeverity {
			if r.again(text, false) {
				return false
			}
			r.f = f
			r.labelled(label{part: partMessage, severity: s}, text, number, cut)
			r.naked = true
			return true
		}
		i := bytes.Index(text, []byte(": "))
		if i < 1 || i > maxSource || span(text, wordByte) < i {
			return false
		}
		text = bytes.TrimLeft(text[i+1:], " ")
	}
	return false
}

// foreword says whether a person put a word before the name of a process: «postmaster: client backend».
func foreword(what string) bool {
	return strings.Contains(what, ": ") && !strings.HasPrefix(what, "worker process: ")
}

// nakedSeverity is the severity of a message that is one of untagged, with all of its words; NoSeverity where it is
// none.
func nakedSeverity(text []byte) Severity {
	if len(text) < leastUntagged {
		return NoSeverity
	}
	for _, s := range []Severity{Log, Fatal} {
		e := Entry{Severity: s, Message: text}
		k := e.Kind()
		own, ok := untagged[k]
		switch {
		case !ok:
			continue
		case k == ChildDied:
			if d, ok := e.Death(); ok && !foreword(d.What) && (d.Signal > 0 || d.Raised != "" || d.Exit > 1) {
				return own
			}
			return NoSeverity
		}
		for i := range patterns[text[0]] {
			if p := &patterns[text[0]][i]; p.kind == k && len(text) >= len(p.head) && p.ends(text) {
				return own
			}
		}
	}
	return NoSeverity
}

// ends says whether a text ends as a message does, and not with more words behind it.
func (p *pattern) ends(text []byte) bool {
	if p.message.head || !p.match(text) {
		return p.message.head
	}
	if len(p.parts) == 0 {
		return len(text) == len(p.head) || len(literals(p.id)) > 1
	}
	last := literals(p.id)
	tail := last[len(last)-1]
	return tail == "" || bytes.HasSuffix(text, []byte(tail))
}

// dayTime is the length of a time of day at the beginning of a text, «01:35:15» or «01:35:15.123»; 0: there is none.
func dayTime(b []byte) int {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return 0
	}
	for _, i := range []int{0, 1, 3, 4, 6, 7} {
		if !isDigit(b[i]) {
			return 0
		}
	}
	n := 8
	if n < len(b) && (b[n] == '.' || b[n] == ',') {
		n += 1 + span(b[n+1:], isDigit)
	}
	return n
}
