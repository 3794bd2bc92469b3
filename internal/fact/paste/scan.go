package paste

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/database"
	"github.com/pgfettle/pgfettle/internal/fact/paste/input"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prose"
	"github.com/pgfettle/pgfettle/internal/fact/paste/system"
)

// recognizer is a kind with the function that takes its lines.
type recognizer struct {
	kind part.Kind
	read func(*part.Window) part.Found
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
	lines         []part.Line
	host, command string
	prompted      bool     // the prompt before the command names the host
	typed         bool     // the command stands behind a prompt
	earlier       []string // commands above the command, with no output between
	remote        string   // where the command ran, where that is another host
	several       string   // the command that was run on several hosts
	gap           Stretch  // that is open
	gapAt         int      // its last line, by its place among the lines
	begun         bool     // content was seen
	tries         int      // see part.Window
	messages      int      // that were looked into
	plain         [6]*plain
}

func (r *Read) file(name string, text []byte) {
	lines := input.Lines(text)
	prompt.Mark(lines)
	r.Files = append(r.Files, File{Name: name, Lines: last(lines)})
	r.Lines.Total += len(lines)
	s := &scanner{r: r, file: name, lines: lines, tries: part.MostFar}
	for i := 0; i < len(lines); {
		i += s.at(i)
	}
	s.close()
}

// last is the number of the last line.
func last(lines []part.Line) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[len(lines)-1].Number
}

// at reads what begins at a line, and says how many lines that was.
func (s *scanner) at(i int) int {
	l := &s.lines[i]
	switch l.Is {
	case part.Blank, part.Rule, part.Elided:
		s.r.Lines.Blank++
		if l.Is == part.Rule {
			s.close()
		}
		return 1
	case part.Fence:
		s.r.Lines.Blank++
		s.close()
		if strings.Trim(l.Text, "`~") == "" { // the host of a session is not known behind it
			s.host = ""
		}
		return 1
	case part.Command:
		if f := typed(l.Command); f.N > 0 {
			if l.Host != "" {
				s.host = l.Host
			}
			s.command, s.remote = "", prompt.Remote(l.Command)
			if f.Kind == part.SysctlSet && l.Typed && l.Host != "" { // the prompt of a host: it ran there
				f.Sure, f.Notes = part.Certain, nil
			}
			n := s.part(&part.Window{Lines: s.lines[i : i+1]}, i, f)
			if f.Kind == part.SysctlSet { // what it prints follows
				s.command = prompt.Inner(l.Command)
			}
			return n
		}
		s.r.Lines.Commands++
		s.close()
		if l.Host != "" {
			s.host = l.Host
		}
		s.prompted, s.typed = l.Host != "", l.Typed
		if s.command != "" && l.Command != "" && len(s.earlier) < prompt.MostCommands {
			s.earlier = append(s.earlier, s.command)
		}
		switch {
		case l.Command == prompt.ForAll:
			s.command, s.remote = s.several, ""
		case l.Command != "":
			s.command = prompt.Inner(l.Command)
			s.remote = prompt.Remote(l.Command)
			if m := prompt.PodShell.FindStringSubmatch(l.Command); m != nil { // what follows is typed in the pod
				s.host = m[1]
			}
			s.several = s.command
		}
		return 1
	}
	if l.Opens {
		s.close()
	}
	w := &part.Window{Lines: s.lines[i:l.End], Command: s.command, Name: s.file, Whole: !s.begun, Tries: &s.tries,
		Named: s.prompted, Before: part.Before(s.lines, i)}
	s.begun = true
	if n := s.recognize(w, i); n > 0 {
		return n
	}
	if reDateLine.MatchString(l.Text) { // of a loop
		s.r.Lines.Commands++
		s.close()
		return 1
	}
	if reToClient.MatchString(l.Text) || reBareMessage.MatchString(l.Text) && prompt.Asks(s.command) {
		s.r.Lines.Commands++ // of a session, as its prompts are
		s.close()
		return 1
	}
	if reDashes.MatchString(l.Text) {
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
func (s *scanner) recognize(w *part.Window, i int) int {
	if len(s.r.Parts) >= maxParts {
		return 0
	}
	if f, ok := ask(w, all); ok {
		return s.part(w, i, f)
	}
	for k := range wrappers {
		if p, host := s.unwrapped(w, i, k); p != nil {
			if f, ok := ask(p, wrappers[k].of); ok {
				if f.Host == "" {
					f.Host = host
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
	if f := prose.ReadProse(w); f.N > 0 {
		return s.part(w, i, f)
	}
	return 0
}

func ask(w *part.Window, of func(part.Kind) bool) (part.Found, bool) {
	for _, k := range recognizers {
		if !of(k.kind) {
			continue
		}
		f := k.read(w)
		if f.N > 0 {
			if f.Kind == "" {
				f.Kind = k.kind
			}
			if f.Sure == "" {
				f.Sure = part.Certain
			}
			return f, true
		}
	}
	return part.Found{}, false
}

func all(part.Kind) bool { return true }

// notProse are the kinds that are looked for behind the head of a journal: those whose
// lines cannot be prose.
func notProse(k part.Kind) bool {
	return k != part.PostgresConf && k != part.PgHBA && k != part.Explain && k != part.Answer
}

// remarked are those that are looked for in remarks. A line of a configuration that is a
// remark is one that is not in force.
func remarked(k part.Kind) bool {
	return notProse(k) && k != part.Fstab && k != part.Sysctl && k != part.Unit && k != part.Cmdline
}

func (s *scanner) part(w *part.Window, i int, f part.Found) int {
	s.close()
	n := min(f.N, len(w.Lines))
	for n > 1 && w.Lines[n-1].Is == part.Blank {
		n--
	}
	body := f.Body
	if body == nil {
		for _, l := range w.Lines[:n] {
			body = append(body, l.Indented)
		}
	}
	by := s.printedBy(f.Kind)
	p := Part{Kind: f.Kind, File: s.file, First: s.lines[i].Number, Last: s.lines[i+n-1].Number,
		Sure: f.Sure, Host: s.host, Command: by,
		Facts: f.Facts, Notes: f.Notes, body: body, of: f.Of, planned: f.Planned, typed: s.typed && by != ""}
	if prompt.Writes(s.command) && !s.typed {
		p.Notes = append(p.Notes, prompt.NotSeen)
		p.planned = p.planned || f.Kind != part.PostgresConf
	}
	s.earlier = nil
	if s.remote != "" {
		p.Host = s.remote
	}
	if f.Host != "" {
		p.Host = f.Host
	}
	if p.Facts == nil {
		p.Facts = []part.Fact{}
	}
	if p.Host != "" && !slices.Contains(s.r.Hosts, p.Host) {
		s.r.Hosts = append(s.r.Hosts, p.Host)
	}
	s.r.Parts = append(s.r.Parts, p)
	s.r.Lines.Recognized += n
	switch by {
	case s.command:
		s.command = behind(s.command, f)
	case "":
		s.command = ""
	}
	return n
}

// printedBy is the command that a part is of: the one before it, or one above that where that prints no such thing.
func (s *scanner) printedBy(kind part.Kind) string {
	if prompt.May(s.command, kind) {
		return s.command
	}
	for _, c := range slices.Backward(s.earlier) {
		if prompt.Prints(c, kind) {
			return c
		}
	}
	return ""
}

// skip notes a line that nothing was recognized in.
func (s *scanner) skip(i int) {
	l := &s.lines[i]
	s.r.Lines.Unrecognized++
	s.earlier = nil
	if s.gap.Lines == 0 {
		s.gap = Stretch{File: s.file, First: l.Number, Text: l.Raw[:min(len(l.Raw), part.MaxShown)]}
		s.gap.Text = strings.ToValidUTF8(strings.TrimRight(s.gap.Text, " \t"), "\ufffd")
	}
	s.gap.Lines++
	s.gap.Last, s.gapAt = l.Number, i
}

func (s *scanner) close() {
	if s.gap.Lines > 0 {
		s.r.Unrecognized = append(s.r.Unrecognized, s.gap)
		if s.lines[s.gapAt].Is == part.Content && s.gap.Lines > 2 { // prose: a command above it is not of what follows
			s.command = ""
		}
	}
	s.gap = Stretch{}
}

// What stands before each line of another's output.
var wrappers = [6]struct {
	re *regex.Regex // a host or a file, and what is behind it
	of func(part.Kind) bool
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
func listed(k part.Kind) bool {
	return k == part.PostgresConf || k == part.Sysctl || k == part.Uname || k == part.Version ||
		k == part.DockerStats
}

// wrappers that are known by their place
const (
	ofRemarks = 2
	ofFile    = 3 // names a file
)

// reExpected is what the remarks of a manual say before an output that nobody had.
var reExpected = regex.New(`(?i)^(?:#|//|--) ?(?:expected|sample|example|should (?:show|print|see|return))\b`)

// reCaptured is what they say before one that a server did have.
var reCaptured = regex.New(`(?i)\b(?:captured|measured|recorded|actual|taken|real) (?:output|from|on|in|at` +
	`|against|during)\b|` +
	`\b(?:output|run) (?:captured|measured|recorded|taken)\b`)

const remarksNear = 8 // lines between such a remark and what it is of

// expected says whether remarks are such an output, by those that stand right above.
func expected(lines []part.Line) bool {
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-remarksNear && lines[i].Is != part.Blank; i-- {
		if reExpected.MatchString(lines[i].Text) {
			return !reCaptured.MatchString(lines[i].Text)
		}
	}
	return false
}

// plain is a file without what one of the wrappers finds before its lines, made once.
type plain struct{ lines []part.Line }

func unprefixed(lines []part.Line, k int) plain {
	p := plain{make([]part.Line, len(lines))}
	for i := range lines {
		l := lines[i]
		if l.Is != part.Blank {
			m := wrappers[k].re.FindStringSubmatch(l.Text)
			if m == nil {
				l = part.Line{Is: part.Fence}
			} else {
				l.Host, l.Indented = m[1], strings.TrimRight(m[2], " \t")
				l.Text = strings.TrimLeft(l.Indented, " \t")
				l.Is = part.Content
				if l.Text == "" {
					l.Is = part.Blank
				}
			}
		}
		p.lines[i] = l
	}
	end, host := len(lines), ""
	for i := len(lines) - 1; i >= 0; i-- {
		l := &p.lines[i]
		switch {
		case l.Is == part.Fence:
			end, host = i, ""
		case l.Is == part.Content && host != "" && l.Host != host:
			end = i + 1
			fallthrough
		case l.Is == part.Content:
			host = l.Host
		}
		l.End = min(end, max(lines[i].End, i))
	}
	return p
}

// unwrapped returns the window without what one wrapper finds before each of its lines,
// and the host that it names.
func (s *scanner) unwrapped(w *part.Window, i, k int) (*part.Window, string) {
	if !wrappers[k].re.MatchString(w.Text(0)) {
		return nil, ""
	}
	if s.plain[k] == nil {
		p := unprefixed(s.lines, k)
		s.plain[k] = &p
	}
	if k == ofRemarks && expected(part.Before(s.lines, i)) {
		return nil, ""
	}
	lines := s.plain[k].lines
	end := lines[i].End
	if end <= i {
		return nil, ""
	}
	p := &part.Window{Command: w.Command, Name: w.Name, Tries: w.Tries, Lines: lines[i:end],
		Before: part.Before(lines, i)}
	if _, p.Item = prose.Item(w.Text(0)); p.Item { // a list is looked at as it stands
		p.Before = part.Before(s.lines, i)
	}
	if k == ofFile {
		p.Command = "cat " + lines[i].Host
		return p, ""
	}
	return p, hostOf(lines[i].Host)
}

// typed is what a command itself says.
func typed(command string) (f part.Found) {
	if v, ok := database.Altered(command); ok {
		return part.Found{N: 1, Kind: part.AlterSystem, Sure: part.Likely, Facts: []part.Fact{v},
			Notes: []string{prompt.NotSeen}}
	}
	if f = database.StartedBy(command); f.N > 0 ||
		!strings.Contains(command, "sysctl") && !strings.Contains(command, "echo") {
		return f
	}
	return system.Sets(command)
}

// behind is what is left of several commands in a line, of which one has been answered.
func behind(command string, f part.Found) string {
	if reLoop.MatchString(command) { // all of it is answered again
		return command
	}
	list := prompt.Commands(command)
	if len(list) < 2 {
		return ""
	}
	at := f.Answered - 1
	if at < 0 {
		at = 0
		for i, c := range list {
			if strings.Contains(c, strings.ReplaceAll(string(f.Kind), "_", "")) {
				at = i
				break
			}
		}
	}
	return strings.Join(list[at+1:], "; ")
}

var reLoop = regex.New(`^(?:while|for|watch)\s|;\s*do\s`)
