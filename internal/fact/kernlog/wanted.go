package kernlog

import "bytes"

// openLines is for how many lines a report stays open that names no victim: its
// table may have a row for each task, and as many lines of others between.
const openLines = 2*maxTasks + 4096

// anchors are a letter each of the words that tells looks for, of those the
// rarest: a line is gone through once, and most of its bytes are passed over.
var anchors = [256]bool{'m': true, 'M': true, 'K': true, 'f': true, '_': true, 'T': true, 'F': true}

// hasAnchor says whether a line has one of the words that are in every line that can
// begin a report or tells of memory on its own. A journal has some hundred of them
// in a million lines, and to look for them costs a hundredth of taking a line apart.
func hasAnchor(b []byte) bool {
	for i, c := range b {
		if !anchors[c] {
			continue
		}
		switch c {
		// oom-killer, oom-kill, oom_reaper, memory.oom.group; Out of memory, __vm_enough_memory, memory: usage
		case 'm':
			if around(b, i, "oo", "m") || around(b, i, "V", "mRSS") || around(b, i, "e", "mory") ||
				around(b, i, "", "mems_allowed=") || around(b, i, "", "mem avail: ") {
				return true
			}
		case 'M': // by the OOM killer; Out of Memory, as it was once; a part of a report
			if around(b, i, "OO", "M") || around(b, i, "SIGTER", "M to process ") ||
				around(b, i, "", "Memory") || around(b, i, "", "Mem-Info") {
				return true
			}
		case 'K':
			if around(b, i, "", "Killed ") || around(b, i, "status=9/", "KILL") ||
				around(b, i, "timed out. ", "Killing") || around(b, i, "SIG", "KILL to process ") ||
				around(b, i, "SIG", "KILL to cgroup ") || around(b, i, "to SIG", "KILL after ") || around(b, i,
				"", "Killing process '") {
				return true
			}
		case 'f':
			if around(b, i, "out o", "f swap space") || around(b, i, "allocation ", "failure") ||
				around(b, i, "", "find a process to kill") || around(b, i, "allocation stalls ", "for ") {
				return true
			}
		case '_': // parts of a report whose beginning is missing, as the next
			if around(b, i, "total", "_vm") || around(b, i, "ctive", "_anon") {
				return true
			}
		case 'T':
			if around(b, i, "", "Task in ") || around(b, i, "", "Total swap") {
				return true
			}
		case 'F':
			if around(b, i, "", "Free swap") || around(b, i, "", "Free pages:") {
				return true
			}
		}
	}
	return taskRow(b)
}

// jsonTells says whether an object may be a server's, or has its text as numbers,
// which show no word.
func jsonTells(b []byte) bool {
	for i, c := range b {
		switch c {
		case '[':
			if around(b, i, ":", "[") || around(b, i, ": ", "[") {
				return true
			}
		case 'y':
			if around(b, i, "error_severit", "y") {
				return true
			}
		case 'p':
			if around(b, i, `"`, "postgres") {
				return true
			}
		}
	}
	return false
}

// endsInvoked says whether a line may be the first of a report that was broken behind who asked.
func endsInvoked(b []byte) bool {
	const most = len(" invoked oom-killer:\r\n")
	return bytes.Contains(b[max(0, len(b)-most):], []byte(" invoked"))
}

// endsInTag says whether a line may be nothing but the prefix of syslog before one that a mailer has put below it.
func endsInTag(b []byte) bool {
	const most = len(" kernel: \r\n")
	return len(b) < 120 && bytes.Contains(b[max(0, len(b)-most):], []byte(" kernel:"))
}

// objectIn is where the object of a server's jsonlog begins in a line that has a time or the name of a pod before it;
// 0: there is none, or it begins the line.
func objectIn(b []byte) int {
	const most = 160
	i := bytes.IndexByte(b[:min(len(b), most)], '{')
	if i <= 0 || i+1 >= len(b) || b[i+1] != '"' || !bytes.Contains(b[i:], []byte(`"error_severity"`)) ||
		bytes.ContainsAny(b[:i], "'\"`") {
		return 0
	}
	return i
}

// around says whether before ends and behind begins at a place.
func around(b []byte, i int, before, behind string) bool {
	return i >= len(before) && len(b)-i >= len(behind) && string(b[i:i+len(behind)]) == behind &&
		string(b[i-len(before):i]) == before
}

// taskRow says whether a line may be a row of the table of tasks: behind the last
// bracket nothing but numbers, then a name.
func taskRow(b []byte) bool {
	b = b[bytes.LastIndexByte(b, ']')+1:]
	for numbers := 0; ; numbers++ {
		b = bytes.TrimLeft(b, " \t")
		n := 0
		for n < len(b) && (b[n] >= '0' && b[n] <= '9' || n == 0 && b[n] == '-') {
			n++
		}
		if n == 0 || n == len(b) || b[n] != ' ' && b[n] != '\t' {
			return numbers >= 6 // the shortest table has seven
		}
		b = b[n:]
	}
}

// What is to be done with a line.
type use int

const (
	pass use = iota // it is about something else
	give            // it is a server's, as far as can be seen
	look            // it tells something, or belongs to what came before
)

// useOf says what is to be done with a line before it is taken apart.
func (p *Reader) useOf(b []byte) use {
	switch {
	case p.every || p.inReport() || hasAnchor(b) || endsInvoked(b) || endsInTag(b) ||
		p.lately(p.looked, candidateLines) || p.lately(p.slub, 1):
		return look
	case b[0] == '{':
		if p.given || jsonTells(b) {
			return look
		}
		return pass
	case objectIn(b) > 0:
		return look
	case servers(b):
		if p.given || hasSeverity(b) || bytes.IndexByte(b[:min(len(b), 40)], ',') > 0 {
			return give
		}
		return pass
	case p.given || b[0] == '\t' || hasSeverity(b): // a tab goes on with what a person wrote some lines before
		return look
	}
	return pass
}

// hasSeverity says quickly that a line can be none of a server, as most are: one
// has a colon behind a capital, or behind a letter that is no ASCII. «DEBUG1:» is
// the only one with a number.
func hasSeverity(raw []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(raw[from:], ':')
		if i < 0 {
			return false
		}
		i += from
		from = i + 1
		if i < 3 {
			continue
		}
		c := raw[i-1]
		if c == ' ' { // as French has it
			c = raw[i-2]
		}
		if c >= 'A' && c <= 'Z' || c >= 0x80 || c >= '1' && c <= '5' && raw[i-2] == 'G' {
			return true
		}
	}
}

// servers says whether a line begins as most servers' do: 2026-11-21 06:39:29.
// No line of the kernel has such a time, with a blank in it.
func servers(s []byte) bool {
	const like = "0000-00-00 00:00:00"
	if len(s) < len(like) {
		return false
	}
	for i := range len(like) {
		if like[i] == '0' {
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		} else if s[i] != like[i] {
			return false
		}
	}
	return true
}
