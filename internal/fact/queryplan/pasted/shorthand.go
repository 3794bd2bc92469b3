package pasted

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Figures as people write them who shorten a plan: without their brackets, with commas between, in words.
var (
	shortRows = regex.New(`(?i)\b(?:actual )?rows ?[=:≈~]+ ?~?([\d.,]*\d)([km]?)\b|~?\b([\d.,]*\d) ?([km]?) rows\b`)
	shortTime = regex.New(`(?i)\b(?:actual )?time ?[=:≈~]+ ?~?(?:([\d.]+) ?(?:\.\.|…) ?)?([\d.,]*\d) ?(ms|s` +
		`|secs?|µs|us)?\b`)
	shortSpan  = regex.New(`(?i)~?\b([\d.,]*\d) ?(ms|secs?|s|µs|us)\b`)
	shortLoops = regex.New(`(?i)\bloops ?[=:×x]+ ?([\d.,]*\d)([km]?)\b|\b([\d.,]*\d)([km]?) loops\b(?:[!),;]|$)|` +
		`\bexecuted ([\d.,]*\d)([km]?) (?:times|x)\b`)
	shortCost = regex.New(`(?i)\b(?:est(?:imated|\.)?|cost|planned)\b`)
	// shortHead is the name of a node and nothing else
	shortHead = regex.New(`^(?:[A-Z][A-Za-z]+ ?){1,5}(?:(?:using|on) \S+ ?(?:on \S+ ?)?(?:"[^"]*"|\S+)?)?$`)
	// ranSigns are what only a plan has that was executed
	ranSigns = regex.New(`(?i)\(actual |\bactual (?:time|rows)\b|\brows removed\b|\bexecution(?: time)? ?[:=]` +
		`|\bloops ?[=:]|\(\d[\d,.]* loops\b|\bexecuted \d`)
	// shortOn are the dots for an index whose name was left out
	shortOn = regex.New(`( Scan(?: Backward)?(?: using)?) (?:\.{2,}|…) on `)
	// proseCase is a property with the name that a person gave it
	proseCase = regex.New(`(?i)^(\s*(?:[-*•] )?)(rows removed(?: by (?:join filter|index recheck|filter))?|sort` +
		` method|sort key|` +
		`index cond|recheck cond|hash cond|merge cond|filter|join filter|heap fetches|heap blocks|buffers|` +
		`workers (?:planned|launched)|batches|index searches)\*{0,2} ?[:=]\*{0,2} ?(\S)`)
)

// ran says whether the lines are of a plan that was executed.
func ran(lines []string) bool { return slices.ContainsFunc(lines, ranSigns.MatchString) }

// shorthand writes the figures of a node as EXPLAIN does, where a person wrote them in another way. Rows of a plan that
// was not executed are no actual ones.
func shorthand(l string, executed bool) string {
	l = shortOn.ReplaceAllString(l, "$1 on ")
	if mark(l) < len(l) {
		return l
	}
	begin := nodeBegin.FindStringSubmatchIndex(l)
	first, end := len(l), 0
	find := func(re *regex.Regex) []string {
		m := re.FindStringSubmatchIndex(l[begin[1]:])
		if m == nil {
			return nil
		}
		first, end = min(first, begin[1]+m[0]), max(end, begin[1]+m[1])
		out := make([]string, len(m)/2)
		for i := range out {
			if m[2*i] >= 0 {
				out[i] = l[begin[1]+m[2*i] : begin[1]+m[2*i+1]]
			}
		}
		return out
	}
	rows, time, loops := find(shortRows), find(shortTime), find(shortLoops)
	if time == nil {
		if m := find(shortSpan); m != nil {
			time = []string{"", "", m[1], m[2]}
		}
	}
	planned := time == nil && loops == nil && !executed || shortCost.MatchString(l[begin[1]:])
	if first == len(l) || planned && rows == nil {
		return l
	}
	head := strings.TrimRight(l[:first], " \t([{—–-:,|~≈=")
	if !shortHead.MatchString(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(head), "->"))) {
		return l
	}
	if planned {
		n, ok := counting(rows[1]+rows[3], rows[2]+rows[4])
		if !ok {
			return l
		}
		return head + "  (cost= rows=" + n + ")"
	}
	var figures []string
	if time != nil {
		t, ok := millis(time[2], time[3])
		if !ok {
			return l
		}
		if from, ok := millis(time[1], time[3]); ok {
			t = from + ".." + t
		}
		figures = append(figures, "time="+t)
	}
	if rows != nil {
		n, ok := counting(rows[1]+rows[3], rows[2]+rows[4])
		if !ok {
			return l
		}
		figures = append(figures, "rows="+n)
	}
	if loops != nil {
		n, ok := counting(loops[1]+loops[3]+loops[5], loops[2]+loops[4]+loops[6])
		if !ok {
			return l
		}
		figures = append(figures, "loops="+n)
	}
	return head + "  (actual " + strings.Join(figures, " ") + ")" + strings.TrimLeft(l[end:], " )]},")
}

// aloneActual are figures on a line of their own, without their brackets.
var aloneActual = regex.New(`(?i)^\s*actual (?:rows|time|loops)\b`)

// alone puts them in brackets.
func alone(l string) string {
	if strings.ContainsAny(l, "()") || !aloneActual.MatchString(l) {
		return l
	}
	var figures []string
	if m := shortTime.FindStringSubmatch(l); m != nil {
		if t, ok := millis(m[2], m[3]); ok {
			if from, ok := millis(m[1], m[3]); ok {
				t = from + ".." + t
			}
			figures = append(figures, "time="+t)
		}
	}
	if m := shortRows.FindStringSubmatch(l); m != nil {
		if n, ok := counting(m[1]+m[3], m[2]+m[4]); ok {
			figures = append(figures, "rows="+n)
		}
	}
	if m := shortLoops.FindStringSubmatch(l); m != nil {
		if n, ok := counting(m[1]+m[3]+m[5], m[2]+m[4]+m[6]); ok {
			figures = append(figures, "loops="+n)
		}
	}
	if figures == nil {
		return l
	}
	return l[:len(l)-len(strings.TrimLeft(l, " "))] + "(actual " + strings.Join(figures, " ") + ")"
}

// millis are the milliseconds of a time with its unit.
func millis(number, unit string) (string, bool) {
	number = ungrouped(number)
	v, err := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(unit) {
	case "s", "sec", "secs":
		v *= 1000
	case "µs", "us":
		v /= 1000
	}
	return strconv.FormatFloat(v, 'f', -1, 64), true
}

// counting is a count, in thousands or millions if a letter says so.
func counting(number, letter string) (string, bool) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(letter) {
	case "k":
		v *= 1e3
	case "m":
		v *= 1e6
	}
	return strconv.FormatFloat(v, 'f', -1, 64), true
}

// starred is the first line of a plan in a comment of C, where the star of the others was left out.
var starred = regex.New(`^\s*\* +(\S.*\((?:cost=|actual ).*)$`)

// named writes the name of a property as EXPLAIN does.
func named(l string) string {
	m := proseCase.FindStringSubmatchIndex(l)
	if m == nil {
		return l
	}
	name := properName(l[m[4]:m[5]])
	return strings.Repeat(" ", m[3]-m[2]) + name + ": " + l[m[6]:]
}

// properName is the name of a property with the capitals of EXPLAIN.
func properName(name string) string {
	words := strings.Fields(strings.ToLower(name))
	for i, w := range words {
		if w != "by" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	if name = strings.Join(words, " "); name == "Rows Removed" {
		return "Rows Removed by Filter"
	}
	return name
}
