package queryplan

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

var (
	errNodes = say.Err("a plan of too many nodes, or nested too deeply")
	errPlans = say.Err("more plans than can be read")
	// estimated and measured are the end of a node's line, each of which may be missing.
	estimated = regex.New(`\(cost=([\d.]+)\.\.([\d.]+) +rows=(\d[\d.]*)(?: width=(\d+))?\)`)
	measured  = regex.New(`\(actual (?:time=(?:([\d.]+)\.\.)?([\d.]+) +)?rows=(\d[\d.]*)(?: +loops=([\d.]+))?\)` +
		// people who shorten a plan leave out how many rows, and when the first came
		`|\(actual time=(?:([\d.]+)\.\.)?([\d.]+)(?: +loops=([\d.]+))?\)`)
	// shortened is a node without figures, and what a person put in parentheses behind it
	shortened = regex.New(`^([^(]+?) +\((.*)\)$`)
	// detail begins a property among several
	detail    = regex.New(`, +[A-Z][\w ]{2,30}[:=]`)
	workerAct = regex.New(`^actual (?:time=([\d.]+)\.\.([\d.]+) )?rows=([\d.]+) loops=([\d.]+)`)
	planTimes = regex.New(`(?i)\b(Planning Time|Execution Time|Total runtime)\*{0,2} ?: ?\*{0,2} ?([\d.,]+) ms`)
	// saidTime is such a time in the words of a person: a line of its own
	saidTime = regex.New(`(?i)^(?:[-*•] ?)?\*{0,2}(?:(plan(?:ning)?(?: time)?)|(?:total |query )?(?:execution` +
		`|exec|run|runtime|` +
		`elapsed|total|query)(?:[ -]?(?:time|duration))?|total (?:runtime|duration)|(?:tiempo|temps|tempo) (?:total|` +
		`de ejecuci[óo]n|d'ex[ée]cution|de execu[çc][ãa]o)|gesamt(?:zeit|laufzeit)|ausf[üu]hrungszeit|` +
		`время выполнения|общее время|执行时间|執行時間|実行時間)\*{0,2} ?[:=：≈~]+\*{0,2} ?(?:~|≈|about )? ?` +
		`(\d[\d.,  ]*) ?(ms|milliseconds|s|secs?|seconds|min|minutes|мс|с|сек)\b\.?(?: *[(<←—–].*)?$`)
	// psql's \timing, whose words are translated, and that of pgcli and others, in seconds
	clock = regex.New(`^[\p{L}]+ ?: ([\d.,]+) ?([\p{L}]+)(?: \(.*\)(?:, executed in: .*)?)?$`)
	// botTime is a time of the whole plan as the bot of Database Lab sums it up
	botTime = regex.New(`^- (planning|execution): ([\d.]+) (ms|s|min)$`)
	logged  = regex.New(`duration: ([\d.]+) ms +plan:`)
	// techLog is what stands before a plan in the technological log of 1C.
	techLog = regex.New(`,planSQLText=["']?`)
	// logLine begins another entry of a log
	logLine = regex.New(`^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d`)
	// a label of a subplan stands on a line of its own, above the subplan's node
	subplan   = regex.New(`(?i)^(?:CTE |InitPlan |SubPlan |Remote SubPlan ).*$|^(?:InitPlan|SubPlan)$`)
	workerTag = regex.New(`^Worker (\d+): +`)
	// cutLine is one at the end of a plan that ends before its figures do.
	cutLine = regex.New(`^(?:Trigger \S.*: time=[\d.]*|` +
		`(?i:Planning time|Execution time|Total runtime): ?[\d.]*(?: m)?)$`)
	trigger = regex.New(`^Trigger (.+?): (?:time=([\d.]+) )?calls=([\d.]+)`)
	// headWord begins every node's name; what begins otherwise is a condition or a stranger.
	headWord = regex.New(pasted.HeadWords)
	// motion is a node of Greenplum that hands rows on between segments: "Broadcast Motion 1:6  (slice2)".
	motion = regex.New(`\bMotion \d+:\d+ `)
	// bareHead is a whole line of a node without any number (COSTS OFF).
	bareHead = regex.New(`^(?:[A-Z][A-Za-z]+ ?){1,5}(?:(?:using|on) \S+ ?(?:on \S+ ?)?(?:"[^"]*"|\S+)?)?$`)
	// shouted is a statement's word that a person wrote in capitals.
	shouted = regex.New(`^(INSERT|UPDATE|DELETE|MERGE) on `)
)

// An item is one line of a plan.
type item struct {
	kind   int
	text   string
	column int
	arrow  bool
	own    *float64 // a node's exclusive time, where a page wrote it
}

const (
	itemNode = iota
	itemLabel
	itemProperty
)

// segment is what belongs to one plan.
type segment struct {
	items    []item
	nodes    int
	arrows   int // nodes with an arrow, the leftmost of which stands at
	least    int
	query    string
	created  []string
	typed    bool     // the query is what a person typed above the plan
	duration *float64 // of auto_explain
	fragment bool
	flat     bool // by the form of the page
	ended    bool // its execution time was seen
	blank    bool // an empty line came since
	cut      string
	unknown  Unknown
}

// reader makes segments of lines.
type reader struct {
	plans []*Plan
	cur   *segment
	query []string
	inSQL bool
	pend  *float64 // duration that stands before the plan of a log
	csv   bool     // the log is CSV: quotes within a message stand twice
	made  []string // indexes that were created since the last plan
	asked asked    // the statement that a person typed above the plan

	headed bool // the line before is nothing but the name of a node
}

// maxQuery bounds the lines of a query in a log.
const maxQuery = 10000

func parseText(text string) ([]*Plan, error) {
	if rows, ok := page(text); ok {
		p, err := rows.build()
		if err != nil || p == nil {
			return nil, err
		}
		return []*Plan{p}, nil
	}
	r := &reader{}
	lines := unwrap(tidyRaw(text))
	for i, l := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		if err := r.line(strings.TrimRight(l, " "), next); err != nil {
			return nil, err
		}
	}
	return r.plans, r.end()
}

// end closes the plan that is being read.
func (r *reader) end() error {
	s := r.cur
	r.cur = nil
	if s == nil {
		return nil
	}
	p, err := s.build()
	if err != nil || p == nil {
		return err
	}
	if len(r.plans) >= maxPlans {
		return errPlans
	}
	r.plans = append(r.plans, p)
	return nil
}

func (r *reader) start(fragment bool) error {
	if err := r.end(); err != nil {
		return err
	}
	r.cur = &segment{fragment: fragment, duration: r.pend, query: strings.TrimSpace(strings.Join(r.query, "\n"))}
	if q := r.asked.take(); r.cur.query == "" && !fragment {
		r.cur.query, r.cur.typed = q, q != ""
	}
	r.cur.created, r.made = r.made, nil
	r.pend, r.query, r.inSQL = nil, nil, false
	return nil
}

func (r *reader) line(l, next string) error {
	if r.csv {
		l = strings.ReplaceAll(l, `""`, `"`)
	}
	text := strings.TrimLeft(l, " ")
	column := len(l) - len(text)
	if text == "" {
		if r.cur != nil {
			r.cur.blank = true
		}
		r.asked.line("")
		return nil
	}
	r.made = append(r.made, createdIn(text)...)
	if m := pasted.Logged.FindStringSubmatch(l); m != nil {
		err := r.end()
		v, _ := number(m[1])
		r.pend, r.query, r.inSQL = &v, nil, false
		r.csv = strings.Contains(l, `,"duration: `)
		return err
	}
	if rest, ok := strings.CutPrefix(text, "Query Text:"); ok {
		err := r.end()
		r.query, r.inSQL = []string{strings.TrimSpace(rest)}, true
		return err
	}
	// Another entry, which has a time, or but a label where log_line_prefix is empty.
	if logLine.MatchString(text) || column == 0 && r.cur != nil && r.cur.duration != nil &&
		pasted.Labeled.MatchString(text) {
		r.inSQL = false
		return r.end()
	}
	if m := techLog.FindStringIndex(text); m != nil {
		text, column = text[m[1]:], 0
	}
	it := item{text: text, column: column}
	it.arrow = strings.HasPrefix(text, "->")
	if it.arrow {
		it.text = strings.TrimLeft(text[2:], " ")
	}
	if shouted.MatchString(it.text) {
		it.text = it.text[:1] + strings.ToLower(it.text[1:6]) + it.text[6:]
	}
	defer func() { r.headed = bareHead.MatchString(it.text) && headWord.MatchString(it.text) }()
	switch {
	case heads(it, next, r.cur != nil || r.inSQL), r.retyped(it, next):
		if !it.arrow || r.cur == nil || r.cur.ended {
			if err := r.start(it.arrow); err != nil {
				return err
			}
		}
		return r.cur.node(it)
	case r.inSQL && strings.HasPrefix(text, "Query Parameters:"):
		r.inSQL = false
		return nil
	case r.inSQL:
		if len(r.query) < maxQuery {
			r.query = append(r.query, text)
		}
		return nil
	case r.cur == nil:
		r.asked.line(text)
		name, val, _ := strings.Cut(text, ":")
		if !slices.Contains(counters, name) || !strings.ContainsAny(val, "0123456789") {
			return nil
		}
		if err := r.start(true); err != nil { // a node whose own line is missing
			return err
		}
	}
	if r.cur.ended || typed.MatchString(text) {
		r.asked.line(text)
	}
	r.cur.line(it)
	return nil
}

// node adds a node's line, and what a person's page put behind it.
func (s *segment) node(it item) error {
	if s.nodes++; s.nodes > maxNodes {
		return errNodes
	}
	it.kind = itemNode
	s.blank = false
	if it.arrow {
		if s.arrows++; s.arrows == 1 || it.column < s.least {
			s.least = it.column
		}
	}
	rest := ""
	if m := measured.FindStringIndex(it.text); m != nil && len(strings.TrimSpace(it.text[m[1]:])) > 0 {
		it.text, rest = it.text[:m[1]], strings.TrimSpace(it.text[m[1]:])
	}
	if m := shortened.FindStringSubmatch(it.text); m != nil && markAt(it.text) < 0 {
		it.text = m[1]
		s.items = append(s.items, it)
		s.details(m[2], it.column+2)
		return nil
	}
	s.items = append(s.items, it)
	if name, _, ok := strings.Cut(rest, ":"); ok && known(name) {
		s.items = append(s.items, item{kind: itemProperty, text: rest, column: it.column + 2})
	}
	return nil
}

// details adds the properties of a node that a person put behind it: "Sort Key: a, b, Heap Blocks: exact=3".
func (s *segment) details(text string, column int) {
	for text != "" {
		part := text
		if at := detail.FindStringIndex(text); at != nil {
			part = text[:at[0]]
		}
		text = strings.TrimLeft(text[len(part):], ", ")
		if name, _, ok := strings.Cut(part, ":"); ok && known(name) {
			s.items = append(s.items, item{kind: itemProperty, text: part, column: column})
		}
	}
}

// line adds a line that is no node's.
func (s *segment) line(it item) {
	it.kind = itemProperty
	it.text = strings.TrimPrefix(it.text, "• ")
	if s.figures(it.text) {
		return
	}
	name, _, colon := strings.Cut(it.text, ":")
	plain := s.summary(it.text)
	switch {
	case elidedLine.MatchString(it.text):
		return // its value was left out
	case s.ended && name == "Buffers" && !s.counted(): // a person put it behind the times
		it.column = 0
	case s.arrows > 0 && it.column > s.least && len(wholeTimes(it.text)) > 0:
		return // of one task of Citus
	case it.arrow && it.text == "Task":
		return
	case s.ended && !plain, s.ended && !planTimes.MatchString(it.text) && saidTime.MatchString(it.text):
		return // what follows a plan
	case subplan.MatchString(it.text) && !colon:
		it.kind = itemLabel
	case !plain && !(colon && known(name)) && !workerTag.MatchString(it.text):
		switch {
		case s.blank || len(s.items) == 0:
		case partOfName(it.text), slices.Contains(words, it.text), cutLine.MatchString(it.text):
			s.cut = it.text
		case it.text != "..." && it.text != "…" && !strings.HasPrefix(it.text, "```") && it.text != "*/":
			if s.unknown.Lines++; s.unknown.First == "" {
				s.unknown.First = it.text
			}
		}
		return
	}
	if len(s.items) < 50*maxNodes {
		s.items = append(s.items, it)
	}
	for _, t := range wholeTimes(it.text) {
		s.ended = s.ended || !t.planning
	}
}

// elidedLine is a property whose value a person left out.
var elidedLine = regex.New(`^[A-Z][A-Za-z ]{2,40}: ?(?:\.{2,}|…)[\w ]{0,8}$`)

// counted says whether blocks were counted in a line of the plan.
func (s *segment) counted() bool {
	return slices.ContainsFunc(s.items, func(it item) bool { return strings.HasPrefix(it.text, "Buffers:") })
}

// aloneFigures are the figures of a node on a line of their own.
var aloneFigures = regex.New(`^\((?:cost=|actual )[^()]*\)$`)

// figures gives such a line to the last node, whose details a person put between.
func (s *segment) figures(text string) bool {
	if !aloneFigures.MatchString(text) {
		return false
	}
	for i := len(s.items) - 1; i >= 0; i-- {
		if it := &s.items[i]; it.kind == itemNode {
			if strings.Contains(it.text, text[:strings.IndexAny(text, "= ")]) {
				return false
			}
			it.text += "  " + text
			return true
		}
	}
	return false
}

// wholeTime is a time of the whole plan.
type wholeTime struct {
	planning bool
	ms       float64
	said     bool // in the words of a person: what EXPLAIN wrote counts before it
}

// wholeTimes reads «Planning Time» and «Execution Time» of a line. Forks and extensions have times of their own whose
// names end so: "Storage Read Execution Time".
func wholeTimes(text string) []wholeTime {
	var out []wholeTime
	if m := botTime.FindStringSubmatch(text); m != nil {
		if v, ok := number(m[2]); ok {
			return []wholeTime{{planning: m[1] == "planning", ms: inUnit(v, m[3])}}
		}
	}
	if m := saidTime.FindStringSubmatch(text); m != nil && !planTimes.MatchString(text) {
		if v, ok := said(m[2]); ok {
			return []wholeTime{{m[1] != "", inUnit(v, m[3]), true}}
		}
	}
	for _, m := range planTimes.FindAllStringSubmatchIndex(text, 10) {
		before := strings.TrimRight(text[:m[0]], " ")
		if r, _ := utf8.DecodeLastRuneInString(before); before != "" && unicode.IsLetter(r) &&
			!strings.HasSuffix(before, " ms") {
			continue
		}
		v, ok := number(point(text[m[4]:m[5]]))
		if ok {
			out = append(out, wholeTime{planning: strings.EqualFold(text[m[2]:m[3]], "Planning Time"), ms: v})
		}
	}
	return out
}

// said is a number as people write it, with blanks or separators between thousands.
func said(s string) (float64, bool) {
	s = strings.NewReplacer(" ", "", " ", "").Replace(s)
	if strings.Count(s, ",") > 1 || strings.Contains(s, ",") && strings.Contains(s, ".") ||
		!strings.Contains(s, ".") && grouped.MatchString(s) {
		s = strings.ReplaceAll(s, ",", "")
	}
	return number(strings.Replace(strings.TrimRight(s, ".,"), ",", ".", 1))
}

// grouped is a number whose comma is no decimal sign: EXPLAIN's times have a point.
var grouped = regex.New(`^[1-9]\d{0,2}(?:,\d{3})+$`)

// inUnit makes milliseconds of a time; a unit that is not known is milliseconds, as psql writes it in each language.
func inUnit(v float64, unit string) float64 {
	switch unit {
	case "s", "sec", "secs", "seconds", "с", "сек":
		v *= 1000
	case "min", "minutes":
		v *= 60_000
	}
	return math.Round(v*1000) / 1000
}

// clientTime reads the clock of a client.
func clientTime(text string) (float64, bool) {
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	v, ok := number(point(m[1]))
	return inUnit(v, m[2]), ok
}

// point makes the decimal sign of a time a point: EXPLAIN always writes three digits behind it, so a comma that stands
// alone is no separator of thousands.
func point(s string) string {
	if strings.Contains(s, ".") {
		return strings.ReplaceAll(s, ",", "")
	}
	return strings.Replace(s, ",", ".", 1)
}

// summary says whether a line is one of those at the end of a plan.
func (s *segment) summary(text string) bool {
	switch {
	case len(wholeTimes(text)) > 0, trigger.MatchString(text), text == "Planning:", text == "JIT:":
		return true
	case clock.MatchString(text):
		return s.ended || strings.HasPrefix(text, "Time:")
	}
	for _, begin := range []string{"Settings:", "Serialization:", "Functions:", "Timing:", "Options:", "Memory:"} {
		if strings.HasPrefix(text, begin) {
			return !s.ended || !s.blank
		}
	}
	return false
}

// partOfName says whether a text is the beginning of a property's name, as in a line
// that was cut.
func partOfName(text string) bool {
	if len(text) < 4 {
		return false
	}
	for _, list := range [][]string{words, counters, measures} {
		for _, n := range list {
			if strings.HasPrefix(n, text) && n != text {
				return true
			}
		}
	}
	return false
}

// heads says whether a line is that of a node. A line without numbers is one where an
// arrow stands before it in a plan, or where what follows belongs to a plan.
func heads(it item, next string, within bool) bool {
	at := markAt(it.text)
	if at == 0 {
		return false
	}
	if at > 0 {
		name := strings.TrimSpace(it.text[:at])
		if headWord.MatchString(name) {
			return true
		}
		// Extensions and forks have nodes of their own.
		return name != "" && name[0] >= 'A' && name[0] <= 'Z' && (it.arrow || estimated.MatchString(it.text)) &&
			(!strings.Contains(name, ":") || motion.MatchString(name)) && len(name) < 300
	}
	if !headWord.MatchString(it.text) || len(it.text) > 300 {
		return false
	}
	if open := strings.Count(it.text, "(") - strings.Count(it.text, ")"); open > 0 && it.arrow {
		return true // cut in its estimate
	}
	if m := shortened.FindStringSubmatch(it.text); m != nil {
		name, _, colon := strings.Cut(m[2], ":")
		if it.arrow && within || colon && known(name) {
			return bareHead.MatchString(m[1])
		}
	}
	if !bareHead.MatchString(it.text) {
		return false
	}
	after := strings.TrimSpace(next)
	if it.arrow {
		return within || strings.HasPrefix(after, "->") && headWord.MatchString(strings.TrimLeft(after[2:], " "))
	}
	name, _, colon := strings.Cut(after, ":")
	deeper := len(next)-len(strings.TrimLeft(next, " ")) > it.column
	return strings.HasPrefix(after, "->") || colon && known(name) && deeper
}

var (
	// scanHead is a whole line of a node that reads a table, and scanWord what only such a node has.
	scanHead = regex.New(`^(?:Parallel )?(?:Seq Scan|Bitmap Heap Scan|` +
		`Index(?: Only)? Scan(?: Backward)? using \S{1,128})` +
		` on \S{1,128}(?: \w{1,64})?$`)
	scanWord = regex.New(`^(?:Filter|Index Cond|Recheck Cond): \(`)
)

// retyped says whether a line is the node of a plan of one, in which a person has kept neither figures nor blanks.
func (r *reader) retyped(it item, next string) bool {
	return !it.arrow && !r.inSQL && (r.cur == nil || r.cur.ended || r.cur.blank) && !r.headed &&
		scanHead.MatchString(it.text) && scanWord.MatchString(strings.TrimLeft(next, " "))
}

// markAt is where the numbers of a node's line begin; -1 where it has none.
func markAt(text string) int {
	at := -1
	for _, m := range pasted.Marks {
		if i := strings.Index(text, m); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	return at
}

// node makes a node of its line.
func node(text string) *Node {
	n := &Node{}
	end := len(text)
	if at := markAt(text); at >= 0 {
		end = at
	} else if at := strings.LastIndex(text, " ("); at >= 0 && !strings.Contains(text[at:], ")") {
		end = at
	}
	n.Head = Head(pasted.UnquotedNames(strings.TrimSpace(text[:end])))
	if m := estimated.FindStringSubmatch(text); m != nil {
		c := &Cost{}
		c.Startup, _ = number(m[1])
		c.Total, _ = number(m[2])
		c.Rows, _ = number(m[3])
		c.Width = leadingNumber(m[4])
		n.Cost = c
	}
	n.Actual = actual(measured.FindStringSubmatch(text))
	n.loose(text)
	n.Never = strings.Contains(text, "(never executed)")
	return n
}

// Head is a node's name with single blanks.
func Head(s string) string { return strings.Join(strings.Fields(s), " ") }

func actual(m []string) *Actual {
	if m == nil {
		return nil
	}
	a := &Actual{Loops: 1} // people who shorten a plan leave it out where it is one
	if len(m) > 6 && m[6] != "" {
		m = []string{"", m[5], m[6], "0", m[7]}
		a.NoRows = true
	}
	if m[2] != "" {
		t, _ := number(m[2])
		a.Total = &t
	}
	if m[1] != "" {
		s, _ := number(m[1])
		a.Startup = &s
	}
	a.Rows, _ = number(m[3])
	if m[4] != "" {
		a.Loops, _ = number(m[4])
	}
	return a
}

// worker returns the node's worker of that number.
func (n *Node) worker(number int64) *Worker {
	for i := range n.Workers {
		if n.Workers[i].Number == number {
			return &n.Workers[i]
		}
	}
	if len(n.Workers) < 1024 { // max_parallel_workers is 1024 at most
		n.Workers = append(n.Workers, Worker{Number: number})
	}
	return &n.Workers[len(n.Workers)-1]
}

// number reads a number that is not negative and finite.
func number(s string) (float64, bool) {
	v, err := unit.Figure(strings.TrimSpace(s))
	return v, err == nil && v >= 0 && v < 1e15 // 30,000 years in milliseconds
}

// leadingNumber reads the digits that a text begins with; 0 where there are none. What
// is above 2^40 is 2^40, so that sums and products with loops cannot overflow.
func leadingNumber(s string) int64 {
	s = strings.TrimSpace(s)
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	if n > 0 && (err != nil || v > 1<<40) { // blocks: 8 PB; no counter of one query comes near
		return 1 << 40
	}
	return v
}

// numberAfter is the whole number that follows a mark; 0 where the mark is not there.
func numberAfter(s, mark string) int64 {
	_, rest, ok := strings.Cut(s, mark)
	if !ok {
		return 0
	}
	return leadingNumber(rest)
}
