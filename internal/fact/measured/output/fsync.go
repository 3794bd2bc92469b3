package output

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// methods are the names of the first two tables, which no language translates.
var methods = []string{"open_datasync", "fdatasync", "fsync", "fsync_writethrough", "open_sync"}

const (
	maxFsyncRows  = 32
	mostPerSecond = 1e9
)

var (
	// A row has a rate with three digits after its point; its unit is translated, as «оп/с»,
	// and so is what comes behind it.
	fsyncRow = regex.New(`^\s*(\S.*?)\s+([0-9]{1,10}[.,][0-9]{3})\s+(\S{1,12}/\S{1,6})(?:\s+.{0,40})?$`)
	// «ops/sec» is in many languages; usecs/op and speeds are none.
	fsyncTime = regex.New(`^(?i:[mnuµ]?secs?|µs|us|ms|ns|мкс|[kmgt]?i?b)/`)
	// With the English unit a number that somebody rounded is one too.
	fsyncRounded = regex.New(`^\s*(\S.*?)\s+([0-9][0-9.,]{0,14})\s+ops/sec\b`)
	// «n/a» of each language that pg_test_fsync has; * is that the filesystem refused.
	fsyncNone = regex.New(`^\s*(\S.*?)\s+(?:n/a|н/д|entf\.|利用不可|ej tillämpbar|δ/υ|\x{FFFD}/\x{FFFD})(\*?)\s*$`)

	fsyncSeconds    = regex.New(`^\s*([0-9]{1,6}) seconds? per test\b`)
	fsyncOperations = regex.New(`^\s*([0-9]{1,9}) operations per test\b`)
	fsyncDirect     = regex.New(
		`(?:O_DIRECT|F_NOCACHE)\b.*open_datasync|open_datasync.*(?:O_DIRECT|F_NOCACHE)\b`)
	fsyncIndirect = regex.New(`(?i)\bdirect[- ]I/O\b|I/O direct|ввод/вывод|введення/виведення|ダイレクト I/O`)
	// A heading of the first two tables: «Compare file sync methods using one 8kB write:».
	// 8 is the size of WAL's blocks, which a build may have set to 1 to 64.
	fsyncHeading = regex.New(
		`^(?:|[^/]{0,200}[^0-9])(?:1|2|4|8|16|32|64) ?(?:kB|Ko|ko|KB|Kb|КБ|кБ|კბ)[^/]{0,120}[:：]\s*$`)
	fsyncOrder = regex.New(`^\s*[(（].{0,80}wal_sync_method.{0,80}`)
	fsyncOne   = regex.New(`(?i)compare file sync methods using one\b`)
	fsyncTwo   = regex.New(`(?i)compare file sync methods using two\b`)
	fsyncSizes = regex.New(`(?i)compare open_sync with different`)
	fsyncOther = regex.New(`(?i)test if fsync on non-write`)
	fsyncPlain = regex.New(`(?i)^\s*non-sync\S?'?ed`)
	fsyncSize  = regex.New(`[0-9] ?(?:kB|Ko|КБ|კბ)`)
)

// fsync reads pg_test_fsync of 9.1 to 19, in each of its languages.
type fsync struct {
	r     *reader
	out   *Output
	at    *[]measured.Rate
	plain bool
	heads int    // tables of methods whose headings were seen in this run
	lone  int    // a number that stood alone in the line before
	took  string // the name of the last row
}

// run begins another one.
func (f *fsync) run(line int) {
	f.end()
	f.out = f.r.open(TestFsync, line)
	f.out.Fsync = &measured.Fsync{One: []measured.Rate{}, Two: []measured.Rate{}}
	f.at, f.plain, f.heads = nil, false, 0
}

// begin begins another run where the one that is open has rows.
func (f *fsync) begin(line int) {
	if f.out == nil || f.out.filled() {
		f.run(line)
	}
}

func (f *fsync) line(s scanned) bool {
	lone := f.lone
	f.lone = 0
	if len(s.text) < 80 {
		f.lone = loneNumber(s.text)
	}
	if !holds(s.text, "/", "sync", "O_DIRECT", "F_NOCACHE", ":", "：", " per test") {
		return f.row(s)
	}
	switch {
	case fsyncSeconds.MatchString(s.text):
		f.begin(s.number)
		n, _ := whole(fsyncSeconds.FindStringSubmatch(s.text)[1])
		f.out.Fsync.Seconds = int(n)
	case fsyncOperations.MatchString(s.text):
		f.begin(s.number)
		n, _ := whole(fsyncOperations.FindStringSubmatch(s.text)[1])
		f.out.Fsync.Operations = n
	case fsyncDirect.MatchString(s.text):
		f.begin(s.number)
		f.out.Fsync.DirectIO = true
		f.told(lone)
	case fsyncIndirect.MatchString(s.text) && len(s.text) < 120 && (lone > 0 || f.out != nil && !f.out.filled()):
		f.begin(s.number)
		f.told(lone)
	case fsyncOne.MatchString(s.text):
		f.table(s.number, true)
	case fsyncTwo.MatchString(s.text):
		if f.out == nil || len(f.out.Fsync.Two) > 0 {
			f.run(s.number)
		}
		f.at, f.plain, f.heads = &f.out.Fsync.Two, false, 2
	case strings.Contains(s.text, "wal_sync_method") && fsyncOrder.MatchString(s.text):
		// it stands below the heading of each of the two tables, and in the place of one that is not there
		if f.out != nil && f.at == &f.out.Fsync.One && len(f.out.Fsync.One) > 0 && len(f.out.Fsync.Two) == 0 {
			f.at, f.heads = &f.out.Fsync.Two, 2
		}
	case fsyncSizes.MatchString(s.text), fsyncOther.MatchString(s.text):
		if f.out != nil && f.heads == 0 && f.at == &f.out.Fsync.One { // the table before this one is that of two writes
			f.out.Fsync.One, f.out.Fsync.Two = []measured.Rate{}, f.out.Fsync.One
		}
		f.at, f.plain = nil, false // their rows tell themselves
	case fsyncPlain.MatchString(s.text):
		f.at, f.plain = nil, true
	case fsyncHeading.MatchString(s.text) && !strings.Contains(s.text, "open_sync"):
		// another language: the first such heading of a run is of one write, the second of two
		switch {
		case f.out == nil || f.heads == 0 || len(f.out.Fsync.Two) > 0 && len(f.out.Fsync.Descriptors) == 0:
			f.table(s.number, true)
		case f.heads == 1:
			f.at, f.heads = &f.out.Fsync.Two, 2
		default:
			f.at, f.plain = nil, true
		}
	default:
		return f.row(s)
	}
	return true
}

// table begins the table of one write, of the run that is open where that has no rows.
func (f *fsync) table(line int, one bool) {
	if f.out == nil || f.out.filled() && one {
		seconds := 0
		f.run(line)
		f.out.Fsync.Seconds = seconds
	}
	f.at, f.plain, f.heads = &f.out.Fsync.One, false, 1
}

// told keeps the seconds that stood in the line before.
func (f *fsync) told(seconds int) {
	if f.out.Fsync.Seconds == 0 && f.out.Fsync.Operations == 0 {
		f.out.Fsync.Seconds = seconds
	}
}

// row reads a row of a table. Its name tells the table, but for one write and two.
func (f *fsync) row(s scanned) bool {
	r, ok := fsyncRate(s.text)
	if !ok {
		return false
	}
	method := slices.Contains(methods, r.Name)
	if !method && f.out == nil {
		return false
	}
	if f.out == nil {
		f.run(s.number) // rows without a heading
	}
	x := f.out.Fsync
	switch {
	case method:
		switch {
		case f.at == nil && !f.plain && !f.out.filled():
			f.at = &x.One // its heading is not there
		case f.at == nil || f.plain || has(*f.at, r.Name):
			f.run(s.number)
			x = f.out.Fsync
			f.at = &x.One
		}
		keep(f.at, r)
	case strings.Contains(r.Name, "open_sync") && fsyncSize.MatchString(r.Name):
		keep(&x.Sizes, r)
	case strings.Contains(r.Name, "fsync") && strings.Contains(r.Name, ","):
		keep(&x.Descriptors, r)
	case (f.plain || f.heads == 2 || r.Name == "write") && !r.Missing && x.Plain == nil && len(r.Name) < 40:
		x.Plain = &r
		f.plain = true
	default:
		return false
	}
	if strings.Contains(s.text, "*") && r.Missing && strings.HasSuffix(strings.TrimSpace(s.text), "*") {
		x.NoDirectIO = true
	}
	return true
}

// fsyncRate reads a row of any table.
func fsyncRate(s string) (measured.Rate, bool) {
	if len(s) > 200 || !holds(s, "/", "н/д", "entf.", "利用不可", "ej ", "δ/υ") {
		return measured.Rate{}, false
	}
	if m := fsyncNone.FindStringSubmatch(s); m != nil && !strings.Contains(m[1], "\uFFFD") {
		return measured.Rate{Name: rowName(m[1]), Missing: true}, true
	}
	m := fsyncRow.FindStringSubmatch(s)
	if m == nil || fsyncTime.MatchString(m[3]) {
		m = fsyncRounded.FindStringSubmatch(s)
	}
	if m == nil {
		return measured.Rate{}, false
	}
	v, ok := figure(m[2])
	if !ok || v > mostPerSecond || v == 0 {
		return measured.Rate{}, false
	}
	return measured.Rate{Name: rowName(m[1]), PerSecond: v}, true
}

// rowName makes the name of a row short and harmless.
func rowName(s string) string {
	return short(strings.TrimSuffix(strings.Trim(strings.TrimPrefix(s, "- "), " \t|*`"), ":"), 64)
}

func has(list []measured.Rate, name string) bool {
	return slices.ContainsFunc(list, func(r measured.Rate) bool { return r.Name == name })
}

func keep(list *[]measured.Rate, r measured.Rate) {
	if len(*list) < maxFsyncRows {
		*list = append(*list, r)
	}
}

// end closes the run. The whole output has all five tables; 9.1 has them too.
func (f *fsync) end() {
	if f.out != nil {
		x := f.out.Fsync
		f.out.Cut = len(x.One) == 0 || len(x.Two) == 0 || len(x.Sizes) == 0 || len(x.Descriptors) == 0 || x.Plain == nil
	}
	f.out = nil
}
