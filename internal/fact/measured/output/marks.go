package output

import "strings"

const (
	maxMark    = 100 // characters of a mark
	maxMarks   = 64
	leastDense = 6 // lines with a mark that only one line of a program shows
)

// mostLooked bounds in how many lines a beginning is looked for.
const mostLooked = 5000

// hints are cheaper to look for than beginnings, of which each has one.
var hints = []string{"tps = ", "ops/sec", "per test", "transaction", "scaling factor", "number of", "latency",
	"progress: ", "IOPS=", "(g=", "(groupid=", "percentile", "sec) ", "sec):", "Run status", "bw=", "per sec.",
	"avg-cpu", "Device", "swpd", "loop time"}

// unmarked takes off any other text that stands before each line, as what ran the program put
// it there: «[10.0.0.5] out: », «12:10:43 DEBUG| [stdout] ». A mark is what stands before the
// beginning of a program's line; digits of it may differ.
func unmarked(lines []string) []string {
	type mark struct {
		key               string
		begins, all, last int
	}
	var list []*mark
	looked := 0
	at := map[string]*mark{}
	for _, l := range lines {
		if len(l) < 8 || len(l) > flatLine*4 || looked == mostLooked || !holds(l, hints...) || starts(l) {
			continue
		}
		looked++
		m := begins.FindStringSubmatchIndex(l[:min(len(l), maxMark+60)])
		if m == nil || m[2] == 0 || m[2] > maxMark {
			continue
		}
		key := markOf(l[:m[2]])
		if key == "" {
			continue
		}
		k := at[key]
		if k == nil {
			if len(list) == maxMarks {
				continue
			}
			k = &mark{key: key}
			at[key], list = k, append(list, k)
		}
		k.begins++
	}
	var kept []string
	for _, k := range list {
		first := -1
		for i, l := range lines {
			if _, ok := markedBy(l, k.key); ok {
				if k.all++; first < 0 {
					first = i
				}
				k.last = i
			}
		}
		dense := k.all >= leastDense && 2*k.all > k.last-first
		if k.begins >= enough || k.begins >= 1 && dense {
			kept = append(kept, k.key)
		}
	}
	if len(kept) == 0 {
		return lines
	}
	for i, l := range lines {
		for _, key := range kept {
			if rest, ok := markedBy(l, key); ok {
				lines[i] = rest
				break
			}
		}
	}
	return lines
}

// markOf is a text with each run of digits as one 0; "" for one that is no mark.
func markOf(s string) string {
	s = strings.TrimRight(s, " \t")
	if s == "" || s[0] == ' ' && strings.TrimSpace(s) == "" {
		return ""
	}
	var b strings.Builder
	letters, number := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if digit(c) {
			if !number {
				b.WriteByte('0')
			}
			number = true
			continue
		}
		number = false
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 {
			letters++
		}
		b.WriteByte(c)
	}
	key := b.String()
	last := key[len(key)-1]
	if letters < 2 || strings.Contains(key, "=") || last != ':' && last != ']' && last != '|' && last != '>' &&
		last != ')' && last != '-' {
		return ""
	}
	return key
}

// markedBy returns what follows a mark.
func markedBy(l, key string) (rest string, ok bool) {
	i := 0
	for k := 0; k < len(key); k++ {
		if i >= len(l) {
			return "", false
		}
		if key[k] == '0' {
			from := i
			for i < len(l) && digit(l[i]) {
				i++
			}
			if i == from {
				return "", false
			}
			continue
		}
		if l[i] != key[k] {
			return "", false
		}
		i++
	}
	if i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		return l[i+1:], true
	}
	return l[i:], i == len(l)
}
