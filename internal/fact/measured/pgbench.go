package measured

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bounds of a report. pgbench takes 128 scripts at most; a script of a thousand
// commands is longer than any that people write.
const (
	maxReport     = 4 << 20
	maxScripts    = 128
	maxStatements = 20_000
	maxWord       = 2000 // of a script's name or of a statement's first line; longer ones are cut
)

// Pgbench is the report that pgbench prints when it ends, of version 13 to 18.
// A pointer that is nil is a line that was not printed: 13 and 14 know no failed
// transactions, and a run without --rate has no lag.
type Pgbench struct {
	Program   string   `json:"pgbench,omitempty"` // version as printed, since 14: "15.18 (Debian 15.18-0+deb12u1)"
	Server    string   `json:"server,omitempty"`  // where it is another than pgbench's own
	Type      string   `json:"transaction_type"`  // name of the script, or "multiple scripts"
	Scale     int64    `json:"scale"`
	Mode      string   `json:"query_mode"` // simple, extended, prepared
	Clients   int64    `json:"clients"`
	Threads   int64    `json:"threads"`
	MaxTries  *int64   `json:"max_tries,omitempty"`               // since 15
	PerClient *int64   `json:"transactions_per_client,omitempty"` // with -t
	Wanted    *int64   `json:"transactions_wanted,omitempty"`     // with -t: of all clients
	Duration  *int64   `json:"duration_s,omitempty"`              // with -T
	Latency   Spread   `json:"latency_ms"`
	Lag       *float64 `json:"lag_ms,omitempty"`     // mean, behind the schedule of --rate
	LagMax    *float64 `json:"lag_max_ms,omitempty"` //
	Limit     *float64 `json:"latency_limit_ms,omitempty"`
	Late      *int64   `json:"late,omitempty"` // transactions that took longer than the limit
	Counts
	// FailuresIncluded says that the mean latency counts failed transactions too.
	FailuresIncluded bool `json:"latency_includes_failures,omitempty"`
	// Connect is the time of connecting in milliseconds: in all before the start, or
	// with -C on average of each transaction. Since 14.
	Connect *float64 `json:"connection_ms,omitempty"`
	// TPS excludes the first connections, except with -C, where each transaction
	// connects. Nil: no transaction succeeded.
	TPS *float64 `json:"tps,omitempty"`
	// TPSConnecting includes the first connections; 13 prints both.
	TPSConnecting *float64 `json:"tps_with_connections,omitempty"`
	Reconnects    bool     `json:"reconnects,omitempty"` // -C
	Scripts       []Script `json:"scripts,omitempty"`    // where there are several, or with -r
}

// Counts are of transactions, of a run or of a script.
type Counts struct {
	Transactions  int64  `json:"transactions"` // that succeeded; of a script before 17: that were processed
	Failed        *int64 `json:"failed,omitempty"`
	Serialization *int64 `json:"serialization_failures,omitempty"`
	Deadlock      *int64 `json:"deadlock_failures,omitempty"`
	Retried       *int64 `json:"retried,omitempty"`
	Retries       *int64 `json:"retries,omitempty"`
	Skipped       *int64 `json:"skipped,omitempty"` // too late to begin, with --rate and --latency-limit
}

// Spread is a mean with its standard deviation, in milliseconds.
type Spread struct {
	Mean *float64 `json:"mean,omitempty"`
	SD   *float64 `json:"sd,omitempty"`
}

// Script is what the report says of one script.
type Script struct {
	Name    string   `json:"name"`
	Weight  *int64   `json:"weight,omitempty"`
	TPS     *float64 `json:"tps,omitempty"`
	Latency Spread   `json:"latency_ms"`
	Counts
	Statements []Statement `json:"statements,omitempty"` // with -r
}

// Statement is one command of a script.
type Statement struct {
	Latency  float64 `json:"latency_ms"`
	Failures *int64  `json:"failures,omitempty"` // since 15
	Retries  *int64  `json:"retries,omitempty"`  // with --max-tries
	Text     string  `json:"text"`               // its first line
}

// reader is a report as far as it is read.
type reader struct {
	out     Pgbench
	script  *Script // whose lines are read; nil: the head of the report
	columns int     // of the table of statements that is read; 0: none
	total   int     // statements so far
	known   int     // lines that were understood
	ended   bool    // the number of transactions was there
}

// ParsePgbench reads what pgbench prints on its standard output.
func ParsePgbench(text []byte) (*Pgbench, error) {
	if len(text) > maxReport {
		return nil, fmt.Errorf("report of pgbench: %d bytes, more than %d", len(text), maxReport)
	}
	var r reader
	for line := range bytes.Lines(text) {
		if err := r.line(strings.TrimRight(string(line), "\r\n")); err != nil {
			return nil, fmt.Errorf("report of pgbench: %w", err)
		}
	}
	switch {
	case r.known == 0:
		return nil, errors.New("report of pgbench: it holds no line of one")
	case !r.ended:
		return nil, errors.New("report of pgbench: it ends before the number of transactions")
	}
	return &r.out, nil
}

// line reads one line. One that is not known is passed over: later versions add some.
func (r *reader) line(s string) error {
	switch {
	case r.columns > 0 && strings.HasPrefix(s, "   "):
		return r.statement(s)
	case strings.HasPrefix(s, "SQL script "):
		return r.open(s)
	case strings.Contains(s, "statement latencies in milliseconds") && strings.HasSuffix(s, ":"):
		r.known++
		r.columns = 1
		if strings.Contains(s, "failures") {
			r.columns++
		}
		if strings.Contains(s, "retries") {
			r.columns++
		}
		if r.script == nil { // one script: no section of its own
			r.out.Scripts = append(r.out.Scripts, Script{Name: r.out.Type, Counts: r.out.Counts, TPS: r.out.TPS,
				Latency: r.out.Latency})
			r.script = &r.out.Scripts[0]
		}
		return nil
	}
	r.columns = 0
	if r.script != nil {
		s = strings.TrimPrefix(s, " - ")
		return r.ofScript(s)
	}
	return r.ofRun(s)
}

// open begins the section of a script: "SQL script 2: b.sql".
func (r *reader) open(s string) error {
	_, name, ok := strings.Cut(s, ": ")
	if !ok {
		return nil
	}
	if len(r.out.Scripts) >= maxScripts {
		return fmt.Errorf("more than %d scripts", maxScripts)
	}
	r.known, r.columns = r.known+1, 0
	r.out.Scripts = append(r.out.Scripts, Script{Name: cut(name)})
	r.script = &r.out.Scripts[len(r.out.Scripts)-1]
	return nil
}

// ofScript reads a line of a script's section.
func (r *reader) ofScript(s string) error {
	sc := r.script
	if v, ok := strings.CutPrefix(s, "weight: "); ok {
		r.known++
		return set(&sc.Weight, first(v))
	}
	if n, rest, ok := strings.Cut(s, " transactions ("); ok && !strings.HasPrefix(s, "number") {
		r.known++
		if err := setValue(&sc.Transactions, n); err != nil {
			return err
		}
		if _, tps, ok := strings.Cut(rest, "tps = "); ok { // up to 16
			return setFloat(&sc.TPS, strings.TrimSuffix(tps, ")"))
		}
		return nil
	}
	if v, ok := strings.CutPrefix(s, "number of transactions actually processed: "); ok { // since 17
		r.known++
		if err := setValue(&sc.Transactions, first(v)); err != nil {
			return err
		}
		if _, tps, ok := strings.Cut(v, "tps = "); ok {
			return setFloat(&sc.TPS, strings.TrimSuffix(tps, ")"))
		}
		return nil
	}
	_, err := r.shared(s, &sc.Counts, &sc.Latency)
	return err
}

// ofRun reads a line of the report's head.
func (r *reader) ofRun(s string) error {
	o := &r.out
	if done, err := r.shared(s, &o.Counts, &o.Latency); done || err != nil {
		return err
	}
	if v, ok := strings.CutPrefix(s, "pgbench ("); ok {
		r.known++
		o.Program, o.Server, _ = strings.Cut(strings.TrimSuffix(cut(v), ")"), ", server ")
		return nil
	}
	if v, ok := strings.CutPrefix(s, "number of transactions actually processed: "); ok {
		r.known, r.ended = r.known+1, true
		n, wanted, ok := strings.Cut(v, "/")
		if ok {
			if err := set(&o.Wanted, wanted); err != nil {
				return err
			}
		}
		return setValue(&o.Transactions, n)
	}
	if v, ok := strings.CutPrefix(s, "number of transactions above the "); ok {
		// "above the 1.0 ms latency limit: 3/100 (3.000%)"; 13 has a blank before the sign
		limit, n, ok := strings.Cut(v, " ms latency limit: ")
		if !ok {
			return nil
		}
		r.known++
		n, _, _ = strings.Cut(first(n), "/")
		return errors.Join(setFloat(&o.Limit, limit), set(&o.Late, n))
	}
	if v, ok := strings.CutPrefix(s, "rate limit schedule lag: avg "); ok {
		avg, rest, _ := strings.Cut(v, " (max ")
		most, _, _ := strings.Cut(rest, ")")
		r.known++
		return errors.Join(setFloat(&o.Lag, avg), setFloat(&o.LagMax, most))
	}
	if v, ok := strings.CutPrefix(s, "tps = "); ok {
		r.known++
		if strings.Contains(v, "including connections") { // 13
			return setFloat(&o.TPSConnecting, first(v))
		}
		o.Reconnects = strings.Contains(v, "including reconnection")
		return setFloat(&o.TPS, first(v))
	}
	name, v, ok := strings.Cut(s, ": ")
	if !ok {
		if name, v, ok = strings.Cut(s, " = "); !ok {
			return nil
		}
	}
	var err error
	r.known++
	switch name {
	case "transaction type":
		o.Type = cut(v)
	case "scaling factor":
		err = setValue(&o.Scale, v)
	case "query mode":
		o.Mode = cut(v)
	case "number of clients":
		err = setValue(&o.Clients, v)
	case "number of threads":
		err = setValue(&o.Threads, v)
	case "maximum number of tries":
		err = set(&o.MaxTries, v)
	case "number of transactions per client":
		err = set(&o.PerClient, v)
	case "duration":
		err = set(&o.Duration, first(v))
	case "initial connection time", "average connection time":
		err = setFloat(&o.Connect, first(v))
	default:
		r.known--
	}
	return err
}

// shared reads the lines that the head and the sections of scripts have both.
func (r *reader) shared(s string, c *Counts, l *Spread) (bool, error) {
	name, v, ok := strings.Cut(s, ": ")
	if !ok {
		if name, v, ok = strings.Cut(s, " = "); !ok {
			return false, nil
		}
	}
	v, note, _ := strings.Cut(v, " ")
	r.known++
	switch name {
	case "number of failed transactions":
		return true, set(&c.Failed, v)
	case "number of serialization failures":
		return true, set(&c.Serialization, v)
	case "number of deadlock failures":
		return true, set(&c.Deadlock, v)
	case "number of transactions retried":
		return true, set(&c.Retried, v)
	case "total number of retries", "number of total retries":
		return true, set(&c.Retries, v)
	case "number of transactions skipped":
		return true, set(&c.Skipped, v)
	case "latency average":
		if r.script == nil {
			r.out.FailuresIncluded = strings.Contains(note, "including failures")
		}
		return true, setFloat(&l.Mean, v)
	case "latency stddev":
		return true, setFloat(&l.SD, v)
	}
	r.known--
	return false, nil
}

// statement reads a row of the table of statements.
func (r *reader) statement(s string) error {
	var st Statement
	rest := strings.TrimLeft(s, " ")
	for i := range r.columns {
		word, after, ok := strings.Cut(rest, " ")
		if !ok {
			return nil // not a row
		}
		rest = strings.TrimLeft(after, " ")
		var err error
		switch i {
		case 0:
			var v *float64
			if err = setFloat(&v, word); err == nil && v != nil {
				st.Latency = *v
			}
		case 1:
			err = set(&st.Failures, word)
		case 2:
			err = set(&st.Retries, word)
		}
		if err != nil {
			return err
		}
	}
	if r.total++; r.total > maxStatements {
		return fmt.Errorf("more than %d statements", maxStatements)
	}
	st.Text = cut(rest)
	r.script.Statements = append(r.script.Statements, st)
	return nil
}

// first is the first word of a text.
func first(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return s
}

// cut bounds a text and takes care that it is one of UTF-8.
func cut(s string) string {
	if len(s) > maxWord {
		s = s[:maxWord]
	}
	return strings.ToValidUTF8(s, "�")
}

func setValue(to *int64, s string) error {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a count", cut(s))
	}
	*to = n
	return nil
}

func set(to **int64, s string) error {
	var n int64
	if err := setValue(&n, s); err != nil {
		return err
	}
	*to = &n
	return nil
}

// setFloat reads a figure. "nan" and "inf", which pgbench prints where it divides
// by nothing, leave it unknown; so does the «-nan» of its standard deviation.
func setFloat(to **float64, s string) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) && !strings.EqualFold(s, "-nan"):
		return fmt.Errorf("%q is not a figure", cut(s))
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return nil
	case v < 0:
		return fmt.Errorf("%q is below zero", cut(s))
	}
	*to = &v
	return nil
}

// PartOfPgbench reads the lines of a report of which parts may be missing, and passes over
// those that cannot be read.
func PartOfPgbench(lines []string) *Pgbench {
	var r reader
	for _, line := range lines {
		_ = r.line(line) // a line that is none leaves its value unknown
	}
	return &r.out
}
