package output

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Sysbench is the report of sysbench 0.4 to 1.1 on a database, or the lines of its progress.
type Sysbench struct {
	Test          string   `json:"test,omitempty"` // what it ran, where that was told: oltp_read_write
	Threads       int64    `json:"threads,omitempty"`
	Transactions  *int64   `json:"transactions,omitempty"`
	TPS           *float64 `json:"tps,omitempty"`
	Queries       *int64   `json:"queries,omitempty"`
	QPS           *float64 `json:"qps,omitempty"`
	Reads         *int64   `json:"reads,omitempty"` // statements
	Writes        *int64   `json:"writes,omitempty"`
	Others        *int64   `json:"others,omitempty"`
	IgnoredErrors *int64   `json:"ignored_errors,omitempty"` // deadlocks and the like, after which it went on
	Reconnects    *int64   `json:"reconnects,omitempty"`
	Seconds       float64  `json:"seconds,omitempty"`
	Events        *int64   `json:"events,omitempty"` // of a test without a database: its operations
	// Operations a second of a test of files, memory or the processor.
	Rate       *float64         `json:"events_per_second,omitempty"`
	ReadRate   *float64         `json:"reads_per_second,omitempty"` // of a test of files
	WriteRate  *float64         `json:"writes_per_second,omitempty"`
	Moved      *float64         `json:"mib_per_second,omitempty"`      // of memory, or of files: both added
	ReadSpeed  *float64         `json:"read_mib_per_second,omitempty"` // of a test of files
	WriteSpeed *float64         `json:"written_mib_per_second,omitempty"`
	Fsyncs     *float64         `json:"fsyncs_per_second,omitempty"`
	BlockSize  unit.Bytes       `json:"block_size,omitempty"` // of a test of files, or of memory
	Files      *SysbenchFiles   `json:"files,omitempty"`
	Latency    *SysbenchLatency `json:"latency_ms,omitempty"`
	Progress   []SysbenchPoint  `json:"progress,omitempty"`
	Errors     []string         `json:"errors,omitempty"` // that ended it: the first of each wording
}

// SysbenchFiles is what a test of files worked on.
type SysbenchFiles struct {
	Count int64      `json:"count,omitempty"`
	Size  unit.Bytes `json:"size,omitempty"` // of all together
}

// SysbenchLatency is in milliseconds.
type SysbenchLatency struct {
	Min        *float64 `json:"min,omitempty"`
	Mean       *float64 `json:"mean,omitempty"`
	Max        *float64 `json:"max,omitempty"`
	Percentile float64  `json:"percentile,omitempty"` // which one it is: 95
	At         *float64 `json:"at_percentile,omitempty"`
}

// SysbenchPoint is a line of --report-interval.
type SysbenchPoint struct {
	At      float64  `json:"at_s"`
	Threads int64    `json:"threads"`
	TPS     *float64 `json:"tps,omitempty"`
	Events  *float64 `json:"events_per_second,omitempty"` // of a test without a database
	QPS     *float64 `json:"qps,omitempty"`
	Latency *float64 `json:"latency_ms,omitempty"` // at the percentile that the line names
	Errors  *float64 `json:"errors_per_second,omitempty"`
	// Of a test of files.
	ReadSpeed  *float64 `json:"read_mib_per_second,omitempty"`
	WriteSpeed *float64 `json:"written_mib_per_second,omitempty"`
	Fsyncs     *float64 `json:"fsyncs_per_second,omitempty"`
}

var (
	sysbenchHead    = regex.New(`^\s*sysbench ([0-9]+\.[0-9]+[0-9.]*(?:-[0-9a-f]{7,40}\b)?)`)
	sysbenchCommand = regex.New(
		`\bsysbench\b.*?(?:--test=|\s|/)([a-z_]*oltp[a-z_]*|select_random_\w+|bulk_insert|` +
			`fileio|tpcc|cpu|memory|threads|mutex)(?:\.lua)?(?:\s.*)?\brun\b`)
	sysbenchThreads = regex.New(`^\s*Number of threads: ([0-9]{1,6})\s*$`)
	sysbenchPart    = regex.New(`^\s*(?:SQL statistics:|OLTP test statistics:|General statistics:|` +
		`Test execution summary:|queries performed:|Latency \(ms\):|per-request statistics:|response time:|` +
		`Threads fairness:|File operations:|Throughput:|CPU speed:|Running the test with following options:|` +
		`Initializing (?:worker threads|random number generator)|Threads started!|Response time:|` +
		`Extra file open flags:|Random number generator seed is |` +
		`Running memory speed test|Doing \S+ (?:performance|subsystem|operations) |Operations performed:)`)
	// What a report is of, by a line that only such a one has.
	sysbenchTests = []struct{ word, test string }{{"CPU speed:", "cpu"}, {"Prime numbers limit:", "cpu"},
		{"Running memory speed test", "memory"}, {"Doing CPU performance", "cpu"},
		{"Doing memory operations", "memory"}, {"Doing thread subsystem", "threads"}, {"Doing mutex", "mutex"},
		{"File operations:", "fileio"}, {"Extra file open flags:", "fileio"}}
	// «Total operations: 58203344 (5819811.24 per second)», «Operations performed: 104857600 (2211093.45 ops/sec)»
	sysbenchTotal = regex.New(`^\s*(?:Total operations|Operations performed): ([0-9]{1,15}) ?` +
		`\( ?([0-9.]+) (?:per second|ops/sec)\)`)
	// «Block size 16KiB», of memory «  block size: 1KiB», «128 files, 24MiB each», «3GiB total file size»; 0.4: «16Kb»
	sysbenchBlock = regex.New(`^\s*[Bb]lock size:? ([0-9.]{1,9} ?[KMG]?i?[Bb]?)\s*$`)
	sysbenchInAll = regex.New(`^\s*([0-9]{1,9}) files, [0-9.]+ ?[KMG]?i?[Bb] each`)
	sysbenchSize  = regex.New(`^\s*([0-9.]{1,12} ?[KMGT]?i?[Bb]) total file size\s*$`)
	// «56839.20 MiB transferred (5683.41 MiB/sec)»
	sysbenchMoved = regex.New(`^\s*[0-9.]+ Mi?B transferred \(([0-9.]+) Mi?B/sec\)`)
	// 0.4: «Operations performed:  6000 Read, 4000 Write, 12800 Other = 22800 Total», then
	// «Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (3.9Mb/sec)», «  250.12 Requests/sec executed»
	sysbenchDone = regex.New(
		`^\s*Operations performed:\s+[0-9]+ [Rr]eads?, [0-9]+ [Ww]rites?, .*= ([0-9]{1,15}) Total`)
	sysbenchCarried  = regex.New(`\bTotal transferred \S+\s+\(([0-9.]+)([KMG])b/sec\)`)
	sysbenchRequests = regex.New(`^\s*([0-9.]+) Requests/sec executed`)
	sysbenchCount    = regex.New(
		`^\s*(transactions|queries|read/write requests|other operations|ignored errors|deadlocks|errors|` +
			`reconnects):\s+([0-9]{1,15})\s+\(([0-9.]+) per sec\.\)`)
	sysbenchSum = regex.New(
		`^\s*(read|write|other|total|total number of events):\s+([0-9]{1,15})\s*$`)
	sysbenchTime = regex.New(`^\s*(?:total time|time elapsed):\s+([0-9.]+s?)\s*$`)
	sysbenchLat  = regex.New(
		`^\s*(min|avg|max|(?:approx\. +)?([0-9.]+)(?:th)? percentile):\s+([0-9.]+)(ms|s)?\s*$`)
	sysbenchLine = regex.New(`^\s*\[ *([0-9.]+)s ?\] (?:thds|threads): ([0-9]+),? (tps|eps): ([0-9.]+)(.*)$`)
	// «[ 1s ] reads: 0.00 MiB/s writes: 1.09 MiB/s fsyncs: 8829.31/s latency (ms,95%): 0.099»
	sysbenchFiles = regex.New(`^\s*\[ *([0-9.]+)s ?\] reads: ([0-9.]+) Mi?B/s,? writes: ([0-9.]+) Mi?B/s,? ` +
		`fsyncs: ([0-9.]+)(.*)$`)
	sysbenchQPS  = regex.New(`\bqps: ([0-9.]+)`)
	sysbenchPLat = regex.New(`\b(?:lat|latency|response time)[^:]*: ([0-9.]+)`)
	sysbenchPErr = regex.New(`\berr(?:ors)?(?:/s)?:? ([0-9.]+)`)
	sysbenchFile = regex.New(
		`^\s*(reads/s|writes/s|fsyncs/s|read, MiB/s|written, MiB/s|events per second|events/s \(eps\)):\s+([0-9.]+)`)
	// «FATAL: PQexec() failed: 7 …», «FATAL: `thread_run' function failed: …», «(last message repeated 3 times)»
	sysbenchFatal = regex.New(`^\s*(?:FATAL|ALERT): (\S.*)$`)
	sysbenchFair  = regex.New(`^\s*(?:events|execution time) \(avg/stddev\):`)
	sysbenchSumT  = regex.New(`^\s*(?:sum|total time taken by event execution):\s+[0-9.]+s?\s*$`)
)

type sysbench struct {
	r       *reader
	out     *Output
	command string
	typed   string // the beginning of a command that goes on in the next line
	ended   bool   // its last part was seen
	// of a report that has not begun, and the line that tells it; 0: none
	threads   int64
	threadsAt int
}

// sysbenchTyped is a command whose rest is in the lines that follow.
var sysbenchTyped = regex.New(`(?:^|[\s$#>/])sysbench(?:\s.*)?\\$`)

// maxCommand is how long a command may be.
const maxCommand = 2000

// joined puts the lines of a command together; more says that it goes on.
func (b *sysbench) joined(l string) (command string, more bool) {
	l = strings.TrimSpace(l)
	if b.typed == "" && !sysbenchTyped.MatchString(l) {
		return "", false
	}
	command = b.typed + " " + strings.TrimSuffix(l, `\`)
	b.typed = ""
	if more = strings.HasSuffix(l, `\`) && len(command) < maxCommand; more {
		b.typed = command
	}
	return command, more
}

func (b *sysbench) open(s scanned) *Sysbench {
	if b.out == nil {
		b.out = b.r.open(SysbenchRT, s.number)
		b.out.Sysbench = &Sysbench{Test: b.command}
		const before = 8 // lines of options
		if b.threadsAt > 0 && s.number-b.threadsAt <= before {
			b.out.Sysbench.Threads = b.threads
		}
		b.command, b.ended, b.threadsAt = "", false, 0
	}
	return b.out.Sysbench
}

func (b *sysbench) line(s scanned) bool {
	if command, more := b.joined(s.text); more {
		return true
	} else if m := match(sysbenchCommand, command, "sysbench"); m != nil {
		b.end()
		b.command = m[1]
		return true
	}
	if b.out != nil && b.worked(s.text) {
		return true
	}
	if !holds(s.text, ":", "sysbench", "Threads started", "transferred", "Requests/sec", "Doing ", "Initializing ",
		"Random number") {
		return false
	}
	if m := match(sysbenchHead, s.text, "sysbench "); m != nil {
		b.end()
		b.open(s)
		b.out.Version = m[1]
		return true
	}
	if m := match(sysbenchCommand, s.text, "sysbench"); m != nil && len(s.text) < maxCommand {
		b.end()
		b.command = m[1]
		return true
	}
	if m := match(sysbenchLine, s.text, "thds:", "threads:"); m != nil {
		return b.progress(s, m)
	}
	if m := match(sysbenchFiles, s.text, "fsyncs:"); m != nil {
		return b.files(s, m)
	}
	if m := match(sysbenchFatal, s.text, "FATAL: ", "ALERT: "); m != nil && b.out != nil {
		x, text := b.out.Sysbench, short(m[1], maxFirst)
		if len(x.Errors) < maxErrors && !slices.Contains(x.Errors, text) {
			x.Errors = append(x.Errors, text)
		}
		return true
	}
	if m := match(sysbenchCount, s.text, " per sec"); m != nil {
		return b.count(s, m)
	}
	if b.told(s.text) {
		return true
	}
	if b.out == nil {
		if m := sysbenchThreads.FindStringSubmatch(s.text); m != nil { // of one whose first lines are cut
			b.threads, _ = whole(m[1])
			b.threadsAt = s.number
		}
		if sysbenchPart.MatchString(s.text) && !strings.Contains(s.text, "Throughput") {
			b.open(s)
			b.told(s.text)
			return true
		}
		m := sysbenchSum.FindStringSubmatch(s.text)
		if m == nil || m[1] != "read" && m[1] != "write" {
			return false
		}
	}
	return b.rest(s)
}

// worked reads what a test of files or memory works on.
func (b *sysbench) worked(text string) bool {
	x := b.out.Sysbench
	files := func() *SysbenchFiles {
		if x.Files == nil {
			x.Files = &SysbenchFiles{}
		}
		return x.Files
	}
	if m := match(sysbenchBlock, text, "lock size"); m != nil {
		x.BlockSize = fioSize(strings.Replace(m[1], "b", "B", 1))
		return true
	}
	if m := match(sysbenchInAll, text, " files, "); m != nil {
		files().Count, _ = whole(m[1])
		return true
	}
	if m := match(sysbenchSize, text, "total file size"); m != nil {
		files().Size = fioSize(strings.Replace(m[1], "b", "B", 1))
		return true
	}
	return false
}

// told takes what a report is of from a line that only such a one has.
func (b *sysbench) told(text string) bool {
	for _, t := range sysbenchTests {
		if b.out != nil && strings.HasPrefix(strings.TrimSpace(text), t.word) {
			if x := b.out.Sysbench; x.Test == "" {
				x.Test = t.test
			}
			return true
		}
	}
	return false
}

// count reads a line with a rate: «    transactions:   25068  (417.70 per sec.)».
func (b *sysbench) count(s scanned, m []string) bool {
	n, ok1 := whole(m[2])
	rate, ok2 := figure(m[3])
	if !ok1 || !ok2 {
		return false
	}
	if m[1] == "transactions" && b.out != nil && b.out.Sysbench.Transactions != nil {
		b.end() // another report
	}
	x := b.open(s)
	switch m[1] {
	case "transactions":
		x.Transactions, x.TPS = &n, &rate
	case "queries":
		x.Queries, x.QPS = &n, &rate
	case "ignored errors", "deadlocks", "errors":
		x.IgnoredErrors = &n
	case "reconnects":
		x.Reconnects = &n
	}
	return true
}

func (b *sysbench) progress(s scanned, m []string) bool {
	at, ok1 := figure(m[1])
	threads, ok2 := whole(m[2])
	v, ok3 := figure(m[4])
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	if b.out != nil && (b.ended || b.out.Sysbench.Transactions != nil) {
		b.end()
	}
	x := b.open(s)
	if x.Threads == 0 {
		x.Threads = threads
	}
	p := SysbenchPoint{At: at, Threads: threads, QPS: find(sysbenchQPS, m[5]), Latency: find(sysbenchPLat, m[5]),
		Errors: find(sysbenchPErr, m[5])}
	if m[3] == "tps" {
		p.TPS = &v
	} else {
		p.Events = &v
	}
	if len(x.Progress) < maxRows {
		x.Progress = append(x.Progress, p)
	}
	return true
}

// files reads a line of progress of a test of files.
func (b *sysbench) files(s scanned, m []string) bool {
	at, ok := figure(m[1])
	v, okFigures := figures(m[2:5])
	if !ok || !okFigures {
		return false
	}
	if b.out != nil && b.ended {
		b.end()
	}
	x := b.open(s)
	if x.Test == "" {
		x.Test = "fileio"
	}
	p := SysbenchPoint{At: at, Threads: x.Threads, ReadSpeed: &v[0], WriteSpeed: &v[1], Fsyncs: &v[2]}
	if !s.last { // a number at the end of a text may lack figures
		p.Latency = find(sysbenchPLat, m[5])
	}
	if len(x.Progress) < maxRows {
		x.Progress = append(x.Progress, p)
	}
	return true
}

func find(re *regex.Regex, s string) *float64 {
	m := re.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	v, ok := figure(m[1])
	if !ok {
		return nil
	}
	return &v
}

// rest reads the other lines of a report.
func (b *sysbench) rest(s scanned) bool {
	if m := sysbenchThreads.FindStringSubmatch(s.text); m != nil {
		b.open(s).Threads, _ = whole(m[1])
		return true
	}
	if m := sysbenchSum.FindStringSubmatch(s.text); m != nil {
		n, ok := whole(m[2])
		if !ok {
			return false
		}
		x := b.open(s)
		switch m[1] {
		case "read":
			x.Reads = &n
		case "write":
			x.Writes = &n
		case "other":
			x.Others = &n
		case "total":
			x.Queries = &n
		default:
			x.Events = &n
		}
		return true
	}
	if b.operations(s) {
		return true
	}
	x := b.open(s)
	if m := sysbenchTime.FindStringSubmatch(s.text); m != nil {
		v, ok := secondsOf(m[1])
		if ok {
			x.Seconds = v
		}
		return ok
	}
	if m := sysbenchLat.FindStringSubmatch(s.text); m != nil {
		return x.latency(m)
	}
	if m := sysbenchFile.FindStringSubmatch(s.text); m != nil {
		v, ok := figure(m[2])
		if !ok {
			return false
		}
		switch {
		case m[1] == "reads/s":
			x.ReadRate = &v
		case m[1] == "writes/s":
			x.WriteRate = &v
		case m[1] == "fsyncs/s":
			x.Fsyncs = &v
		case m[1] == "read, MiB/s":
			x.ReadSpeed = &v
		case m[1] == "written, MiB/s":
			x.WriteSpeed = &v
		case strings.HasPrefix(m[1], "events"):
			x.Rate = &v
		}
		return true
	}
	if sysbenchFair.MatchString(s.text) {
		b.ended = true
		return true
	}
	return sysbenchPart.MatchString(s.text) || sysbenchSumT.MatchString(s.text)
}

// operations reads what a test of memory, of files or of the processor did.
func (b *sysbench) operations(s scanned) bool {
	x := b.open(s)
	if m := match(sysbenchTotal, s.text, " per second)", " ops/sec)"); m != nil {
		n, ok1 := whole(m[1])
		v, ok2 := figure(m[2])
		if ok1 && ok2 {
			x.Events, x.Rate = &n, &v
		}
		return ok1 && ok2
	}
	if m := match(sysbenchMoved, s.text, "transferred"); m != nil {
		v, ok := figure(m[1])
		if ok {
			x.Moved = &v
		}
		return ok
	}
	if m := match(sysbenchDone, s.text, " Total"); m != nil {
		if n, ok := whole(m[1]); ok {
			x.Events = &n
		}
		return x.Events != nil
	}
	if m := match(sysbenchCarried, s.text, "transferred"); m != nil {
		v, ok := figure(m[1])
		if ok {
			v *= fioUnit(m[2]) / (1 << 20)
			x.Moved = &v
		}
		return ok
	}
	if m := match(sysbenchRequests, s.text, "Requests/sec"); m != nil {
		v, ok := figure(m[1])
		if ok {
			x.Rate = &v
		}
		return ok
	}
	return false
}

func (x *Sysbench) latency(m []string) bool {
	v, ok := figure(m[3])
	if !ok {
		return false
	}
	if m[4] == "s" {
		v *= 1000
	}
	if x.Latency == nil {
		x.Latency = &SysbenchLatency{}
	}
	switch m[1] {
	case "min":
		x.Latency.Min = &v
	case "avg":
		x.Latency.Mean = &v
	case "max":
		x.Latency.Max = &v
	default:
		x.Latency.Percentile, _ = figure(m[2])
		x.Latency.At = &v
	}
	return true
}

func (b *sysbench) end() {
	if b.out == nil {
		return
	}
	x := b.out.Sysbench
	told := x.Transactions != nil || x.Events != nil || x.Rate != nil
	b.out.Cut = !told || x.Latency == nil || x.Seconds == 0 ||
		x.Latency.Mean == nil && x.Latency.Max == nil // the least is the first of them
	if !told && x.Latency == nil && len(x.Progress) == 0 && x.Queries == nil && x.ReadSpeed == nil && x.Moved == nil &&
		len(x.Errors) == 0 {
		b.out.Sysbench = nil // a head alone
	}
	b.out = nil
}
