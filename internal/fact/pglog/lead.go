package pglog

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// leading are the first messages of a paste, whose prefix was not copied while that of the others was.
type leading struct {
	bare   bool // there are such
	open   bool // none with a prefix has come
	client bool // a client's own words are among what stands before the first with a prefix
}

// clientWords are what psql and libpq write between the messages that the server sent them.
var clientWords = [][]byte{[]byte("server closed the connection unexpectedly"),
	[]byte("The connection to the server was lost"), []byte("connection to server was lost"), []byte("psql:"),
	[]byte("LINE 1: ")}

// clientPrompt is that of psql.
var clientPrompt = regex.New(`^\s*\w{1,64}[=(*!'"-][#>] `)

// clientTalk says whether what stands before the first line with a prefix is of a client: its messages are not of the
// log.
func clientTalk(p *prefix, head []byte) bool {
	var f fields
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if _, _, ok := p.match(line, &f); ok && f.timed {
			return false
		}
		for _, words := range clientWords {
			if bytes.Contains(line, words) {
				return true
			}
		}
		if clientPrompt.Match(line[:min(len(line), maxPrefixWidth)]) {
			return true
		}
	}
	return false
}

// bare takes a line of them: a label at its beginning. With one space behind it the message has to be one that a
// diagnosis asks for, as prose may begin so too. What the log itself has once more is a copy, and no entry.
func (r *plainReader) bare(line []byte) (label, []byte, bool) {
	line = bytes.TrimLeft(line, " ")
	l, rest, ok := labelled(line, false, true)
	if !ok || !known(l) {
		return label{}, nil, false
	}
	if r.lead.client && l.severity != Log && l.severity != Panic { // no client is sent these
		return label{}, nil, false
	}
	if l.part != partMessage {
		if !r.have {
			return label{}, nil, false
		}
	} else {
		if _, _, two := labelled(line, false, false); !two {
			e := Entry{Severity: l.severity, Message: rest}
			if k := e.Kind(); k == Other || k == Fault {
				return label{}, nil, false
			}
		}
		if r.again(rest, true) {
			return label{}, nil, false
		}
	}
	r.f = fields{}
	return l, rest, true
}

// again says whether another line of a paste has a message behind a label, which has a prefix where one is asked for.
func (r *plainReader) again(message []byte, prefixed bool) bool {
	for line := range bytes.SplitSeq(r.paste, []byte{'\n'}) {
		line = bytes.TrimRight(line, " \r")
		if before, ok := bytes.CutSuffix(line, message); ok {
			i := findLabel(line)
			if i < 0 {
				i = findOne(line)
			}
			if i >= 0 && i < len(before) && (!prefixed || len(bytes.TrimSpace(line[:i])) > 0) {
				return true
			}
		}
	}
	return false
}

// goesOn says whether a part with a prefix is of the message without one right before it, which takes what the prefix
// tells.
func (r *plainReader) goesOn(l label) bool {
	if !r.lead.bare || r.cur.PID != 0 || r.cur.Timed || l.part <= r.at {
		return false
	}
	r.cur.Time, r.cur.Timed, r.cur.Zone, r.cur.PID = r.f.time, r.f.timed, bytes.Clone(r.f.zone), r.f.pid
	r.cur.User, r.cur.Database = bytes.Clone(r.f.user), bytes.Clone(r.f.db)
	r.cur.App, r.cur.Host = bytes.Clone(r.f.app), bytes.Clone(r.f.host)
	return true
}
