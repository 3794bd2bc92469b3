package pglog

import (
	"bytes"
	"io"
	"slices"
)

const (
	// maxReversed is how long a log may be that begins with its newest entry: it has to be held as a whole.
	maxReversed = 16 << 20
	// maxTimeAt is how far from its beginning a line has its time.
	maxTimeAt = 40
	// leastBack is how far, in microseconds, the times of such a log go back: those of two processes that
	// write at once may be in any order.
	leastBack = 1_000_000
)

// timeOf is the time near the beginning of a line.
func timeOf(line []byte) (us int64, zoneName []byte, ok bool) {
	for at := 0; at <= maxTimeAt && at+19 <= len(line); at++ {
		us, n := clock(line[at:])
		if n == 0 {
			continue
		}
		if n += at; n < len(line) && line[n] == ' ' {
			zoneName = zone(line[n+1:])
		}
		return us, zoneName, true
	}
	return 0, nil, false
}

// partOf is the part of an entry that a line begins.
func partOf(line []byte) part {
	if len(line) > 0 && line[0] == '{' {
		return partMessage
	}
	i := findLabel(line)
	if i < 0 {
		if i = findOne(line); i < 0 {
			return partNone
		}
	}
	l, _, _ := labelled(line[i:], false, true)
	return l.part
}

// pidOf is the process of a line; 0: it does not tell one in brackets.
func pidOf(line []byte) int {
	i := findLabel(line)
	if i < 0 {
		i = max(findOne(line), 0)
	}
	return bracketed(line[:i])
}

// newestFirst says whether the entries of a head go back in time, as a page or a command of a cloud provider shows
// them; apart says that each line does, so that the parts of an entry come before its message.
func newestFirst(head []byte, whole bool) (yes, apart bool) {
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	var first, last int64
	var name []byte
	pid := 0 // of the line before
	// A part of another process than the line before, and its message behind it: no server writes that.
	var stands int
	proof := false
	n, told := 0, false
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		us, z, ok := timeOf(line)
		if !ok {
			continue
		}
		p := partOf(line)
		if p == partNone {
			continue
		}
		if n++; n == 1 {
			first, last, name = us, us, bytes.Clone(z)
			apart, told = p != partMessage, p != partMessage
			pid = pidOf(line)
			continue
		}
		if us > last || !bytes.Equal(z, name) {
			return false, false
		}
		now := pidOf(line)
		if p == partMessage {
			proof = proof || stands > 0 && now == stands
			stands = 0
		} else if now != pid {
			stands = now
		}
		if p != partMessage && !told { // a part of what another process says is of the message behind it
			apart, told = us != last || now != pid, true
		}
		last, pid = us, now
	}
	return n > 1 && (first-last >= leastBack || proof && first > last), apart
}

// reversed hands out the entries of a log that begins with the newest one in the order of time; one that is too
// long is handed out as it is.
func reversed(in *lines, apart bool) io.Reader {
	text, _ := io.ReadAll(io.LimitReader(in, maxReversed+1)) // an error stays in the reader
	if len(text) > maxReversed {
		return io.MultiReader(bytes.NewReader(text), in)
	}
	var blocks [][]byte
	from := 0
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at + 1
		}
		line := text[at:end]
		if _, _, ok := timeOf(line); ok && at > from {
			if p := partOf(line); p == partMessage || apart && p != partNone {
				blocks = append(blocks, text[from:at])
				from = at
			}
		}
		at = end
	}
	blocks = append(blocks, append(slices.Clone(text[from:]), '\n'))
	slices.Reverse(blocks)
	return bytes.NewReader(bytes.Join(blocks, nil))
}
