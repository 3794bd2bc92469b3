package kernlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

var (
	reInvoked = regex.New(`^(.{1,64}?) (?:invoked|triggered) (?:loc )?oom-killer(?:: ?(.*))?$`)
	// OpenVZ names the task by its number first.
	reLocal = regex.New(`^(\d{1,10}) \((.{1,64})\)$`)
	reField = regex.New(`\b(order|oom_score_adj|gfp_mask)[= ](-?\w+(?:\([\w|]*\))?)`)
	reCPU   = regex.New(`^(?:CPU: \d+ (?:UID: \d+ )?PID: (\d{1,10}) Comm:|Pid: (\d{1,10}), comm:) ` +
		`(.{1,64}?) (?:Kdump: loaded )?(?:Not tainted|Tainted: [A-Z -]+?)[ -]*\s(\d\S{0,127})`)
	// The line behind the first, until 4.18.
	reAsks    = regex.New(`^(.{1,64}?) cpuset=(\S{1,512}) mems_allowed=[\d,-]+$`)
	reSummary = regex.New(`\bconstraint=CONSTRAINT_(NONE|MEMCG|CPUSET|MEMORY_POLICY)\b`)
	reChosen  = regex.New(`\btask=(.{1,64}?), ?pid= ?(\d{1,10})(?:, ?uid=(\d{1,10}))?`)
	reKill    = regex.New(
		`(?i)^(memory cgroup out of memory|out of memory[^:]{0,64}): (?:OOM )?Kill(?:ed)? process (\d{1,10})(?:, UID ` +
			`(\d{1,10}),)? ?\((.{1,64}?)\)(?: score (-?\d{1,10})|,| total-vm| ?\.| ?…|$)`)
	reKilled = regex.New(
		`(?i)^(?:OOM )?Killed process (\d{1,10})(?:, UID (\d{1,10}),)? ?(?:\((.{1,64}?)\)` +
			`(?:,| total-vm| vm:| ?\.| ?…|$)|\($)`)
	// The words between were translated, or are of a kernel that is not known: what follows is of a kill alone.
	reKillOther = regex.New(
		`(?i)^(memory cgroup out of memory|out of memory): [^()]{0,60}? (\d{1,10}) \((.{1,64}?)\),? total-vm: ?\d`)
	// An event of a cluster, or a person, leaves the number of the process out.
	reKillUnnumbered = regex.New(
		`(?i)^(memory cgroup out of memory|out of memory): Kill(?:ed)? process ` +
			`(?:(?:\.{2,4}|…|\S{0,8}\?{1,4}|<\w{1,8}>|[xX]{2,10}) ?)?\((.{1,64}?)\)(?:,| total-vm| score | ?\.| ?…|$)`)
	// OpenVZ has a second line about the same kill.
	reExited = regex.New(`^OOM killed process .{1,64} \(pid=\d+, ve=\d+\) exited`)
	// A person rounds them, and takes another unit.
	reSize = regex.New(`(?:^|[\s,])(total-vm|anon-rss|file-rss|shmem-rss|pgtables|vm|rss|swap): ?[~≈]?` +
		`(\d{1,16}(?:\.\d{1,3})?) ?([kKMGT])i?B\b`)
	reRest    = regex.New(`^,? ?(?:total-vm|anon-rss|file-rss|shmem-rss|pgtables|oom_score_adj|UID):? ?-?\d`)
	reUID     = regex.New(`\bUID:? ?(\d{1,10})`)
	reAdj     = regex.New(`\boom_score_adj:(-?\d{1,4})`)
	reReaped  = regex.New(`^oom_reaper: (?:reaped process|unable to reap pid:) ?(\d{1,10}) ?(?:\((.{1,64}?)\)(?:,|$))?`)
	reGroup   = regex.New(`^Tasks in (\S+) are going to be killed due to memory\.oom\.group`)
	reRefused = regex.New(`^__vm_enough_memory: pid: ?(\d{1,10}), comm: (.{1,64}?),.*not? enough memory`)
	reAlloc   = regex.New(`^(.{1,64}?): page allocation failure: order:(\d{1,3})`)
	// What a person asks of the kernel by SysRq, as 2.6, 4.x and 5.x spell it: a kill, and the state of memory,
	// which is the same as in the report of a kill.
	reSysRq = regex.New(`^(?:sysrq: )?(?:SysRq : )?(` + sysRqKill + `|Show Memory)$`)
)

// sysRqKill is what SysRq f is called in the log.
const sysRqKill = "Manual OOM execution"

// Read reads a log to its end. An error is one of reading; what the bytes say is
// never an error.
func Read(r io.Reader) (*Log, error) {
	p := NewReader(nil)
	err := p.Add(r)
	return p.Log(), err
}

// Foreign is a line that no kernel wrote, or none that tells. It stands until the
// one who is given it returns.
type Foreign struct {
	Text []byte // without its end, and without what syslog or the journal put before it, where they did
	PID  int    // of the program, where they tell
	at   Stamp
	told bool // at is known
}

// At is when it was written, as far as what stands before it tells.
func (f *Foreign) At() Stamp {
	if !f.told {
		f.at, f.told = stripLine(string(f.Text)).at, true
	}
	return f.at
}

// Reader puts several logs into one, such as those of several boots.
type Reader struct {
	*stream   // of the host whose line was read last
	streams   []*stream
	log       Log
	others    func(*Foreign) bool
	human     string // the last date of dmesg -H, which tells it once a minute
	entry     entry  // of which a part was read
	frame     string // what a collector puts before the lines of the report
	outer     Stamp  // of the entry whose text is read
	outerTold bool
	within    int   // entries that the line stands in
	ended     ended // when a container ended, as a field tells
	given     bool  // the line before was a person else's
	foreign   Foreign
	inner     bool // a line is one of many that stood in one
	head      line // the prefix of a line that stood alone
	headAt    int  // number of that line; 0: none
	looked    int  // number of the line behind which systemd-oomd lists what it could kill; 0: none
	level     *Level
	lowest    *Other            // what earlyoom saw when the least was left; nil: it saw none
	peaks     map[string]*Other // of units, logged before a kill
	kernels   releases
	contained int // number of the line that says that one was killed for memory; 0: none
	limits    int // number of the line that begins the limits of a container; 0: none
	spared    int // number of the line that says that no container was killed; 0: none
	killed9   int // number of the line that says that one was ended by signal 9; 0: none
	hint      hint
	slub      int  // number of the line of an allocation that failed, behind which its cache stands; 0: none
	every     bool // no line is passed over: for tests
	stated    stated
	event     Event // that the line is in
	eventAt   int   // number of that line; 0: none
}

// NewReader returns an empty one. others is given the lines that may be of a
// server, in their order, and says which it takes; nil: they are passed over.
func NewReader(others func(*Foreign) bool) *Reader {
	if others == nil {
		others = func(*Foreign) bool { return false }
	}
	first := &stream{}
	return &Reader{stream: first, streams: []*stream{first}, others: others}
}

// pastedIn is what a log may have been pasted in. Times, hosts, programs and objects are read with the lines.
var pastedIn = &unwrap.Reader{Sign: hasAnchor, Exact: true, Own: []unwrap.Layer{unwrap.Syslog, unwrap.Times,
	unwrap.Objects, unwrap.Blanks, unwrap.Quotes, unwrap.Entities}}

// Add reads one more log. A report does not go over from one log to the next.
func (p *Reader) Add(r io.Reader) error {
	br := bufio.NewReaderSize(r, maxLine)
	head, _ := br.Peek(maxLine) // what it failed for is told by the reading
	if _, open := pastedIn.Find(head); open != nil {
		br = bufio.NewReaderSize(open(br), maxLine)
	}
	for {
		b, err := br.ReadSlice('\n')
		cut := errors.Is(err, bufio.ErrBufferFull)
		if len(b) > 0 {
			p.log.Lines++
			for _, s := range p.streams {
				s.since++
			}
			p.early(b)
			switch p.useOf(b) {
			case give:
				p.foreign = Foreign{Text: bytes.TrimRight(b, "\r\n")}
				p.given = p.others(&p.foreign)
			case look:
				p.raw(string(b))
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
			p.log.Cut = p.log.Cut || cut
			_, err = br.ReadSlice('\n')
		}
		if err == nil {
			continue
		}
		p.end()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

func (p *Reader) end() {
	p.write()
	for _, p.stream = range p.streams {
		p.release()
		p.close()
		p.shown, p.asked = 0, 0
	}
	p.unhinted()
	p.slub, p.eventAt = 0, 0
	p.streams = p.streams[:1]
	p.stream = p.streams[0]
	p.given, p.human, p.host, p.entry, p.frame = false, "", "", entry{}, ""
}

// minute notes the date that dmesg -H tells once a minute, before a line of whatever: «[Mar15 21:47]».
func (p *Reader) minute(b []byte) {
	const most = 64
	i := bytes.IndexByte(b[:min(len(b), most)], ']')
	if i < 8 || b[i-3] != ':' {
		return
	}
	if m := reHuman.FindStringSubmatch(string(b[:i+1])); m != nil {
		p.human = strings.TrimSpace(m[1])
	}
}

const (
	// askedLines is how far the report may stand behind the request: it comes at once, with a few
	// lines of others between. Where the kernel found nobody to kill, none comes.
	askedLines = 16
	// askedTime is how much later it may be: in a log of which only such lines were kept, the next one may be of
	// another day.
	askedTime = time.Minute
	// shownLines is how long the state of memory may be: a call trace, and some lines a zone, of
	// which a host with 64 nodes has some hundred.
	shownLines = 1024
)

// lately says whether a line was read, and so few lines ago.
func (p *Reader) lately(line, most int) bool { return line > 0 && p.log.Lines-line <= most }

// manual says whether a person asked for the kill of a report: just before it, and not after its time.
func (p *Reader) manual(at Stamp) bool {
	if !p.lately(p.asked, askedLines) || at.Boot >= 0 && at.Boot < p.askedAt.Boot {
		return false
	}
	if from := p.askedAt; at.Boot >= 0 && from.Boot >= 0 {
		return at.Boot-from.Boot <= askedTime
	} else if !at.Wall.IsZero() && !from.Wall.IsZero() {
		return at.Wall.Sub(from.Wall).Abs() <= askedTime
	}
	return true
}

// Log closes what is open and returns all that was read.
func (p *Reader) Log() *Log {
	p.end()
	p.settle()
	p.low()
	p.log.Stated = p.stated.sum()
	p.log.releases(&p.kernels)
	p.log.titles()
	p.log.askers()
	p.log.clocks()
	p.log.repeats()
	p.log.excerpts()
	return &p.log
}

// raw takes a line as it stands in the file.
func (p *Reader) raw(s string) {
	if at := objectIn([]byte(s)); at > 0 {
		s = s[at:]
	}
	if p.escaped(s) || p.flattened(s) {
		return
	}
	if strings.HasPrefix(s, "{") && p.json(s) || !p.given && !strings.Contains(s, tripled) && p.field(s) {
		return
	}
	s = literal(strings.TrimRight(s, "\r\n"))
	l := stripLine(s)
	if strings.HasSuffix(l.text, `,\`) { // folded by hand, as in a shell
		l.text = l.text[:len(l.text)-1]
	}
	p.headed(&l)
	if p.outerTold {
		switch {
		case l.at.Text == "" && l.at.Boot < 0:
			l.at = p.outer
		case l.at.Wall.IsZero():
			l.at.Wall = p.outer.Wall
		}
	}
	if l.at.after && l.at.Text == "" {
		l.at.Text = p.human
	}
	if p.hand(s, l) {
		return
	}
	if l.from == fromKernel {
		if i := strings.Index(l.text, ": "); i > 0 && outOf(l.text[i+2:]) && reUnitBefore.MatchString(l.text[:i+2]) {
			l.text = l.text[i+2:]
		}
	}
	if p.glued(l) {
		return
	}
	if p.unframed(&l); l.from == bare {
		whole := l.text
		if l.text = quoted(l); len(l.text) < len(whole) {
			p.inEvent(whole)
		}
		if l.at.Text == "" && l.at.Boot < 0 && p.inReport() {
			l.text = p.goesOn(l.text)
		}
	}
	if strings.Count(l.text, "[") > 1 && (l.from == fromKernel || l.at.Boot >= 0 ||
		l.at.Text != "" && strings.HasPrefix(s, "[")) {
		// A page may have put many lines into one.
		if at := reInner.FindAllStringIndex(l.text, maxInner); at != nil && !p.inner {
			p.inner = true
			whole := l.text
			l.text = strings.TrimSpace(whole[:at[0][0]])
			p.line(l)
			for i := range at {
				end := len(whole)
				if i+1 < len(at) {
					end = at[i+1][0]
				}
				p.raw(whole[at[i][0]+1 : end])
			}
			p.inner = false
			return
		}
	}
	if !strings.Contains(l.text, folded) {
		p.line(l)
		return
	}
	for _, t := range strings.Split(l.text, folded) {
		l.text = strings.TrimSpace(t)
		p.line(l)
	}
}

// tripled is what stands about a text of several lines in Python.
const tripled = `"""`

// literal takes off what a program has before a text of several lines, and behind it.
func literal(s string) string {
	const most = 64
	if i := strings.Index(s[:min(len(s), most)], tripled); i >= 0 {
		s = s[i+len(tripled):]
	}
	if i := strings.LastIndex(s, tripled); i > 0 && len(s)-i < len(tripled)+4 {
		s = s[:i]
	}
	return s
}

// headed gives a line the prefix that a mailer has left on the line before, as there was no room behind it.
func (p *Reader) headed(l *line) {
	if l.from == bare && l.at.Text == "" && l.at.Boot < 0 && p.headAt > 0 && p.headAt+1 == p.log.Lines &&
		opens(l.text) {
		l.at, l.from, l.host, l.pid = p.head.at, p.head.from, p.head.host, p.head.pid
	}
	if l.text == "" && l.from == fromKernel && (l.at.Text != "" || l.at.Boot >= 0) {
		p.head, p.headAt = *l, p.log.Lines
	}
}

// reInner is a time before a further message of the kernel.
var reInner = regex.New(
	` \[(?: {0,8}\d{1,9}\.\d{3,9}|\w{3} \w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})\] `)

// reInnerSyslog is what syslog or the journal put before a line of the kernel.
var reInnerSyslog = regex.New(`(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d|` +
	`(?:^| )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) \S{1,255} kernel: `)

// escaped takes a line in which the ends of lines are written out.
func (p *Reader) escaped(s string) bool {
	const end = `\n`
	if p.inner || strings.Count(s, end) < 4 || !strings.Contains(s, "oom-kill") && !strings.Contains(s, "total_vm") {
		return false
	}
	if strings.HasPrefix(s, "{") && p.json(s) || p.field(s) {
		return true
	}
	p.inner = true
	for t := range strings.SplitSeq(s, end) {
		p.raw(strings.ReplaceAll(strings.TrimSuffix(t, `\r`), `\"`, `"`))
	}
	p.inner = false
	return true
}

var (
	// Sums of the host, and a figure of a group, behind what a collector or a viewer put before them.
	reSumsIn = regex.New(`^[^']{0,96}?[\s|│"](?:active_anon|active_file|unevictable|slab_reclaimable|mapped|` +
		`sec_pagetables|kernel_misc_reclaimable|free):\d`)
	reStatIn = regex.New(`^[^']{0,96}?[\s|│"]([a-z][a-z0-9_]{1,40} \d{1,18})$`)
)

// reNodeLine is a line of one node, whose figures are called as those of the host.
var reNodeLine = regex.New(`^Node \d{1,5} \w`)

// goesOn takes off what stands before a line that goes on with a message of several: such a line has no time that
// tells where it begins.
func (p *Reader) goesOn(s string) string {
	switch {
	case opens(s), strings.HasPrefix(p.held, "oom-kill:"): // the comma at its end tells that it goes on
		return strings.TrimRight(strings.TrimSuffix(s, `",`), "\"|` ")
	case reSums.MatchString(s), strings.HasPrefix(s, "active_"), reNodeLine.MatchString(s):
		return s
	}
	s = strings.TrimRight(s, "\",|` ")
	if m := reSumsIn.FindStringIndex(s); m != nil {
		word := s[:m[1]]
		return s[strings.LastIndexAny(word, " \t|\"")+1:]
	}
	if p.inStat {
		if m := reStatIn.FindStringSubmatchIndex(s); m != nil {
			return s[m[2]:]
		}
	}
	return s
}

// flattened takes a line into which a page has put many of syslog.
func (p *Reader) flattened(s string) bool {
	const words = " kernel: "
	if p.inner || strings.Count(s, words) < 3 {
		return false
	}
	at := reInnerSyslog.FindAllStringIndex(s, maxInner)
	if len(at) < 3 {
		return false
	}
	p.inner = true
	if before := s[:at[0][0]]; strings.TrimSpace(before) != "" {
		p.raw(before)
	}
	for i := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		p.raw(strings.TrimLeft(s[at[i][0]:end], " "))
	}
	p.inner = false
	return true
}

// reMessage is the name of a field of YAML or JSON that holds a message.
var reMessage = regex.New(`^(?:- )?"?(?:message|note|msg|log|MESSAGE)"? ?[:=] ?["']?$`)

// quoted takes off what an event of Kubernetes or a person's words have before the line of a kill. In what a
// server or its user quotes, behind a label or a quotation mark, is none.
func quoted(l line) string {
	const most = 2048
	if outOf(l.text) {
		return l.text
	}
	for _, words := range []string{"Memory cgroup out of memory: Kill", "Out of memory: Kill", "Killed process "} {
		i := strings.Index(l.text[:min(len(l.text), most)], words)
		if i <= 0 || words[0] == 'K' && !reSized.MatchString(l.text[i:]) {
			continue
		}
		if event(l.text[:i], l.indent) {
			return strings.TrimRight(l.text[i:], "'\",")
		}
		if end := span(l.text[:i], l.text[i:]); end > 0 && !l.indent && !hasLabel(l.text[:i]) {
			return l.text[i : i+end]
		}
	}
	return l.text
}

// reSized is a line of a kill with its first size: what nobody writes but the kernel.
var reSized = regex.New(`^[^()]{0,64}\([^()]{1,64}\),? total-vm:\d`)

// span says how long a line is that a sentence quotes, between marks that no string of SQL has; 0: it does not.
func span(before, rest string) int {
	for open, end := range map[string]string{"`": "`", "\"": "\"", "\u201c": "\u201d", "\u201e": "\u201c", "«": "»"} {
		if strings.HasSuffix(strings.TrimRight(before, " "), open) && reSized.MatchString(rest) {
			if i := strings.Index(rest, end); i > 0 {
				return i
			}
		}
	}
	return 0
}

// reUnitBefore is the unit of the control group before the line of a kill.
var reUnitBefore = regex.New(`^[\w@.\\:-]{1,200}\.(?:service|scope|slice): $`)

// event says whether what stands before words of a kill is of an event or a note, and not of a statement that quotes
// them. kubectl describe indents its events; a field of YAML or JSON is quoted.
func event(before string, indent bool) bool {
	return strings.Contains(before, "OOMKilling ") || strings.Contains(before, " SystemOOM ") ||
		strings.Contains(before, " CgroupOOM ") ||
		reMessage.MatchString(before) || strings.HasSuffix(before, "kernel: ") && !hasLabel(before) ||
		reUnitBefore.MatchString(before) || !indent && !strings.ContainsAny(before, "'\"`") && !hasLabel(before)
}

// hasLabel says whether a text has a label of a server's log in any language: a word in capitals with a colon, but
// for a note that a person made.
func hasLabel(s string) bool {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], ':')
		if i < 0 {
			return false
		}
		i += from
		from = i + 1
		word := strings.TrimRight(s[:i], " \u00a0")
		word = word[strings.LastIndexAny(word, " \t]")+1:]
		if len(word) >= 3 && strings.ToUpper(word) == word && strings.ToLower(word) != word ||
			strings.HasPrefix(word, "DEBUG") {
			return true
		}
	}
}

// folded is what rsyslog writes for an end of line within a message.
const folded = "#012"

// hand hands a line on that may be a server's.
func (p *Reader) hand(s string, l line) bool {
	before := p.given
	p.given = false
	if l.from == fromOther && l.pid > 0 && (hasLabel(l.text) || before && p.foreign.PID == l.pid) {
		// It may be a server's, under the name of a unit, a container, or a cluster manager.
		p.foreign = Foreign{Text: []byte(l.text), PID: l.pid, at: l.at, told: true}
		p.given = p.others(&p.foreign)
		return p.given
	}
	if l.from == fromServer {
		s = part(l.text, before)
	} else if l.from != bare || l.at.Boot >= 0 || opens(l.text) {
		return false
	}
	p.foreign = Foreign{Text: []byte(s), PID: l.pid, at: l.at, told: true}
	p.given = p.others(&p.foreign)
	return p.given || l.from == fromServer
}

// reParts is what PostgreSQL puts before the lines of a message in syslog: the number of the message, and of the line.
var reParts = regex.New(`^\[\d{1,10}-(\d{1,6})\] ?`)

// part takes off the numbers that syslog's lines of a server have. A line that goes on with the one before, which was
// given, begins with a tab, as in a file.
func part(text string, given bool) string {
	m := reParts.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	text = strings.ReplaceAll(text[len(m[0]):], "#011", "\t")
	if given && m[1] != "1" && !hasLabel(text) {
		text = "\t" + strings.TrimLeft(text, " \t")
	}
	return text
}

// line takes a line without its prefix. One that a paste has broken after a
// comma is put together first.
func (p *Reader) line(l line) {
	p.turn(l.host)
	if l.from == fromOther || l.from == fromServer {
		if l.from == fromOther && !p.kubelet(l) {
			p.unread(l.text)
		}
		return
	}
	if i := strings.Index(l.text, " Killed process "); i > 0 && outOf(l.text) &&
		strings.Contains(l.text[:i], ": Kill process ") {
		rest := l // two lines that a person put into one
		rest.text = l.text[i+1:]
		l.text = l.text[:i]
		p.line(l)
		p.line(rest)
		return
	}
	if rest, ok := strings.CutPrefix(l.text, "Killed process ... "); ok && strings.HasPrefix(rest, "total-vm:") {
		l.text = rest // a person left out which: the line before may name it
	}
	if p.held != "" {
		if p.put(l) {
			return
		}
		p.release()
	}
	if l.from == bare && reSummaryPart.MatchString(l.text) {
		l.text = "oom-kill:" + l.text // its first line is cut
	}
	if p.hold(l) {
		return
	}
	p.take(l)
}

// broken says whether what is held is one of the long lines that have no comma to be broken at.
func (p *Reader) broken() bool {
	return strings.HasPrefix(p.held, "Task in /") || strings.HasPrefix(p.held, statsFor)
}

const statsFor = "Memory cgroup stats for "

// opens says whether a line begins one of the three long lines of a report.
func opens(text string) bool {
	if i := strings.Index(text, "invoked oom-killer"); i >= 0 {
		return !quotes(text[:i])
	}
	return strings.HasPrefix(text, "oom-kill:") ||
		strings.HasPrefix(text, "Killed process ") || outOf(text)
}

// quotes says whether what stands before words of a kill is of a server's line or of a statement that has them in it:
// no program has such a name.
func quotes(before string) bool { return strings.ContainsAny(before, "'\"") || hasLabel(before) }

// outOf says whether a line begins with «Out of memory», of the host or of a
// control group.
func outOf(text string) bool {
	const group, words = "memory cgroup ", "out of memory"
	if len(text) > len(group) && strings.EqualFold(text[:len(group)], group) {
		text = text[len(group):]
	}
	return len(text) >= len(words) && strings.EqualFold(text[:len(words)], words)
}

func (p *Reader) release() {
	if p.held == "" {
		return
	}
	l := p.heldLine
	l.text, p.held = p.held, ""
	p.take(l)
}

// open begins a report.
func (p *Reader) open(at Stamp) *Report {
	p.close()
	p.at, p.since, p.shown, p.asked, p.tail = &Report{At: at, line: p.log.Lines}, 0, 0, 0, 0
	p.at.Asker.Order = -1
	if p.lately(p.hint.line, hintLines) {
		p.at.hinted, p.hint = p.hint.name, hint{}
	}
	return p.at
}

// close ends the report that is open, if it says anything.
func (p *Reader) close() {
	r := p.at
	p.at, p.inTable, p.inStat, p.inSlab, p.group = nil, false, false, false, false
	if r == nil {
		return
	}
	if r.Asker.Name == "" {
		r.Asker.Name = r.hinted
	}
	r.conclude()
	if r.failed && !r.Called {
		if r.Info != nil {
			p.log.State = r // the last: a host that is short of memory has hundreds
		}
		return
	}
	if !r.Called && r.Info == nil && len(r.Table.Tasks) == 0 && len(r.Zones) == 0 {
		return // who asked for memory alone is no report
	}
	r.Table.sumUp(p.cols, r.tableSize())
	p.cols = columns{}
	p.keep(r)
}

// current is the report that a part belongs to; a part that comes without the
// beginning opens one.
func (p *Reader) current(at Stamp) *Report {
	if p.at == nil {
		asked := p.manual(at)
		p.open(at).Manual = asked
	}
	return p.at
}

// next is the report that ends without a victim; where the one before has named some, it is another.
func (p *Reader) next(at Stamp) *Report {
	asked := p.manual(at)
	if p.at != nil && (len(p.at.Victims) > 0 || p.at.Shown) {
		p.close()
	}
	r := p.current(at)
	r.Called, r.Manual = true, r.Manual || asked
	return r
}

// take reads a whole line of the kernel, of systemd, or of nobody in particular.
func (p *Reader) take(l line) {
	s := l.text
	if s == "" {
		return
	}
	if l.from == fromSystemd {
		p.systemd(l)
		return
	}
	if p.sizes(l) {
		return
	}
	switch {
	case strings.Contains(s, " oom-killer"):
		// People shorten it; without anything behind it only a line with a time is one.
		m := reInvoked.FindStringSubmatch(s)
		if m != nil && !quotes(m[1]) && (m[2] != "" || strings.HasSuffix(s, ":") ||
			l.from == fromKernel ||
			l.at.Text != "" || l.at.Boot >= 0) {
			asked := p.manual(l.at)
			r := p.open(l.at)
			r.Manual, r.Called = asked, true
			p.asker(r, m[1], m[2])
			return
		}
		if m != nil && !strings.ContainsAny(m[1], " '\"`") && len(m[1]) <= maxComm {
			p.unhinted()
			p.hint = hint{m[1], s, p.log.Lines}
			return
		}
	case strings.HasPrefix(s, "oom-kill:"):
		p.summary(l)
		return
	case strings.HasPrefix(s, "pid ") && p.bsd(l):
		return
	case strings.Contains(s, "process "), strings.HasPrefix(s, "oom_reaper: "),
		strings.Contains(s, " total-vm:") && outOf(s):
		if p.kill(l) {
			return
		}
	case strings.HasPrefix(s, "Tasks in "):
		if m := reGroup.FindStringSubmatch(s); m != nil {
			r := p.current(l.at)
			r.WholeGroup, p.group, r.TaskGroup = true, true, m[1]
			return
		}
	}
	low := ""
	if c := s[0] | 0x20; c == 'o' || c == 's' || c == 'k' { // as those below begin
		low = strings.ToLower(s[:min(len(s), 120)])
	}
	switch {
	case low == "":
	case strings.HasPrefix(low, "out of memory and no killable"),
		strings.HasPrefix(low, "system is deadlocked on memory"):
		p.next(l.at).NoVictim = true
		p.at.Panic = p.at.Panic || strings.HasPrefix(low, "system")
		p.at.wholeHost = p.at.wholeHost || strings.HasPrefix(low, "system")
		return
	case strings.HasPrefix(low, "kernel panic - not syncing: out of memory"),
		strings.HasPrefix(low, "kernel panic - not syncing: system is deadlocked"):
		r := p.next(l.at)
		r.Panic = true
		r.PanicOnOOM = r.PanicOnOOM || strings.Contains(low, "panic_on_oom")
		r.NoVictim = r.NoVictim || strings.Contains(low, "no killable") || strings.Contains(low, "deadlocked")
		// It panics for no control group, but where vm.panic_on_oom = 2 asks for it.
		r.wholeHost = r.wholeHost || r.NoVictim || strings.Contains(low, "system-wide panic_on_oom")
		return
	}
	if p.other(l) || p.onlooker(l) {
		return
	}
	if !p.body(l) {
		p.unread(s)
	}
}

// maxComm is how long the name of a task may be.
const maxComm = 15

// hint is a line that names who asked for memory, and nothing else: the lines behind it show whether it was one of the
// kernel's or a title.
type hint struct {
	name, text string
	line       int // its number; 0: there is none
}

// hintLines is how far the rest of the report may be: it follows at once, or behind an empty line or a remark.
const hintLines = 3

// unhinted counts such a line among those that were not understood, where no report is of that task.
func (p *Reader) unhinted() {
	h := p.hint
	p.hint = hint{}
	if h.line > 0 && !slices.ContainsFunc(p.log.Reports, func(r Report) bool { return r.Asker.Name == h.name }) {
		p.unread(h.text)
	}
}

// asker reads who wanted memory.
func (p *Reader) asker(r *Report, name, rest string) {
	r.Asker.Name = name
	if m := reLocal.FindStringSubmatch(name); m != nil {
		r.Asker.Name = m[2]
		r.Asker.PID, _ = strconv.Atoi(m[1])
	}
	for _, m := range reField.FindAllStringSubmatch(rest, 8) {
		n, err := strconv.Atoi(m[2])
		switch {
		case m[1] == "gfp_mask":
			r.Asker.GFP = m[2]
		case err != nil:
		case m[1] == "order" && n == -1: // what SysRq f asks with, from 4.4 on
			r.Manual = true
		case m[1] == "order" && n >= 0 && n <= 64:
			r.Asker.Order = n
		case m[1] == "oom_score_adj" && n >= -1000 && n <= 1000:
			r.Asker.Adj = &n
		}
	}
}

// summary reads «oom-kill:constraint=…», whose lists have commas of their own.
func (p *Reader) summary(l line) {
	if p.turned(l) {
		return
	}
	if p.at != nil && (len(p.at.Victims) > 0 || p.at.named.PID > 0 || p.at.Shown) {
		p.close() // another report whose beginning is missing
	}
	r := p.current(l.at)
	r.Called = true
	if m := reSummary.FindStringSubmatch(l.text); m != nil {
		r.From = BySummary
		switch m[1] {
		case "NONE":
			r.Constraint = Global
		case "MEMCG":
			r.Constraint = Memcg
		case "CPUSET":
			r.Constraint = CPUSet
		case "MEMORY_POLICY":
			r.Constraint = Policy
		}
	}
	if m := reChosen.FindStringSubmatch(l.text); m != nil {
		r.named = Victim{At: l.at, Name: m[1], UID: -1}
		r.named.PID, _ = strconv.Atoi(m[2])
		r.named.setUID(m[3])
	}
	for _, f := range strings.Split(l.text, ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(f), "=")
		switch k {
		case "oom_memcg":
			r.Group = v
		case "task_memcg":
			r.TaskGroup = v
		case "cpuset":
			r.Asker.Container = containerIn(v)
		}
	}
	r.Table.Ended = r.Table.Ended || p.inTable
	r.Nodes = nodesOf(l.text, r.Constraint)
	if r.Constraint == Global && r.Group != "" && !strings.Contains(l.text, ",global_oom") {
		r.Constraint = Memcg // as kernels around 5.0 wrote it of a control group
	}
	p.inTable, p.inStat, p.inSlab = false, false, false
}

// reNodes are the nodes of a memory policy and those of a cpuset.
var reNodes = regex.New(`\b(nodemask|mems_allowed)=(\d{1,5}(?:[-,]\d{1,5}){0,64})`)

// nodesOf are the nodes that a request was restricted to.
func nodesOf(text string, c Constraint) (nodes string) {
	for _, m := range reNodes.FindAllStringSubmatch(text, 2) {
		if c == Policy && m[1] == "nodemask" || c == CPUSet && m[1] == "mems_allowed" {
			nodes = m[2]
		}
	}
	return nodes
}

// turned takes what such a line tells of the kill before it, in lines whose order a person has turned around.
func (p *Reader) turned(l line) bool {
	m := reChosen.FindStringSubmatch(l.text)
	if m == nil || p.at == nil || len(p.at.Victims) != 1 || p.at.named.PID > 0 || p.at.Asker.Name != "" ||
		strconv.Itoa(p.at.Victims[0].PID) != m[2] || p.at.Victims[0].Name != m[1] {
		return false
	}
	r := p.at
	r.named = Victim{At: l.at, Name: m[1], PID: r.Victims[0].PID, UID: -1}
	r.named.setUID(m[3])
	if r.Victims[0].UID < 0 {
		r.Victims[0].UID = r.named.UID
	}
	for _, f := range strings.Split(l.text, ",") {
		switch k, v, _ := strings.Cut(strings.TrimSpace(f), "="); k {
		case "oom_memcg":
			r.Group = v
		case "task_memcg":
			r.TaskGroup = v
		}
	}
	return true
}

// other reads lines about memory that are no part of a report.
func (p *Reader) other(l line) bool {
	s := l.text
	if strings.HasPrefix(s, "__vm_enough_memory:") {
		if m := reRefused.FindStringSubmatch(s); m != nil {
			pid, _ := strconv.Atoi(m[1])
			p.add(Other{At: l.at, Kind: Refused, Name: m[2], PID: pid, Text: s})
		}
		return true
	}
	if m := reSysRq.FindStringSubmatch(s); m != nil {
		p.close()
		if m[1] == sysRqKill {
			p.asked, p.askedAt, p.shown = p.log.Lines, l.at, 0
			p.add(Other{At: l.at, Kind: AskedKill, Text: s})
		} else {
			p.open(l.at).Shown = true
		}
		return true
	}
	if strings.Contains(s, ": page allocation stalls for ") {
		p.shown = p.log.Lines
		return true
	}
	if p.allocation(l) {
		return true
	}
	if l.from == bare && (strings.Contains(s, "Killed") && strings.Contains(s, "OOM") ||
		strings.Contains(s, "container init was OOM-killed") ||
		strings.Contains(s, "TaskOOM event") || strings.Contains(s, "OutOfMemoryError: Container killed") ||
		strings.HasPrefix(s, "container oom ")) && p.container(l) {
		return true
	}
	if strings.Contains(s, "low on resource: ") && p.evicted(l) {
		return true
	}
	if l.from == bare && p.toldOf(l) {
		return true
	}
	if l.from == bare && (strings.HasPrefix(s, "sending SIG") || strings.HasPrefix(s, "process ") ||
		strings.HasPrefix(s[1:], "illing process ") || strings.HasPrefix(s, "escalating to SIG") ||
		strings.HasPrefix(s, "mem avail: ")) && p.earlyoom(l) {
		return true
	}
	if strings.Contains(s, "oom-kill event") || strings.Contains(s, "oom_kill event") {
		if m := reSlurm.FindStringSubmatch(s); m != nil {
			o := Other{At: l.at, Kind: SlurmKilled, Name: m[2], Text: s}
			o.Processes, _ = strconv.Atoi(m[1])
			p.add(o)
			return true
		}
	}
	if strings.Contains(s, "[talos] Sending SIGKILL") && p.talos(l) {
		return true
	}
	if l.from == bare && (strings.Contains(s, " OOM killer") || strings.Contains(s, "'oom-kill'") ||
		strings.Contains(s, "systemd-oomd killed") || strings.Contains(s, " memory peak") ||
		strings.HasPrefix(s, "Considered ") || p.lately(p.looked, candidateLines) ||
		(strings.HasPrefix(s, "Killed /") || strings.HasPrefix(s, "Marked /")) && strings.Contains(s, " due to ")) {
		return p.systemd(l)
	}
	return false
}

func (p *Reader) add(o Other) {
	if len(o.Text) > maxText {
		o.Text = o.Text[:maxText]
	}
	if len(p.log.Other) >= maxOther {
		p.log.Cut = true
		return
	}
	p.log.Other = append(p.log.Other, o)
}

// body reads the parts of a report between its beginning and the kill.
func (p *Reader) body(l line) bool {
	s := l.text
	if p.at == nil && p.lately(p.shown, shownLines) {
		return false
	}
	if p.at != nil && p.at.Shown {
		if p.since > shownLines {
			p.close()
		} else if _, row := guess(s); row || strings.Contains(s, "total_vm") {
			return false // such a state has no table
		}
		if p.at != nil && p.at.failed && (begins(s) && !strings.HasPrefix(s, "M") ||
			strings.HasPrefix(s, "Tasks state") || strings.HasPrefix(s, statsFor)) {
			return false // of a kill, whose first line is missing
		}
	}
	if c, ok := header(s); ok {
		if p.at != nil && len(p.at.Victims) > 0 {
			p.close()
		}
		r := p.current(l.at)
		r.Table.Header, r.Called = true, true
		p.cols, p.inTable, p.inStat, p.inSlab = c, true, false, false
		return true
	}
	if p.inTable || strings.HasPrefix(s, "[") {
		if p.cols.names == nil {
			if c, ok := guess(s); ok {
				if _, ok := c.row(s); ok {
					if p.at != nil && len(p.at.Victims) > 0 {
						p.close()
					}
					p.current(l.at).Called = true
					p.cols, p.inTable = c, true
				}
			}
		}
		if p.at != nil && p.cols.names != nil {
			if t, ok := p.cols.row(s); ok {
				if len(p.at.Table.Tasks) < maxTasks {
					p.at.Table.Tasks = append(p.at.Table.Tasks, t)
				} else {
					p.log.Cut = true
				}
				return true
			}
		}
		if p.inTable && p.at != nil && len(p.at.Table.Tasks) > 0 && !strings.HasPrefix(s, "[") &&
			(l.from == fromKernel || l.at.Boot >= 0 || l.at.Text != "") {
			p.at.Table.Ended = true
		}
	}
	if begins(s) {
		// They stand before the table: after it another report begins.
		if p.at != nil && (len(p.at.Victims) > 0 || len(p.at.Table.Tasks) > 0) {
			p.close()
		}
		p.current(l.at)
	}
	r := p.at
	if r == nil {
		if !continues(s) {
			return false
		}
		r = p.current(l.at)
	}
	if len(r.Victims) > 0 {
		if !r.bare() || !continues(s) {
			return false // what follows the kill belongs to others
		}
		p.close() // a line of a kill alone, as grep finds it: a report whose beginning is missing follows
		r = p.current(l.at)
	}
	if m := reCPU.FindStringSubmatch(s); m != nil {
		if r.Asker.PID == 0 {
			r.Asker.PID, _ = strconv.Atoi(m[1] + m[2])
		}
		if r.Asker.Name == "" {
			r.Asker.Name = m[3]
		}
		r.Kernel = m[4]
		return true
	}
	if m := reAsks.FindStringSubmatch(s); m != nil {
		if r.Asker.Name == "" {
			r.Asker.Name = m[1]
		}
		r.Asker.Container = containerIn(m[2])
		return true
	}
	switch {
	case strings.HasPrefix(s, "Unreclaimable slab info:"):
		p.inSlab, p.inStat = true, false
	case p.inSlab && r.slab(s):
	case strings.HasPrefix(s, "Tasks state"):
		p.inSlab, p.inStat, r.Called = false, false, true
	case r.frame(s):
	case r.memcg(s, &p.inStat):
	default:
		return r.info(s)
	}
	return true
}

// begins says whether a line is one of those that stand before the table: after it they are of another report.
func begins(s string) bool {
	return strings.HasPrefix(s, "Mem-Info:") || strings.HasPrefix(s, "Free pages:") ||
		strings.HasPrefix(s, "Task in ") && reTaskIn.MatchString(s) || strings.HasPrefix(s, "memory: usage ")
}

// continues says whether a line is a part of a report that may come without what stands before it: of one that
// is cut.
func continues(s string) bool {
	switch {
	case strings.HasPrefix(s, "active_anon:"), strings.HasPrefix(s, "Active_anon:"), strings.HasPrefix(s, statsFor),
		strings.HasPrefix(s, "memory+swap: usage "),
		strings.HasPrefix(s, "Active:") && strings.Contains(s, " inactive:"):
		return true
	case strings.HasPrefix(s, "Free swap"), strings.HasPrefix(s, "Total swap"):
		return reSwap.MatchString(s)
	case strings.HasPrefix(s, "Node "):
		return reNode.MatchString(s) || strings.Contains(s, " free:") && reZone.MatchString(s)
	}
	return isFrame(s) && strings.Contains(s, "oom_kill_process") || reAsks.MatchString(s)
}

// conclude works out what only the whole report tells.
func (r *Report) conclude() {
	if len(r.Victims) == 0 && r.named.PID > 0 && !r.NoVictim && !r.Panic {
		r.Victims = append(r.Victims, r.named) // the line of the kill is cut, or was left out
	}
	kept := r.Victims[:0]
	for _, v := range r.Victims {
		for i := range r.Table.Tasks {
			if t := &r.Table.Tasks[i]; v.Name == "" && t.PID == v.PID {
				v.Name = t.Name
			}
		}
		if r.named.PID > 0 && r.named.PID == v.PID && v.UID < 0 {
			v.UID = r.named.UID
		}
		if v.Name == "" && r.named.PID == v.PID {
			v.Name = r.named.Name
		}
		kept = append(kept, v)
	}
	r.Victims = kept
	if r.Constraint == Unclear {
		switch {
		case r.Memcg != nil:
			r.Constraint, r.From = Memcg, ByGroup
		default:
			if c := r.trace.constraint(); c != Unclear {
				r.Constraint, r.From = c, ByTrace
			}
		}
	}
	if r.Constraint == Unclear && r.wholeHost {
		r.Constraint, r.From = Global, ByPanic
	}
	r.inferPage()
	r.sumNodes()
}

// foreign says whether a text is of a person: the kernel's own are ASCII, but for a name.
func foreign(text string) bool {
	const most = 8 // such letters: a name has 15 bytes, and so seven of two bytes
	n := 0
	for _, r := range text {
		if r >= utf8.RuneSelf && unicode.IsLetter(r) {
			n++
		}
	}
	return n >= most
}

// marks are words of a kill: a line that has one and is not understood is told to be there.
var marks = []string{"Killed process ", "Kill process ", "oom-killer", "oom-kill:", "System OOM encountered"}

// reSearch is a command that looks for such lines.
var reSearch = regex.New(`^(?:\S{0,64}[#$%>] ?)?(?:sudo )?(?:journalctl|dmesg|z?[ef]?grep|cat|tail|less|awk|sed|` +
	`watch|kubectl|docker|oc|ls|find)\b.*(?:grep|awk|sed|-i|-e|--grep|-k|/var/log|\|)`)

// reMention is what people call such a kill.
var reMention = regex.New(`(?i)\bOOM[-_ ]?kill`)

// unread counts a line that tells of a kill and was not understood.
func (p *Reader) unread(text string) {
	if reSearch.MatchString(text) || strings.HasSuffix(text, ":") && !strings.Contains(text, "invoked") &&
		!strings.Contains(text, "process ") {
		return // a command, or a title; a line of the kernel that is cut may end so too
	}
	if p.log.Mention == "" && reMention.MatchString(text) && !denied(text) {
		p.log.Mention = text[:min(len(text), maxFirst)]
	}
	if foreign(text) || strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "## ") {
		return // a person's words; a title
	}
	for _, m := range marks {
		i := strings.Index(text, m)
		if i < 0 || strings.Contains(text[:i], "`") && !reSized.MatchString(text[i:]) {
			continue // a sentence that quotes words of it
		}
		what := strings.TrimSpace(m)
		for i := range p.log.Unread {
			if u := &p.log.Unread[i]; u.What == what {
				u.Lines++
				return
			}
		}
		p.log.Unread = append(p.log.Unread, Unread{What: what, Lines: 1, First: text[:min(len(text), maxFirst)]})
		return
	}
}
