package kernlog

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A mail, a terminal or a ticket breaks the long lines of a report: after a blank, after a comma, or wherever
// its column ends. The first piece has the prefix, the others have none. A line that lacks something is held until
// what it lacks has come, or a line comes that is one of its own.

var (
	// All of «oom-kill:…»: the kernel writes the user last.
	reSummaryEnd = regex.New(`,task=.{1,64},pid=\d{1,10},uid=\d{1,10}$`)
	// A piece of it whose beginning is cut.
	reSummaryPart = regex.New(`^(?:nodemask|cpuset|mems_allowed|oom_memcg|task_memcg)=[^ ]{1,600}$`)
	// Behind the user, the kernel writes two more.
	reUserLast = regex.New(`kB,? UID:\d{1,10}(?: pgtables:\d{1,16}kB)?$`)
	reFileSize = regex.New(`\bfile-rss: ?\d{1,16}kB`)
	// A row of the table that ends before its name.
	reRowOpen  = regex.New(`^\[ {0,10}\d{1,10}\](?: +-?\d{1,18}){0,12}$`)
	reHeadOpen = regex.New(`^\[ {0,4}pid {0,4}\]`)
	reRowName  = regex.New(`^-?\d{1,18} `)
)

// sizeKeys are the words before the sizes in the line of a kill.
var sizeKeys = []string{"total-vm", "anon-rss", "file-rss", "shmem-rss", "pgtables", "oom_score_adj"}

// asksOpen says where the first line of a report ends within its words: the place of « invoked», 0 where it does not.
func asksOpen(s string) int {
	i := strings.LastIndex(s, " invoked")
	if i <= 0 || !strings.HasPrefix(" invoked oom-killer:", s[i:]) {
		return 0
	}
	return i
}

// lacking says whether a line is the beginning of one that a paste has broken.
func (p *Reader) lacking(s string) bool {
	switch {
	case s == "" || cutOff(s):
		return false
	case strings.Contains(s, "invoked oom-killer"):
		return strings.HasSuffix(s, ",") || strings.HasSuffix(s, ":") ||
			strings.Contains(s, "gfp_mask=") && !strings.Contains(s, "order=")
	case asksOpen(s) > 0:
		return len(s) < 80
	case strings.HasPrefix(s, "oom-kill:"):
		return !reSummaryEnd.MatchString(s)
	case outOf(s), strings.HasPrefix(s, "Killed process"):
		return lackingKill(s)
	case strings.HasPrefix(s, "CPU: "), strings.HasPrefix(s, "Pid: "):
		return len(s) < 200 && !reCPU.MatchString(s)
	case strings.HasPrefix(s, "memory: usage"), strings.HasPrefix(s, "memory+swap: usage"),
		strings.HasPrefix(s, "swap: usage"), strings.HasPrefix(s, "kmem: usage"):
		return !reUsage.MatchString(s)
	case strings.HasPrefix(s, "Total swap"), strings.HasPrefix(s, "Free swap"):
		return len(s) < 24 && !reSwap.MatchString(s)
	case strings.Contains(s, " hugepages_total="):
		return !reHuge.MatchString(s)
	case p.at != nil && begun(s), p.at != nil && rePagesOpen.MatchString(s):
		return true
	case strings.HasPrefix(s, "Kernel panic - not syncing:"):
		return len(s) < 60 && !strings.Contains(s, "memory")
	case strings.HasPrefix(s, "["):
		if strings.Contains(s, "total_vm") || p.at != nil && reHeadOpen.MatchString(s) {
			_, whole := header(s)
			return !whole && !strings.HasSuffix(s, " name")
		}
		return p.inTable && reRowOpen.MatchString(s)
	}
	return false
}

// rePagesOpen is a count whose words follow.
var rePagesOpen = regex.New(`^\d{1,15}(?: pages)?$`)

// begun says whether a line is nothing but the first words of a long one.
func begun(s string) bool {
	for _, whole := range []string{statsFor, "Memory cgroup out of memory: Killed process ",
		"Out of memory: Killed process ", "oom_reaper: reaped process "} {
		if len(s) >= len("Out of") && len(s) < len(whole) && strings.HasPrefix(whole, s+" ") {
			return true
		}
	}
	return false
}

// lackingKill says it of the line of a kill: its process or its name is missing, or the number behind a size.
func lackingKill(s string) bool {
	end := s[len(s)-1]
	if end == ',' || end == ':' || strings.HasSuffix(s, ": OOM") || strings.HasSuffix(s, ", UID") {
		return true
	}
	if i := strings.LastIndex(s, ") "); i > 0 && keyOpen(s[i+2:]) {
		return true
	}
	if !reKill.MatchString(s) && !reKilled.MatchString(s) {
		open := strings.LastIndexByte(s, '(') > strings.LastIndexByte(s, ')')
		return len(s) < 160 && (open || end >= '0' && end <= '9' || strings.HasSuffix(s, " process") ||
			strings.HasSuffix(s, " Killed") || strings.HasSuffix(s, " Kill"))
	}
	if end == ')' && !strings.Contains(s, "total-vm") {
		return true // its sizes may follow
	}
	if strings.Contains(s, " total-vm:") && !reFileSize.MatchString(s) {
		return true // all kernels that tell the first size tell this one
	}
	if reUserLast.MatchString(s) {
		return true
	}
	word := s[strings.LastIndexAny(s, " ,")+1:]
	key, number, told := strings.Cut(word, ":")
	for _, k := range sizeKeys {
		switch {
		case told && key == k && k != "oom_score_adj" && !strings.HasSuffix(number, "kB"):
			return true
		case !told && strings.HasPrefix(k, key) && key != "":
			return true
		}
	}
	return false
}

// cutOff says whether a line ends with the mark of what cut it: of less, or of a person.
func cutOff(s string) bool {
	return strings.HasSuffix(s, ">") || strings.HasSuffix(s, "…") || strings.HasSuffix(s, "...") ||
		strings.HasSuffix(s, "[...]")
}

// joined puts the next piece to what is held. What was broken at the end of a column has no blank between.
func (p *Reader) joined(held, next string) string {
	if strings.HasPrefix(held, "oom-kill:") {
		return held + next // there is no blank in it
	}
	with := held + " " + next
	if i := asksOpen(held); i > 0 && len(held)-i > len(" invoked") {
		return held + next
	}
	if i := strings.LastIndex(held, ") "); i > 0 && opens(held) && keyOpen(held[i+2:]) {
		return held + next
	}
	switch {
	case strings.HasPrefix(next, ","):
		return held + next
	case opens(held) && strings.HasSuffix(held, ")"):
		return with
	}
	if strings.HasPrefix(held, "[") && strings.Contains(held, "total_vm") {
		if _, ok := header(held + next); ok {
			return held + next
		}
		return with
	}
	if strings.HasPrefix(held, "[") && p.inTable { // one number too many stands in the name
		if t, ok := p.cols.row(with); ok && !reRowName.MatchString(t.Name) {
			return with
		} else if _, whole := p.cols.row(held + next); whole {
			return held + next
		}
		return with
	}
	word := held[strings.LastIndexByte(held, ' ')+1:]
	if endsInRelease(held) && !strings.HasPrefix(next, "#") ||
		strings.HasPrefix(word, "gfp_mask=") && !strings.HasSuffix(word, ",") {
		return held + next
	}
	if p.lacking(with) && !p.lacking(held+next) {
		return held + next
	}
	if opens(held) && endsInSize(held) && (!reUserLast.MatchString(held) || next[0] >= '0' && next[0] <= '9') {
		return held + next
	}
	return with
}

// keyOpen says whether a text is the beginning of the first word before a size.
func keyOpen(s string) bool {
	return s != "" && len(s) < len(sizeKeys[0]) && strings.HasPrefix(sizeKeys[0], s)
}

// endsInSize says whether a line ends within a size or the word before it.
func endsInSize(s string) bool {
	return lackingKill(s) && !strings.HasSuffix(s, ",") && !strings.HasSuffix(s, "kB") && !strings.HasSuffix(s, ")") &&
		(reKill.MatchString(s) || reKilled.MatchString(s))
}

// endsInRelease says whether a line ends with the release of the kernel, or within it: behind it is «#1», and more.
func endsInRelease(s string) bool {
	if !strings.HasPrefix(s, "CPU: ") {
		return false
	}
	m := reCPU.FindString(s)
	return m != "" && len(m) == len(s)
}

// alone says whether a line is not the rest of another: it has a time or a program before it, or begins as lines of
// a report do.
func alone(l line) bool {
	s := l.text
	return l.from != bare || l.at.Text != "" || l.at.Boot >= 0 || l.at.after || opens(s) || begins(s) ||
		continues(s) || isFrame(s) || strings.HasPrefix(s, "<") || strings.HasPrefix(s, "[") ||
		strings.HasPrefix(s, "CPU: ") || strings.HasPrefix(s, "Pid: ") ||
		strings.HasPrefix(s, "Hardware name:") || strings.HasPrefix(s, "Call Trace")
}

// put takes a line that what is held may go on with; false where it is a line of its own.
func (p *Reader) put(l line) bool {
	if l.text == "" || p.pieces >= maxJoin || len(p.held)+len(l.text) >= 4*maxText {
		return false
	}
	if l.from == bare && len(l.text) > 1 && l.text[0] == '"' && opens(p.held) { // one string of a program after another
		l.text = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(l.text[1:], `",)`), `\n`), " ")
	}
	switch {
	case p.broken():
		// A terminal breaks a line where it ends, within a word.
		if alone(l) || reStat.MatchString(l.text) {
			return false
		}
		end := p.held[len(p.held)-1]
		if strings.HasSuffix(p.held, " of") || strings.HasSuffix(p.held, " as a result") || end == ':' {
			p.held += " "
		}
		p.held += l.text
		p.pieces++
		return true
	case p.comma():
		if opens(l.text) {
			return false
		}
	case alone(l):
		return false
	case strings.HasSuffix(p.held, ")") && opens(p.held) && !strings.HasPrefix(p.held, "oom-kill:") &&
		!strings.HasPrefix(l.text, ",") && !strings.HasPrefix(l.text, "total-vm") &&
		!strings.HasPrefix(l.text, "score "):
		return false
	}
	p.held = p.joined(p.held, l.text)
	p.pieces++
	if h := &p.heldLine; !p.lacking(p.held) &&
		(!p.broken() || h.from != fromKernel && h.at.Text == "" && h.at.Boot < 0) {
		p.release()
	}
	return true
}

// comma says whether what is held ends where a list or a sentence goes on: the rest may have a prefix of its own.
func (p *Reader) comma() bool {
	return opens(p.held) && (strings.HasSuffix(p.held, ",") || strings.HasSuffix(p.held, ":") ||
		strings.HasSuffix(p.held, ": OOM"))
}

// hold keeps a line that may go on in the next.
func (p *Reader) hold(l line) bool {
	if !p.lacking(l.text) {
		stamped := l.from == fromKernel || l.at.Text != "" || l.at.Boot >= 0
		if stamped && endsInRelease(l.text) {
			p.held, p.heldLine, p.pieces = l.text, l, 1
			return true
		}
		if !stamped || !strings.HasPrefix(l.text, "Task in /") && !strings.HasPrefix(l.text, statsFor) {
			return false
		}
	}
	p.held, p.heldLine, p.pieces = l.text, l, 1
	return true
}
