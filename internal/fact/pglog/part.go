package pglog

import "bytes"

// alone are messages that no other has such a DETAIL of: what was copied may begin with it.
var alone = []struct {
	detail, message string
	severity        Severity
}{
	{"Process ", "deadlock detected", Error}, // ofDeadlock
	{"Failed on request of size ", "out of memory", Error},
	{running, lostDeath, Log},
	{"User query might have needed to see row versions that must be removed.",
		"canceling statement due to conflict with recovery", Error},
	{"User was holding a relation lock for too long.", "canceling statement due to conflict with recovery", Error},
	{"User was holding shared buffer pin for too long.", "canceling statement due to conflict with recovery", Error},
}

const (
	// running is what the DETAIL of a death begins with.
	running = "Failed process was running: "
	// lostDeath stands for the message of a death that was not copied: it tells neither the process nor the reason.
	lostDeath = "server process (PID ?) was terminated by ?"
)

// messageOf is the message of a DETAIL that stands alone and its severity; "" where that may be of several.
func messageOf(l label, detail []byte) (string, Severity) {
	if l.part != partDetail {
		return "", NoSeverity
	}
	for i, a := range alone {
		if bytes.HasPrefix(detail, []byte(a.detail)) && (i > 0 || ofDeadlock(detail) &&
			bytes.Contains(detail, []byte(" waits for "))) {
			return a.message, a.severity
		}
	}
	return "", NoSeverity
}

// ofDeadlock says whether a text is a line of the DETAIL of a deadlock: «Process 123 waits for …», «Process 123: …».
func ofDeadlock(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, []byte("Process "))
	if !ok {
		return false
	}
	n := span(rest, isDigit)
	return n > 0 && n <= 10 && (bytes.HasPrefix(rest[n:], []byte(": ")) || string(rest[n:]) == ":" ||
		bytes.HasPrefix(rest[n:], []byte(" waits for ")))
}

// stateBehind takes a SQLSTATE in brackets from the end of what stands before a label: «[57P03]:». One of digits alone
// may be a process, unless a session has told its own: «5ec9e4c1.848f».
func stateBehind(b []byte) (state, before []byte) {
	b = bytes.TrimRight(b, " :")
	n := len(b)
	if n < 7 || b[n-1] != ']' || b[n-7] != '[' || !isState(b[n-6:n-1]) {
		return nil, nil
	}
	state, before = b[n-6:n-1], b[:n-7]
	if string(state) != "00000" && span(state, isDigit) == len(state) && !hasSession(before) {
		return nil, nil
	}
	return state, before
}

// hasSession says whether a session ID, %c, is among the words of a prefix.
func hasSession(b []byte) bool {
	for word := range bytes.FieldsSeq(b) {
		start, pid, ok := bytes.Cut(word, []byte{'.'})
		if ok && len(start) == 8 && len(pid) > 0 && span(start, isHex) == len(start) && span(pid, isHex) == len(pid) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' }

// tick stands on both sides of inline code on a page, which may go over lines.
var tick = []byte("`")

// inline takes the backticks of inline code off a line of a paste; closed says that the code ends with it.
func (r *plainReader) inline(line []byte) (text []byte, closed bool) {
	if rest, ok := bytes.CutPrefix(line, tick); ok && hasLabel(rest) {
		line, r.code = rest, true
	}
	if !r.code {
		return line, false
	}
	text, closed = bytes.CutSuffix(bytes.TrimRight(line, " \r"), tick)
	if !closed {
		return line, false
	}
	r.code = false
	return text, true
}
