package paste

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// window is the lines that a recognizer may take, from the one that is asked about to the
// next prompt, fence or rule, with the command before them.
type window struct {
	lines   []line
	command string
	name    string // of the file, where the part may be all of it
	whole   bool   // the window begins where the content of its file does
	at      bool   // the command stands behind a prompt that names the host
	tries   *int   // that are left of what reads far before it knows
	before  []line // that stand above
	item    bool   // the mark of an item was taken off
}

// mostFar is how often a file may begin what has to be read far, such as JSON, and turn out
// to be nothing: a hostile one would be gone through for each of its lines.
const mostFar = 200

// farLines is how far such a thing is read at most.
const farLines = 20_000

// far says whether one more such thing may be tried, and returns its lines.
func (w *window) far() ([]line, bool) {
	if w.tries == nil || *w.tries <= 0 {
		return nil, false
	}
	*w.tries--
	return w.lines[:min(len(w.lines), farLines)], true
}

func (w *window) t(i int) string {
	if i < len(w.lines) {
		return w.lines[i].t
	}
	return ""
}

// found is what a recognizer took.
type found struct {
	n     int // lines; 0: nothing
	sure  Sure
	kind  Kind // where a recognizer has several
	facts []Fact
	notes []string
	body  []string // plain lines, for the evidence; nil: the lines that were taken
	of    string
	host  string
	// answered is which of the commands in the line it is of, from 1; 0: by its kind
	answered int
}

func (f *found) add(facts ...Fact) {
	if len(f.facts)+len(facts) <= maxFacts {
		f.facts = append(f.facts, facts...)
	}
}

// recognizer is a kind with the function that takes its lines.
type recognizer struct {
	kind Kind
	read func(*window) found
}

// ReadAll reads texts that are of one host, or of several: then the parts of the named one are used, of
// the one with the most parts where none is named.
func ReadAll(in []Input, host string) *Read {
	r := &Read{Schema: Schema, Files: []File{}, Hosts: []string{}, Parts: []Part{}, Unrecognized: []Stretch{},
		Conflicts: []Conflict{}}
	left := MaxText
	for _, i := range in {
		text := i.Text[:min(len(i.Text), left)]
		left -= len(text)
		r.file(i.Name, text)
	}
	r.settle(host)
	return r
}

// scanner goes through one file.
type scanner struct {
	r             *Read
	file          string
	lines         []line
	host, command string
	prompted      bool    // the prompt before the command names the host
	remote        string  // where the command ran, where that is another host
	several       string  // the command that was run on several hosts
	gap           Stretch // that is open
	gapAt         int     // its last line, by its place among the lines
	begun         bool    // content was seen
	tries         int     // see window
	messages      int     // that were looked into
	plain         [6]*plain
}

func (r *Read) file(name string, text []byte) {
	lines := split(text)
	commands(lines)
	r.Files = append(r.Files, File{Name: name, Lines: last(lines)})
	r.Lines.Total += len(lines)
	s := &scanner{r: r, file: name, lines: lines, tries: mostFar}
	for i := 0; i < len(lines); {
		i += s.at(i)
	}
	s.close()
}

// last is the number of the last line.
func last(lines []line) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[len(lines)-1].number
}

// at reads what begins at a line, and says how many lines that was.
func (s *scanner) at(i int) int {
	l := &s.lines[i]
	switch l.is {
	case blank, rule, elided:
		s.r.Lines.Blank++
		if l.is == rule {
			s.close()
		}
		return 1
	case fence:
		s.r.Lines.Blank++
		s.close()
		if strings.Trim(l.t, "`~") == "" { // the host of a session is not known behind it
			s.host = ""
		}
		return 1
	case command:
		if f := typed(l.command); f.n > 0 {
			if l.host != "" {
				s.host = l.host
			}
			s.command, s.remote = "", remote(l.command)
			n := s.part(&window{lines: s.lines[i : i+1]}, i, f)
			if f.kind == SysctlSet { // what it prints follows
				s.command = inner(l.command)
			}
			return n
		}
		s.r.Lines.Commands++
		s.close()
		if l.host != "" {
			s.host = l.host
		}
		s.prompted = l.host != ""
		switch {
		case l.command == forAll:
			s.command, s.remote = s.several, ""
		case l.command != "":
			s.command = inner(l.command)
			s.remote = remote(l.command)
			if m := rePodShell.FindStringSubmatch(l.command); m != nil { // what follows is typed in the pod
				s.host = m[1]
			}
			s.several = s.command
		}
		return 1
	}
	if l.opens {
		s.close()
	}
	w := &window{lines: s.lines[i:l.end], command: s.command, name: s.file, whole: !s.begun, tries: &s.tries,
		at: s.prompted, before: before(s.lines, i)}
	s.begun = true
	if n := s.recognize(w, i); n > 0 {
		return n
	}
	if reDateLine.MatchString(l.t) { // of a loop
		s.r.Lines.Commands++
		s.close()
		return 1
	}
	if reDashes.MatchString(l.t) {
		s.r.Lines.Blank++
		s.close()
		return 1
	}
	s.skip(i)
	return 1
}

// reDashes is a rule of Markdown, which may be the rule of a table too.
var reDashes = regex.New(`^(?:-{3}|\*{3}|_{3}|\* \* \*)$`)

// reDateLine is the output of date, in the order of any language.
var reDateLine = regex.New(`^\p{L}{2,5}[.,]? (?:\p{L}{3,5}\.? {1,2}\d{1,2}|\d{1,2}\.? \p{L}{3,5}\.?),? ` +
	`(?:\d{4},? )?\d\d:\d\d:\d\d(?: [AP]M)?(?: [A-Z+-][\w+-]{1,6})?(?: \d{4})?$`)

// recognize asks each recognizer, with the lines as they are and then without what a
// journal, a container's log or a comment puts before each.
func (s *scanner) recognize(w *window, i int) int {
	if len(s.r.Parts) >= maxParts {
		return 0
	}
	if f, ok := ask(w, all); ok {
		return s.part(w, i, f)
	}
	for k := range wrappers {
		if p, host := s.unwrapped(w, i, k); p != nil {
			if f, ok := ask(p, wrappers[k].of); ok {
				if f.host == "" {
					f.host = host
				}
				return s.part(p, i, f)
			}
		}
	}
	if n := s.embedded(w, i); n > 0 {
		return n
	}
	if n := s.rewrapped(w, i); n > 0 {
		return n
	}
	if f, ok := logs(w); ok {
		return s.part(w, i, f)
	}
	if f := readProse(w); f.n > 0 {
		return s.part(w, i, f)
	}
	return 0
}

func ask(w *window, of func(Kind) bool) (found, bool) {
	for _, k := range recognizers {
		if !of(k.kind) {
			continue
		}
		f := k.read(w)
		if f.n > 0 {
			if f.kind == "" {
				f.kind = k.kind
			}
			if f.sure == "" {
				f.sure = Certain
			}
			return f, true
		}
	}
	return found{}, false
}

func all(Kind) bool { return true }

// notProse are the kinds that are looked for behind the head of a journal: those whose
// lines cannot be prose.
func notProse(k Kind) bool { return k != PostgresConf && k != PgHBA && k != Explain && k != Answer }

// remarked are those that are looked for in remarks. A line of a configuration that is a
// remark is one that is not in force.
func remarked(k Kind) bool {
	return notProse(k) && k != Fstab && k != Sysctl && k != Unit && k != Cmdline
}

func (s *scanner) part(w *window, i int, f found) int {
	s.close()
	n := min(f.n, len(w.lines))
	for n > 1 && w.lines[n-1].is == blank {
		n--
	}
	body := f.body
	if body == nil {
		for _, l := range w.lines[:n] {
			body = append(body, l.text)
		}
	}
	p := Part{Kind: f.kind, File: s.file, First: s.lines[i].number, Last: s.lines[i+n-1].number,
		Sure: f.sure, Host: s.host, Command: s.command,
		Facts: f.facts, Notes: f.notes, body: body, of: f.of}
	if s.remote != "" {
		p.Host = s.remote
	}
	if f.host != "" {
		p.Host = f.host
	}
	if p.Facts == nil {
		p.Facts = []Fact{}
	}
	if p.Host != "" && !slices.Contains(s.r.Hosts, p.Host) {
		s.r.Hosts = append(s.r.Hosts, p.Host)
	}
	s.r.Parts = append(s.r.Parts, p)
	s.r.Lines.Recognized += n
	s.command = behind(s.command, f)
	return n
}

// skip notes a line that nothing was recognized in.
func (s *scanner) skip(i int) {
	l := &s.lines[i]
	s.r.Lines.Unrecognized++
	if s.gap.Lines == 0 {
		s.gap = Stretch{File: s.file, First: l.number, Text: l.raw[:min(len(l.raw), maxShown)]}
		s.gap.Text = strings.ToValidUTF8(strings.TrimRight(s.gap.Text, " \t"), "\ufffd")
	}
	s.gap.Lines++
	s.gap.Last, s.gapAt = l.number, i
}

func (s *scanner) close() {
	if s.gap.Lines > 0 {
		s.r.Unrecognized = append(s.r.Unrecognized, s.gap)
		if s.lines[s.gapAt].is == content && s.gap.Lines > 2 { // prose: a command above it is not of what follows
			s.command = ""
		}
	}
	s.gap = Stretch{}
}

// What stands before each line of another's output.
var wrappers = [6]struct {
	re *regex.Regex // a host or a file, and what is behind it
	of func(Kind) bool
}{
	{regex.New(
		`^(?:\p{L}{3,5}\.? +\d{1,2}|\d{4}-\d\d-\d\d)[ T]\d\d:\d\d:\d\d\S* ([\w.-]{1,255}) [\w@.()/-]{1,64}(?:\[` +
			`\d{1,10}\])?: ?(.*)$`), notProse},
	{regex.New(`^()[\w.-]{1,64} +\| (.*)$`), notProse},            // docker compose logs
	{regex.New(`^()(?:#|//|\*|;|--|[|+]) ?(\s*\S.*)$`), remarked}, // a comment, a diff
	// what grep puts before a line: its file, its number
	{regex.New(`^((?:\.{0,2}/)?[\w@+-][\w.@+/:\\-]{0,300}?[./][\w.@+\\-]{1,100}|/[\w.@+/:\\-]{1,300}):(?:\d{1,6}` +
		`[:-])?(\s*\S.*)$`),
		all},
	{regex.New(`^()\d{1,6}(?:[:-]|\t) ?(\s*[#a-zA-Z_].*)$`), all},
	// an item of a list, code within a line
	{regex.New("^()(?:[-*•·] +`?|\\d{1,2}[.)] +`?|`)([^`]+?)`?[.,;]?$"), listed},
}

// listed are the kinds of which people make lists: lines that say one thing each.
func listed(k Kind) bool { return k == PostgresConf || k == Sysctl || k == Uname || k == Version }

// wrappers that are known by their place
const (
	ofRemarks = 2
	ofFile    = 3 // names a file
)

// reExpected is what the remarks of a manual say before an output that nobody had.
var reExpected = regex.New(`(?i)^(?:#|//|--) ?(?:expected|sample|example|should (?:show|print|see|return))\b`)

const remarksNear = 8 // lines between such a remark and what it is of

// expected says whether remarks are such an output, by those that stand right above.
func expected(lines []line) bool {
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-remarksNear && lines[i].is != blank; i-- {
		if reExpected.MatchString(lines[i].t) {
			return true
		}
	}
	return false
}

// plain is a file without what one of the wrappers finds before its lines, made once.
type plain struct{ lines []line }

func unprefixed(lines []line, k int) plain {
	p := plain{make([]line, len(lines))}
	for i := range lines {
		l := lines[i]
		if l.is != blank {
			m := wrappers[k].re.FindStringSubmatch(l.t)
			if m == nil {
				l = line{is: fence}
			} else {
				l.host, l.text = m[1], strings.TrimRight(m[2], " \t")
				l.t = strings.TrimLeft(l.text, " \t")
				l.is = content
				if l.t == "" {
					l.is = blank
				}
			}
		}
		p.lines[i] = l
	}
	end, host := len(lines), ""
	for i := len(lines) - 1; i >= 0; i-- {
		l := &p.lines[i]
		switch {
		case l.is == fence:
			end, host = i, ""
		case l.is == content && host != "" && l.host != host:
			end = i + 1
			fallthrough
		case l.is == content:
			host = l.host
		}
		l.end = min(end, max(lines[i].end, i))
	}
	return p
}

// unwrapped returns the window without what one wrapper finds before each of its lines,
// and the host that it names.
func (s *scanner) unwrapped(w *window, i, k int) (*window, string) {
	if !wrappers[k].re.MatchString(w.t(0)) {
		return nil, ""
	}
	if s.plain[k] == nil {
		p := unprefixed(s.lines, k)
		s.plain[k] = &p
	}
	if k == ofRemarks && expected(before(s.lines, i)) {
		return nil, ""
	}
	lines := s.plain[k].lines
	end := lines[i].end
	if end <= i {
		return nil, ""
	}
	p := &window{command: w.command, name: w.name, tries: w.tries, lines: lines[i:end], before: before(lines, i)}
	if _, p.item = itemOf(w.t(0)); p.item { // a list is looked at as it stands
		p.before = before(s.lines, i)
	}
	if k == ofFile {
		p.command = "cat " + lines[i].host
		return p, ""
	}
	return p, hostOf(lines[i].host)
}
