package params

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Fault is a kind of reason for which the server rejects a value.
type Fault int

// The kinds of faults. BuildDecides is no error: some builds accept the value.
const (
	NotNumber    Fault = iota + 1 // a numeric parameter with something else
	WrongUnit                     // a unit that this parameter does not have
	OutOfRange                    // a number below its minimum or above its maximum
	NotBool                       // neither on nor off
	NotWord                       // none of an enum's words, or of a list's
	BuildDecides                  // a word that only some builds know
	Forbidden                     // a number within the bounds that another rule forbids
)

// Refusal says why a value is rejected.
type Refusal struct {
	Fault Fault
	Text  say.Message // one clause without a period: "32kB is below the minimum of 64kB"
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text.String() }

// ComputedAtStart reports whether only a server that has started knows the value.
func ComputedAtStart(name string) bool {
	switch name {
	case "shared_memory_size", "shared_memory_size_in_huge_pages", "huge_pages_status", "num_os_semaphores":
		return true
	}
	return false
}

// Fresh is the value of a new cluster, as far as it does not depend on the host.
func (p Param) Fresh() string {
	if p.Reset != "" {
		return p.Reset
	}
	return p.Boot
}

// Accepts says whether the server would accept a value from a file, as far as that
// can be known without a server: nil, or why not. What only the server or the host
// knows (names of time zones, locales, roles; syntax within texts) is accepted.
func (p Param) Accepts(major int, value string) *Refusal {
	switch p.Type {
	case "bool":
		if _, ok := ParseBool(value); !ok {
			return &Refusal{NotBool, say.M("{value} is neither on nor off", "value", quoted(value))}
		}
		if r, ok := onlyOneWay[p.Name]; ok && (r.until == 0 || major <= r.until) && major >= r.from {
			if on, _ := ParseBool(value); on != r.only {
				return &Refusal{NotWord, say.M(r.why)}
			}
		}
	case "enum":
		return p.acceptsWord(major, value)
	case "integer", "real":
		n, r := p.number(value)
		if r != nil {
			return r
		}
		return p.within(n)
	case "string":
		if p.Name == "log_min_messages" { // 19+
			return acceptsLogLevels(value)
		}
		if list, ok := p.listWords(major); ok && !(p.Name == "log_connections" && wasBool(value)) {
			return acceptsList(list, value)
		}
	}
	return nil
}

// oneWay is a parameter that is kept for old clients and has only one valid value.
type oneWay struct {
	from, until int // majors; until 0: no end
	only        bool
	why         say.Template
}

var onlyOneWay = map[string]oneWay{
	"standard_conforming_strings": {19, 0, true, "in 19 and later, strings always conform to the standard, and only " +
		"on is valid"},
	"default_with_oids": {12, 0, false, "in 12 and later, tables have no OIDs, and only off is valid"},
}

// ParseBool reads a truth value as the server does: any beginning of true,
// false, yes, no, on and off that is no other's, 1 and 0, without regard to case.
func ParseBool(s string) (on, ok bool) {
	low := strings.ToLower(s)
	if low == "" || len(low) != len(s) {
		return false, false
	}
	switch {
	case low == "1", strings.HasPrefix("true", low), strings.HasPrefix("yes", low), low == "on":
		return true, true
	case low == "0", strings.HasPrefix("false", low), strings.HasPrefix("no", low), low == "of", low == "off":
		return false, true
	}
	return false, false
}

// Number reads a numeric value in the parameter's base unit; ok is false where
// the server would not read it.
func (p Param) Number(value string) (n float64, ok bool) {
	n, r := p.number(value)
	return n, r == nil
}

// number is the server's parse_int and parse_real: C's number, blanks, a unit.
func (p Param) number(value string) (float64, *Refusal) {
	n, rest, ok := unit.CNumber(value, p.Type == "integer")
	if !ok {
		return 0, &Refusal{NotNumber, say.M("{value} is not a number", "value", quoted(value))}
	}
	if word := strings.Trim(rest, unit.Blanks); word != "" {
		if n, ok = toBase(n, word, p.Unit); !ok {
			return 0, &Refusal{WrongUnit, unitsOf(p.Unit, value)}
		}
	}
	if p.Type == "integer" {
		if n = math.RoundToEven(n); n > math.MaxInt32 || n < math.MinInt32 {
			return 0, &Refusal{OutOfRange, say.M("{value} exceeds the range of a 32-bit integer", "value",
				quoted(value))}
		}
	}
	return n, nil
}

// quoted is a value as it was written, in double quotes.
func quoted(value string) string { return strconv.Quote(value) }

// unitsOf says which units a parameter of a base unit has.
func unitsOf(base, value string) say.Message {
	switch {
	case base == "":
		return say.M("{value} has a unit, and this parameter has none", "value", quoted(value))
	case memory(base):
		return say.M("{value} has an invalid unit; valid units (case-sensitive): B, kB, MB, GB, TB", "value",
			quoted(value))
	}
	return say.M("{value} has an invalid unit; valid units (case-sensitive): us, ms, s, min, h, d", "value",
		quoted(value))
}

func memory(base string) bool { return strings.HasSuffix(base, "B") }

// ladder is a family of units, from the largest, each with its size in the smallest.
type ladder []struct {
	name string
	size float64
}

var (
	sizes = ladder{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}
	times = ladder{{"d", 86400e6}, {"h", 3600e6}, {"min", 60e6}, {"s", 1e6}, {"ms", 1e3}, {"us", 1}}
)

// toBase converts to the base unit. A fraction is rounded to the next smaller
// unit first, as the server does: 1.5001GB are 1536MB.
func toBase(n float64, unit, base string) (float64, bool) {
	if base == "" {
		return 0, false
	}
	l, one := times, 1.0
	if memory(base) {
		l = sizes
	}
	times := strings.TrimRight(base, "kMGTBdhminsu") // the 8 of 8kB
	if f, err := strconv.ParseFloat(times, 64); err == nil {
		one = f
	}
	for _, u := range l {
		if u.name == strings.TrimPrefix(base, times) {
			one *= u.size
		}
	}
	for i, u := range l {
		if u.name != unit {
			continue
		}
		n *= u.size / one
		if i+1 < len(l) {
			next := l[i+1].size / one
			n = math.RoundToEven(n/next) * next
		}
		return n, true
	}
	return 0, false
}

func (p Param) within(n float64) *Refusal {
	lo, errLo := strconv.ParseFloat(p.Min, 64)
	hi, errHi := strconv.ParseFloat(p.Max, 64)
	switch {
	case errLo == nil && n < lo:
		return &Refusal{OutOfRange, say.M("{value} is below the minimum of {least}", "value", p.show(n), "least",
			p.show(lo))}
	case errHi == nil && n > hi && !(p.Max == largest && n <= math.MaxFloat64):
		return &Refusal{OutOfRange, say.M("{value} is above the maximum of {most}", "value", p.show(n), "most",
			p.show(hi))}
	}
	if r, ok := besides[p.Name]; ok && !r.ok(n) {
		return &Refusal{Forbidden, say.M(r.why, "value", p.show(n))}
	}
	return nil
}

// largest is how pg_settings prints the largest number of C's double, rounded up.
const largest = "1.79769e+308"

// rule is what a parameter's own hook requires of a number within the bounds.
type rule struct {
	ok  func(float64) bool
	why say.Template // of {value}
}

// besides holds the hooks that do not depend on the host.
var besides = map[string]rule{
	// The smallest ring for VACUUM is 128 kB; 0 turns the ring off.
	"vacuum_buffer_usage_limit": {func(n float64) bool { return n == 0 || n >= 128 },
		"{value} is neither 0 nor at least 128kB"},
	// The pools are divided into banks of 16 buffers.
	"commit_timestamp_buffers": bank, "multixact_member_buffers": bank, "multixact_offset_buffers": bank,
	"notify_buffers":       bank,
	"serializable_buffers": bank, "subtransaction_buffers": bank, "transaction_buffers": bank,
}

var bank = rule{func(n float64) bool { return math.Mod(n, 16) == 0 }, "{value} is not a multiple of 16 buffers"}

// show spells a number of the base unit as the server's messages do.
func (p Param) show(n float64) string {
	s := strconv.FormatFloat(n, 'g', -1, 64)
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		s = strconv.FormatFloat(n, 'f', 0, 64)
	}
	if p.Unit == "" || n <= 0 {
		return s
	}
	l, one := times, 1.0
	if memory(p.Unit) {
		l = sizes
	}
	if v, ok := toBase(1, l[len(l)-1].name, p.Unit); ok && v > 0 {
		one = 1 / v
	} else {
		for _, u := range l { // the smallest unit is rounded away in a large base
			if v, ok := toBase(1, u.name, p.Unit); ok && v >= 1 {
				one = u.size / v
			}
		}
	}
	for _, u := range l {
		if q := n * one / u.size; q >= 1 && q == math.Trunc(q) && q < 1e15 {
			return strconv.FormatFloat(q, 'f', 0, 64) + u.name
		}
	}
	return s + p.Unit
}

func (p Param) acceptsWord(major int, value string) *Refusal {
	same := func(w string) bool { return strings.EqualFold(w, value) && len(w) == len(value) }
	if slices.ContainsFunc(p.Enum, same) || slices.ContainsFunc(hidden(p.Name, p.Enum, major), same) {
		return nil
	}
	w := ofBuilds(p.Name, major)
	if slices.ContainsFunc(w, same) {
		return &Refusal{BuildDecides, say.M("{value} requires a server that was built with support for it", "value",
			value)}
	}
	w = slices.DeleteFunc(slices.Clone(w), func(s string) bool { return slices.Contains(p.Enum, s) })
	if len(w) > 0 {
		return &Refusal{NotWord, say.M("{value} is not a valid value; valid values: {words}, and {more} if the server "+
			"was built with support for it", "value", quoted(value), "words", say.Names(p.Enum, 0), "more",
			say.OneOf(w))}
	}
	return &Refusal{NotWord, noneOf(value, p.Enum)}
}

func noneOf(value string, words []string) say.Message {
	return say.M("{value} is not a valid value; valid values: {words}", "value", quoted(value), "words",
		say.Names(words, 0))
}

// truth are the spellings that enums with on and off take without listing them.
var truth = []string{"true", "false", "yes", "no", "1", "0"}

// hidden returns the words that an enum takes and does not list.
func hidden(name string, listed []string, major int) []string {
	switch name {
	case "client_min_messages", "icu_validation_level", "trace_recovery_messages":
		return []string{"debug", "info"}
	case "log_min_messages", "log_min_error_statement":
		return []string{"debug"}
	case "wal_level":
		return []string{"archive", "hot_standby"}
	case "password_encryption":
		if major < 14 {
			return []string{"on", "true", "yes", "1"} // until 13 they stood for md5
		}
	}
	if slices.Contains(listed, "on") && slices.Contains(listed, "off") {
		return truth
	}
	return nil
}

// ofBuilds returns the words that only some builds know.
func ofBuilds(name string, major int) []string {
	switch {
	case name == "wal_compression" && major >= 15:
		return []string{"lz4", "zstd"}
	case name == "default_toast_compression":
		return []string{"lz4"}
	case name == "io_method":
		return []string{"io_uring"}
	case name == "wal_sync_method":
		return []string{"fsync_writethrough"}
	}
	return nil
}

// listWords returns the words of the lists whose words are known.
func (p Param) listWords(major int) ([]string, bool) {
	switch p.Name {
	case "log_destination":
		words := []string{"stderr", "csvlog", "syslog"}
		if major >= 15 {
			words = append(words, "jsonlog")
		}
		return words, true
	case "log_connections":
		if major >= 18 {
			return []string{"receipt", "authentication", "authorization", "setup_durations", "all"}, true
		}
	}
	return nil, false
}

// wasBool says whether log_connections of 18 takes a value as of old, when it was
// a switch: spelled out, not abbreviated.
func wasBool(value string) bool {
	return slices.ContainsFunc(append([]string{"on", "off"}, truth...),
		func(w string) bool { return strings.EqualFold(w, value) })
}

func acceptsList(words []string, value string) *Refusal {
	if strings.Trim(value, unit.Blanks) == "" {
		return nil
	}
	for _, part := range strings.Split(value, ",") {
		w := strings.Trim(part, unit.Blanks)
		if n := len(w); n > 2 && w[0] == '"' && w[n-1] == '"' {
			w = w[1 : n-1]
		}
		if !slices.ContainsFunc(words, func(k string) bool { return strings.EqualFold(k, w) }) {
			return &Refusal{NotWord, noneOf(w, words)}
		}
	}
	return nil
}
