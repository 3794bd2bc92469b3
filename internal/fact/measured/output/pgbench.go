package output

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// Pgbench is the report of a run of pgbench, of 8.x to 19, as far as it is in the paste: what
// is absent was not there.
type Pgbench struct {
	Server    string          `json:"server,omitempty"` // version, where it is another than pgbench's own
	Type      string          `json:"transaction_type,omitempty"`
	Scale     int64           `json:"scale,omitempty"`
	Mode      string          `json:"query_mode,omitempty"`
	Clients   int64           `json:"clients,omitempty"`
	Threads   int64           `json:"threads,omitempty"`
	MaxTries  *int64          `json:"max_tries,omitempty"`
	PerClient *int64          `json:"transactions_per_client,omitempty"` // with -t
	Wanted    *int64          `json:"transactions_wanted,omitempty"`     // with -t: of all clients
	Duration  *int64          `json:"duration_s,omitempty"`              // with -T
	Processed *int64          `json:"transactions,omitempty"`            // that succeeded
	Latency   measured.Spread `json:"latency_ms"`
	Lag       *float64        `json:"lag_ms,omitempty"` // behind the schedule of --rate
	LagMax    *float64        `json:"lag_max_ms,omitempty"`
	Limit     *float64        `json:"latency_limit_ms,omitempty"`
	Late      *int64          `json:"late,omitempty"` // transactions that took longer than the limit
	Failed    *int64          `json:"failed,omitempty"`
	Retried   *int64          `json:"retried,omitempty"`
	Skipped   *int64          `json:"skipped,omitempty"`
	Connect   *float64        `json:"connection_ms,omitempty"`
	// TPS excludes the first connections, except with -C, where each transaction connects.
	TPS *float64 `json:"tps,omitempty"`
	// TPSConnecting includes them; before 14 both are printed.
	TPSConnecting *float64          `json:"tps_with_connections,omitempty"`
	Reconnects    bool              `json:"reconnects,omitempty"` // -C
	Scripts       []measured.Script `json:"scripts,omitempty"`
	Aborted       int               `json:"aborted_clients,omitempty"`
	Errors        []string          `json:"errors,omitempty"` // the first of each wording
	Init          *PgbenchInit      `json:"initialization,omitempty"`
}

var (
	pgbenchLine = regex.New(`^(?:pgbench \([0-9]|transaction type: |scaling factor: |` +
		`partition method: |number of partitions: |query mode: |number of clients: |number of threads: |` +
		`maximum number of tries: |number of transactions |number of failed transactions|number of serialization |` +
		`number of deadlock |number of other |total number of retries|number of total retries|duration: [0-9]|` +
		`latency average|latency stddev|rate limit schedule lag: |initial connection time = |` +
		`average connection time = |` +
		`tps = |statement latencies in milliseconds|SQL script [0-9]+: |\s?- |script statistics:|per-transaction |` +
		`number of processed transactions)`)
	pgbenchRow = regex.New(`^\s+([0-9]{1,9}[.,][0-9]{3,6})\s+(\S.*)$`)
	// «progress: 5.0 s, 2903.1 tps, lat 5.482 ms stddev 7.189»
	pgbenchProgress = regex.New(`\bprogress: ([0-9.]+ s, [0-9.]+ tps, .*)$`)
	thousands       = regex.New(`([0-9]),([0-9]{3})\b`)
	pgbenchOldTPS   = regex.New(`^(tps = [0-9.]+)\(`)
	// «pgbench: error: client 4 script 0 aborted in command 5 query 0: ERROR:  …»; before 13
	// «client 4 aborted in command 5 (SQL) of script 0; ERROR:  …», «Client 4 aborted in state 5: …»
	pgbenchAborted = regex.New(`\b[Cc]lient [0-9]+ (?:script [0-9]+ )?aborted\b[^;:]{0,80}(?:[;:]\s*(.*))?$`)
	pgbenchError   = regex.New(`\bpgbench: (?:error|fatal): (.*)$`)
)

const (
	maxPgbenchLines = 25_000
	maxProgress     = 20_000
	maxErrors       = 8
	maxFolded       = 3 // lines of a statement that a mailer has folded
)

// pgbench gathers the lines of a run, which the reader of whole reports then reads.
type pgbench struct {
	r       *reader
	out     *Output
	lines   []string
	seen    map[string]bool // names of lines in the head of the report
	rows    bool            // a table of statements is open
	folds   []string        // lines after its last row, which may belong to that
	columns int             // of it before the statement
	aborted int
	errors  []string
	worded  map[string]bool // errors without their numbers
	init    *pgbenchInit
	asked   bool // the last command connects for each transaction: before 14 the report does not tell it
	connect bool // that of the run that is open
}

// pgbenchCommand is one that runs transactions, and pgbenchConnect its option for connections.
var (
	pgbenchCommand = regex.New(`(?:^|[\s/#$>])pgbench(?:\.exe)?\s+-`)
	pgbenchConnect = regex.New(`\s(?:-C|--connect)(?:\s|$)`)
)

func (p *pgbench) line(s scanned) bool {
	raw := strings.TrimRight(s.text, " \t")
	if strings.Contains(raw, "pgbench") && pgbenchCommand.MatchString(raw) {
		p.asked = pgbenchConnect.MatchString(raw)
	}
	if m := match(pgbenchProgress, raw, "progress: "); m != nil {
		return p.progress(s, m[1])
	}
	if p.failure(s, raw) || p.initialization(s, raw) {
		return true
	}
	if p.rows && p.out != nil && p.row(raw) {
		return true
	}
	if !holds(raw, ":", "=", "pgbench (", "- ", "latenc", "number of", "retries", "failed") {
		return p.fold(raw)
	}
	l := strings.Join(strings.Fields(strings.Trim(raw, "`*|")), " ")
	if !pgbenchLine.MatchString(l) || strings.HasPrefix(l, "- ") && p.out == nil {
		return p.fold(raw)
	}
	p.rows, p.folds = false, nil
	if strings.HasPrefix(l, "- ") && !strings.Contains(l, " = ") && !strings.Contains(l, ": ") &&
		!strings.Contains(l, " transactions (") && !strings.Contains(l, "statement latencies") {
		return false
	}
	name := lineName(l)
	if name == "transaction type" || name == "scaling factor" || name == "pgbench" || name == "query mode" ||
		name == "number of clients" {
		if p.seen[name] || p.seen["tps"] && (name == "transaction type" || name == "pgbench" ||
			name == "scaling factor") {
			p.end() // the head of another report
		}
	}
	if name == "tps" {
		// what grep left of several reports: each has one such line, or two before 14
		if strings.Contains(l, "including conn") {
			name = "tps including"
		}
	}
	if p.seen[name] && !strings.HasPrefix(l, "- ") && !strings.HasPrefix(name, "statement latencies") {
		p.end() // each of these lines is once in a report
	}
	p.open(s)
	p.seen[name] = true
	if rest := strings.TrimPrefix(l, "- "); strings.HasPrefix(rest, "statement latencies") {
		p.rows, p.columns = true, 0
		if strings.Contains(l, "failures") {
			p.columns++
		}
		if strings.Contains(l, "retries") {
			p.columns++
		}
		if !strings.HasSuffix(l, ":") {
			l += ":"
		}
	}
	if strings.HasPrefix(l, "number of processed transactions") {
		l = strings.Replace(l, "number of processed transactions", "number of transactions actually processed", 1)
	}
	if strings.HasPrefix(l, "number of transactions actually processed: ") {
		l = thousands.ReplaceAllString(l, "$1$2") // 4,500,000
		l = thousands.ReplaceAllString(l, "$1$2")
	}
	if strings.HasPrefix(l, "- ") {
		l = " " + l // as it stands in the section of a script
	}
	p.add(pgbenchOldTPS.ReplaceAllString(l, "$1 ("))
	return true
}

// lineName is what stands before the value.
func lineName(l string) string {
	if strings.HasPrefix(l, "pgbench (") {
		return "pgbench"
	}
	name, _, ok := strings.Cut(l, ": ")
	if !ok {
		name, _, _ = strings.Cut(l, " = ")
	}
	return name
}

func (p *pgbench) open(s scanned) {
	if p.out == nil {
		p.out = p.r.open(PgbenchRun, s.number)
		p.lines, p.seen, p.rows, p.aborted = nil, map[string]bool{}, false, 0
		p.folds, p.errors, p.worded = nil, nil, map[string]bool{}
		p.r.runs++
		p.connect = p.asked
	}
}

func (p *pgbench) add(l string) {
	if len(p.lines) < maxPgbenchLines {
		p.lines = append(p.lines, l)
	}
}

// row takes a row of the statements, in the form that the report has since 9.6.
func (p *pgbench) row(raw string) bool {
	m := pgbenchRow.FindStringSubmatch(raw)
	if m == nil {
		return false
	}
	rest := m[2]
	fields := strings.Fields(rest)
	if len(fields) <= p.columns {
		return false
	}
	for _, f := range fields[:p.columns] {
		if _, ok := whole(f); !ok {
			return false
		}
	}
	if n := len(p.lines); len(p.folds) > 0 && n > 0 {
		p.lines[n-1] += " " + strings.Join(p.folds, " ") // the statement before went on
	}
	p.folds = nil
	p.add("        " + strings.Replace(m[1], ",", ".", 1) + "  " + rest)
	return true
}

// fold keeps a line after a row of statements: if another row follows, it belongs to the
// statement before, which a mailer has folded.
func (p *pgbench) fold(raw string) bool {
	if !p.rows || p.out == nil {
		return false
	}
	text := strings.TrimSpace(raw)
	if text == "" || len(p.folds) == maxFolded || len(text) > 400 {
		p.rows, p.folds = false, nil
		return false
	}
	p.folds = append(p.folds, text)
	return false
}

// failure takes a line that tells of a client which gave up, or of another error.
func (p *pgbench) failure(s scanned, raw string) bool {
	if !holds(raw, "pgbench: ", "lient ") {
		return false
	}
	m := pgbenchAborted.FindStringSubmatch(raw)
	text := ""
	if m != nil {
		p.open(s)
		p.aborted++
		text = strings.Join(strings.Fields(m[1]), " ")
	} else if m = pgbenchError.FindStringSubmatch(raw); m != nil && p.out != nil {
		if strings.Contains(m[1], "Run was aborted") {
			return true
		}
		text = m[1]
	} else {
		return false
	}
	key := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
	if text != "" && !p.worded[key] && len(p.errors) < maxErrors {
		p.worded[key] = true
		p.errors = append(p.errors, short(text, maxFirst))
	}
	return true
}

// progress takes a line of --progress. One that follows a report belongs to the next run.
func (p *pgbench) progress(s scanned, rest string) bool {
	if p.out != nil && p.seen["tps"] {
		p.end()
	}
	talk := measured.ParsePgbenchTalk([]byte("progress: " + rest))
	if len(talk.Progress) != 1 {
		return false
	}
	if p.out != nil {
		if n := len(p.out.Progress); n > 0 && p.out.Progress[n-1].At >= talk.Progress[0].At {
			p.end() // time goes on within a run
		}
	}
	p.open(s)
	if len(p.out.Progress) < maxProgress {
		p.out.Progress = append(p.out.Progress, talk.Progress[0])
	}
	return true
}

func (p *pgbench) end() {
	if p.out == nil {
		return
	}
	if len(p.lines) > 0 {
		whole := measured.PartOfPgbench(p.lines)
		p.out.Version = whole.Program
		p.out.Pgbench = pgbenchOf(whole, p.seen)
		p.out.Pgbench.Reconnects = p.out.Pgbench.Reconnects || p.connect
	}
	if p.aborted > 0 || len(p.errors) > 0 {
		if p.out.Pgbench == nil {
			p.out.Pgbench = &Pgbench{}
		}
		p.out.Pgbench.Aborted, p.out.Pgbench.Errors = p.aborted, p.errors
	}
	if len(p.seen) == 1 && p.seen["pgbench"] && p.out.Progress == nil && p.aborted == 0 {
		p.out.Pgbench = nil // its greeting alone
	}
	if p.out.Pgbench != nil && p.init != nil {
		p.out.Pgbench.Init, p.init = &p.init.of, nil
	}
	p.out.Cut = !p.seen["tps"] && !p.seen["tps including"] ||
		!p.seen["number of transactions actually processed"] || !p.seen["number of clients"]
	p.out, p.rows = nil, false
}

// pgbenchOf leaves out what was not printed.
func pgbenchOf(w *measured.Pgbench, seen map[string]bool) *Pgbench {
	out := &Pgbench{Server: w.Server, Type: w.Type, Scale: w.Scale, Mode: w.Mode, Clients: w.Clients,
		Threads: w.Threads, MaxTries: w.MaxTries, PerClient: w.PerClient, Wanted: w.Wanted, Duration: w.Duration,
		Latency: w.Latency, Lag: w.Lag, LagMax: w.LagMax, Limit: w.Limit, Late: w.Late, Failed: w.Failed,
		Retried: w.Retried, Skipped: w.Skipped, Connect: w.Connect, TPS: w.TPS, TPSConnecting: w.TPSConnecting,
		Reconnects: w.Reconnects, Scripts: w.Scripts}
	if seen["number of transactions actually processed"] || seen["number of processed transactions"] {
		n := w.Transactions
		out.Processed = &n
	}
	return out
}

// UpdatesBranches says whether each transaction updates a row of pgbench_branches, of which
// there are as many as the scale: the built-in TPC-B script.
func (p *Pgbench) UpdatesBranches() bool {
	if strings.Contains(p.Type, "TPC-B") {
		return true
	}
	return slices.ContainsFunc(p.Scripts, func(s measured.Script) bool {
		return strings.Contains(s.Name, "TPC-B") || slices.ContainsFunc(s.Statements, func(st measured.Statement) bool {
			return strings.HasPrefix(st.Text, "UPDATE pgbench_branches") ||
				strings.HasPrefix(st.Text, "UPDATE branches")
		})
	})
}

// Log is what the lines of pgbench --log add up to.
type Log struct {
	Transactions int64     `json:"transactions"`
	Failed       int64     `json:"failed,omitempty"`
	Skipped      int64     `json:"skipped,omitempty"`
	Scripts      int       `json:"scripts,omitempty"` // that ran
	Seconds      int64     `json:"seconds"`           // from the first line to the last
	Mean         float64   `json:"latency_ms"`        //
	P50          float64   `json:"latency_p50_ms,omitempty"`
	P95          float64   `json:"latency_p95_ms,omitempty"`
	P99          float64   `json:"latency_p99_ms,omitempty"`
	Max          float64   `json:"latency_max_ms"` //
	Window       int64     `json:"window_s,omitempty"`
	TPS          []float64 `json:"tps,omitempty"` // in each window, the parts at the ends left out
}

// benchLogLine is a transaction: client, number, µs, script, second, µs of it, and with --rate
// the lag, with --max-tries the retries.
var benchLogLine = regex.New(
	`^\s*[0-9]{1,6} [0-9]{1,10} (?:[0-9]{1,12}|skipped|failed|serialization|deadlock|other) [0-9]{1,3} ` +
		`([0-9]{9,10}) [0-9]{1,6}(?: [0-9]{1,12}){0,2}\s*$`)

// leastLogged lines in one another's wake are a log, and no table that happens to look so.
const leastLogged = 3

type benchLog struct {
	r          *reader
	first      int
	lines      []string
	columns    int
	aggregated bool
}

// benchLogSum is a line of --aggregate-interval: second, transactions, sums of µs and of their
// squares, least, most; and more with other options.
var benchLogSum = regex.New(
	`^\s*1[0-9]{9} [0-9]{1,10}(?: [0-9]{1,20}(?:\.[0-9]+)?){4}(?: [0-9.]{1,20}){0,10}\s*$`)

func (p *benchLog) line(s scanned) bool {
	looks := digit(begun(s.text)) && len(s.text) < 300
	sum := looks && benchLogSum.MatchString(s.text)
	if !sum && !(looks && benchLogLine.MatchString(s.text)) {
		if strings.TrimSpace(s.text) != "" {
			p.end()
		}
		return false
	}
	n := len(strings.Fields(s.text))
	if len(p.lines) > 0 && (n != p.columns || sum != p.aggregated) {
		p.end()
	}
	p.aggregated = sum
	if len(p.lines) == 0 {
		p.first, p.columns = s.number, n
	}
	p.lines = append(p.lines, strings.TrimSpace(s.text))
	return true
}

func (p *benchLog) end() {
	lines := p.lines
	p.lines = nil
	if len(lines) < leastLogged {
		return
	}
	if p.aggregated {
		p.sums(lines)
		return
	}
	var l measured.Log
	// a seventh column is the lag or the retries; of both it is neither needed here
	form := measured.LogForm{Rate: p.columns > 6, Tries: p.columns > 7}
	if err := l.Read(strings.NewReader(strings.Join(lines, "\n")), form); err != nil || l.All.Count() == 0 {
		return
	}
	o := p.r.open(PgbenchLog, p.first)
	ms := func(q float64) float64 { us, _ := l.All.Quantile(q); return float64(us) / 1000 }
	mean, _ := l.All.Mean()
	most, _ := l.All.Max()
	o.Log = &Log{Transactions: l.All.Count(), Failed: l.Failed, Skipped: l.Skipped, Scripts: len(l.Scripts),
		Seconds: l.Seconds(), Mean: mean / 1000, P50: ms(0.5), P95: ms(0.95), P99: ms(0.99), Max: float64(most) / 1000}
	// ten windows at the least, so that what they differ by can be told
	for _, width := range []int64{10, 5, 2, 1} {
		if w := l.Windows(width, 1); len(w) >= 10 {
			o.Log.Window, o.Log.TPS = width, w[:min(len(w), 5000)]
			break
		}
	}
}

// sums adds up the lines of an aggregated log. The last interval may be a part.
func (p *benchLog) sums(lines []string) {
	list, err := measured.ReadPgbenchAggregate(strings.NewReader(strings.Join(lines, "\n")), measured.LogForm{})
	if err != nil || len(list) < 2 {
		return
	}
	width := list[1].Start - list[0].Start
	if width <= 0 || width > 86_400 {
		return
	}
	l := &Log{Window: width}
	sum := 0.0
	for i, x := range list {
		if i > 0 && x.Start <= list[i-1].Start {
			return // times go on within a log
		}
		l.Transactions += x.Transactions
		sum += x.Latency.Sum
		l.Max = max(l.Max, x.Latency.Max/1000)
		if i+1 < len(list) && len(l.TPS) < 5000 {
			l.TPS = append(l.TPS, float64(x.Transactions)/float64(width))
		}
	}
	if l.Transactions == 0 {
		return
	}
	l.Mean = sum / float64(l.Transactions) / 1000
	l.Seconds = list[len(list)-1].Start - list[0].Start
	o := p.r.open(PgbenchLog, p.first)
	o.Log = l
}

// secondsOf reads «60.0140s».
func secondsOf(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "s"), 64)
	return f, err == nil && f >= 0 && f < 1e9
}
